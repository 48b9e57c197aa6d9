//! The program's own log, for its developers: on standard error, and only where it is asked for.

use std::io::{self, Write};

use agent_core::Redactor;
use tracing_subscriber::EnvFilter;

use crate::{
    args::Volume,
    environment::Environment,
    error::Error,
    ui::{Stream, Style},
};

/// Starts the log as `AGENT_LOG` or `-vv` says.
///
/// # Errors
///
/// `AGENT_LOG` is no filter.
pub(crate) fn start(volume: Volume, environment: Environment) -> Result<(), Error> {
    let by_volume = match volume.verbose {
        0 | 1 => None,
        2 => Some("agent=debug,agent_core=debug,agent_llm=debug,agent_tools=debug".to_owned()),
        3.. => Some("trace".to_owned()),
    };
    let Some(directives) = environment.variable("AGENT_LOG").or(by_volume) else { return Ok(()) };
    let filter = EnvFilter::try_new(&directives).map_err(|error| {
        let message = format!("AGENT_LOG: {directives:?} is no filter: {error}");
        Error::config("log", message, "write a level, such as `debug`, or `agent_llm=trace`")
    })?;
    let redactor = environment.redactor();
    let to_errors = move || Redacted { redactor: redactor.clone() };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(to_errors);
    // A second log in one process would be a mistake of ours; the first one stays.
    let _ = log.with_ansi(environment.style(Stream::Errors) == Style::Coloured).try_init();
    Ok(())
}

/// Standard error without secrets. An entry comes in one piece.
struct Redacted {
    redactor: Redactor,
}

impl Write for Redacted {
    fn write(&mut self, entry: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(entry);
        io::stderr().write_all(self.redactor.clean(&text).as_bytes())?;
        Ok(entry.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
