//! What a file has beside its content and its mode.

use cap_std::fs::{File, Metadata};
use serde::{Deserialize, Serialize};

use super::target::Target;
use crate::workspace::{EntryKind, Workspace, WorkspacePath, read_no_follow};

/// What a file has beside its content and its mode, as far as the system tells. A new file is given
/// it back as far as the system permits: only root can give a file to somebody else.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Attributes {
    /// Its owner and its group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<(u32, u32)>,
    /// When its content was changed last: seconds and nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<(i64, i64)>,
    /// Names and values of its extended attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extended: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Attributes {
    /// Those of the regular file at `path`; none where there is none, or it can't be looked at.
    pub fn of(ws: &Workspace, path: &WorkspacePath) -> Option<Self> {
        if ws.kind(path).ok()? != EntryKind::File {
            return None;
        }
        let target = Target::at(ws, path).ok()?;
        let file = target.dir().open_with(target.name(), &read_no_follow()).ok()?;
        Some(Self::read(&file, &file.metadata().ok()?))
    }

    #[cfg(unix)]
    pub(super) fn read(file: &File, metadata: &Metadata) -> Self {
        use cap_std::fs::MetadataExt;
        Self {
            owner: Some((metadata.uid(), metadata.gid())),
            modified: Some((metadata.mtime(), metadata.mtime_nsec())),
            extended: extended(file),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn read(_: &File, _: &Metadata) -> Self {
        Self::default()
    }

    /// Gives them to a file. A new owner takes bits of the mode away, so that is set afterwards.
    #[cfg(unix)]
    pub(super) fn give(&self, file: &File) {
        use rustix::fs::{Timespec, Timestamps, UTIME_OMIT, futimens};
        if let Some((user, group)) = self.owner {
            own(file, user, group);
        }
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        super::xattr::write(file, &self.extended);
        if let Some((tv_sec, tv_nsec)) = self.modified {
            let last_access = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
            let last_modification = Timespec { tv_sec, tv_nsec };
            let _ = futimens(file, &Timestamps { last_access, last_modification });
        }
    }

    #[cfg(not(unix))]
    pub(super) fn give(&self, _: &File) {}
}

/// Gives a file to its owner, or at least to the group. Without the permission, it belongs to
/// whoever runs this, as one written by an editor would.
#[cfg(unix)]
pub(super) fn own(file: &File, user: u32, group: u32) {
    use std::os::unix::fs::fchown;
    if fchown(file, Some(user), Some(group)).is_err() {
        let _ = fchown(file, None, Some(group));
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn extended(file: &File) -> Vec<(Vec<u8>, Vec<u8>)> {
    super::xattr::read(file)
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
fn extended(_: &File) -> Vec<(Vec<u8>, Vec<u8>)> {
    Vec::new()
}
