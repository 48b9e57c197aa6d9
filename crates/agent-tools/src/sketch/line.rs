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

/// A hash under which lines that are [`alike`] are equal.
pub(crate) fn loose_hash(line: &str) -> u64 {
    line.bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
}

/// How far a line opens (positive) or closes (negative) each kind of bracket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Brackets {
    round: i32,
    square: i32,
    curly: i32,
}

impl Brackets {
    /// The brackets of one line. Strings and comments are not told apart: brackets in them are balanced often enough.
    pub(crate) fn of(line: &str) -> Self {
        let mut sum = Self::default();
        for byte in line.bytes() {
            match byte {
                b'(' => sum.round += 1,
                b')' => sum.round -= 1,
                b'[' => sum.square += 1,
                b']' => sum.square -= 1,
                b'{' => sum.curly += 1,
                b'}' => sum.curly -= 1,
                _ => {}
            }
        }
        sum
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
