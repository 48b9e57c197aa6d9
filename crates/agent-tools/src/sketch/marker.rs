//! Which line of a sketch stands for lines that are left out.

/// How sure it is that a line is a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// Nobody writes this line for any other purpose.
    Certain,
    /// A marker, unless the file itself holds such a line.
    Likely,
}

/// Comment openers of the languages we have met, longest first where one begins another.
const OPENERS: [&str; 24] = [
    "{/*", "{{!--", "{{!", "{#", "<!---", "<!--", "<%#", "<%--", "@*", "(*", "{-", "--[[", "///",
    "//!", "//", "/**", "/*", "##", "#", "--", ";;", ";", "%", "*",
];

/// What closes them again, without the brace of a JSX expression.
const CLOSERS: [&str; 13] =
    ["*/}", "--}}", "}}", "#}", "--->", "-->", "--%>", "%>", "*@", "*)", "-}", "]]", "*/"];

/// What a marker says, beside "existing code".
const SAYINGS: [&str; 18] = [
    "rest of",
    "remaining",
    "remainder",
    "unchanged",
    "no changes",
    "same as before",
    "as before",
    "stays the same",
    "keep existing",
    "keep the rest",
    "keep the existing",
    "code omitted",
    "omitted for brevity",
    "previous code",
    "other code",
    "other existing",
    "existing ",
    "leave the rest",
];

/// Where in a text there can be a marker, in order: none goes without an ellipsis.
pub(super) fn places(text: &str) -> Vec<usize> {
    let all = |ellipsis: &str| -> Vec<usize> {
        memchr::memmem::find_iter(text.as_bytes(), ellipsis).collect()
    };
    let mut places = all("...");
    places.extend(all("…"));
    places.sort_unstable();
    places
}

/// Whether there can be a marker in a text.
pub(crate) fn may_hold(text: &str) -> bool {
    text.contains("...") || text.contains('…')
}

/// Reads one line of a sketch as a marker.
pub(crate) fn read(line: &str) -> Option<Marker> {
    // Nearly every line stops here.
    if !may_hold(line) {
        return None;
    }
    let line = line.trim();
    let (said, commented) = match OPENERS.iter().find_map(|opener| line.strip_prefix(opener)) {
        Some(rest) => (close(rest), true),
        None => (line, false),
    };
    let said = said.trim();
    let bare = said.trim_start_matches(['(', '[', '<', '{', '-', '=', ' ']);
    let leads = bare.starts_with("...") || bare.starts_with('…');
    let words = bare
        .trim_matches(|c: char| {
            matches!(
                c,
                '.' | '…' | '(' | ')' | '[' | ']' | '<' | '>' | '{' | '}' | '-' | '=' | ' ' | ':'
            )
        })
        .to_lowercase();
    if words.is_empty() {
        // `# ...` leaves something out; `...` alone is code in Python, and `[...]` or `(...)` is code anywhere.
        return (commented && matches!(said, "..." | "…" | "....")).then_some(Marker::Likely);
    }
    if words.starts_with("existing code") {
        let trails = said.ends_with("...") || said.ends_with('…');
        return (leads || (trails && words == "existing code")).then_some(
            if commented || leads && trails { Marker::Certain } else { Marker::Likely },
        );
    }
    let says =
        SAYINGS.iter().any(|saying| words.contains(saying)) || words.contains("existing code");
    (commented && leads && says && words.len() <= 100).then_some(Marker::Likely)
}

/// Whether a line can be nothing but a marker.
pub(crate) fn is_certain(line: &str) -> bool {
    read(line) == Some(Marker::Certain)
}

/// Whether a marker may be a line of a longer comment, as where the comment describes a list.
pub(super) fn may_be_prose(line: &str) -> bool {
    line.trim().strip_prefix('*').is_some_and(|said| matches!(said.trim(), "..." | "…"))
}

/// A comment's text without what closes the comment.
fn close(text: &str) -> &str {
    let text = text.trim_end();
    CLOSERS.iter().find_map(|closer| text.strip_suffix(closer)).unwrap_or(text)
}

/// Whether a marker stands behind code on the same line: `run(); // ... existing code ...`.
pub(crate) fn trails(line: &str) -> bool {
    if !may_hold(line) {
        return false;
    }
    let lower = line.to_lowercase();
    let Some(at) = lower.rfind("existing code") else { return false };
    let before = lower[..at].trim_end();
    let Some(before) = before.strip_suffix("...").or_else(|| before.strip_suffix('…')) else {
        return false;
    };
    let before = before.trim_end();
    let after = close(&lower[at + "existing code".len()..]).trim().trim_matches(['.', '…', ' ']);
    after.is_empty() && OPENERS.iter().any(|opener| before.ends_with(opener))
}
