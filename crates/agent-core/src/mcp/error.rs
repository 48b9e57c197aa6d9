//! What can go wrong with a server.

use std::time::Duration;

use super::watch::LARGEST;

/// A server that can't be used, or a call that came to nothing. It reads as a sentence about the
/// server, without its full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The program does not start.
    #[error("the MCP server `{server}` does not start: `{command}`: {reason}")]
    NoStart {
        /// Its name.
        server: String,
        /// What was to be started.
        command: String,
        /// The system's word for it.
        reason: String,
    },
    /// A variable that it is to see is not set.
    #[error(
        "the MCP server `{server}` does not start: it is to see ${{{variable}}}, which is not set"
    )]
    NoVariable {
        /// Its name.
        server: String,
        /// The variable.
        variable: String,
    },
    /// What the user trusts of it can't be looked up.
    #[error("what is trusted of the MCP server `{server}` is not known: {reason}")]
    Unknown {
        /// Its name.
        server: String,
        /// Why not.
        reason: String,
    },
    /// It can't be reached over HTTP.
    #[error("the MCP server `{server}` can't be reached at {url}: {reason}")]
    NoConnection {
        /// Its name.
        server: String,
        /// Its address.
        url: String,
        /// What went wrong.
        reason: String,
    },
    /// The process ended, or closed its output.
    #[error("the MCP server `{server}` {}{words}", ended(*.exit_code))]
    Ended {
        /// Its name.
        server: String,
        /// Its exit code, where it ended by itself.
        exit_code: Option<i32>,
        /// What it said last.
        words: String,
    },
    /// It ended too often to be started once more.
    #[error("the MCP server `{server}` ended twice, and is not started again in this run{words}")]
    GivenUp {
        /// Its name.
        server: String,
        /// What it said last.
        words: String,
    },
    /// It did not answer in time.
    #[error("the MCP server `{server}` did not answer within {} s{words}", .after.as_secs_f64())]
    Silent {
        /// Its name.
        server: String,
        /// How long it was waited for.
        after: Duration,
        /// What it said last.
        words: String,
    },
    /// It sent a message that is too large, and was ended.
    #[error("the MCP server `{server}` sent a message of more than {LARGEST} bytes, and was ended")]
    TooLarge {
        /// Its name.
        server: String,
    },
    /// It answered the first question only after it had been taken for one of the older era.
    #[error("the MCP server `{server}` answered too late")]
    Late {
        /// Its name.
        server: String,
    },
    /// It answered with an error, or with something that the protocol does not have there.
    #[error("the MCP server `{server}` answered: {problem}{words}")]
    Answered {
        /// Its name.
        server: String,
        /// What it said.
        problem: String,
        /// What it said last on its standard error.
        words: String,
    },
    /// The call was taken back.
    #[error("interrupted before the MCP server `{server}` answered")]
    Interrupted {
        /// Its name.
        server: String,
    },
}

fn ended(code: Option<i32>) -> String {
    match code {
        Some(code) => format!("ended with exit code {code}"),
        None => "closed its output, and was ended".to_owned(),
    }
}

/// Whether a call that failed may have been carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It never reached the server.
    NotSent,
    /// The server refused it.
    NotDone,
    /// It was sent, and nobody knows.
    Unknown,
}
