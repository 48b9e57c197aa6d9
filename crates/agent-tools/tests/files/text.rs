//! Bytes as text and as lines.

use agent_tools::{LineEnding, TextFile, sha256};

fn lines(bytes: &[u8]) -> Vec<(String, Option<LineEnding>)> {
    let file = TextFile::parse(bytes.to_vec()).unwrap();
    (1..=file.line_count()).map(|n| (file.line(n).into_owned(), file.ending(n))).collect()
}

fn refused(bytes: &[u8]) -> String {
    TextFile::parse(bytes.to_vec()).unwrap_err().to_string()
}

#[test]
fn lines_and_their_endings() {
    let lf = Some(LineEnding::Lf);
    let crlf = Some(LineEnding::CrLf);
    type Line<'a> = (&'a str, Option<LineEnding>);
    let cases: [(&str, &[Line<'_>]); 9] = [
        ("", &[("", None)]),
        ("\u{feff}", &[("", None)]),
        ("\n", &[("", lf)]),
        ("\r\n", &[("", crlf)]),
        ("a", &[("a", None)]),
        ("a\n", &[("a", lf)]),
        ("a\n\n", &[("a", lf), ("", lf)]),
        ("a\r\nb\nc\rd", &[("a", crlf), ("b", lf), ("c\rd", None)]),
        ("a\r\r\n\r", &[("a\r", crlf), ("\r", None)]),
    ];
    for (text, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|(text, e)| ((*text).to_owned(), *e)).collect();
        assert_eq!(lines(text.as_bytes()), expected, "{text:?}");
        let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            let text = text.trim_start_matches('\u{feff}');
            [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(order).collect()
        };
        assert_eq!(lines(&wide(u16::to_le_bytes)), expected, "{text:?}");
        assert_eq!(lines(&wide(u16::to_be_bytes)), expected, "{text:?}");
    }
}

#[test]
fn lines_beyond_the_file_are_empty() {
    let file = TextFile::parse("a\nb\n".into()).unwrap();
    assert_eq!((file.line(0), file.line(3)), ("".into(), "".into()));
    assert_eq!((file.ending(0), file.ending(3)), (None, None));
    assert_eq!(file.text_of(2, 9), "b\n");
    assert_eq!(file.text_of(2, 1), "");
    assert_eq!(file.text_of(3, 3), "");
}

#[test]
fn a_line_feed_is_sought_in_whole_units() {
    // U+0A0D, U+0D0A and U+0A00 hold the bytes of line ends without being any.
    let text = "\u{0a0d}\u{0d0a}\u{0a00}x\u{010a}\u{0a01}";
    let bytes: Vec<u8> =
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(lines(&bytes), [(text.to_owned(), None)]);
}

#[test]
fn encodings_are_told_by_their_bytes() {
    let japanese = encoding_rs::SHIFT_JIS.encode("これは日本語で書かれた文章です。\n").0;
    let cases: [(&[u8], &str, &str); 9] = [
        (b"plain", "UTF-8", "plain"),
        ("Grüße, 世界".as_bytes(), "UTF-8", "Grüße, 世界"),
        (b"\xEF\xBB\xBFx", "UTF-8 with BOM", "x"),
        (b"\xFF\xFEx\0", "UTF-16LE", "x"),
        (b"\xFE\xFF\0x", "UTF-16BE", "x"),
        (b"Stra\xDFe und Gr\xFC\xDFe", "windows-1252", "Straße und Grüße"),
        (&japanese, "Shift_JIS", "これは日本語で書かれた文章です。\n"),
        // Colours are no reason to refuse a log.
        (b"\x1b[31mred\x1b[0m\n", "UTF-8", "\x1b[31mred\x1b[0m\n"),
        (b"old\r\n\x1a", "UTF-8", "old\r\n\x1a"),
    ];
    for (bytes, encoding, text) in cases {
        let file = TextFile::parse(bytes.to_vec()).unwrap();
        assert_eq!((file.encoding().name(), &*file.text()), (encoding, text));
        assert_eq!(file.bytes(), bytes);
        assert_eq!(file.sha256(), sha256(bytes));
    }
}

#[test]
fn what_is_not_text() {
    assert_eq!(refused(b"ab\0cd"), "binary data (first at byte 2), not text");
    assert_eq!(refused(b"\x7fELF\x02\x01\x01\0"), "binary data (first at byte 7), not text");
    assert_eq!(refused(b"\xEF\xBB\xBFa\0"), "binary data (first at byte 4), not text");
    assert_eq!(refused(b"\xFF\xFEa\0\0\0"), "binary data (first at byte 4), not text");
    assert_eq!(refused(b"\x89PNG\r\n\x1a\n\x01"), "binary data (first at byte 8), not text");
    assert_eq!(
        refused(b"\xFF\xFEa\0b"),
        "neither UTF-8 nor another encoding that could be told for sure (best guess: UTF-16LE)"
    );
    assert_eq!(
        refused(b"caf\x81\xE9"),
        "neither UTF-8 nor another encoding that could be told for sure (best guess: windows-1252)"
    );
    let stateful = encoding_rs::ISO_2022_JP.encode("これは日本語です\n").0;
    assert_eq!(
        refused(&stateful),
        "text in ISO-2022-JP, whose lines cannot be edited one by one; convert it to UTF-8 first"
    );
}
