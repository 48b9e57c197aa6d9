//! Failures as people see them: a code, what happened, and what to do next.

use std::fmt::{self, Display};

use agent_core::Failure;
use miette::{GraphicalReportHandler, GraphicalTheme};

use crate::ui::Style;

/// A failure in miette's terms.
#[derive(Debug)]
struct Shown<'a>(&'a Failure);

impl Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl miette::Diagnostic for Shown<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(&self.0.code))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.0.help.as_ref().map(|help| Box::new(help) as Box<dyn Display>)
    }
}

/// The failure as text for standard error.
pub(crate) fn render(failure: &Failure, style: Style) -> String {
    let theme = match style {
        Style::Coloured => GraphicalTheme::unicode(),
        Style::Plain => GraphicalTheme::unicode_nocolor(),
    };
    // Unwrapped: what is to be typed or clicked stays in one piece.
    let writer = GraphicalReportHandler::new_themed(theme).with_wrap_lines(false);
    let mut text = String::new();
    // A provider's words may hold anything, so they are made harmless for a terminal.
    let harmless = Failure {
        code: failure.code.clone(),
        message: crate::ui::harmless(&failure.message).into_owned(),
        help: failure.help.as_deref().map(|help| crate::ui::harmless(help).into_owned()),
    };
    match writer.render_report(&mut text, &Shown(&harmless)) {
        Ok(()) => text,
        Err(fmt::Error) => format!("{}: {}\n", harmless.code, harmless.message),
    }
}
