//! Signals that end a run.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use agent_core::{Cancel, Signal, command};
use tokio::runtime;

/// What a signal cancels: one thing after the other.
#[derive(Debug, Clone)]
pub(crate) struct Target(Arc<Mutex<Cancel>>);

impl Target {
    pub(crate) fn new(first: Cancel) -> Self {
        Self(Arc::new(Mutex::new(first)))
    }

    /// From here on a signal cancels what is returned, and not what came before. Who was told to
    /// end stays told.
    pub(crate) fn next(&self) -> Cancel {
        let mut current = self.current();
        if current.signal() != Some(Signal::Terminate) {
            *current = Cancel::new();
        }
        current.clone()
    }

    fn current(&self) -> MutexGuard<'_, Cancel> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cancels `cancel` at the first signal. A second Ctrl-C ends the process at once.
pub(crate) fn watch(cancel: &Cancel) -> io::Result<()> {
    watch_for(&Target::new(cancel.clone()))
}

/// The same, for whatever is at work when the signal comes.
///
/// It waits in a thread of its own, so that it is heard also while something else works without
/// waiting.
pub(crate) fn watch_for(target: &Target) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let target = target.clone();
    let mut signals = {
        let _entered = runtime.enter();
        Signals::new()?
    };
    let listen = move || {
        runtime.block_on(async {
            loop {
                let signal = signals.next().await;
                let cancel = target.current().clone();
                if cancel.signal().is_some() && signal == Signal::Interrupt {
                    quit();
                }
                cancel.cancel(signal);
            }
        });
    };
    thread::Builder::new().name("signals".to_owned()).spawn(listen).map(|_| ())
}

#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "asked twice, the user does not want to wait for whatever is at work"
)]
fn quit() -> ! {
    command::give_up();
    std::process::exit(i32::from(agent_core::Outcome::Interrupted(Signal::Interrupt).exit_code()))
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.hang_up.recv() => Signal::Terminate,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Signal {
        // Without a way to hear Ctrl-C there is none to wait for.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}
