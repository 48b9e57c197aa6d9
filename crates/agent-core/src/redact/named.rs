//! Values that are secret by the name that stands before them.

use super::{MARK, SHORTEST, tokens::of_a_token};

/// How names of secrets end.
const ENDS: [&str; 8] =
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIALS", "CREDENTIAL", "PASSPHRASE"];

/// What has to stand before a mere `KEY` in a name that is no variable's.
const KEYS: [&str; 10] = [
    "API",
    "ACCESS",
    "SECRET",
    "PRIVATE",
    "ENCRYPTION",
    "SIGNING",
    "AUTH",
    "MASTER",
    "ACCOUNT",
    "SUBSCRIPTION",
];

/// A value that is quoted or stands behind a colon has to be as long to be none of a program's own
/// words.
const LONG: usize = 12;

/// Whether the variable of that name holds a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let name = plain(name);
    ENDS.iter().any(|end| name.ends_with(end))
}

/// A name in one spelling: `apiKey`, `api-key` and `API_KEY` are the same.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase()
}

/// The same for a name anywhere in a text, where `key` may be that of a map.
fn is_secret_in_text(name: &str) -> bool {
    let is_variable = !name.chars().any(|c| c.is_ascii_lowercase());
    let name = plain(name);
    match name.strip_suffix("KEY") {
        Some("") => false,
        Some(kind) => is_variable || KEYS.iter().any(|known| kind.ends_with(known)),
        None => ENDS.iter().any(|end| name.ends_with(end)),
    }
}

/// Whether a text is as a secret is, and no word of a program's.
fn is_likely(value: &str) -> bool {
    value.len() >= LONG
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether a text stands for itself: no call, no reference, no path, no mark.
fn is_literal(value: &str) -> bool {
    value.len() >= SHORTEST
        && value.is_ascii()
        && !value.contains("://")
        && !value.contains(|c: char| c.is_whitespace() || "$(){}<>[]\\`".contains(c))
        && !value.starts_with(['/', '.', '~'])
        && !value.chars().all(|c| "xX*.-_".contains(c))
}

/// Whether the field of that name holds a secret.
pub(super) fn is_value_of(name: &str, value: &str) -> bool {
    is_secret_in_text(name) && is_literal(value) && is_likely(value)
}

/// Takes out values behind `NAME=`, `name: ` and `"name": `.
pub(super) fn values(text: &str) -> Option<String> {
    let mut clean = String::new();
    let (mut done, mut from) = (0, 0);
    while let Some(at) = text[from..].find(['=', ':']) {
        let at = from + at;
        from = at + 1;
        if let Some((start, end)) = value(text, at, done) {
            clean.push_str(&text[done..start]);
            clean.push_str(MARK);
            done = end;
            from = end;
        }
    }
    if done == 0 {
        return None;
    }
    clean.push_str(&text[done..]);
    Some(clean)
}

/// Where the secret is that the sign at `at` gives a name to.
fn value(text: &str, at: usize, done: usize) -> Option<(usize, usize)> {
    let of_a_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let before = text[done..at].trim_end_matches(' ');
    // JSON in a text has its quotes escaped.
    let unquoted = before.trim_end_matches(['"', '\'', '\\']);
    let name_at = unquoted
        .rfind(|c| !of_a_name(c))
        .map_or(0, |index| index + unquoted[index..].chars().next().map_or(1, char::len_utf8));
    let name = &unquoted[name_at..];
    if name.is_empty() || !is_secret_in_text(name) {
        return None;
    }
    let after = &text[at + 1..];
    let behind = after.trim_start_matches(' ');
    let quoted = behind.trim_start_matches('\\');
    let start = at + 1 + (after.len() - behind.len());
    if let Some(quote) = quoted.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let start = start + (behind.len() - quoted.len()) + 1;
        let length = text[start..].find([quote, '\\', '\n'])?;
        let value = &text[start..start + length];
        return (is_literal(value) && is_likely(value)).then_some((start, start + length));
    }
    let ends =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '\\' | '&');
    let length = behind.find(ends).unwrap_or(behind.len());
    let value = &behind[..length];
    // As in `.env` files: no space at the sign, and a name in capitals.
    let is_variable = text.as_bytes()[at] == b'='
        && before.len() == unquoted.len()
        && text[..at].ends_with(name)
        && behind.len() == after.len()
        && !name.chars().any(|c| c.is_ascii_lowercase());
    let fits = is_variable || (is_likely(value) && ends_there(behind, length));
    (is_literal(value) && fits).then_some((start, start + length))
}

/// Whether nothing but the end of the line or of a text follows, so that it is no code.
fn ends_there(text: &str, length: usize) -> bool {
    text[length..].is_empty() || text[length..].starts_with(['\n', '\r', '"', '\'', '\\', '&'])
}

/// Takes out what stands behind `Authorization:`.
pub(super) fn authorization(text: &str) -> Option<String> {
    const SCHEMES: [&str; 3] = ["Bearer ", "Basic ", "Token "];
    let mut clean = String::new();
    let (mut rest, mut found) = (text, false);
    while let Some(at) = find_ignoring_case(rest, "authorization: ") {
        let end = at + "authorization: ".len();
        clean.push_str(&rest[..end]);
        rest = &rest[end..];
        let scheme = SCHEMES.iter().find(|scheme| rest.starts_with(**scheme));
        if let Some(scheme) = scheme {
            let body = &rest[scheme.len()..];
            let secret = |c: char| of_a_token(c) || matches!(c, '.' | '+' | '/' | '=' | '~');
            let length = body.find(|c| !secret(c)).unwrap_or(body.len());
            if length >= SHORTEST {
                clean.push_str(scheme);
                clean.push_str(MARK);
                rest = &body[length..];
                found = true;
            }
        }
    }
    clean.push_str(rest);
    found.then_some(clean)
}

fn find_ignoring_case(text: &str, wanted: &str) -> Option<usize> {
    text.as_bytes()
        .windows(wanted.len())
        .position(|window| window.eq_ignore_ascii_case(wanted.as_bytes()))
}
