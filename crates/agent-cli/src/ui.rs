//! What people and programs see: progress on standard error, results on standard output.

use std::io::{self, Write};

mod approval;
mod diff;
mod editor;
mod flow;
mod live;
mod markdown;
mod progress;
mod sink;
mod status;
mod stdout;
mod style;
mod tty;
mod words;

pub(crate) use approval::{AskAtTerminal, By};
pub(crate) use diff::{coloured as diff, whole as whole_diff};
pub(crate) use editor::{Desk, Editor, Typed};
pub(crate) use flow::laid_out;
pub(crate) use live::{Live, Surface};
pub(crate) use progress::{Detail, Progress, Reader};
pub(crate) use sink::{JsonLines, Terminal, both};
pub(crate) use stdout::Stdout;
pub(crate) use style::{Paint, Style, harmless};
pub(crate) use tty::{Modes, width as screen_width};
pub(crate) use words::tokens;

use crate::environment::Environment;

/// One of the two streams that people read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Output,
    Errors,
}

impl Stream {
    /// Writes text as it is. Where the stream is closed there is nobody left to tell.
    pub(crate) fn write(self, text: &str) {
        fn all(mut stream: impl Write, text: &str) -> io::Result<()> {
            stream.write_all(text.as_bytes())?;
            stream.flush()
        }
        if !text.is_empty() {
            let _ = match self {
                Self::Output => all(io::stdout().lock(), text),
                Self::Errors => all(io::stderr().lock(), text),
            };
        }
    }
}

/// Text for a stream: on a screen its lines end between words.
pub(crate) fn prose(text: &str, stream: Stream, environment: Environment) -> String {
    match environment.is_terminal(stream) {
        true => laid_out(text, screen_width().min(flow::WIDEST)),
        false => text.to_owned(),
    }
}

/// Writes to standard error.
pub(crate) fn say(text: &str) {
    Stream::Errors.write(text);
}

/// Warns outside of a run.
pub(crate) fn warn(message: &str, environment: Environment) {
    let label = environment.style(Stream::Errors).paint(Paint::Yellow, "warning:");
    say(&format!("{label} {}\n", harmless(message)));
}
