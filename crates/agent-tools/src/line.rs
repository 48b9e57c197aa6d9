//! Lines of text without their endings, and what two lines have in common.
//!
//! A sketch and a file may differ in line endings and, where a model drifted, in white space. Everything here looks at a line with its ending
//! taken off; "alike" means equal once all white space is taken out.

/// The lines of `text`, without `\n` or `\r\n`. A final newline ends the last line and starts no further one.
pub(crate) fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').map(without_ending).collect()
}

/// A line with its ending taken off.
pub(crate) fn without_ending(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// The spaces and tabs that a line begins with.
pub(crate) fn indent(line: &str) -> &str {
    let rest = line.trim_start_matches([' ', '\t']);
    &line[..line.len() - rest.len()]
}

/// Whether a line holds nothing but white space.
pub(crate) fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// Whether two lines are equal once all white space is taken out.
pub(crate) fn alike(a: &str, b: &str) -> bool {
    let solid = |byte: &u8| !byte.is_ascii_whitespace();
    a == b || a.bytes().filter(|b| solid(b)).eq(b.bytes().filter(|b| solid(b)))
}

/// What one pass over a line tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scan {
    /// A hash under which lines that are [`alike`] are equal.
    pub(crate) hash: u64,
    /// Whether the line has no word in it.
    pub(crate) plain: bool,
    /// What it opens and closes. Strings and comments are not told apart: brackets in them are
    /// balanced often enough.
    pub(crate) brackets: Brackets,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    White,
    Word,
    Bracket,
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        if character.is_ascii_whitespace() {
            classes[byte] = Class::White;
        } else if character.is_ascii_alphanumeric() || byte >= 0x80 {
            classes[byte] = Class::Word;
        } else if matches!(character, b'(' | b')' | b'[' | b']' | b'{' | b'}') {
            classes[byte] = Class::Bracket;
        }
        byte += 1;
    }
    classes
};

/// Reads a line once for all that the index wants to know.
pub(crate) fn scan(line: &str) -> Scan {
    let mut scan = Scan { hash: HASH_START, plain: true, brackets: Brackets::default() };
    for byte in line.bytes() {
        match CLASSES[usize::from(byte)] {
            Class::White => continue,
            Class::Word => scan.plain = false,
            Class::Bracket => scan.brackets.count(byte),
            Class::Other => {}
        }
        scan.hash = hash(scan.hash, byte);
    }
    scan
}

/// The hash of nothing.
pub(crate) const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

/// One step of a hash (FNV-1a): short, and good enough where a match is looked at again.
pub(crate) fn hash(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
}

/// How far a line opens (positive) or closes (negative) each kind of bracket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Brackets {
    round: i32,
    square: i32,
    curly: i32,
}

impl Brackets {
    fn count(&mut self, byte: u8) {
        match byte {
            b'(' => self.round += 1,
            b')' => self.round -= 1,
            b'[' => self.square += 1,
            b']' => self.square -= 1,
            b'{' => self.curly += 1,
            b'}' => self.curly -= 1,
            _ => {}
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            round: self.round + other.round,
            square: self.square + other.square,
            curly: self.curly + other.curly,
        }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            round: self.round - other.round,
            square: self.square - other.square,
            curly: self.curly - other.curly,
        }
    }
}
