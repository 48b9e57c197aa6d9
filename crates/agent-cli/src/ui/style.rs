//! Colours, and text that can do a terminal no harm.

use std::borrow::Cow;

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Coloured,
    Plain,
}

/// Ways to set text off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Bold,
    Dim,
    Italic,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Style {
    /// The text, painted where there is colour.
    pub(crate) fn paint(self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Bold => 1,
            Paint::Dim => 2,
            Paint::Italic => 3,
            Paint::Red => 31,
            Paint::Green => 32,
            Paint::Yellow => 33,
            Paint::Cyan => 36,
        };
        match self {
            Self::Coloured if !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            Self::Coloured | Self::Plain => text.to_owned(),
        }
    }
}

/// `text` with what would steer a terminal made visible: a model, a file or a server must not move
/// the cursor, set the clipboard or reverse the reading direction. Carriage returns are left out.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|char| *char != '\r').map(shown).collect())
}

fn steers(char: char) -> bool {
    let reorders = matches!(char, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Tags look like nothing and can carry a whole message.
    let hides = matches!(char, '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    reorders || hides || (char.is_control() && !matches!(char, '\n' | '\t'))
}

fn shown(char: char) -> char {
    match char {
        char if !steers(char) => char,
        // The control pictures stand in the order of the characters that they show.
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(char)).unwrap_or('\u{fffd}'),
        _ => '\u{fffd}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_becomes_visible() {
        for (text, expected) in [
            ("plain ünïcode\n\ttext", "plain ünïcode\n\ttext"),
            ("\x1b]52;c;eA==\x07", "␛]52;c;eA==␇"),
            ("one\r\ntwo\rthree", "one\ntwothree"),
            ("\u{9b}31m\x7f\u{202e}", "\u{fffd}31m\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(harmless(text), expected);
        }
    }

    #[test]
    fn only_coloured_text_has_escapes() {
        assert_eq!(Style::Coloured.paint(Paint::Red, "x"), "\x1b[31mx\x1b[0m");
        assert_eq!(Style::Coloured.paint(Paint::Red, ""), "");
        assert_eq!(Style::Plain.paint(Paint::Red, "x"), "x");
    }
}
