//! The terminal as a device: how wide it is, its modes, and what is typed there while a run goes on.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// What is assumed where a terminal does not say.
const WIDTH: usize = 80;

/// How often it is seen whether something was typed, and whether anybody waits for it still.
const LOOK: Duration = Duration::from_millis(20);

const ESCAPE: u8 = 0x1b;

/// The columns of the screen.
pub(crate) fn width() -> usize {
    modes::width().filter(|width| *width > 0).unwrap_or(WIDTH)
}

pub(crate) use modes::Modes;

/// What is typed at a terminal. Whoever stops waiting for it leaves it to the next reader.
#[derive(Debug)]
pub(crate) struct Keyboard(Arc<File>);

/// Tells the thread that reads that nobody waits any more.
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

impl Keyboard {
    /// `terminal` is to be an opening of its own: it is not waited on.
    pub(crate) fn of(terminal: File) -> Self {
        modes::never_wait(&terminal);
        Self(Arc::new(terminal))
    }

    /// Waits for a key; Ctrl-C and Ctrl-D are keys too, and so is an escape with all that follows
    /// it. None where the terminal is gone.
    pub(crate) async fn key(&self) -> Option<char> {
        let _raw = Modes::key_by_key(&self.0)?;
        let key = self.read(|wanted, file| {
            let first = byte(wanted, file)?;
            if first == ESCAPE || !first.is_ascii() {
                thread::sleep(LOOK);
                // What came with it belongs to it.
                let _ = (&*file).read(&mut [0; 32]);
            }
            Some(if first.is_ascii() { char::from(first) } else { char::REPLACEMENT_CHARACTER })
        });
        key.await
    }

    /// Waits for a line. At the end of the input nobody is there any more.
    pub(crate) async fn line(&self) -> Option<String> {
        let _modes = Modes::line_by_line(&self.0);
        let line = self.read(|wanted, file| {
            let mut line = Vec::new();
            while line.last() != Some(&b'\n') {
                line.push(byte(wanted, file)?);
            }
            Some(String::from_utf8_lossy(&line).into_owned())
        });
        line.await
    }

    /// Reads beside the event loop, until what this returns is dropped.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&AtomicBool, &File) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let wanted = Wanted(Arc::new(AtomicBool::new(true)));
        let (asked, file) = (Arc::clone(&wanted.0), Arc::clone(&self.0));
        tokio::task::spawn_blocking(move || read(&asked, &file)).await.ok().flatten()
    }
}

/// The next byte, as long as it is wanted.
fn byte(wanted: &AtomicBool, mut file: &File) -> Option<u8> {
    while wanted.load(Ordering::SeqCst) {
        let mut byte = [0];
        match file.read(&mut byte) {
            Ok(0) => return None,
            Ok(_) => return Some(byte[0]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(LOOK),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    None
}

#[cfg(unix)]
mod modes {
    use std::{fs::File, os::fd::OwnedFd};

    use rustix::{
        fs::{OFlags, fcntl_getfl, fcntl_setfl},
        stdio,
        termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr},
    };

    pub(super) fn width() -> Option<usize> {
        let size = tcgetwinsize(stdio::stdout()).or_else(|_| tcgetwinsize(stdio::stderr()));
        size.ok().map(|size| usize::from(size.ws_col))
    }

    pub(super) fn never_wait(terminal: &File) {
        if let Ok(flags) = fcntl_getfl(terminal) {
            // Where it is refused, reading waits, which only shows when the wait is over.
            let _ = fcntl_setfl(terminal, flags | OFlags::NONBLOCK);
        }
    }

    /// A terminal's modes as they were. They are put back when this goes, whoever has changed them
    /// meanwhile: an editor that is cut off leaves its own.
    #[derive(Debug)]
    pub(crate) struct Modes {
        terminal: OwnedFd,
        before: Termios,
    }

    impl Modes {
        /// Those of standard input.
        pub(crate) fn save() -> Option<Self> {
            Self::of(stdio::stdin().try_clone_to_owned().ok()?)
        }

        /// From here on keys come one by one and don't show.
        pub(super) fn key_by_key(terminal: &File) -> Option<Self> {
            let (lines, show) = (LocalModes::ICANON, LocalModes::ECHO);
            Self::of(terminal.try_clone().ok()?.into())?
                .change(|modes| modes.remove(lines | show | LocalModes::ISIG))
        }

        /// From here on a line comes when it is complete, and shows.
        pub(super) fn line_by_line(terminal: &File) -> Option<Self> {
            let (lines, show) = (LocalModes::ICANON, LocalModes::ECHO);
            let saved = Self::of(terminal.try_clone().ok()?.into())?;
            saved.change(|modes| modes.insert(lines | show | LocalModes::ISIG))
        }

        /// From here on nothing shows of what is typed: it waits for whoever reads it.
        pub(crate) fn hide_typing() -> Option<Self> {
            Self::save()?.change(|modes| modes.remove(LocalModes::ECHO))
        }

        fn change(self, change: impl FnOnce(&mut LocalModes)) -> Option<Self> {
            let mut modes = self.before.clone();
            change(&mut modes.local_modes);
            tcsetattr(&self.terminal, OptionalActions::Now, &modes).ok()?;
            Some(self)
        }

        fn of(terminal: OwnedFd) -> Option<Self> {
            let before = tcgetattr(&terminal).ok()?;
            Some(Self { terminal, before })
        }
    }

    impl Drop for Modes {
        fn drop(&mut self) {
            // Where the terminal is gone there is nothing to put back.
            let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
        }
    }
}

#[cfg(not(unix))]
mod modes {
    use std::fs::File;

    pub(super) fn width() -> Option<usize> {
        None
    }

    pub(super) fn never_wait(_terminal: &File) {}

    /// Nothing is changed here that would have to be put back.
    #[derive(Debug)]
    pub(crate) struct Modes;

    impl Modes {
        pub(crate) fn save() -> Option<Self> {
            None
        }

        pub(super) fn key_by_key(_terminal: &File) -> Option<Self> {
            None
        }

        pub(super) fn line_by_line(_terminal: &File) -> Option<Self> {
            None
        }

        pub(crate) fn hide_typing() -> Option<Self> {
            None
        }
    }
}
