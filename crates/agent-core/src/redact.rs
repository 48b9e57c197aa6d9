//! Secrets are taken out before anything is shown to a model, stored or printed.
//!
//! What the journal keeps of files is exact and exempt. An edit that would write the [`MARK`] into a
//! file is refused, since it stands for something that the model has not seen.

use std::borrow::Cow;

/// Stands where a secret was.
pub const MARK: &str = "⟦redacted⟧";

/// A shorter value is too likely to be an ordinary word.
const SHORTEST: usize = 8;

/// Tokens that are known by how they begin: the beginning, and how many characters at least follow.
const SHAPES: [(&str, usize); 18] = [
    ("sk-ant-", 20),
    ("sk-proj-", 20),
    ("sk-", 32),
    ("ghp_", 36),
    ("gho_", 36),
    ("ghu_", 36),
    ("ghs_", 36),
    ("ghr_", 36),
    ("github_pat_", 22),
    ("glpat-", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 35),
    ("hf_", 30),
    ("npm_", 36),
    ("sk_live_", 20),
];

/// The secrets that are known, and how others look.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// The longest first, so that none is cut by another.
    values: Vec<String>,
}

impl Redactor {
    /// Knows the values of those variables whose names say that they are secret.
    pub fn of_variables(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let secret = variables.into_iter().filter(|(name, _)| is_secret_name(name));
        let mut values: Vec<String> =
            secret.map(|(_, value)| value).filter(|value| value.len() >= SHORTEST).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Self { values }
    }

    /// The text without secrets, and with what reverses or hides text made visible.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for value in &self.values {
            if text.contains(value.as_str()) {
                text = Cow::Owned(text.replace(value.as_str(), MARK));
            }
        }
        for part in [private_keys, tokens, authorization, visible] {
            if let Some(cleaner) = part(&text) {
                text = Cow::Owned(cleaner);
            }
        }
        text
    }

    /// The same for every text in a value.
    pub fn clean_value(&self, value: &mut serde_json::Value) {
        use serde_json::Value;
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.clean(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.clean_value(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.clean_value(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Whether an edit would write a mark that was not there.
pub(crate) fn writes_a_mark(before: &[u8], after: &[u8]) -> bool {
    let count = |content: &[u8]| {
        content.windows(MARK.len()).filter(|window| *window == MARK.as_bytes()).count()
    };
    count(after) > count(before)
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let ends = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIALS", "PASSPHRASE"];
    ends.iter().any(|end| name.ends_with(end))
}

fn of_a_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Tokens by their shape.
fn tokens(text: &str) -> Option<String> {
    let mut clean = String::new();
    let (mut rest, mut found) = (text, false);
    while !rest.is_empty() {
        let begins = clean.chars().next_back().is_none_or(|before| !of_a_token(before));
        match begins.then(|| token(rest)).flatten() {
            Some(length) => {
                clean.push_str(MARK);
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
    let (begin, _) = SHAPES
        .iter()
        .find(|(begin, more)| word.starts_with(begin) && word.len() - begin.len() >= *more)?;
    // Names in code have no digits where keys have many.
    word[begin.len()..].chars().any(|c| c.is_ascii_digit()).then_some(length)
}

/// Three parts in base64, of which two begin as JSON objects do.
fn is_jwt(text: &str, word: &str) -> bool {
    word.len() > 16
        && word.starts_with("eyJ")
        && text[word.len()..].strip_prefix('.').is_some_and(|rest| rest.starts_with("eyJ"))
}

/// The bodies of private keys in PEM.
fn private_keys(text: &str) -> Option<String> {
    const BEGIN: &str = "PRIVATE KEY-----";
    let mut clean = String::new();
    let (mut rest, mut found) = (text, false);
    while let Some(at) = rest.find(BEGIN) {
        let (head, body) = rest.split_at(at + BEGIN.len());
        clean.push_str(head);
        rest = body;
        let opens = head.rfind("-----BEGIN").is_some_and(|begin| !head[begin..].contains('\n'));
        let end = body.find("-----END").filter(|_| opens);
        if let Some(end) = end.filter(|end| body[..*end].trim().len() > SHORTEST) {
            clean.push_str(&format!("\n{MARK}\n"));
            rest = &body[end..];
            found = true;
        }
    }
    clean.push_str(rest);
    found.then_some(clean)
}

/// What stands behind `Authorization:`.
fn authorization(text: &str) -> Option<String> {
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

/// Controls that turn the reading direction, and characters that carry hidden text, as their
/// numbers. Joiners stay: emoji and several scripts are written with them.
fn visible(text: &str) -> Option<String> {
    let hides = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}');
    if !text.contains(hides) {
        return None;
    }
    let shown =
        |c: char| if hides(c) { format!("<U+{:04X}>", u32::from(c)) } else { c.to_string() };
    Some(text.chars().map(shown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_everything_else_stays() {
        let variables = [
            ("MY_API_KEY", "hunter2-hunter2"),
            ("DB_PASSWORD", "short"),
            ("HOME", "/srv/someone"),
            ("DEPLOY_TOKEN", "hunter2-hunter2-and-more"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let redactor = Redactor::of_variables(variables);
        let a = |count: usize| "a1B2".repeat(count);
        for (text, expected) in [
            ("key = \"hunter2-hunter2\"".to_owned(), format!("key = \"{MARK}\"")),
            ("hunter2-hunter2-and-more".to_owned(), MARK.to_owned()),
            ("short /srv/someone hunter2".to_owned(), "short /srv/someone hunter2".to_owned()),
            (format!("k: sk-{}.", a(10)), format!("k: {MARK}.")),
            (format!("sk-ant-{}\nx", a(6)), format!("{MARK}\nx")),
            (format!("ghp_{}", a(9)), MARK.to_owned()),
            (format!("ghp_{}", a(2)), format!("ghp_{}", a(2))),
            (format!("AKIA{}", "ABCD1234".repeat(2)), MARK.to_owned()),
            (format!("xAKIA{}", "ABCD1234".repeat(2)), format!("xAKIA{}", "ABCD1234".repeat(2))),
            (
                "sk-a-very-long-css-class-name-without-any-number".to_owned(),
                "sk-a-very-long-css-class-name-without-any-number".to_owned(),
            ),
            (format!("eyJ{}.eyJ{}.{}", a(5), a(5), a(5)), MARK.to_owned()),
            (
                "Authorization: Bearer abcdefgh.123".to_owned(),
                format!("Authorization: Bearer {MARK}"),
            ),
            (
                "authorization: Basic dXNlcjpwYXNz\r\n".to_owned(),
                format!("authorization: Basic {MARK}\r\n"),
            ),
            (
                "Authorization: Bearer {token}".to_owned(),
                "Authorization: Bearer {token}".to_owned(),
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"
                    .to_owned(),
                format!("-----BEGIN RSA PRIVATE KEY-----\n{MARK}\n-----END RSA PRIVATE KEY-----"),
            ),
            (
                "find \"PRIVATE KEY-----\" in it".to_owned(),
                "find \"PRIVATE KEY-----\" in it".to_owned(),
            ),
            ("a\u{202e}b\u{e0041}c".to_owned(), "a<U+202E>b<U+E0041>c".to_owned()),
            ("👨\u{200d}👩 ünï".to_owned(), "👨\u{200d}👩 ünï".to_owned()),
            (String::new(), String::new()),
        ] {
            assert_eq!(redactor.clean(&text), expected, "{text}");
        }
        assert!(matches!(redactor.clean("let x = 3;"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_mark_is_new_only_where_there_are_more_of_them() {
        let one = MARK.as_bytes();
        assert!(writes_a_mark(b"", one));
        assert!(!writes_a_mark(one, one));
        assert!(!writes_a_mark(one, b"x"));
    }
}
