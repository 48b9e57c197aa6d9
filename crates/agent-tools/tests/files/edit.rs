//! Edits that need more than a table: marks, empty files, endings, old text, the line tools.

use agent_tools::edit::{EditLimits, Edited, PlanError, apply};
use agent_tools::{LineEdit, TextFile, lines};

pub(crate) fn edit(start_line: usize, end_line: usize, replacement: &str) -> LineEdit {
    LineEdit { start_line, end_line, replacement: replacement.to_owned(), old: None }
}

pub(crate) fn run(file: &TextFile, edits: &[LineEdit]) -> Result<Edited, PlanError> {
    apply(file, edits, &EditLimits::default())
}

/// The result of editing UTF-8 text, as text.
fn edited(text: &str, edits: &[LineEdit]) -> String {
    let file = TextFile::parse(text.into()).unwrap();
    let edited = run(&file, edits).unwrap();
    assert_eq!(edited.edits, edits.len());
    String::from_utf8(edited.text.into_bytes()).unwrap()
}

#[test]
fn an_edit_of_the_first_line_keeps_the_one_byte_order_mark() {
    for replacement in ["new", "\u{feff}new", "\u{feff}new\n"] {
        for edits in [[edit(1, 1, replacement)], [edit(1, 0, replacement)]] {
            let rest = if edits[0].end_line == 0 { "old\n" } else { "" };
            assert_eq!(edited("\u{feff}old\n", &edits), format!("\u{feff}new\n{rest}"));
            assert_eq!(edited("old\n", &edits), format!("new\n{rest}"), "none is brought in");
        }
    }
}

#[test]
fn an_empty_file_has_one_line_to_fill() {
    for empty in ["", "\u{feff}"] {
        for new in [edit(1, 1, "new"), edit(1, 1, "new\n"), edit(1, 0, "new"), edit(2, 1, "new")] {
            assert_eq!(edited(empty, &[new]), format!("{empty}new\n"));
        }
        assert_eq!(edited(empty, &[edit(1, 1, "b"), edit(1, 0, "a")]), format!("{empty}a\nb\n"));
        let file = TextFile::parse(empty.into()).unwrap();
        assert_eq!(run(&file, &[edit(1, 1, "")]), Err(PlanError::NoChange));
    }
}

#[test]
fn a_file_of_one_empty_line_is_not_empty() {
    assert_eq!(edited("\n", &[edit(1, 1, "new")]), "new\n");
    assert_eq!(edited("\n", &[edit(2, 1, "new")]), "\nnew\n");
    assert_eq!(edited("\r\n", &[edit(1, 0, "new")]), "new\r\n\r\n");
}

#[test]
fn new_lines_end_like_the_lines_they_replace_and_then_like_their_neighbours() {
    let mixed = "a\r\nb\nc\r\nd\n";
    assert_eq!(edited(mixed, &[edit(1, 4, "A\nB\nC\nD")]), "A\r\nB\nC\r\nD\n");
    assert_eq!(edited(mixed, &[edit(1, 1, "A\nB\nC")]), "A\r\nB\r\nC\r\nb\nc\r\nd\n");
    assert_eq!(edited(mixed, &[edit(2, 2, "A\r\nB\r\n")]), "a\r\nA\nB\nc\r\nd\n");
    assert_eq!(edited(mixed, &[edit(2, 1, "A")]), "a\r\nA\r\nb\nc\r\nd\n", "the line before");
    assert_eq!(edited(mixed, &[edit(3, 2, "A")]), "a\r\nb\nA\nc\r\nd\n");
    assert_eq!(edited(mixed, &[edit(1, 0, "A")]), "A\r\na\r\nb\nc\r\nd\n", "else the line after");
    assert_eq!(edited(mixed, &[edit(5, 4, "A")]), "a\r\nb\nc\r\nd\nA\n");
    assert_eq!(edited("a\r\nb", &[edit(3, 2, "c")]), "a\r\nb\r\nc");
    assert_eq!(edited("a", &[edit(2, 1, "b")]), "a\nb", "no ending anywhere");
    assert_eq!(edited("a", &[edit(1, 0, "b")]), "b\na");
}

#[test]
fn a_carriage_return_alone_is_content() {
    assert_eq!(edited("a\rb\nc\n", &[edit(2, 2, "d")]), "a\rb\nd\n");
    assert_eq!(edited("a\nc\n", &[edit(2, 2, "d\re")]), "a\nd\re\n");
    // One at the end of a line would turn into an ending when the file is read again.
    assert_eq!(edited("a\nc\n", &[edit(2, 2, "d\r")]), "a\nd\n");
}

#[test]
fn broken_bytes_elsewhere_survive_an_edit() {
    let bytes = b"gr\xC3\xBC\xC3\x9Fe\nbad \xFF byte\nlast\n";
    let file = TextFile::parse(bytes.to_vec()).unwrap();
    assert_eq!(file.encoding().name(), "UTF-8");
    assert_eq!(file.line(2), "bad \u{fffd} byte");
    let result = run(&file, &[edit(3, 3, "ende")]).unwrap();
    assert_eq!(result.text.bytes(), b"gr\xC3\xBC\xC3\x9Fe\nbad \xFF byte\nende\n");

    let half = [b"\xFF\xFEa\0\n\0".as_slice(), b"\0\xD8\n\0", b"b\0"].concat();
    let file = TextFile::parse(half.clone()).unwrap();
    let result = run(&file, &[edit(3, 3, "c")]).unwrap();
    assert_eq!(result.text.bytes(), [&half[..half.len() - 2], b"c\0"].concat());
    assert!(run(&file, &[edit(2, 2, "c")]).is_err());
}

#[test]
fn old_is_compared_without_endings() {
    let with_old = |old: &str| LineEdit { old: Some(old.to_owned()), ..edit(2, 3, "new") };
    for old in ["b\nc", "b\nc\n", "b\r\nc\r\n"] {
        assert_eq!(edited("a\nb\nc\n", &[with_old(old)]), "a\nnew\n");
        assert_eq!(edited("a\r\nb\r\nc", &[with_old(old)]), "a\r\nnew");
    }
    let one = LineEdit::one_line(2, String::new(), "b".to_owned());
    assert_eq!(edited("a\n\nc\n", &[one]), "a\nb\nc\n");
    let insertion = LineEdit { old: Some(String::new()), ..edit(2, 1, "new") };
    assert_eq!(edited("a\n", &[insertion]), "a\nnew\n");
}

#[test]
fn the_line_tools() {
    let file = TextFile::parse("a\r\nb\r\nc".into()).unwrap();
    let text = |edit| run(&file, &[edit]).unwrap().text.text().into_owned();
    assert_eq!(text(lines::insert(1, "new")), "new\r\na\r\nb\r\nc");
    assert_eq!(text(lines::insert(4, "new\n")), "a\r\nb\r\nc\r\nnew");
    assert_eq!(text(lines::remove(Some(2), Some(2), 3)), "a\r\nc");
    assert_eq!(text(lines::remove(Some(2), None, 3)), "a\r\n");
    assert_eq!(text(lines::remove(None, Some(2), 3)), "c");
    assert_eq!(text(lines::remove(None, None, 3)), "");
    assert_eq!(text(lines::replace(1, 2, "x\ny\nz\n")), "x\r\ny\r\nz\r\nc");

    let refused = |edit| run(&file, &[edit]).unwrap_err().to_string();
    let outside = "nothing was changed, because the plan does not fit the file:\n";
    assert_eq!(
        refused(lines::insert(0, "new")),
        format!("{outside}edit 1 (start_line 0, end_line 0): lines are counted from 1")
    );
    assert_eq!(
        refused(lines::remove(Some(4), None, 3)),
        format!(
            "{outside}edit 1 (line 4): the file ends at line 3:\n1 | a\n2 | b\n3 | c\n\
             name lines up to 3; to append, use start_line 4 and end_line 3"
        )
    );
}
