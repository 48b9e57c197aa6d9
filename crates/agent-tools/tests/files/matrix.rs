//! Every kind of edit in every encoding, with every ending, in every mode and, where that is
//! permitted, of another owner, against the tables in `fixtures/bytes`, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use agent_tools::edit::{EditLimits, apply};
use agent_tools::read::read_text;
use agent_tools::{LineEdit, write};

use crate::place::Place;

const MODES: [u32; 3] = [0o644, 0o755, 0o600];

/// The sections of a table by their heads, each with its rows of name and text.
type Table = BTreeMap<String, Vec<(String, String)>>;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bytes")
}

/// Reads a table; what stands before its first section is the section without a name.
fn table(file: &str) -> Table {
    let text = fs::read_to_string(fixtures().join(file)).unwrap();
    let mut table = Table::new();
    let mut section = String::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(head) = line.strip_prefix('[') {
            section = head.strip_suffix(']').unwrap().to_owned();
            continue;
        }
        let (name, text) = line.split_once(':').unwrap();
        let text = text.strip_prefix(' ').unwrap_or(text);
        table.entry(section.clone()).or_default().push((name.to_owned(), text.to_owned()));
    }
    table
}

/// The bytes that an escaped text stands for.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let (byte, length) = match &rest[at + 1..at + 2] {
            "n" => (b'\n', 2),
            "r" => (b'\r', 2),
            "\\" => (b'\\', 2),
            "x" => (u8::from_str_radix(&rest[at + 2..at + 4], 16).unwrap(), 4),
            other => panic!("{other:?} is no escape"),
        };
        bytes.push(byte);
        rest = &rest[at + length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// The edits of one row of `edits.txt`.
fn edits(row: &str, letter: &str) -> Vec<LineEdit> {
    let one = |edit: &str| {
        let (range, text) = edit.split_once(' ').unwrap_or((edit, ""));
        let (first, last) = range.split_once('-').unwrap();
        LineEdit {
            start_line: first.parse().unwrap(),
            end_line: last.parse().unwrap(),
            replacement: String::from_utf8(unescape(text)).unwrap().replace('$', letter),
            old: None,
        }
    };
    row.split(" ; ").map(one).collect()
}

/// The owner and the group of a file.
fn owner(file: &Path) -> (u32, u32) {
    let metadata = fs::metadata(file).unwrap();
    (metadata.uid(), metadata.gid())
}

/// Gives a file to somebody who has no other here. Only root may; anybody else edits files of
/// their own, and those have to stay theirs too.
fn give_away(file: &Path) -> (u32, u32) {
    let (user, group) = (54_321, 54_322);
    if chown(file, Some(user), Some(group)).is_ok() {
        assert_eq!(owner(file), (user, group));
    }
    owner(file)
}

/// Makes the edits of a section's rows in files of each mode, and compares what becomes of them.
fn check(name: &str, encoding: &str, rows: &[(String, String)], kinds: &[(String, Vec<LineEdit>)]) {
    let [(first, before), rows @ ..] = rows else { panic!("{name}: no row") };
    assert_eq!(first, "before", "{name}");
    let row_names = rows.iter().map(|(row, _)| row);
    assert!(row_names.eq(kinds.iter().map(|(kind, _)| kind)), "{name}: not the rows of edits.txt");
    let place = Place::new();
    let path = place.path("table.txt");
    let file = place.on_disk("table.txt");
    for ((kind, edits), (_, after)) in kinds.iter().zip(rows) {
        for mode in MODES {
            let label = format!("{name}, {kind}, mode {mode:o}");
            fs::write(&file, unescape(before)).unwrap();
            let owned_by = give_away(&file);
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let text = read_text(&place.ws, &path, 10_000).unwrap();
            assert_eq!(text.encoding().name(), encoding, "{label}");
            let edited = apply(&text, edits, &EditLimits::default()).unwrap();
            write::replace(&place.ws, &path, &text.sha256(), edited.text.bytes()).unwrap();
            let seen = fs::read(&file).unwrap();
            assert_eq!(
                seen.escape_ascii().to_string(),
                unescape(after).escape_ascii().to_string(),
                "{label}"
            );
            let is = fs::metadata(&file).unwrap().permissions().mode() & 0o7777;
            assert_eq!(is, mode, "{label}");
            assert_eq!(owner(&file), owned_by, "{label}");
        }
    }
}

/// Checks all sections of a table.
fn check_table(name: &str) {
    let kinds = table("edits.txt");
    let mut sections = table(&format!("{name}.txt"));
    let head: BTreeMap<String, String> = sections.remove("").unwrap().into_iter().collect();
    for ending in ["LF", "CRLF", "mixed"] {
        for end in ["final newline", "no final newline"] {
            assert!(sections.contains_key(&format!("text, {ending}, {end}")), "{name}");
        }
    }
    for (section, rows) in sections {
        let kind = section.split(',').next().unwrap_or_default();
        let kinds: Vec<(String, Vec<LineEdit>)> = kinds[kind]
            .iter()
            .map(|(kind, row)| (kind.clone(), edits(row, &head["letter"])))
            .collect();
        check(&format!("{name}, {section}"), &head["encoding"], &rows, &kinds);
    }
}

#[test]
fn every_table_is_checked() {
    let entries = fs::read_dir(fixtures()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let tables =
        ["edits", "shift-jis", "utf-16be", "utf-16le", "utf-8-bom", "utf-8", "windows-1252"];
    assert_eq!(names, tables.map(|name| format!("{name}.txt")));
}

#[test]
fn edits_of_utf_8() {
    check_table("utf-8");
}

#[test]
fn edits_of_utf_8_with_a_byte_order_mark() {
    check_table("utf-8-bom");
}

#[test]
fn edits_of_utf_16_low_byte_first() {
    check_table("utf-16le");
}

#[test]
fn edits_of_utf_16_high_byte_first() {
    check_table("utf-16be");
}

#[test]
fn edits_of_windows_1252() {
    check_table("windows-1252");
}

#[test]
fn edits_of_shift_jis() {
    check_table("shift-jis");
}
