//! What holds for every file and every plan.

use std::path::Component;

use agent_tools::edit::{EditLimits, PlanError, apply};
use agent_tools::{LineEdit, TextFile};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::edit::edit;
use crate::place::Place;

/// A line, possibly with a carriage return inside; one at its end would be part of the ending.
fn line() -> impl Strategy<Value = String> {
    "([a-c é\r]{0,4}[a-c])?"
}

/// Bytes of any kind, most of them without the NULs that no text has.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let boms = [b"".as_slice(), b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
    let text = vec(prop_oneof![1..=255_u8, Just(b'\n'), Just(b'\r')], 0..200);
    let body = prop_oneof![9 => text, 1 => vec(any::<u8>(), 0..200)];
    (proptest::sample::select(boms.to_vec()), body).prop_map(|(bom, body)| [bom, &body].concat())
}

/// Lines with their endings.
fn ended_file() -> impl Strategy<Value = String> {
    vec((line(), prop_oneof![Just("\n"), Just("\r\n")]), 1..12)
        .prop_map(|lines| lines.iter().map(|(line, ending)| format!("{line}{ending}")).collect())
}

/// Lines of which the last may be without an ending.
fn any_file() -> impl Strategy<Value = String> {
    (ended_file(), any::<bool>()).prop_map(|(text, ended)| {
        if ended { text } else { text.trim_end_matches(['\r', '\n']).to_owned() }
    })
}

/// Edits of a file of `lines` lines that leave at least one line between each other: at most
/// `removed` lines are replaced by `added` lines, after `gap` lines that stay.
fn plan(lines: usize) -> impl Strategy<Value = Vec<LineEdit>> {
    vec((1..4_usize, 0..3_usize, vec(line(), 0..3)), 1..5).prop_map(move |edits| {
        let mut plan = Vec::new();
        let mut next = 1;
        for (gap, removed, added) in edits {
            let start = next + gap - 1;
            if start + removed > lines + 1 {
                break;
            }
            let added: String = added.iter().map(|line| format!("{line}\n")).collect();
            plan.push(edit(start, start + removed - 1, &added));
            next = start + removed + 1;
        }
        plan
    })
}

fn with_plan(
    file: impl Strategy<Value = String>,
) -> impl Strategy<Value = (TextFile, Vec<LineEdit>)> {
    file.prop_flat_map(|text| {
        let file = TextFile::parse(text.into_bytes()).unwrap();
        let lines = file.line_count();
        (Just(file), plan(lines))
    })
}

/// The file after the plan, or the file itself when the plan changes nothing.
fn applied(file: &TextFile, plan: &[LineEdit]) -> TextFile {
    match apply(file, plan, &EditLimits::NONE) {
        Ok(edited) => edited.text,
        Err(PlanError::NoChange | PlanError::NoEdits) => file.clone(),
        Err(error) => panic!("{error}"),
    }
}

/// The edits that take the plan back, in the numbers of the file after it.
fn inverse(file: &TextFile, plan: &[LineEdit]) -> Vec<LineEdit> {
    let mut shift = 0;
    let mut inverse = Vec::new();
    for LineEdit { start_line, end_line, replacement, .. } in plan {
        let added = replacement.matches('\n').count();
        let removed = end_line + 1 - start_line;
        let start = start_line.checked_add_signed(shift).unwrap();
        let old: String =
            (*start_line..=*end_line).map(|n| format!("{}\n", file.line(n))).collect();
        inverse.push(edit(start, start + added - 1, &old));
        shift += added.cast_signed() - removed.cast_signed();
    }
    inverse
}

proptest! {
    #[test]
    fn any_bytes_are_text_or_refused_and_never_lost(bytes in bytes()) {
        if let Ok(file) = TextFile::parse(bytes.clone()) {
            prop_assert_eq!(file.bytes(), &bytes);
            prop_assert!(file.line_count() >= 1);
            let lines: String = (1..=file.line_count())
                .map(|n| format!("{}{}", file.line(n), file.ending(n).map_or("", |e| e.as_str())))
                .collect();
            prop_assert_eq!(lines, file.text());
        }
    }

    #[test]
    fn a_path_is_inside_or_refused(path in r"([a-c.~: \\\x00]{0,3}/?){0,6}", absolute: bool) {
        let place = Place::new();
        let path = if absolute { format!("{}/{path}", place.ws.root().display()) } else { path };
        if let Ok(path) = place.ws.resolve(&path) {
            let names = path.as_path().components().all(|c| matches!(c, Component::Normal(_)));
            prop_assert!(names || path.is_root(), "{}", path);
            prop_assert_eq!(place.ws.resolve_os(path.as_path()).unwrap(), path.clone());
            let absolute = place.ws.absolute(&path);
            prop_assert!(absolute.starts_with(place.ws.root()));
            prop_assert_eq!(place.ws.resolve_os(&absolute).unwrap(), path);
        }
    }

    /// Without escapes, since a few texts with them are refused for spelling ISO-2022-JP.
    #[test]
    fn text_of_any_kind_is_text(text in "[^\0\x1b]{0,60}") {
        let text = text.trim_start_matches('\u{feff}');
        let file = TextFile::parse(text.into()).unwrap();
        prop_assert_eq!(file.text(), text);
    }

    #[test]
    fn bytes_outside_the_lines_of_an_edit_stay((file, plan) in with_plan(any_file())) {
        let bytes = file.bytes();
        let ended = file.ending(file.line_count()).is_some();
        for edit in &plan {
            let before = file.text_of(1, edit.start_line - 1);
            let after = file.text_of(edit.end_line + 1, file.line_count());
            let result = applied(&file, std::slice::from_ref(edit));
            prop_assert!(result.bytes().starts_with(before.as_bytes()), "{:?} {:?}", bytes, edit);
            prop_assert!(result.bytes().ends_with(after.as_bytes()), "{:?} {:?}", bytes, edit);
            // An empty last line without an ending cannot be told from none.
            if !edit.replacement.is_empty() && edit.replacement != "\n" && !edit.replacement.ends_with("\n\n") {
                let still = result.ending(result.line_count()).is_some();
                prop_assert_eq!(still, ended || file.is_empty());
            }
        }
    }

    #[test]
    fn a_plan_is_its_edits_from_the_bottom_up((file, plan) in with_plan(ended_file())) {
        let one_by_one = plan.iter().rev().fold(file.clone(), |file, edit| {
            applied(&file, std::slice::from_ref(edit))
        });
        prop_assert_eq!(applied(&file, &plan), one_by_one);
    }

    #[test]
    fn the_order_of_a_plan_does_not_matter((file, plan) in with_plan(any_file())) {
        let reversed: Vec<_> = plan.iter().rev().cloned().collect();
        prop_assert_eq!(applied(&file, &plan), applied(&file, &reversed));
    }

    #[test]
    fn the_inverse_of_a_plan_restores_every_byte(
        (file, plan) in with_plan(ended_file()),
        crlf: bool,
    ) {
        // Endings are restored where the file has one kind of them, and some are left to go by.
        let text = file.text().replace("\r\n", "\n");
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let file = TextFile::parse(text.into_bytes()).unwrap();
        let after = applied(&file, &plan);
        prop_assume!(!after.is_empty());
        prop_assert_eq!(applied(&after, &inverse(&file, &plan)), file);
    }
}
