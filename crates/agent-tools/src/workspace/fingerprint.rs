//! Whether a file may have changed, without reading it.

use cap_fs_ext::MetadataExt;

use super::{Workspace, WorkspacePath};

/// A file that was touched within so many seconds before it was looked at may have been touched again
/// without a trace: the coarsest clocks of file systems tick every two seconds.
const TICK: i64 = 2;

/// What the file system notes of an entry: as long as it stays the same, so does the entry, unless
/// it was touched just before ([`Fingerprint::is_proof_at`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    device: u64,
    inode: u64,
    len: u64,
    /// Seconds and nanoseconds.
    modified: Option<(i64, i64)>,
    changed: Option<(i64, i64)>,
}

impl Fingerprint {
    /// How long the file is.
    pub fn bytes(&self) -> u64 {
        self.len
    }

    /// Whether an equal fingerprint later on proves that nothing has changed since this one was
    /// taken, at `time` in seconds since 1970.
    pub fn is_proof_at(&self, time: i64) -> bool {
        // Only the time of the last change of any kind can't be set back by a program.
        self.changed.is_some_and(|(seconds, _)| time.saturating_sub(seconds) > TICK)
    }
}

impl Workspace {
    /// What the file system notes of the entry at `path`, a link itself and not what it leads to;
    /// none where nothing is there or it can't be looked at.
    pub fn fingerprint(&self, path: &WorkspacePath) -> Option<Fingerprint> {
        let metadata = self.dir.symlink_metadata(path.as_path()).ok()?;
        let (modified, changed) = times(&metadata).unzip();
        let (device, inode, len) = (metadata.dev(), metadata.ino(), metadata.len());
        Some(Fingerprint { device, inode, len, modified, changed })
    }
}

/// When the content was changed last, and when anything was.
#[cfg(unix)]
fn times(metadata: &cap_std::fs::Metadata) -> Option<((i64, i64), (i64, i64))> {
    use cap_std::fs::MetadataExt;
    let modified = (metadata.mtime(), metadata.mtime_nsec());
    Some((modified, (metadata.ctime(), metadata.ctime_nsec())))
}

#[cfg(not(unix))]
fn times(_: &cap_std::fs::Metadata) -> Option<((i64, i64), (i64, i64))> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the file is written as somebody else would")]
    fn only_what_has_rested_for_a_while_is_proved_to_be_the_same() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), "old").unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        let path = workspace.resolve("file").unwrap();
        let before = workspace.fingerprint(&path).unwrap();
        assert_eq!(workspace.fingerprint(&path), Some(before));
        let (touched, _) = before.changed.unwrap();
        assert!(!before.is_proof_at(touched + 2));
        assert!(before.is_proof_at(touched + 3));
        std::fs::write(dir.path().join("file"), "longer").unwrap();
        assert_ne!(workspace.fingerprint(&path), Some(before));
        assert_eq!(workspace.fingerprint(&workspace.resolve("none").unwrap()), None);
    }
}
