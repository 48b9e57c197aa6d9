//! Passwords in addresses: `scheme://user:password@host`.

use super::MARK;

/// What stands there in examples.
const EXAMPLES: [&str; 12] = [
    "password", "passwd", "pass", "pwd", "secret", "postgres", "root", "admin", "test", "guest",
    "example", "changeme",
];

const SHORTEST: usize = 4;

/// Takes the passwords out.
pub(super) fn passwords(text: &str) -> Option<String> {
    let mut clean = String::new();
    let (mut rest, mut found) = (text, false);
    while let Some(at) = rest.find("://") {
        let (head, tail) = rest.split_at(at + 3);
        clean.push_str(head);
        let ends = |c: char| c.is_whitespace() || "/?#\"'<>`|\\,".contains(c);
        let authority = &tail[..tail.find(ends).unwrap_or(tail.len())];
        rest = tail;
        let Some((user, password)) =
            authority.rsplit_once('@').and_then(|(before, _)| before.split_once(':'))
        else {
            continue;
        };
        if is_secret(user, password) {
            clean.push_str(user);
            clean.push(':');
            clean.push_str(MARK);
            rest = &tail[user.len() + 1 + password.len()..];
            found = true;
        }
    }
    clean.push_str(rest);
    found.then_some(clean)
}

fn is_secret(user: &str, password: &str) -> bool {
    let placeholder = password.contains(['$', '{', '}', '<', '[', '*', '%'])
        || password.chars().all(|c| c == 'x' || c == 'X' || c == '.')
        || password.eq_ignore_ascii_case(user)
        || EXAMPLES.iter().any(|example| password.eq_ignore_ascii_case(example));
    password.len() >= SHORTEST && !placeholder && password != MARK
}
