//! Strings as they should not be written.

use super::lenient::Reader;
use super::{Mend, Unclear};

impl Reader<'_> {
    pub(super) fn string(&mut self) -> Result<String, Unclear> {
        for quotes in ["\"\"\"", "'''"] {
            if self.take(quotes) {
                self.mend(Mend::TripleQuotes);
                return self.triple(quotes);
            }
        }
        let open = self.bump().unwrap_or('"');
        let close = match open {
            '“' => '”',
            '‘' => '’',
            other => other,
        };
        if open != '"' {
            self.mend(Mend::SingleQuotes);
        }
        let mut string = String::new();
        loop {
            match self.bump() {
                None => return self.wrong("a string is not closed"),
                Some('\\') => self.escape(&mut string)?,
                Some(char) if char == close => {
                    if self.ends_string() {
                        return Ok(string);
                    }
                    return self.wrong("a quote within a string must be escaped");
                }
                Some(char) => {
                    if char.is_control() {
                        self.mend(Mend::RawControl);
                    }
                    string.push(char);
                }
            }
        }
    }

    /// Whether what follows a quote can follow a string.
    fn ends_string(&self) -> bool {
        let rest = self.rest();
        let line = rest.trim_start_matches([' ', '\t', '\r']);
        let next = rest.trim_start().chars().next();
        next.is_none_or(|next| matches!(next, ',' | ':' | '}' | ']' | '`'))
            || line.starts_with('\n')
            || line.starts_with("//")
            || line.starts_with('#')
            || line.starts_with("/*")
    }

    fn triple(&mut self, quotes: &str) -> Result<String, Unclear> {
        let Some(end) = self.rest().find(quotes) else {
            self.at = self.text.len();
            return self.wrong("a string is not closed");
        };
        let string = self.rest()[..end].to_owned();
        self.at += end + quotes.len();
        Ok(string)
    }

    fn escape(&mut self, string: &mut String) -> Result<(), Unclear> {
        match self.bump() {
            None => return self.wrong("a string is not closed"),
            Some('n') => string.push('\n'),
            Some('t') => string.push('\t'),
            Some('r') => string.push('\r'),
            Some('b') => string.push('\u{8}'),
            Some('f') => string.push('\u{c}'),
            Some(plain @ ('"' | '\\' | '/')) => string.push(plain),
            Some('u') => string.push(self.unicode()?),
            Some(quote @ ('\'' | '`')) => {
                self.mend(Mend::Escape);
                string.push(quote);
            }
            // `\d` in a pattern, `\.` in a path: both characters are meant.
            Some(other) => {
                self.mend(Mend::Escape);
                if other != '\n' {
                    string.push('\\');
                }
                string.push(other);
            }
        }
        Ok(())
    }

    fn unicode(&mut self) -> Result<char, Unclear> {
        let first = self.hex()?;
        if (0xD800..0xDC00).contains(&first) && self.take("\\u") {
            let second = self.hex()?;
            let code = 0x10000 + ((first - 0xD800) << 10) + (second.wrapping_sub(0xDC00) & 0x3FF);
            return char::from_u32(code).map_or_else(|| self.wrong("no such character"), Ok);
        }
        char::from_u32(first).map_or_else(|| self.wrong("no such character"), Ok)
    }

    fn hex(&mut self) -> Result<u32, Unclear> {
        let digits = self.rest().get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match digits {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => self.wrong("an escape needs four digits"),
        }
    }
}
