//! Runs programs: with a time limit, bounded output, the environment that they need and no more,
//! and nothing of them left behind.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{ExitCode, ExitStatus, Stdio},
    time::Duration,
};

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::{io::AsyncWriteExt, process::ChildStdin};

use crate::Cancel;

mod environment;
mod output;
pub mod permission;
mod piped;
pub mod sandbox;
mod scratch;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod tree;
pub mod words;

pub use environment::passed_on;
pub use piped::{Pipes, Program, Running};
pub use scratch::give_up;

use output::Kept;
use sandbox::{Confined, Sandbox, Way};

/// How long the output of a program may still come after it has exited. A grandchild that keeps
/// the pipe open is not waited for any longer.
const DRAIN: Duration = Duration::from_millis(200);

/// How long a program has to end after it was asked to.
const PATIENCE: Duration = Duration::from_secs(2);

/// The byte on its standard input that asks a supervisor to end the command.
const END: u8 = b'e';

/// The plan of a command that is not confined.
const NO_PLAN: &str = "open";

/// The number of SIGTERM, the same on every Unix.
#[cfg(unix)]
const TERM: i32 = 15;

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

impl CommandLine {
    /// A line for the shell.
    pub fn shell(line: &str, dir: PathBuf, timeout: Duration, max_output: usize) -> Self {
        let args = vec!["-c".to_owned(), line.to_owned()];
        Self { program: "sh".to_owned(), args, dir, timeout, max_output }
    }
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandResult {
    /// Its exit code, with 128 added to the number of a signal that ended it; none where it was
    /// stopped at the time limit.
    pub exit_code: Option<i32>,
    /// Its standard output; bytes that are no UTF-8 are written as `\xff`, and what is too much is
    /// left out in the middle.
    pub stdout: String,
    /// Its standard error, likewise.
    pub stderr: String,
    /// Bytes of standard output in all.
    pub stdout_bytes: u64,
    /// Bytes of standard error in all.
    pub stderr_bytes: u64,
    /// Whether the time limit ended it.
    pub timed_out: bool,
    /// Whether output was left out.
    pub truncated: bool,
    /// How it was confined.
    pub confined: Confined,
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
    /// It was to be confined or not to run at all.
    #[error("run `{program}`: no sandbox can be had: {reason}")]
    Unconfined {
        /// The program.
        program: String,
        /// What stands in the way.
        reason: String,
    },
    /// The run was cancelled, and the program ended.
    #[error("run `{program}`: cancelled")]
    Cancelled {
        /// The program.
        program: String,
    },
}

/// Runs programs in the same surroundings.
#[derive(Debug)]
pub struct Runner {
    /// The variables that programs see, all of them.
    pub environment: Vec<(String, String)>,
    /// This program's own file, to run it again as [`supervise`] has it. Without one, programs are
    /// watched over by their process group alone, which they can leave.
    pub supervisor: Option<PathBuf>,
    /// What they may reach.
    pub sandbox: Sandbox,
}

/// What a run may start, and how.
#[derive(Debug)]
pub struct Commands {
    /// Starts them.
    pub runner: Runner,
    /// Bytes of standard output, and of standard error, that a model is shown.
    pub output_bytes: usize,
}

impl Default for Commands {
    fn default() -> Self {
        Self { runner: Runner::default(), output_bytes: 32 * 1024 }
    }
}

impl Default for Runner {
    /// A bare environment and no supervisor.
    fn default() -> Self {
        let path = ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned());
        Self { environment: vec![path], supervisor: None, sandbox: Sandbox::default() }
    }
}

/// To be called with the process's arguments before anything else: where they are those of a
/// supervisor, this is the whole of the process, and its exit code is given.
#[cfg(target_os = "linux")]
pub fn supervise(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    supervisor::main(arguments.into_iter().skip(1))
}

/// Only on Linux are commands watched over by a process of their own.
#[cfg(not(target_os = "linux"))]
pub fn supervise(_arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    None
}

impl Runner {
    /// Runs `command` without standard input, in a session of its own, and waits for it. At the
    /// time limit, and when cancelled, everything that it started is asked to end, and then made
    /// to. Nothing of it is left in any case, as far as there is a supervisor.
    ///
    /// # Errors
    ///
    /// [`CommandError`]. A program that fails is no error: see [`CommandResult::exit_code`].
    pub async fn run(
        &self,
        command: &CommandLine,
        cancel: &Cancel,
    ) -> Result<CommandResult, CommandError> {
        let program = || command.program.clone();
        let way = self.sandbox.way(self).await;
        let way = way.map_err(|reason| CommandError::Unconfined { program: program(), reason })?;
        self.run_by(command, way, cancel).await
    }

    /// How commands are confined, which is tried out the first time.
    ///
    /// # Errors
    ///
    /// Where they are to be confined and can't be: what stands in the way.
    pub async fn confined(&self) -> Result<Confined, String> {
        self.sandbox.way(self).await.map(|way| way.confined)
    }

    /// Tries whether anything runs by `way`.
    async fn attempt(&self, way: Way) -> Result<(), String> {
        let timeout = Duration::from_secs(10);
        let command = CommandLine::shell(":", PathBuf::from("/"), timeout, 1024);
        match self.run_by(&command, way, &Cancel::new()).await {
            Ok(result) if result.exit_code == Some(0) => Ok(()),
            Ok(result) => {
                let said = result.stderr.lines().next().unwrap_or("it does not start");
                Err(said.trim_start_matches("agent: ").to_owned())
            }
            Err(error) => Err(error.to_string()),
        }
    }

    async fn run_by(
        &self,
        command: &CommandLine,
        way: Way,
        cancel: &Cancel,
    ) -> Result<CommandResult, CommandError> {
        let io = |source| CommandError::Io { program: command.program.clone(), source };
        let mut child = self.start(command, &way).map_err(io)?;
        let (out, err) = (child.stdout().take(), child.stderr().take());
        // Waiting would close it, and that ends the command.
        let mut order = child.stdin().take();
        let mut stdout = Kept::within(command.max_output);
        let mut stderr = Kept::within(command.max_output);
        let (end, exit_code) = {
            let pipes = async {
                tokio::join!(stdout.read(out), stderr.read(err));
            };
            tokio::pin!(pipes);
            let limit = tokio::time::sleep(command.timeout);
            tokio::pin!(limit);
            let mut drained = false;
            let (end, status) = loop {
                tokio::select! {
                    biased;
                    _ = cancel.cancelled() => break (End::Cancelled, None),
                    status = child.wait() => break (End::ByItself, Some(status.map_err(io)?)),
                    () = &mut limit => break (End::AtTheLimit, None),
                    () = &mut pipes, if !drained => drained = true,
                }
            };
            if status.is_none() {
                ask_to_end(child.as_mut(), order.as_mut()).await;
                // It is read on, so that a program that has last words is not kept waiting.
                let _ended = tokio::time::timeout(PATIENCE + 3 * DRAIN, async {
                    loop {
                        tokio::select! {
                            _ = child.wait() => break,
                            () = &mut pipes, if !drained => drained = true,
                        }
                    }
                })
                .await;
                kill(child.as_mut()).await;
            }
            if !drained {
                // Whether it ends or not, what has been read by then is kept.
                let _ended = tokio::time::timeout(DRAIN, pipes).await;
            }
            (end, status.and_then(code))
        };
        // Without a supervisor, grandchildren that outlive the program are in its group.
        kill(child.as_mut()).await;
        if end == End::Cancelled {
            return Err(CommandError::Cancelled { program: command.program.clone() });
        }
        Ok(CommandResult {
            exit_code,
            timed_out: end == End::AtTheLimit,
            truncated: stdout.cut() || stderr.cut(),
            stdout_bytes: stdout.total(),
            stderr_bytes: stderr.total(),
            stdout: stdout.text(),
            stderr: stderr.text(),
            confined: way.confined,
        })
    }

    fn start(&self, command: &CommandLine, way: &Way) -> std::io::Result<Box<dyn ChildWrapper>> {
        let mut wrap = match self.supervisor() {
            Some((supervisor, argument)) => CommandWrap::with_new(supervisor, |inner| {
                let arguments = [argument, &way.plan, &command.program];
                inner.args(arguments).stdin(Stdio::piped());
            }),
            None => {
                let mut wrap = CommandWrap::with_new(&command.program, |inner| {
                    inner.stdin(Stdio::null());
                });
                wrap.wrap(KillOnDrop);
                wrap
            }
        };
        wrap.command_mut()
            .args(&command.args)
            .current_dir(&command.dir)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .envs(way.environment.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Its own session: no terminal to write to or to ask for a password, and no group in
        // common with this program.
        #[cfg(unix)]
        wrap.wrap(process_wrap::tokio::ProcessSession);
        wrap.spawn()
    }

    #[cfg(target_os = "linux")]
    fn supervisor(&self) -> Option<(&Path, &'static str)> {
        Some((self.supervisor.as_deref()?, supervisor::ARGUMENT))
    }

    #[cfg(not(target_os = "linux"))]
    fn supervisor(&self) -> Option<(&Path, &'static str)> {
        None
    }
}

/// What ended a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    ByItself,
    AtTheLimit,
    Cancelled,
}

/// Asks the program to end, through its supervisor where it has one.
async fn ask_to_end(child: &mut dyn ChildWrapper, supervisor: Option<&mut ChildStdin>) {
    if let Some(supervisor) = supervisor
        && supervisor.write_all(&[END]).await.is_ok()
    {
        return;
    }
    #[cfg(unix)]
    if let Err(error) = child.signal(TERM) {
        tracing::debug!(%error, "ask a process group to end");
    }
}

/// Kills the process group. That it is gone already is no error.
async fn kill(child: &mut dyn ChildWrapper) {
    if let Err(error) = Box::into_pin(child.kill()).await {
        tracing::debug!(%error, "kill process group");
    }
}

/// The exit code as shells have it.
fn code(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    return status.code().or_else(|| {
        use std::os::unix::process::ExitStatusExt;
        Some(128 + status.signal()?)
    });
    #[cfg(not(unix))]
    status.code()
}

#[cfg(test)]
mod tests;
