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

/// Takes tokens out by their shape.
pub(super) fn tokens(text: &str) -> Option<String> {
    let mut clean = String::new();
    let (mut rest, mut found) = (text, false);
    let mut before = None;
    while !rest.is_empty() {
        let begins = before.is_none_or(|before| !of_a_token(before));
        match begins.then(|| token(rest)).flatten() {
            Some(length) => {
                clean.push_str(MARK);
                before = rest[..length].chars().next_back();
                rest = &rest[length..];
                found = true;
            }
            None => {
                // To where the next token could begin.
                let mut chars = rest.char_indices();
                let inside = chars.next().is_some_and(|(_, first)| of_a_token(first));
                let end = chars.find(|(_, c)| !inside || !of_a_token(*c));
                let end = end.map_or(rest.len(), |(index, _)| index);
                clean.push_str(&rest[..end]);
                before = rest[..end].chars().next_back();
                rest = &rest[end..];
            }
        }
    }
    found.then_some(clean)
}

/// How long the token is with which the text begins.
fn token(text: &str) -> Option<usize> {
    let length = text.find(|c| !of_a_token(c)).unwrap_or(text.len());
    let word = &text[..length];
    if is_jwt(text, word) {
        return Some(text.find(|c| !of_a_token(c) && c != '.').unwrap_or(text.len()));
    }
    if let Some(length) = of_a_bot(text, word) {
        return Some(length);
    }
    let (begin, more) = SHAPES.iter().find(|(begin, _)| text.starts_with(begin))?;
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
