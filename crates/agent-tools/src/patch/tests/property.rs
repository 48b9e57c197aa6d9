//! What holds of any patch.

use proptest::prelude::*;

use super::{Patch, merge_patch_text, merged};
use crate::diff;
use crate::patch::PatchError;

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec("[ \t]{0,2}[ab}]{0,2}", 0..24)
        .prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
}

proptest! {
    #[test]
    fn a_right_diff_gives_the_new_text(old in text(), new in text()) {
        prop_assume!(old != new);
        let diff = diff::unified("src/lib.rs", &*old, &*new);
        prop_assert_eq!(merged(&old, &Patch::UnifiedDiff(&diff)), Ok(new));
    }

    #[test]
    fn a_right_diff_of_long_texts_gives_the_new_text(
        old in proptest::collection::vec("[ab]", 20..80),
        edits in proptest::collection::vec((0..80_usize, 0..3_usize, "[abc\n]{0,4}"), 1..4),
    ) {
        let mut new = old.clone();
        for (at, removed, added) in edits {
            let at = at.min(new.len());
            let end = (at + removed).min(new.len());
            new.splice(at..end, added.lines().map(str::to_owned));
        }
        let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\r\n")).collect::<String>();
        let (old, new) = (text(&old), text(&new));
        prop_assume!(old != new);
        let diff = diff::unified("x", &*old, &*new);
        prop_assert_eq!(merged(&old, &Patch::UnifiedDiff(&diff)), Ok(new));
    }

    #[test]
    fn a_pair_of_whole_lines_is_applied_or_stands_twice(
        lines in proptest::collection::vec("[ab]{1,3}", 1..20),
        from in 0..20_usize,
        length in 1..4_usize,
    ) {
        let from = from.min(lines.len() - 1);
        let to = (from + length).min(lines.len());
        let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let (file, old) = (text(&lines), text(&lines[from..to]));
        let expected = format!("{}new\n{}", text(&lines[..from]), text(&lines[to..]));
        match merge_patch_text("x", &file, &Patch::Pairs(&[(old, "new\n".to_owned())])) {
            Ok(text) => prop_assert_eq!(text, expected),
            Err(error) => prop_assert!(matches!(error, PatchError::Ambiguous { .. }), "{error}"),
        }
    }

    #[test]
    fn text_that_stands_once_is_replaced(
        file in "[a-h \n]{30}\n", from in 0..28_usize, length in 2..12_usize,
    ) {
        let old = file[from..(from + length).min(30)].trim_end_matches('\n');
        // Places that overlap count too.
        prop_assume!((0..file.len()).filter(|&at| file[at..].starts_with(old)).count() == 1);
        let pair = (old.to_owned(), "new".to_owned());
        let text = merge_patch_text("x", &file, &Patch::Pairs(&[pair]));
        prop_assert_eq!(text, Ok(file.replace(old, "new")));
    }

    #[test]
    fn lines_outside_the_old_text_stay(
        before in text(), old in "[xyz]{1,3}(\n[ ]{0,4}[xyz]{1,3}){0,3}", after in text(), shift in "[ \t]{0,4}", new in "[vw \n]{1,8}",
    ) {
        let shifted: String = old.lines().map(|line| format!("{shift}{line}\n")).collect();
        let file = format!("{before}{shifted}{after}");
        if let Ok(text) = merged(&file, &Patch::Pairs(&[(old, new)])) {
            prop_assert!(text.starts_with(&before) && text.ends_with(&after), "{text:?}");
        }
    }

    #[test]
    fn no_patch_panics(
        file in "([ \t]{0,2}[a-c}“]{0,3}\r?\n?){0,8}",
        patch in "((<{5,7} SEARCH|={5,7}|>{5,7} REPLACE|@@ ?|@@ -1,2 \\+1 @@|@@ -0,0 \\+1,9 @@|\\*\\*\\* (Begin Patch|End Patch|End of File|Update File: x|Add File: y|Delete File: x|Move to: z)|--- a/x|\\+\\+\\+ b/x|--- /dev/null|```|\\\\ No|[-+ ]?[ \t]{0,2}[a-c}\"]{0,3})\r?\n?){0,14}",
    ) {
        for patch in [Patch::SearchReplace(&patch), Patch::V4a(&patch), Patch::UnifiedDiff(&patch)] {
            let _ = merge_patch_text("x", &file, &patch);
        }
        let (old, new) = patch.split_at(patch.chars().take(9).map(char::len_utf8).sum());
        let _ = merge_patch_text("x", &file, &Patch::Pairs(&[(old.to_owned(), new.to_owned())]));
    }

    #[test]
    fn no_text_panics(file: String, patch: String) {
        for patch in [Patch::SearchReplace(&patch), Patch::V4a(&patch), Patch::UnifiedDiff(&patch)] {
            let _ = merge_patch_text("x", &file, &patch);
        }
        let _ = merge_patch_text("x", &file, &Patch::Pairs(&[(patch, file.clone())]));
    }
}
