//! A server that is a process of this one.

use std::{sync::Arc, time::Duration};

use rmcp::{
    RoleClient,
    transport::{Transport, async_rw::AsyncRwTransport},
};
use tokio::task::JoinHandle;

use super::{
    error::ServerError,
    reach::{Launch, expanded},
    server::Surroundings,
    watch::{Seen, Watched},
};
use crate::command::{Pipes, Program, Running};

/// How long its standard error may take to end once the process has.
const DRAIN: Duration = Duration::from_secs(1);

/// A process that was started, and what it says beside its messages.
pub(super) struct Process {
    running: Running,
    seen: Arc<Seen>,
    /// Ends with its standard error.
    listener: JoinHandle<()>,
}

impl Process {
    /// Starts the process, and gives the way to it.
    pub(super) fn start(
        server: &str,
        (launch, line): (&Launch, String),
        surroundings: &Surroundings,
    ) -> Result<(Self, impl Transport<RoleClient> + 'static), ServerError> {
        let Surroundings { runner, dir, variables, .. } = surroundings;
        let pairs = launch.env.iter();
        let environment = pairs
            .map(|(name, value)| Ok((name.clone(), expanded(value, variables)?)))
            .collect::<Result<_, _>>()
            .map_err(|variable| ServerError::NoVariable { server: server.to_owned(), variable })?;
        let program = Program {
            program: launch.command.clone(),
            args: launch.args.clone(),
            dir: launch.cwd.as_ref().map_or_else(|| dir.clone(), |cwd| dir.join(cwd)),
            environment,
        };
        let started = runner.start_piped(&program).map_err(|error| ServerError::NoStart {
            server: server.to_owned(),
            command: line,
            reason: error.to_string(),
        });
        let (running, Pipes { stdin, stdout, stderr }) = started?;
        let seen = Arc::new(Seen::default());
        let listener = tokio::spawn(Arc::clone(&seen).listen(stderr));
        let stdout = Watched::new(stdout, Arc::clone(&seen));
        let transport = AsyncRwTransport::new_client(stdout, stdin);
        Ok((Self { running, seen, listener }, transport))
    }

    /// What it says beside its messages.
    pub(super) fn seen(&self) -> &Arc<Seen> {
        &self.seen
    }

    /// Sees to it that nothing of the process is left, once its standard input is closed. Why it
    /// ended, where it did so by itself.
    pub(super) async fn end(mut self, server: String) -> ServerError {
        let exit_code = self.running.end().await;
        let _ = tokio::time::timeout(DRAIN, &mut self.listener).await;
        match self.seen.too_large() {
            true => ServerError::TooLarge { server },
            false => ServerError::Ended { server, exit_code, words: self.seen.words() },
        }
    }
}
