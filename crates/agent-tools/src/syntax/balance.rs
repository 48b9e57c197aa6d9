//! Whether the brackets of a text add up.

use super::Language;

/// How many brackets of each kind are open at the end of a text. Comments and literals do not
/// count, and of a preprocessor's alternatives only the first does.
///
/// This is rough, since it knows no language: it is good for comparing two versions of one file.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Balance {
    round: isize,
    square: isize,
    curly: isize,
}

impl Balance {
    pub(super) fn of(language: Language, text: &str) -> Self {
        let mut open = Self::default();
        let mut alternatives: Vec<Branch> = Vec::new();
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            if next == '#' && language.is_preprocessed() {
                follow(rest, &mut alternatives);
            }
            let skipped = literal(rest).unwrap_or(next.len_utf8());
            if alternatives.iter().all(|branch| *branch == Branch::First) {
                open.count(next);
            }
            rest = &rest[skipped..];
        }
        open
    }

    fn count(&mut self, c: char) {
        match c {
            '(' => self.round += 1,
            ')' => self.round -= 1,
            '[' => self.square += 1,
            ']' => self.square -= 1,
            '{' => self.curly += 1,
            '}' => self.curly -= 1,
            _ => {}
        }
    }
}

/// Which of the alternatives between `#if` and `#endif` a place is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Branch {
    First,
    Later,
}

/// Follows a preprocessor's directive at the beginning of `text`.
fn follow(text: &str, alternatives: &mut Vec<Branch>) {
    let directive = text[1..].trim_start_matches([' ', '\t']);
    if directive.starts_with("if") {
        alternatives.push(Branch::First);
    } else if directive.starts_with("el") {
        if let Some(branch) = alternatives.last_mut() {
            *branch = Branch::Later;
        }
    } else if directive.starts_with("endif") {
        alternatives.pop();
    }
}

/// The length of the comment or literal that `text` begins with.
fn literal(text: &str) -> Option<usize> {
    if let Some(comment) = text.strip_prefix("/*") {
        return Some(comment.find("*/").map_or(text.len(), |end| end + 4));
    }
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            // Not a literal: an apostrophe, or one that another line goes on with.
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: [isize; 3]) {
        let [round, square, curly] = expected;
        assert_eq!(Balance::of(Language::C, text), Balance { round, square, curly }, "{text}");
    }

    #[test]
    fn brackets_add_up_outside_of_comments_and_literals() {
        check("f(a[1]) { }", [0, 0, 0]);
        check("f(( [ }", [2, 1, -1]);
        check("/* ( */ // {\n \"([{\" '{' \"\\\"(\"", [0, 0, 0]);
        check("it's (", [1, 0, 0]);
        check("/* (", [0, 0, 0]);
        check("\"", [0, 0, 0]);
    }

    #[test]
    fn the_first_alternative_counts() {
        check("#if A\nif (x) {\n#else\nif (y) {\n#  endif\n}", [0, 0, 0]);
        check("#ifdef A\n{\n#if B\n#elif C\n{\n#endif\n#endif\n", [0, 0, 1]);
        check("#endif\n#else\n{", [0, 0, 1]);
    }
}
