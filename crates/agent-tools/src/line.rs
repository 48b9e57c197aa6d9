//! Lines of text without their endings, and what two lines have in common.
//!
//! A sketch and a file may differ in line endings and, where a model drifted, in white space. Everything here looks at a line with its ending
//! taken off; "alike" means equal once all white space is taken out.

/// How many bytes a line of a program has at least, as a rule.
const USUAL_LINE: usize = 24;

/// The lines of `text`, without `\n` or `\r\n`. A final newline ends the last line and starts no further one.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let mut start = 0;
    let mut lines: Vec<&str> = Vec::with_capacity(text.len() / USUAL_LINE);
    for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
        lines.push(without_return(&text[start..end]));
        start = end + 1;
    }
    if start < text.len() {
        lines.push(without_return(&text[start..]));
    }
    lines
}

/// A line without `\r` where its ending was `\r\n`.
pub(crate) fn without_return(line: &str) -> &str {
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

/// What a byte adds to a scan. A file is read at a few cycles a byte because nothing is decided
/// there but where words end.
#[derive(Clone, Copy)]
struct Byte {
    /// What it adds to a hash.
    mix: u64,
    brackets: Brackets,
    /// How far it turns the line's hash: not at all where it is white.
    turn: u32,
    /// All ones where it belongs to a word, an underscore included.
    word: u64,
    /// Whether a line with it has a word in it.
    says: bool,
}

const BYTES: [Byte; 256] = {
    let none = Byte { mix: 0, brackets: Brackets::NONE, turn: 0, word: 0, says: false };
    let mut bytes = [none; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        let known = &mut bytes[at];
        known.says = byte.is_ascii_alphanumeric() || byte >= 0x80;
        if known.says || byte == b'_' {
            known.word = u64::MAX;
        }
        if !byte.is_ascii_whitespace() {
            known.mix = scramble(at as u64 + 1);
            known.turn = TURN;
        }
        known.brackets = Brackets::of(byte);
        at += 1;
    }
    bytes
};

/// How far a hash is turned with each byte: an odd number meets every bit.
const TURN: u32 = 5;

/// A number without any pattern (SplitMix64), never zero for the few that are asked for.
const fn scramble(number: u64) -> u64 {
    let number = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Reads a line once for all that the index wants to know; `word` gets the hash of each word.
///
/// Hashes are good enough where a match is looked at again, or where one that is wrong does no harm.
pub(crate) fn scan(line: &str, mut word: impl FnMut(u64)) -> Scan {
    let mut scan = Scan { hash: 0, plain: true, brackets: Brackets::NONE };
    let mut hash = 0_u64;
    for byte in line.bytes() {
        let known = &BYTES[usize::from(byte)];
        scan.hash = scan.hash.rotate_left(known.turn).wrapping_add(known.mix);
        scan.plain &= !known.says;
        scan.brackets = scan.brackets.plus(known.brackets);
        if known.word == 0 && hash != 0 {
            word(hash);
        }
        hash = hash.rotate_left(TURN).wrapping_add(known.mix) & known.word;
    }
    if hash != 0 {
        word(hash);
    }
    scan
}

/// How far lines open (positive) or close (negative) each kind of bracket: three numbers in one,
/// as far apart as a file never counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Brackets(i64);

impl Brackets {
    const NONE: Self = Self(0);

    const fn of(byte: u8) -> Self {
        let (round, square, curly) = (1, 1 << 21, 1 << 42);
        match byte {
            b'(' => Self(round),
            b')' => Self(-round),
            b'[' => Self(square),
            b']' => Self(-square),
            b'{' => Self(curly),
            b'}' => Self(-curly),
            _ => Self::NONE,
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (Scan, Vec<u64>) {
        let mut words = Vec::new();
        let scan = scan(line, |word| words.push(word));
        (scan, words)
    }

    #[test]
    fn white_space_counts_for_words_only() {
        let (spaced, words) = read("\tlet a_b = [f(1)];  ");
        let (dense, dense_words) = read("leta_b=[f(1)];");
        assert_eq!(spaced, dense);
        assert_eq!((words.len(), dense_words.len()), (4, 3));
        assert_eq!(words[1..], [read("a_b").1[0], read("f").1[0], read("1").1[0]]);
        assert_eq!(dense_words[1..], words[2..]);
    }

    #[test]
    fn the_order_of_bytes_counts() {
        assert_ne!(read("a - b").0.hash, read("b - a").0.hash);
        assert_ne!(read("ab").1, read("ba").1);
        let (dashes, equals) = ("-".repeat(128), "=".repeat(128));
        assert_ne!(read(&dashes).0.hash, read(&equals).0.hash);
    }

    #[test]
    fn an_underscore_alone_says_nothing() {
        let plain = |line: &str| read(line).0.plain;
        assert_eq!(
            ["", " });", "_", "a", "ä", "1"].map(plain),
            [true, true, true, false, false, false]
        );
    }

    #[test]
    fn brackets_are_counted_by_their_kind() {
        let brackets = |line: &str| read(line).0.brackets;
        assert_eq!(brackets("f(a[0])"), Brackets::NONE);
        assert_eq!(brackets("} else {"), Brackets::NONE);
        let kinds = ["(", ")", "[", "]", "{", "}"].map(brackets);
        let apart = |at: usize| !kinds[..at].contains(&kinds[at]) && kinds[at] != Brackets::NONE;
        assert!((0..kinds.len()).all(apart), "{kinds:?}");
        assert_eq!(brackets("([{").minus(brackets("{")), brackets("[("));
    }
}
