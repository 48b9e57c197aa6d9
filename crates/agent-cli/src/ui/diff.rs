//! Unified diffs as people read them.

use super::{Paint, Style, harmless};

/// Lines of one diff that are shown. The whole diff is in the JSON result.
const SHOWN: usize = 200;

/// The diff in colours, bounded, each line ended.
pub(crate) fn coloured(diff: &str, style: Style) -> String {
    let mut text = whole(diff.lines().take(SHOWN), style);
    let left_out = diff.lines().count().saturating_sub(SHOWN);
    if left_out > 0 {
        text.push_str(&style.paint(Paint::Dim, &format!("… {left_out} more lines of this diff")));
        text.push('\n');
    }
    text
}

/// Lines of a diff in colours, each ended.
pub(crate) fn whole<'a>(lines: impl Iterator<Item = &'a str>, style: Style) -> String {
    let mut text = String::new();
    for each in lines {
        text.push_str(&line(each, style));
        text.push('\n');
    }
    text
}

/// One line of a diff in its colour.
pub(crate) fn line(line: &str, style: Style) -> String {
    let line = harmless(line);
    match line.as_bytes().first() {
        _ if line.starts_with("+++ ") || line.starts_with("--- ") => {
            style.paint(Paint::Bold, &line)
        }
        Some(b'+') => style.paint(Paint::Green, &line),
        Some(b'-') => style.paint(Paint::Red, &line),
        Some(b'@') => style.paint(Paint::Cyan, &line),
        Some(_) | None => line.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n same\n-old\n+new\n++ more\n";

    #[test]
    fn lines_are_coloured_by_their_sign() {
        assert_eq!(coloured(DIFF, Style::Plain), DIFF);
        let coloured = coloured(DIFF, Style::Coloured);
        assert!(coloured.contains("\x1b[31m-old\x1b[0m\n\x1b[32m+new\x1b[0m\n"), "{coloured}");
    }

    #[test]
    fn a_long_diff_is_cut_and_says_so() {
        let long = format!("--- a/x\n+++ b/x\n@@ -0,0 +1,500 @@\n{}", "+line\n".repeat(500));
        let shown = coloured(&long, Style::Plain);
        assert_eq!(shown.lines().count(), SHOWN + 1);
        assert!(shown.ends_with("… 303 more lines of this diff\n"), "{shown}");
    }
}
