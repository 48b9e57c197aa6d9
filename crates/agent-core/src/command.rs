//! Runs a program: in its own process group, with a time limit and bounded output.

use std::{path::PathBuf, process::Stdio, time::Duration};

use process_wrap::tokio::{CommandWrap, KillOnDrop, ProcessGroup};
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::Cancel;

/// How long the output of a program may still come after it has exited. A grandchild that keeps
/// the pipe open is not waited for any longer.
const DRAIN: Duration = Duration::from_millis(200);

/// A program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory.
    pub dir: PathBuf,
    /// How long it may take.
    pub timeout: Duration,
    /// Bytes of standard output, and of standard error, that are kept.
    pub max_output: usize,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandResult {
    /// Its exit code; none where a signal or the time limit ended it.
    pub exit_code: Option<i32>,
    /// The start of its standard output; bytes that are no UTF-8 are replaced.
    pub stdout: String,
    /// The start of its standard error.
    pub stderr: String,
    /// Whether the time limit ended it.
    pub timed_out: bool,
    /// Whether output was left out.
    pub truncated: bool,
}

/// A program that could not be run to its end.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// It did not start, or its pipes broke.
    #[error("run `{program}`: {source}")]
    Io {
        /// The program.
        program: String,
        /// The system's word for it.
        source: std::io::Error,
    },
    /// The run was cancelled, and the program killed.
    #[error("run `{program}`: cancelled")]
    Cancelled {
        /// The program.
        program: String,
    },
}

/// Runs `command` without standard input and waits for it. At the time limit, and when cancelled,
/// its whole process group is killed.
///
/// # Errors
///
/// [`CommandError`]. A program that fails is no error: see [`CommandResult::exit_code`].
pub async fn run(command: &CommandLine, cancel: &Cancel) -> Result<CommandResult, CommandError> {
    let io = |source| CommandError::Io { program: command.program.clone(), source };
    let mut wrap = CommandWrap::with_new(&command.program, |inner| {
        inner
            .args(&command.args)
            .current_dir(&command.dir)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    #[cfg(unix)]
    wrap.wrap(ProcessGroup::leader());
    wrap.wrap(KillOnDrop);
    let mut child = wrap.spawn().map_err(io)?;
    let (mut stdout, mut stderr) = (Kept::default(), Kept::default());
    let (out, err) = (child.stdout().take(), child.stderr().take());
    let limit = command.max_output;
    let (exit_code, timed_out) = {
        let pipes = async {
            tokio::join!(keep(out, &mut stdout, limit), keep(err, &mut stderr, limit));
        };
        tokio::pin!(pipes);
        let mut drained = false;
        let ended = tokio::time::timeout(command.timeout, async {
            loop {
                tokio::select! {
                    status = child.wait() => return status,
                    () = &mut pipes, if !drained => drained = true,
                }
            }
        });
        let ended = tokio::select! {
            biased;
            _ = cancel.cancelled() => None,
            ended = ended => Some(ended),
        };
        let (exit_code, timed_out) = match ended {
            None => {
                kill(child.as_mut()).await;
                return Err(CommandError::Cancelled { program: command.program.clone() });
            }
            Some(Ok(status)) => (status.map_err(io)?.code(), false),
            Some(Err(_elapsed)) => {
                kill(child.as_mut()).await;
                (None, true)
            }
        };
        if !drained {
            // Whether it ends or not, what has been read by then is kept.
            let _ended = tokio::time::timeout(DRAIN, pipes).await;
        }
        (exit_code, timed_out)
    };
    // Grandchildren that outlive the program are in its group.
    kill(child.as_mut()).await;
    Ok(CommandResult {
        exit_code,
        truncated: stdout.cut || stderr.cut,
        stdout: stdout.text(),
        stderr: stderr.text(),
        timed_out,
    })
}

/// Kills the process group. That it is gone already is no error.
async fn kill(child: &mut dyn process_wrap::tokio::ChildWrapper) {
    if let Err(error) = Box::into_pin(child.kill()).await {
        tracing::debug!(%error, "kill process group");
    }
}

/// The start of an output.
#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    cut: bool,
}

impl Kept {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

async fn keep(pipe: Option<impl AsyncRead + Unpin>, kept: &mut Kept, limit: usize) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = [0; 8 * 1024];
    // What is over the limit is still read, so that the program does not wait for a reader.
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        let room = limit.saturating_sub(kept.bytes.len()).min(count);
        kept.bytes.extend_from_slice(&buffer[..room]);
        kept.cut |= room < count;
    }
}
