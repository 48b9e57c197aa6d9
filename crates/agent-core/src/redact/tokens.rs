//! Tokens that are known by how they look.

use super::MARK;

/// How tokens begin, and how many characters at least follow.
const SHAPES: [(&str, usize); 66] = [
    ("sk-ant-", 20),
    ("sk-proj-", 20),
    ("sk-or-v1-", 20),
    ("sk-", 32),
    ("gsk_", 30),
    ("xai-", 30),
    ("pplx-", 30),
    ("nvapi-", 30),
    ("r8_", 30),
    ("hf_", 30),
    ("AIza", 35),
    ("ya29.", 30),
    ("GOCSPX-", 20),
    ("ghp_", 36),
    ("gho_", 36),
    ("ghu_", 36),
    ("ghs_", 36),
    ("ghr_", 36),
    ("github_pat_", 22),
    ("glpat-", 20),
    ("gldt-", 20),
    ("glrt-", 20),
    ("glptt-", 20),
    ("ATATT3", 40),
    ("ATBB", 28),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xoxa-", 20),
    ("xoxr-", 20),
    ("xoxs-", 20),
    ("xapp-", 20),
    ("AKIA", 16),
    ("ASIA", 16),
    ("npm_", 36),
    ("pypi-", 40),
    ("rubygems_", 40),
    ("dckr_pat_", 20),
    ("cio", 32),
    ("sk_live_", 20),
    ("sk_test_", 20),
    ("rk_live_", 20),
    ("rk_test_", 20),
    ("whsec_", 24),
    ("sq0atp-", 20),
    ("sq0csp-", 30),
    ("shpat_", 32),
    ("shpss_", 32),
    ("shpca_", 32),
    ("dop_v1_", 40),
    ("doo_v1_", 40),
    ("dp.pt.", 30),
    ("dapi", 32),
    ("hvs.", 24),
    ("hvb.", 24),
    ("SG.", 40),
    ("key-", 32),
    ("lin_api_", 30),
    ("figd_", 30),
    ("PMAK-", 40),
    ("NRAK-", 27),
    ("sntrys_", 40),
    ("sbp_", 40),
    ("phx_", 30),
    ("tskey-", 20),
    ("AGE-SECRET-KEY-1", 40),
    ("SK", 32),
];

/// Names in code have hardly any digits where keys have many.
const DIGITS: usize = 2;

pub(super) fn of_a_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// No shape fits a shorter word, unless it goes on behind a dot or a colon.
const SHORTEST: usize = 20;

/// Takes tokens out by their shape.
pub(super) fn tokens(text: &str) -> Option<String> {
    let mut clean = String::new();
    let (mut done, mut from) = (0, 0);
    let bytes = text.as_bytes();
    let in_word = |byte: &u8| of_a_token(char::from(*byte));
    while let Some(skipped) = bytes[from..].iter().position(in_word) {
        let begin = from + skipped;
        let word = bytes[begin..].iter().take_while(|byte| in_word(byte)).count();
        from = begin + word;
        if let Some(length) = token(&text[begin..], word) {
            clean.push_str(&text[done..begin]);
            clean.push_str(MARK);
            from = begin + length;
            done = from;
        }
    }
    if done == 0 {
        return None;
    }
    clean.push_str(&text[done..]);
    Some(clean)
}

/// How long the token is with which the text begins; its first word has `length` bytes.
fn token(text: &str, length: usize) -> Option<usize> {
    let (word, behind) = (&text[..length], text.as_bytes().get(length));
    if length < SHORTEST && !matches!(behind, Some(b'.' | b':')) {
        return None;
    }
    if is_jwt(text, word) {
        return Some(text.find(|c| !of_a_token(c) && c != '.').unwrap_or(text.len()));
    }
    if let Some(length) = of_a_bot(text, word) {
        return Some(length);
    }
    let same = |begin: &str| begin.as_bytes().first() == text.as_bytes().first();
    let fits = |(begin, _): &&(&str, usize)| same(begin) && text.starts_with(begin);
    let (begin, more) = SHAPES.iter().find(fits)?;
    let dotted = begin.contains('.');
    let body = &text[begin.len()..];
    let end = body.find(|c| !(of_a_token(c) || dotted && c == '.')).unwrap_or(body.len());
    let body = body[..end].trim_end_matches('.');
    let exact = match *begin {
        // What begins with two letters must be as long as it is, and in its digits.
        "SK" | "dapi" | "key-" => {
            body.len() == 32 && body.bytes().all(|byte| byte.is_ascii_hexdigit())
        }
        "cio" => body.len() == 32 && body.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        _ => body.len() >= *more,
    };
    let digits = body.bytes().filter(u8::is_ascii_digit).count();
    (exact && digits >= DIGITS).then_some(begin.len() + body.len())
}

/// Three parts in base64, of which two begin as JSON objects do.
fn is_jwt(text: &str, word: &str) -> bool {
    word.len() > 16
        && word.starts_with("eyJ")
        && text[word.len()..].strip_prefix('.').is_some_and(|rest| rest.starts_with("eyJ"))
}

/// Telegram's: the number of a bot, a colon, and 35 characters.
fn of_a_bot(text: &str, number: &str) -> Option<usize> {
    if !(8..=10).contains(&number.len()) || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let rest = text[number.len()..].strip_prefix(":AA")?;
    let length = rest.find(|c| !of_a_token(c)).unwrap_or(rest.len());
    (length == 33).then_some(number.len() + 3 + length)
}

/// Whether a word in the text is as if by chance: long, of capitals, small letters and digits that
/// take turns.
pub(super) fn looks_random(text: &str) -> bool {
    const LONG: usize = 24;
    let of_a_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '=' | '_');
    text.split(|c| !of_a_word(c)).filter(|word| word.len() >= LONG).any(|word| {
        let kind = |byte: u8| match byte {
            b'0'..=b'9' => 0,
            b'a'..=b'z' => 1,
            b'A'..=b'Z' => 2,
            _ => 3,
        };
        let kinds: Vec<u8> = word.bytes().map(kind).collect();
        let turns = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let digits = kinds.iter().filter(|kind| **kind == 0).count();
        digits >= 3 && kinds.contains(&1) && kinds.contains(&2) && turns * 5 >= word.len() * 2
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_shape_fits_what_is_passed_over() {
        for (begin, more) in SHAPES {
            let of_one_word = begin.chars().all(of_a_token);
            assert!(!of_one_word || begin.len() + more >= SHORTEST, "{begin}");
            assert!(of_one_word || begin.contains('.'), "{begin}");
        }
    }
}
