//! One signal that ends a run wherever it is: network, tools, children.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio_util::sync::CancellationToken;

/// Why a run is cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// The user pressed Ctrl-C, or an embedding program cancelled.
    Interrupt,
    /// The process was asked to end.
    Terminate,
}

/// A shared handle that cancels a run. Clones cancel together.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    token: CancellationToken,
    stop: Arc<AtomicBool>,
    terminate: Arc<AtomicBool>,
}

impl Cancel {
    /// A handle that nobody has used yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels. The first signal stays.
    pub fn cancel(&self, signal: Signal) {
        if self.token.is_cancelled() {
            return;
        }
        self.terminate.store(signal == Signal::Terminate, Ordering::SeqCst);
        self.stop.store(true, Ordering::SeqCst);
        self.token.cancel();
    }

    /// The signal, once there is one.
    pub fn signal(&self) -> Option<Signal> {
        self.token.is_cancelled().then(|| {
            if self.terminate.load(Ordering::SeqCst) {
                Signal::Terminate
            } else {
                Signal::Interrupt
            }
        })
    }

    /// Waits until somebody cancels.
    pub async fn cancelled(&self) -> Signal {
        self.token.cancelled().await;
        self.signal().unwrap_or(Signal::Interrupt)
    }

    /// A flag for code that does not wait, such as a search.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}
