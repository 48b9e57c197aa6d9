//! Words in lines that end between them.

use textwrap::core::display_width;

/// The widest that prose is laid out: longer lines are hard to read.
pub(crate) const WIDEST: usize = 100;

/// The indentation from which on a line is code.
const CODE: usize = 4;

/// Lays words out as they come, in whatever pieces. A line that is too long goes on in the next,
/// indented as its own text is. Code and tables stay as they are: what is copied must still run.
///
/// A word is held back until it has ended. What paints a word has no width.
#[derive(Debug)]
pub(crate) struct Flow {
    width: usize,
    column: usize,
    /// Blanks that are written only if a word comes behind them.
    blanks: usize,
    word: String,
    line: Line,
    /// Where a line goes on.
    hang: usize,
    in_fence: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Nothing but blanks so far.
    Begun,
    Prose,
    AsItIs,
}

impl Flow {
    pub(crate) fn new(width: usize) -> Self {
        Self {
            width,
            column: 0,
            blanks: 0,
            word: String::new(),
            line: Line::Begun,
            hang: 0,
            in_fence: false,
        }
    }

    /// From here on lines are so wide.
    pub(crate) fn fit(&mut self, width: usize) {
        self.width = width;
    }

    /// Takes more of the text, and gives what can be shown now.
    pub(crate) fn push(&mut self, text: &str) -> String {
        let mut shown = String::new();
        for char in text.chars() {
            match char {
                '\n' => {
                    self.end_word(&mut shown);
                    shown.push('\n');
                    self.begin_line();
                }
                char if self.line == Line::AsItIs => shown.push(char),
                ' ' | '\t' => {
                    self.end_word(&mut shown);
                    match self.line {
                        Line::AsItIs => shown.push(char),
                        Line::Begun | Line::Prose => {
                            self.blanks += if char == '\t' { CODE } else { 1 };
                        }
                    }
                }
                // Between ideographs a line may end anywhere.
                char if display_width(char.encode_utf8(&mut [0; 4])) == 2 => {
                    self.end_word(&mut shown);
                    self.word.push(char);
                    self.end_word(&mut shown);
                }
                char => self.word.push(char),
            }
        }
        shown
    }

    /// Gives what was held back, and begins a new line.
    pub(crate) fn finish(&mut self) -> String {
        let mut shown = String::new();
        self.end_word(&mut shown);
        self.begin_line();
        shown
    }

    /// A new text begins.
    pub(crate) fn restart(&mut self) {
        *self = Self::new(self.width);
    }

    fn begin_line(&mut self) {
        (self.column, self.blanks, self.hang) = (0, 0, 0);
        self.line = Line::Begun;
    }

    fn end_word(&mut self, shown: &mut String) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let blanks = std::mem::take(&mut self.blanks);
        let width = display_width(&word);
        if self.line == Line::Begun {
            self.line = self.kind(&word, blanks);
        } else if self.line == Line::Prose
            && self.column + blanks + width > self.width
            && self.column > self.hang
        {
            shown.push('\n');
            shown.push_str(&" ".repeat(self.hang));
            self.column = self.hang + width;
            shown.push_str(&word);
            return;
        }
        shown.push_str(&" ".repeat(blanks));
        shown.push_str(&word);
        self.column += blanks + width;
    }

    /// What a line is, by its first word and the blanks before it.
    fn kind(&mut self, word: &str, indent: usize) -> Line {
        let is_fence = word.starts_with("```") || word.starts_with("~~~");
        if is_fence {
            self.in_fence = !self.in_fence;
        }
        let is_item = is_marker(word);
        if is_fence || self.in_fence || word.starts_with('|') || (indent >= CODE && !is_item) {
            return Line::AsItIs;
        }
        let marker = if is_item { display_width(word) + 1 } else { 0 };
        self.hang = (indent + marker).min(self.width / 2);
        Line::Prose
    }
}

/// Whether the word begins an item of a list, or one step of a run.
fn is_marker(word: &str) -> bool {
    let is_number = |word: &str| {
        let digits = word.strip_suffix(['.', ')']);
        digits.is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    matches!(word, "-" | "*" | "+" | "›") || is_number(word)
}

/// A whole text in lines that are so wide.
pub(crate) fn laid_out(text: &str, width: usize) -> String {
    let mut flow = Flow::new(width);
    flow.push(text) + &flow.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words_and_go_on_where_their_text_begins() {
        for (text, width, expected) in [
            ("the word that is printed", 10, "the word\nthat is\nprinted"),
            ("exactly so", 10, "exactly so"),
            ("two  blanks stay", 11, "two  blanks\nstay"),
            ("- an item of a list\n", 10, "- an item\n  of a\n  list\n"),
            ("12. an item", 10, "12. an\n    item"),
            ("  › step  a.txt  Why it is done", 16, "  › step  a.txt\n    Why it is\n    done"),
            ("  failed: no such file", 14, "  failed: no\n  such file"),
            (
                "a https://example.com/a/long/address b",
                10,
                "a\nhttps://example.com/a/long/address\nb",
            ),
            ("one\n\ntwo", 10, "one\n\ntwo"),
            ("日本語の文章です", 6, "日本語\nの文章\nです"),
            ("größer ändern über", 13, "größer ändern\nüber"),
            ("trailing   ", 10, "trailing"),
            ("", 10, ""),
        ] {
            assert_eq!(laid_out(text, width), expected, "{text:?}");
        }
    }

    #[test]
    fn what_paints_a_word_has_no_width() {
        let text = "\u{1b}[1mone\u{1b}[0m \u{1b}[2mtwo three\u{1b}[0m";
        assert_eq!(laid_out(text, 8), "\u{1b}[1mone\u{1b}[0m \u{1b}[2mtwo\nthree\u{1b}[0m");
    }

    #[test]
    fn code_and_tables_stay_as_they_are() {
        let text = "Run this here:\n```sh\necho  one two three four\n\tindented a lot more\n```\n\
                    | a table | with columns |\n    indented code is long\nand so on it goes\n";
        assert_eq!(
            laid_out(text, 10),
            "Run this\nhere:\n```sh\necho  one two three four\n    indented a lot more\n```\n\
             | a table | with columns |\n    indented code is long\nand so on\nit goes\n"
        );
    }

    #[test]
    fn it_does_not_matter_in_which_pieces_a_text_comes() {
        let text = "- some words and `code`\n\n```\nlet a = 1;  // as it is\n```\nthe énd 日本\n";
        let expected = laid_out(text, 12);
        let mut flow = Flow::new(12);
        let mut shown: String = text.chars().map(|char| flow.push(&char.to_string())).collect();
        shown += &flow.finish();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_word_is_held_back_until_it_has_ended() {
        let mut flow = Flow::new(80);
        assert_eq!(flow.push("Hel"), "");
        assert_eq!(flow.push("lo wor"), "Hello");
        assert_eq!(flow.push("ld\n"), " world\n");
        assert_eq!(flow.finish(), "");
    }
}
