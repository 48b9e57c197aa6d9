//! Drawing a tree with box characters.

use std::borrow::Cow;

use super::levels::{Leaf, LeafKind, Levels};

impl Levels {
    /// Draws the listed directory under the name `label`.
    pub(super) fn draw(&self, label: &str) -> String {
        let mut drawing = String::new();
        drawing.push_str(&visible(label));
        self.draw_branch(0, &mut String::new(), &mut drawing);
        drawing
    }

    fn draw_branch(&self, index: usize, indent: &mut String, drawing: &mut String) {
        let branch = &self.dirs[index];
        if branch.unreadable {
            drawing.push_str(" (unreadable)");
        }
        let mut rest = branch.entries.len();
        for leaf in &branch.entries {
            rest -= 1;
            let (fork, below) = if rest == 0 && branch.more == 0 {
                ("└── ", "    ")
            } else {
                ("├── ", "│   ")
            };
            start_line(drawing, indent, fork);
            drawing.push_str(&leaf.label());
            if let LeafKind::Dir(index) = leaf.kind {
                let outer = indent.len();
                indent.push_str(below);
                self.draw_branch(index, indent, drawing);
                indent.truncate(outer);
            }
        }
        if branch.more > 0 {
            start_line(drawing, indent, "└── ");
            drawing.push_str(&format!("… {} more", branch.more));
        }
    }
}

fn start_line(drawing: &mut String, indent: &str, fork: &str) {
    drawing.push('\n');
    drawing.push_str(indent);
    drawing.push_str(fork);
}

impl Leaf {
    fn label(&self) -> String {
        let name = visible(&self.name);
        match &self.kind {
            LeafKind::Dir(_) => format!("{name}/"),
            LeafKind::Link(Some(target)) => {
                format!("{name} -> {}", visible(&target.to_string_lossy()))
            }
            LeafKind::Link(None) => format!("{name} -> ?"),
            LeafKind::File => name.into_owned(),
        }
    }
}

/// The text with every character escaped that would break the drawing or hide what stands there:
/// control characters, line separators, and those that turn the direction of writing.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn characters_that_would_hide_something_are_escaped() {
        for (name, expected) in [
            ("plain name.rs", "plain name.rs"),
            ("naïve 日本 🦀", "naïve 日本 🦀"),
            ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("exe\u{202e}txt.sh", "exe\\u{202e}txt.sh"),
            ("\u{7f}\u{85}\u{2028}", "\\u{7f}\\u{85}\\u{2028}"),
        ] {
            assert_eq!(visible(name), expected);
        }
    }
}
