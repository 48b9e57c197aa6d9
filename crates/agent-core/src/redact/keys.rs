//! Private keys.

use super::{MARK, SHORTEST, tokens::looks_random};

const BEGIN: &str = "PRIVATE KEY-----";

/// Takes the bodies of private keys in PEM out, also where the end is cut off.
pub(super) fn private_keys(text: &str) -> Option<String> {
    let mut clean = String::new();
    let (mut rest, mut found) = (text, false);
    while let Some(at) = rest.find(BEGIN) {
        let (head, body) = rest.split_at(at + BEGIN.len());
        clean.push_str(head);
        rest = body;
        let opens = head.rfind("-----BEGIN").is_some_and(|begin| !head[begin..].contains('\n'));
        if !opens {
            continue;
        }
        let end = body.find("-----END").unwrap_or_else(|| length(body));
        if body[..end].trim().len() > SHORTEST {
            // Within JSON in a text a line ends otherwise.
            let newline = if body.starts_with("\\n") { "\\n" } else { "\n" };
            clean.push_str(newline);
            clean.push_str(MARK);
            clean.push_str(newline);
            rest = &body[end..];
            found = true;
        }
    }
    clean.push_str(rest);
    found.then_some(clean)
}

/// How much of a text goes on with a key that was cut off: lines without any words.
fn length(body: &str) -> usize {
    body.split_inclusive('\n').take_while(|line| of_a_key(bare(line))).map(str::len).sum()
}

/// As long as PEM makes its lines.
const LINE: std::ops::RangeInclusive<usize> = 60..=76;

/// Takes out lines that are as those within a key: a search, or a part of a file, shows them
/// without their beginning.
pub(super) fn loose_lines(text: &str) -> Option<String> {
    let mut clean = String::new();
    let (mut found, mut within) = (false, false);
    for whole in text.split_inclusive('\n') {
        let line = bare(whole);
        let begins = LINE.contains(&line.len()) && of_a_key(line) && looks_random(line);
        within = begins || within && line.len() > SHORTEST && of_a_key(line);
        if within {
            clean.push_str(&whole.replace(line, MARK));
            found = true;
        } else {
            clean.push_str(whole);
        }
    }
    found.then_some(clean)
}

/// A line without the number that stands before it.
fn bare(line: &str) -> &str {
    let line = line.trim();
    let behind = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    behind.strip_prefix(['|', ':', '→']).map_or(line, str::trim_start)
}

fn of_a_key(line: &str) -> bool {
    line.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '='))
}
