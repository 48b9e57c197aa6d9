//! Standard output, where results go.

use std::io::{self, ErrorKind, Write};

use serde::Serialize;

use crate::error::Error;

/// Writes whole results. A reader that has gone away is nobody's error: `agent … | head` is fine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stdout;

impl Stdout {
    /// Writes the text, with a newline at its end.
    pub(crate) fn text(self, text: &str) -> Result<(), Error> {
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        self.write(format!("{text}{newline}").as_bytes())
    }

    /// Writes the value as JSON in one line.
    pub(crate) fn json(self, value: &impl Serialize) -> Result<(), Error> {
        let mut line = serde_json::to_vec(value).map_err(|error| Self::failed(&error.into()))?;
        line.push(b'\n');
        self.write(&line)
    }

    /// Writes the value as JSON over several lines.
    pub(crate) fn pretty_json(self, value: &impl Serialize) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(value);
        self.text(&text.map_err(|error| Self::failed(&error.into()))?)
    }

    fn write(self, bytes: &[u8]) -> Result<(), Error> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(Self::failed(&error)),
        }
    }

    fn failed(error: &io::Error) -> Error {
        Error::output("to standard output", error)
    }
}
