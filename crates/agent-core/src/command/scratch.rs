//! The directory for the temporary files of a run's commands. It goes with the run, however that
//! ends: dropped, or given up from a signal's thread, where nothing is dropped.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tempfile::TempDir;

/// How its name begins.
const PREFIX: &str = "agent-commands-";

/// Those that are there now. A signal ends the process, not a run: so this is the process's too.
static THERE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// One such directory.
#[derive(Debug)]
pub(super) struct Scratch(TempDir);

impl Scratch {
    /// A new one, for this user alone.
    pub(super) fn new() -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        there().push(directory.path().to_owned());
        Ok(Self(directory))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Makes it again where a supervisor that was given up on has removed it.
    pub(super) fn keep(&self) -> io::Result<()> {
        if self.path().symlink_metadata().is_ok() {
            return Ok(());
        }
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(self.path())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Until it is gone nobody may end the process, and take it for somebody else's.
        let mut there = there();
        remove(self.path());
        there.retain(|path| path != self.0.path());
    }
}

/// Removes the directories for the temporary files of commands, for a process that is about to end
/// without dropping anything. A command that still runs is ended by its supervisor, which removes
/// what is written after this.
pub fn give_up() {
    for path in there().drain(..) {
        remove(&path);
    }
}

/// Removes one with all that is in it, and no other directory: not every path comes from here.
#[expect(clippy::disallowed_methods, reason = "it is a run's own, not a workspace's")]
pub(super) fn remove(path: &Path) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with(PREFIX) {
        let _gone = std::fs::remove_dir_all(path);
    }
}

fn there() -> MutexGuard<'static, Vec<PathBuf>> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}
