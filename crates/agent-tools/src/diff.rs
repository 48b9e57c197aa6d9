//! The difference between two texts as a unified diff.

mod differing;

use std::ops::Range;

use differing::Differing;
use similar::TextDiff;

use crate::encoding::Encoding;
use crate::text::TextFile;

/// Texts that differ in more bytes than this are not compared by line.
const MOST: usize = 8 << 20;

/// A unified diff that `git apply` and `patch` read, with three lines of context; empty when the
/// texts are equal.
///
/// `None` stands for a file that does not exist: `unified("x", None, "text")` shows a creation.
pub fn unified<'a>(
    path: &str,
    old: impl Into<Option<&'a str>>,
    new: impl Into<Option<&'a str>>,
) -> String {
    let (old, new) = (old.into(), new.into());
    let names = names(path, &old, &new);
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let part = Differing::of(old.as_bytes(), new.as_bytes(), Encoding::Utf8);
    hunks(&names, &old[part.old], &new[part.new], part.lines_before)
}

/// The same for files, of which only the part that differs is decoded. None where that is longer
/// than anybody would read: eight megabytes.
pub fn files(path: &str, old: Option<&TextFile>, new: Option<&TextFile>) -> Option<String> {
    let encoding = old.or(new).map_or(Encoding::Utf8, TextFile::encoding);
    if let (Some(old), Some(new)) = (old, new)
        && old.encoding() != new.encoding()
    {
        let comparable = old.bytes().len() + new.bytes().len() <= MOST;
        return comparable.then(|| unified(path, &*old.text(), &*new.text()));
    }
    let [old, new] = [old, new]
        .map(|file| file.map(|file| file.bytes().get(encoding.bom().len()..).unwrap_or_default()));
    let names = names(path, &old, &new);
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let part = Differing::of(old, new, encoding);
    let comparable = part.old.len() + part.new.len() <= MOST;
    let text = |bytes| encoding.decode_lossy(bytes);
    comparable
        .then(|| hunks(&names, &text(&old[part.old]), &text(&new[part.new]), part.lines_before))
}

/// The hunks between two parts, which so many lines of either text come before, under the header.
fn hunks([from, to]: &[String; 2], old: &str, new: &str, lines_before: usize) -> String {
    let old: Vec<_> = old.split_inclusive('\n').collect();
    let new: Vec<_> = new.split_inclusive('\n').collect();
    // The lines are cut here, because a carriage return alone ends no line in a patch.
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old, &new);
    let mut unified = diff.unified_diff();
    unified.context_radius(3).header(from, to);
    if lines_before == 0 {
        return unified.to_string();
    }
    let mut text = String::new();
    for hunk in unified.iter_hunks() {
        if text.is_empty() {
            text = format!("--- {from}\n+++ {to}\n");
        }
        let (Some(first), Some(last)) = (hunk.ops().first(), hunk.ops().last()) else { continue };
        let old = place(first.old_range().start..last.old_range().end, lines_before);
        let new = place(first.new_range().start..last.new_range().end, lines_before);
        let shown = hunk.to_string();
        let lines = shown.split_once('\n').map_or("", |(_, lines)| lines);
        text += &format!("@@ -{old} +{new} @@\n{lines}");
    }
    text
}

/// Lines as the head of a hunk tells them; of none, the line before.
fn place(lines: Range<usize>, lines_before: usize) -> String {
    let first = lines.start + 1 + lines_before;
    match lines.len() {
        0 => format!("{},0", first - 1),
        1 => first.to_string(),
        length => format!("{first},{length}"),
    }
}

/// Lines added and lines removed by the diff of one file.
pub fn counts(diff: &str) -> (u64, u64) {
    let hunks = || diff.lines().skip_while(|line| !line.starts_with("@@"));
    let count = |sign: char| hunks().filter(|line| line.starts_with(sign)).count() as u64;
    (count('+'), count('-'))
}

/// The names in the header.
fn names<T>(path: &str, old: &Option<T>, new: &Option<T>) -> [String; 2] {
    [("a", old), ("b", new)].map(|(side, text)| match text {
        Some(_) => header(side, path),
        None => "/dev/null".to_owned(),
    })
}

/// The name of a file in a header, quoted as git does where it would not end where it should.
fn header(side: &str, path: &str) -> String {
    let name = format!("{side}/{path}");
    if name.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
        format!("{name:?}")
    } else if name.contains(' ') {
        format!("{name}\t")
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_with_three_lines_of_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        assert_eq!(
            unified("src/x.txt", old, new),
            "--- a/src/x.txt\n+++ b/src/x.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
    }

    #[test]
    fn lines_are_counted_without_the_header() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n same\n-old\n+new\n++ more\n--- y\n";
        assert_eq!(counts(diff), (2, 2));
        assert_eq!(counts(""), (0, 0));
    }

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(unified("x", "a\n", "a\n"), "");
        assert_eq!(unified("x", "", ""), "");
        assert_eq!(unified("x", None, None), "");
    }

    #[test]
    fn creation_and_deletion() {
        let created = "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        assert_eq!(unified("x", None, "a\nb\n"), created);
        let deleted = "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
        assert_eq!(unified("x", "a\n", None), deleted);
        let emptied = "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n";
        assert_eq!(unified("x", "a\n", ""), emptied);
    }

    #[test]
    fn a_missing_final_newline_is_told() {
        let told = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n";
        assert_eq!(unified("x", "a", "a\n"), told);
        let both = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n";
        assert_eq!(unified("x", "a\nb", "A\nb"), both);
    }

    #[test]
    fn carriage_returns_are_content() {
        let shown = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\rb\r\n-c\r\n+d\r\n";
        assert_eq!(unified("x", "a\rb\r\nc\r\n", "a\rb\r\nd\r\n"), shown);
    }

    #[test]
    fn far_down_in_a_long_text() {
        let line = |number: usize| format!("line {number}\n");
        let lines: Vec<String> = (1..=5000).map(line).collect();
        let old = lines.concat();
        let new = old.replace("line 4000\n", "another\n").replace("line 4200\n", "");
        let hunk = |at: usize, to: usize, new: &str| -> String {
            let context = |lines: Range<usize>| -> String {
                lines.map(|number| format!(" {}", line(number))).collect()
            };
            let (before, after) = (context(at - 3..at), context(at + 1..at + 4));
            let length = if new.is_empty() { 6 } else { 7 };
            let place = format!("@@ -{},7 +{to},{length} @@", at - 3);
            format!("{place}\n{before}-{}{new}{after}", line(at))
        };
        let hunks = hunk(4000, 3997, "+another\n") + &hunk(4200, 4197, "");
        assert_eq!(unified("x", &*old, &*new), format!("--- a/x\n+++ b/x\n{hunks}"));
        let file = |text: &str| TextFile::parse(text.into()).unwrap();
        assert_eq!(
            files("x", Some(&file(&old)), Some(&file(&new))),
            Some(unified("x", &*old, &*new))
        );
        let utf16 = |text: &str| {
            let units = text.encode_utf16().flat_map(u16::to_le_bytes);
            TextFile::parse([0xff, 0xfe].into_iter().chain(units).collect()).unwrap()
        };
        let told = files("x", Some(&utf16(&old)), Some(&utf16(&new)));
        assert_eq!(told, Some(unified("x", &*old, &*new)));
        assert_eq!(files("x", Some(&file(&old)), Some(&utf16(&old))).as_deref(), Some(""));
        assert_eq!(files("x", None, Some(&file("a\n"))), Some(unified("x", None, "a\n")));
        assert_eq!(files("x", None, Some(&file(&"a\n".repeat(MOST)))), None);
    }

    #[test]
    fn what_is_appended_to_a_long_text() {
        let old = "a\n".repeat(300);
        let told = "--- a/x\n+++ b/x\n@@ -298,3 +298,4 @@\n a\n a\n a\n+b\n";
        assert_eq!(unified("x", &*old, &*format!("{old}b\n")), told);
    }

    #[test]
    fn odd_names_are_quoted() {
        let head = |path: &str| {
            let diff = unified(path, "a\n", "b\n");
            diff.lines().take(2).collect::<Vec<_>>().join("|")
        };
        assert_eq!(head("a b"), "--- a/a b\t|+++ b/a b\t");
        assert_eq!(head("a\nb"), r#"--- "a/a\nb"|+++ "b/a\nb""#);
        assert_eq!(head("größe"), "--- a/größe|+++ b/größe");
    }
}
