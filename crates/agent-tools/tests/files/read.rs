//! Reading files, whole and in part.

use std::fs;
use std::os::unix::fs::symlink;

use agent_tools::read::{Excerpt, LineRange, ReadError, ReadLimits, read_file, read_text};
use agent_tools::{TextFile, sha256};

use crate::place::Place;

fn range(start: Option<usize>, end: Option<usize>) -> LineRange {
    LineRange { start, end }
}

fn read(place: &Place, path: &str, range: LineRange) -> Result<Excerpt, String> {
    let read = read_file(&place.ws, &place.path(path), range, ReadLimits::default());
    read.map_err(|error| place.message(&error))
}

fn utf8() -> agent_tools::Encoding {
    TextFile::parse(Vec::new()).unwrap().encoding()
}

#[test]
fn a_whole_file_and_parts_of_it() {
    let place = Place::new();
    let text = "one\r\ntwo\nthree";
    fs::write(place.on_disk("f"), text).unwrap();
    let cases = [
        (LineRange::ALL, (1, 3, text)),
        (range(Some(1), Some(3)), (1, 3, text)),
        (range(Some(2), Some(2)), (2, 2, "two\n")),
        (range(Some(2), None), (2, 3, "two\nthree")),
        (range(None, Some(2)), (1, 2, "one\r\ntwo\n")),
        (range(Some(3), Some(99)), (3, 3, "three")),
        (range(None, Some(usize::MAX)), (1, 3, text)),
    ];
    for (range, (start_line, end_line, content)) in cases {
        let expected = Excerpt {
            content: content.to_owned(),
            start_line,
            end_line,
            lines: 3,
            sha256: sha256(text.as_bytes()),
            encoding: utf8(),
        };
        assert_eq!(read(&place, "f", range), Ok(expected), "{range:?}");
    }
}

#[test]
fn an_empty_file_is_one_empty_line() {
    let place = Place::new();
    let excerpt = read(&place, "src/lib.rs", LineRange::ALL).unwrap();
    assert_eq!((excerpt.lines, excerpt.content.as_str()), (1, ""));
    assert_eq!(read(&place, "src/lib.rs", range(Some(1), Some(1))), Ok(excerpt));
}

#[test]
fn a_byte_order_mark_is_not_shown() {
    let place = Place::new();
    fs::write(place.on_disk("f"), "\u{feff}text\n").unwrap();
    let excerpt = read(&place, "f", LineRange::ALL).unwrap();
    assert_eq!(excerpt.content, "text\n");
    assert_eq!(excerpt.encoding.to_string(), "UTF-8 with BOM");
    assert_eq!(excerpt.sha256, sha256("\u{feff}text\n".as_bytes()));
}

#[test]
fn ranges_that_are_none() {
    let place = Place::new();
    let none = "is no range of lines: they are counted from 1, \
                and the end is not before the start";
    let cases = [
        (range(Some(0), None), format!("start_line 0 {none}")),
        (range(Some(0), Some(3)), format!("start_line 0 to end_line 3 {none}")),
        (range(None, Some(0)), format!("end_line 0 {none}")),
        (range(Some(3), Some(2)), format!("start_line 3 to end_line 2 {none}")),
        (
            range(Some(2), Some(5)),
            "`src/main.rs` ends at line 1, so there is no line 2; ask for lines between 1 and 1"
                .into(),
        ),
    ];
    for (range, expected) in cases {
        assert_eq!(read(&place, "src/main.rs", range), Err(expected));
    }
}

#[test]
fn a_long_file_is_read_in_parts() {
    let place = Place::new();
    // 2,048 lines of 50 bytes are exactly the 102,400 that are returned.
    let line = format!("{}\n", "x".repeat(49));
    fs::write(place.on_disk("fits"), line.repeat(2048)).unwrap();
    assert_eq!(read(&place, "fits", LineRange::ALL).unwrap().lines, 2048);

    fs::write(place.on_disk("long"), line.repeat(2049)).unwrap();
    assert_eq!(
        read(&place, "long", LineRange::ALL),
        Err("`long` has 102450 bytes in 2049 lines, and at most 102400 bytes are returned at \
             once; ask for a part with start_line and end_line: lines 1 to 2048 fit, and the file \
             has 2049"
            .into())
    );
    assert_eq!(read(&place, "long", range(Some(2), None)).unwrap().content, line.repeat(2048));

    fs::write(place.on_disk("longer"), line.repeat(5000)).unwrap();
    assert_eq!(
        read(&place, "longer", range(Some(11), None)),
        Err("lines 11 to 5000 of `longer` have 249500 bytes, and at most 102400 bytes are \
             returned at once; ask for a part with start_line and end_line: lines 11 to 2058 fit, \
             and the file has 5000"
            .into())
    );
    assert_eq!(read(&place, "longer", range(Some(11), Some(2058))).unwrap().end_line, 2058);

    fs::write(place.on_disk("line"), "x".repeat(200_000)).unwrap();
    assert_eq!(
        read(&place, "line", range(Some(1), Some(1))),
        Err("lines 1 to 1 of `line` have 200000 bytes, and at most 102400 bytes are returned at \
             once; line 1 alone is longer than that; search it for what matters"
            .into())
    );
}

#[test]
fn lines_are_found_across_the_pieces_that_are_read() {
    let place = Place::new();
    // The text is read in pieces of 65,536 bytes, which end within lines, characters and endings.
    let text: String = (1..=20_000).map(|line| format!("größe {line}\r\n")).collect();
    fs::write(place.on_disk("f"), &text).unwrap();
    let expected: Vec<&str> = text.split_inclusive('\n').collect();
    for first in [1, 4_000, 4_096, 19_990, 20_000] {
        let last = (first + 10).min(20_000);
        let excerpt = read(&place, "f", range(Some(first), Some(last))).unwrap();
        assert_eq!(excerpt.content, expected[first - 1..last].concat());
        assert_eq!((excerpt.lines, excerpt.sha256), (20_000, sha256(text.as_bytes())));
    }
    let units = [0xfeff].into_iter().chain(text.encode_utf16());
    fs::write(place.on_disk("wide"), units.flat_map(u16::to_le_bytes).collect::<Vec<_>>()).unwrap();
    let excerpt = read(&place, "wide", range(Some(9_000), Some(9_001))).unwrap();
    assert_eq!((excerpt.content, excerpt.lines), (expected[8_999..9_001].concat(), 20_000));
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    fs::write(place.on_disk("old"), latin).unwrap();
    let excerpt = read(&place, "old", range(Some(9_000), Some(9_001))).unwrap();
    assert_eq!((excerpt.content, excerpt.lines), (expected[8_999..9_001].concat(), 20_000));
}

#[test]
fn a_huge_file_is_not_loaded() {
    let place = Place::new();
    let file = fs::File::create(place.on_disk("huge")).unwrap();
    // More than this machine could hold or read.
    file.set_len(1 << 40).unwrap();
    assert_eq!(
        read(&place, "huge", range(Some(1), Some(2))),
        Err("`huge` holds binary data (first at byte 0), not text; \
             it can be neither shown nor edited as text"
            .into())
    );
    let error = read_text(&place.ws, &place.path("src/main.rs"), 12).unwrap_err();
    assert!(matches!(error, ReadError::Huge { max: 12, .. }), "{error}");
    assert!(read_text(&place.ws, &place.path("src/main.rs"), 13).is_ok());
}

#[test]
fn what_cannot_be_read_says_why() {
    let place = Place::new();
    fs::write(place.on_disk("logo.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    symlink("../out/secret", place.on_disk("link")).unwrap();
    let whole = |path: &str| read(&place, path, LineRange::ALL).unwrap_err();
    assert_eq!(
        whole("logo.png"),
        "`logo.png` holds binary data (first at byte 8), not text; \
         it can be neither shown nor edited as text"
    );
    assert_eq!(whole("src"), "`src` is a directory, not a file; list it to see its files");
    assert_eq!(
        whole("src/min.rs"),
        "`src/min.rs` does not exist; similar names that do exist: `src/main.rs`, `src/lib.rs`"
    );
    assert!(whole("link").starts_with("`link` leads out of the workspace"), "{}", whole("link"));
}
