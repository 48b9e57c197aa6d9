//! The difference between two texts as a unified diff.

use similar::TextDiff;

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
    let from = old.map_or_else(|| "/dev/null".to_owned(), |_| header("a", path));
    let to = new.map_or_else(|| "/dev/null".to_owned(), |_| header("b", path));
    let old: Vec<_> = old.unwrap_or_default().split_inclusive('\n').collect();
    let new: Vec<_> = new.unwrap_or_default().split_inclusive('\n').collect();
    // The lines are cut here, because a carriage return alone ends no line in a patch.
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old, &new);
    diff.unified_diff().context_radius(3).header(&from, &to).to_string()
}

/// Lines added and lines removed by the diff of one file.
pub fn counts(diff: &str) -> (u64, u64) {
    let hunks = || diff.lines().skip_while(|line| !line.starts_with("@@"));
    let count = |sign: char| hunks().filter(|line| line.starts_with(sign)).count() as u64;
    (count('+'), count('-'))
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
