//! Texts for the targets.
//!
//! Bytes at random hardly ever make two equal lines, and without equal lines there is nothing to
//! find. So most lines come from a small stock, with indentation and endings that vary.

use arbitrary::Arbitrary;

const STOCK: [&str; 12] = [
    "fn a() {",
    "fn b(x: u8) -> u8 {",
    "let x = 1;",
    "call(x);",
    "}",
    "})",
    "",
    "return x",
    "// a note",
    "é = \u{feff}ß",
    "else:",
    "\t",
];

const MARKERS: [&str; 6] = [
    "// ... existing code ...",
    "# ... existing code ...",
    "<!-- ... existing code ... -->",
    "/* … existing code … */",
    "... rest of the file ...",
    "call(x); // ... existing code ...",
];

/// A line of a text.
#[derive(Debug, Arbitrary)]
enum Words {
    Stock(u8),
    Marker(u8),
    Free(String),
}

#[derive(Debug, Arbitrary)]
struct Line {
    indent: u8,
    words: Words,
    trailing_space: bool,
    carriage_return: bool,
}

/// Lines, the last of them with an ending or without.
#[derive(Debug, Arbitrary)]
pub struct Text {
    lines: Vec<Line>,
    open_end: bool,
}

impl Text {
    /// The lines without their endings. Free words may bring further line feeds.
    pub fn lines(&self) -> Vec<String> {
        self.lines.iter().map(Line::text).collect()
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, line) in self.lines.iter().enumerate() {
            formatter.write_str(&line.text())?;
            if index + 1 < self.lines.len() || !self.open_end {
                formatter.write_str(if line.carriage_return { "\r\n" } else { "\n" })?;
            }
        }
        Ok(())
    }
}

impl Line {
    fn text(&self) -> String {
        let of = |stock: &[&str], at: u8| stock[usize::from(at) % stock.len()].to_owned();
        let words = match &self.words {
            Words::Stock(at) => of(&STOCK, *at),
            Words::Marker(at) => of(&MARKERS, *at),
            Words::Free(words) => words.clone(),
        };
        let indent = ["", "    ", "        ", "\t", "  "][usize::from(self.indent) % 5];
        let trailing = if self.trailing_space { " " } else { "" };
        format!("{indent}{words}{trailing}")
    }
}

/// The markers in `after` that `before` does not have, white space aside.
pub fn new_markers<'a>(before: &str, after: &'a str) -> Vec<&'a str> {
    let solid = |line: &str| line.split_whitespace().collect::<String>();
    let there: Vec<String> = before.lines().map(solid).collect();
    after
        .lines()
        .filter(|line| agent_tools::sketch::is_marker(line) && !there.contains(&solid(line)))
        .collect()
}
