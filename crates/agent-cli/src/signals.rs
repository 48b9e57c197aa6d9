//! Signals that end a run.

use std::{io, thread};

use agent_core::{Cancel, Signal};
use tokio::runtime;

/// Cancels `cancel` at the first signal. A second Ctrl-C ends the process at once.
///
/// It waits in a thread of its own, so that it is heard also while something else works without
/// waiting.
pub(crate) fn watch(cancel: &Cancel) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let cancel = cancel.clone();
    let mut signals = {
        let _entered = runtime.enter();
        Signals::new()?
    };
    let listen = move || {
        runtime.block_on(async {
            loop {
                let signal = signals.next().await;
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
    reason = "asked twice, the user does not want to wait for anything to be cleaned up"
)]
fn quit() -> ! {
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
