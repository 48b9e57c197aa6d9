//! Line edits of any bytes: applied as a whole or refused, and every byte outside of the lines that
//! they name stays.

use agent_tools::edit::{self, EditLimits};
use agent_tools::{Encoding, LineEdit, TextFile};
use arbitrary::Arbitrary;

/// What is tried.
#[derive(Debug, Arbitrary)]
pub struct Input {
    mark: u8,
    bytes: Vec<u8>,
    edits: Vec<Edit>,
}

#[derive(Debug, Arbitrary)]
struct Edit {
    start: u8,
    lines: u8,
    replacement: String,
    with_old: bool,
}

/// How marks and line endings are written.
struct Written {
    mark: &'static [u8],
    line_feed: &'static [u8],
    carriage_return: &'static [u8],
}

impl Written {
    fn of(encoding: Encoding) -> Self {
        let mark: &[u8] = match encoding {
            Encoding::Utf8 | Encoding::Legacy(_) => b"",
            Encoding::Utf8Bom => b"\xEF\xBB\xBF",
            Encoding::Utf16Le => b"\xFF\xFE",
            Encoding::Utf16Be => b"\xFE\xFF",
        };
        let (line_feed, carriage_return): (&[u8], &[u8]) = match encoding {
            Encoding::Utf8 | Encoding::Legacy(_) | Encoding::Utf8Bom => (b"\n", b"\r"),
            Encoding::Utf16Le => (b"\n\0", b"\r\0"),
            Encoding::Utf16Be => (b"\0\n", b"\0\r"),
        };
        Self { mark, line_feed, carriage_return }
    }

    /// The lines of a file, endings included.
    fn lines<'a>(&self, file: &'a TextFile) -> Vec<&'a [u8]> {
        let mut rest = file.bytes().strip_prefix(self.mark).expect("the mark stays");
        let width = self.line_feed.len();
        let mut lines = Vec::new();
        while !rest.is_empty() {
            let ends = rest.chunks(width).position(|unit| unit == self.line_feed);
            let (line, after) = rest.split_at(ends.map_or(rest.len(), |at| (at + 1) * width));
            lines.push(line);
            rest = after;
        }
        lines
    }

    fn without_ending<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let Some(line) = line.strip_suffix(self.line_feed) else { return line };
        line.strip_suffix(self.carriage_return).unwrap_or(line)
    }
}

/// Holds them against an input.
pub fn check(input: &Input) {
    let marks = [&b""[..], b"", b"", b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
    let bytes = [marks[usize::from(input.mark) % marks.len()], &input.bytes].concat();
    let Ok(file) = TextFile::parse(bytes.clone()) else { return };
    assert_eq!(file.bytes(), bytes);
    let plan: Vec<LineEdit> = input
        .edits
        .iter()
        .map(|Edit { start, lines, replacement, with_old }| {
            let start_line = usize::from(*start);
            let end_line = (start_line + usize::from(*lines % 8)).saturating_sub(1);
            let old = with_old.then(|| file.text_of(start_line, end_line).into_owned());
            LineEdit { start_line, end_line, replacement: replacement.clone(), old }
        })
        .collect();
    let edited = match edit::apply(&file, &plan, &EditLimits::default()) {
        Ok(edited) => edited,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert_eq!(edited.edits, plan.len());
    assert_ne!(edited.text.bytes(), file.bytes());
    // What is written is read again as the same text.
    assert_eq!(edited.text.encoding(), file.encoding());

    let written = Written::of(file.encoding());
    let (before, after) = (written.lines(&file), written.lines(&edited.text));
    let mut plan = plan;
    plan.sort_by_key(|edit| (edit.start_line, edit.end_line));
    let (mut from, mut to) = (1, 0);
    let stays = |first: usize, last: usize, to: &mut usize| {
        for number in first..=last.min(before.len()) {
            let (old, new) = (before[number - 1], after.get(*to).copied().unwrap_or_default());
            // Only the end of the file may gain or lose an ending.
            if number == before.len() || *to + 1 == after.len() {
                let (old, new) = (written.without_ending(old), written.without_ending(new));
                assert_eq!(old, new, "line {number}");
            } else {
                assert_eq!(old, new, "line {number}");
            }
            *to += 1;
        }
    };
    for LineEdit { start_line, end_line, replacement, .. } in &plan {
        stays(from, start_line - 1, &mut to);
        to += replacement.split_inclusive('\n').count();
        from = end_line + 1;
    }
    stays(from, before.len(), &mut to);
    // An empty last line without an ending is no line of its own in the bytes.
    let phantom = !before.is_empty() && !ends(&before, &written) && ends(&after, &written);
    assert_eq!(to, after.len() + usize::from(phantom));
}

fn ends(lines: &[&[u8]], written: &Written) -> bool {
    lines.last().is_some_and(|line| line.ends_with(written.line_feed))
}
