//! Programs that are spoken to through their standard input and output for as long as they are
//! needed.
//!
//! They are to end when their standard input does. Those that don't are asked to after a while,
//! and then made to, with everything that they have started.

use std::{
    io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::{PATIENCE, Runner, code, kill};

/// How long a supervisor may take for all that: close, wait, ask, wait, kill.
const LONGEST: Duration = Duration::from_secs(8);

/// A program to be spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory.
    pub dir: PathBuf,
    /// Variables that it sees beside those of the runner.
    pub environment: Vec<(String, String)>,
}

/// The ends of its streams.
#[derive(Debug)]
pub struct Pipes {
    /// Where it is spoken to. It is to end when this is dropped.
    pub stdin: ChildStdin,
    /// Where it answers.
    pub stdout: ChildStdout,
    /// Where it complains.
    pub stderr: ChildStderr,
}

/// A program that was started.
#[derive(Debug)]
pub struct Running {
    child: Box<dyn ChildWrapper>,
    /// Whether somebody else sees to it that nothing is left.
    watched: bool,
}

impl Runner {
    /// Starts a program that is spoken to. It is not confined: it stands for whoever configured it.
    ///
    /// # Errors
    ///
    /// The system's word for why it does not start. Under a supervisor a program that is not there
    /// starts, says so on its standard error and ends with 127.
    pub fn start_piped(&self, program: &Program) -> io::Result<(Running, Pipes)> {
        let watcher = self.watcher();
        let watched = watcher.is_some();
        let mut wrap = match watcher {
            Some((supervisor, argument)) => CommandWrap::with_new(supervisor, |inner| {
                inner.args([argument, &program.program]);
            }),
            None => {
                let mut wrap = CommandWrap::with_new(&program.program, |_| {});
                wrap.wrap(KillOnDrop);
                wrap
            }
        };
        wrap.command_mut()
            .args(&program.args)
            .current_dir(&program.dir)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        wrap.wrap(process_wrap::tokio::ProcessSession);
        let mut child = wrap.spawn()?;
        let pipes = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("it has no pipes"));
        };
        Ok((Running { child, watched }, Pipes { stdin, stdout, stderr }))
    }

    #[cfg(target_os = "linux")]
    fn watcher(&self) -> Option<(&Path, &'static str)> {
        Some((self.supervisor.as_deref()?, super::supervisor::COMPANION))
    }

    #[cfg(not(target_os = "linux"))]
    fn watcher(&self) -> Option<(&Path, &'static str)> {
        None
    }
}

impl Running {
    /// Sees to it that it ends, its standard input being closed: waits, asks, waits, and kills. The
    /// exit code, where it ended by itself.
    pub async fn end(&mut self) -> Option<i32> {
        // Sooner than a supervisor asks it to, so that an end of its own is known as such.
        let by_itself = if self.watched { PATIENCE / 2 } else { PATIENCE };
        if let Some(code) = self.ends_within(by_itself).await {
            kill(self.child.as_mut()).await;
            return code;
        }
        // A supervisor does the same, and finds what has left the process group as well.
        let patience = if self.watched { LONGEST } else { PATIENCE };
        #[cfg(unix)]
        if !self.watched
            && let Err(error) = self.child.signal(super::TERM)
        {
            tracing::debug!(%error, "ask a program to end");
        }
        self.ends_within(patience).await;
        kill(self.child.as_mut()).await;
        None
    }

    /// Its exit code, if it ends so soon.
    async fn ends_within(&mut self, patience: Duration) -> Option<Option<i32>> {
        let status = tokio::time::timeout(patience, self.child.wait()).await.ok()?;
        Some(status.ok().and_then(code))
    }
}
