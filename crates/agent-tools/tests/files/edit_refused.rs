//! Plans that do not fit their file, and what their author is told.

use agent_tools::edit::{EditLimits, Fault, PlanError, apply};
use agent_tools::{LineEdit, TextFile};

use crate::edit::{edit, run};

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

/// What the problems of a plan say, without the sentence above them.
fn problems(text: &str, edits: &[LineEdit]) -> String {
    let file = TextFile::parse(text.into()).unwrap();
    let error = run(&file, edits).unwrap_err().to_string();
    let above = "nothing was changed, because the plan does not fit the file:\n";
    error.strip_prefix(above).unwrap_or(&error).to_owned()
}

fn with_old(edit: LineEdit, old: &str) -> LineEdit {
    LineEdit { old: Some(old.to_owned()), ..edit }
}

#[test]
fn plans_of_no_use() {
    assert_eq!(problems(TEXT, &[]), "there are no edits in the plan; give at least one");
    let many: Vec<_> = (0..31).map(|_| edit(1, 1, "x")).collect();
    assert_eq!(
        problems(TEXT, &many),
        "there are 31 edits in the plan, and at most 30 are allowed; \
         join neighbouring edits, or make the change in several calls"
    );
    let nothing = "the plan changes nothing: the lines already read so; \
                   read the file again if another change was meant";
    assert_eq!(problems(TEXT, &[edit(1, 1, "one")]), nothing);
    assert_eq!(problems(TEXT, &[edit(3, 2, "")]), nothing);
    assert_eq!(problems("a\r\nb", &[edit(1, 2, "a\nb\n")]), nothing);
    let one_too_many = EditLimits { max_edits: 0 };
    let file = TextFile::parse(TEXT.into()).unwrap();
    assert_eq!(
        apply(&file, &[edit(1, 1, "x")], &one_too_many),
        Err(PlanError::TooMany { given: 1, max: 0 })
    );
}

#[test]
fn lines_that_are_not_there() {
    let end = "the file ends at line 7:\n5 | five\n6 | six\n7 | seven\n\
               name lines up to 7; to append, use start_line 8 and end_line 7";
    assert_eq!(problems(TEXT, &[edit(8, 8, "x")]), format!("edit 1 (line 8): {end}"));
    assert_eq!(problems(TEXT, &[edit(7, 8, "x")]), format!("edit 1 (lines 7 to 8): {end}"));
    assert_eq!(problems(TEXT, &[edit(9, 8, "x")]), format!("edit 1 (before line 9): {end}"));
    assert_eq!(
        problems(TEXT, &[edit(usize::MAX, usize::MAX, "x")]),
        format!("edit 1 (line {}): {end}", usize::MAX)
    );
    assert_eq!(
        problems("", &[edit(2, 2, "x")]),
        "edit 1 (line 2): the file ends at line 1:\n1 | \n\
         name lines up to 1; to append, use start_line 2 and end_line 1"
    );
    assert_eq!(
        problems(TEXT, &[edit(0, 3, "x")]),
        "edit 1 (start_line 0, end_line 3): lines are counted from 1"
    );
    assert_eq!(
        problems(TEXT, &[edit(5, 3, "x")]),
        "edit 1 (start_line 5, end_line 3): the end comes before the start; \
         end_line is 4 to insert before line 5, 5 to replace that line alone"
    );
}

#[test]
fn edits_that_meet() {
    assert_eq!(
        problems(TEXT, &[edit(2, 4, "x"), edit(4, 5, "y")]),
        "edit 2 (lines 4 to 5): edit 1 touches the same lines; make one edit of the two"
    );
    assert_eq!(
        problems(TEXT, &[edit(4, 5, "y"), edit(2, 4, "x")]),
        "edit 2 (lines 2 to 4): edit 1 touches the same lines; make one edit of the two"
    );
    assert_eq!(
        problems(TEXT, &[edit(2, 4, "x"), edit(3, 2, "y")]),
        "edit 2 (before line 3): edit 1 touches the same lines; make one edit of the two"
    );
    assert_eq!(
        problems(TEXT, &[edit(1, 7, "x"), edit(2, 2, "y"), edit(6, 6, "z")]),
        "edit 2 (line 2): edit 1 touches the same lines; make one edit of the two\n\
         edit 3 (line 6): edit 1 touches the same lines; make one edit of the two"
    );
    assert_eq!(
        problems(TEXT, &[edit(2, 2, "x"), edit(2, 2, "x")]),
        "edit 2 (line 2): edit 1 replaces the same lines; keep one of the two"
    );
    assert_eq!(
        problems(TEXT, &[edit(2, 1, "x"), edit(2, 1, "y")]),
        "edit 2 (before line 2): edit 1 inserts at the same place, and nothing says which text \
         comes first; make one edit of the two"
    );
}

#[test]
fn edits_that_touch_without_meeting() {
    let file = TextFile::parse(TEXT.into()).unwrap();
    let plan = [edit(3, 2, "a"), edit(3, 4, "b"), edit(5, 4, "c"), edit(5, 5, "d")];
    let result = run(&file, &plan).unwrap().text;
    assert_eq!(result.text(), "one\ntwo\na\nb\nc\nd\nsix\nseven\n");
}

#[test]
fn lines_that_hold_something_else() {
    assert_eq!(
        problems(TEXT, &[with_old(edit(2, 2, "x"), "deux")]),
        "edit 1 (line 2): old is not what stands there now:\n2 | two\n\
         plan the edit again from the current lines"
    );
    assert_eq!(
        problems(TEXT, &[edit(1, 1, "x"), with_old(edit(2, 3, "x"), "six\nseven\n")]),
        "edit 2 (lines 2 to 3): old is not what stands there now:\n2 | two\n3 | three\n\
         old stands at line 6; plan the edit again from the current lines"
    );
    assert_eq!(
        problems("a\nb\na\nb\na\na\n", &[with_old(edit(2, 2, "x"), "a")]),
        "edit 1 (line 2): old is not what stands there now:\n2 | b\n\
         old stands at lines 1, 3, 5; plan the edit again from the current lines"
    );
    assert_eq!(
        problems("  a  b\n", &[with_old(edit(1, 1, "x"), "\ta b")]),
        "edit 1 (line 1): old is not what stands there now (only white space differs):\n\
         1 |   a  b\nplan the edit again from the current lines"
    );
    // More and fewer lines than the edit names.
    assert_eq!(
        problems(TEXT, &[with_old(edit(1, 1, "x"), "one\ntwo")]),
        "edit 1 (line 1): old is not what stands there now:\n1 | one\n\
         old stands at line 1; plan the edit again from the current lines"
    );
    assert_eq!(
        problems(TEXT, &[with_old(edit(1, 7, "x"), "")]),
        "edit 1 (lines 1 to 7): old is not what stands there now:\n\
         1 | one\n2 | two\n3 | three\n4 | four\n5 | five\n… 2 more\n\
         plan the edit again from the current lines"
    );
    assert_eq!(
        problems(TEXT, &[with_old(edit(2, 1, "x"), "one")]),
        "edit 1 (before line 2): an insertion replaces no line, so its old must be left out"
    );
    let long = format!("{}\n", "é".repeat(500));
    assert_eq!(
        problems(&long, &[with_old(edit(1, 1, "x"), "e")]),
        format!(
            "edit 1 (line 1): old is not what stands there now:\n1 | {}…\n\
             plan the edit again from the current lines",
            "é".repeat(160)
        )
    );
}

#[test]
fn text_the_file_cannot_hold() {
    let latin: Vec<u8> = "Grüße aus Köln\nsecond\n".chars().map(|c| c as u8).collect();
    let file = TextFile::parse(latin).unwrap();
    assert_eq!(
        run(&file, &[edit(2, 2, "a\n→ ł")]).unwrap_err().to_string(),
        "nothing was changed, because the plan does not fit the file:\n\
         edit 1 (line 2): the file is in windows-1252, which has no `→` (U+2192); \
         use characters of that encoding"
    );
    let japanese = encoding_rs::SHIFT_JIS.encode("これは日本語のテキストです\n").0.into_owned();
    let file = TextFile::parse(japanese).unwrap();
    let error = run(&file, &[edit(1, 0, "100¥")]).unwrap_err();
    let PlanError::Refused { problems } = error else { panic!("{error}") };
    let fault = Fault::Unencodable { character: '¥', encoding: "Shift_JIS" };
    assert_eq!(problems[0].fault, fault, "the encoder would write a backslash");
}

#[test]
fn nul_and_broken_lines() {
    assert_eq!(
        problems(TEXT, &[edit(1, 1, "a\0b")]),
        "edit 1 (line 1): the replacement holds a NUL character, which no text file does"
    );
    let file = TextFile::parse(b"gr\xC3\xBC\xC3\x9Fe\nbad \xFF\n".to_vec()).unwrap();
    assert_eq!(
        run(&file, &[edit(1, 2, "x")]).unwrap_err().to_string(),
        "nothing was changed, because the plan does not fit the file:\n\
         edit 1 (lines 1 to 2): line 2 holds bytes that are not UTF-8 and would be lost; \
         edit other lines, or ask the user to repair this one"
    );
}

#[test]
fn every_edit_of_a_bad_plan_is_answered_in_its_order() {
    let plan = [edit(9, 9, "x"), edit(1, 1, "x"), edit(0, 0, "x"), with_old(edit(2, 2, "x"), "2")];
    let file = TextFile::parse(TEXT.into()).unwrap();
    let PlanError::Refused { problems } = run(&file, &plan).unwrap_err() else {
        panic!("the plan is refused")
    };
    let edits: Vec<_> = problems.iter().map(|problem| problem.edit).collect();
    assert_eq!(edits, [1, 3, 4]);
}

#[test]
fn both_forms_are_read() {
    let read = |json: &str| serde_json::from_str::<LineEdit>(json).map_err(|e| e.to_string());

    let lines = r#"{"start_line": 2, "end_line": 3, "replacement": "x"}"#;
    assert_eq!(read(lines), Ok(edit(2, 3, "x")));
    let checked = r#"{"start_line":2,"end_line":3,"replacement":"x","old":"two"}"#;
    assert_eq!(read(checked), Ok(with_old(edit(2, 3, "x"), "two")));
    assert_eq!(serde_json::to_string(&read(checked).unwrap()).unwrap(), checked);
    let line = r#"{"line": 2, "old": "two", "new": "x", "explanation": "ignored"}"#;
    assert_eq!(read(line), Ok(with_old(edit(2, 2, "x"), "two")));

    let forms = "an edit is {start_line, end_line, replacement} with an optional old, \
                 or {line, old, new}; ";
    let refused = [
        (r#"{"line": 2, "new": "x"}"#, "missing: old"),
        (r#"{"start_line": 2, "old": "x"}"#, "missing: end_line, replacement"),
        ("{}", "missing: start_line, end_line, replacement"),
        (r#"{"line": 2, "replacement": "x"}"#, "this one mixes the two"),
    ];
    for (json, reason) in refused {
        assert_eq!(read(json), Err(format!("{forms}{reason}")), "{json}");
    }
    assert!(read(r#"{"line": -1, "old": "", "new": ""}"#).is_err());
}
