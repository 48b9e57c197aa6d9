//! What the journal holds of a change.

use std::path::{Path, PathBuf};

use agent_tools::{
    Content, sha256,
    write::{Attributes, Entry},
};
use jiff::Timestamp;

/// A change as the journal holds it: everything that one action did, in one file or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number; later changes have higher ones.
    pub id: i64,
    /// The workspace's canonical path.
    pub workspace: PathBuf,
    /// The session that it belongs to. What takes a change back belongs to the change's session.
    pub session: String,
    /// The tool that made it.
    pub tool: String,
    /// When it began, in milliseconds.
    pub time: Timestamp,
    /// The change that this one takes back.
    pub reverts: Option<i64>,
    /// What became of it.
    pub state: State,
    /// Its files, in order.
    pub files: Vec<FileRecord>,
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is being made, or was cut off.
    Pending,
    /// Every file is as it was to be.
    Done,
    /// Every file is as it was before.
    Void,
    /// It was cut off, and then somebody else changed a file of it: nothing was touched.
    LeftAlone,
}

impl State {
    const ALL: [Self; 4] = [Self::Pending, Self::Done, Self::Void, Self::LeftAlone];

    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Pending => 0,
            Self::Done => 1,
            Self::Void => 2,
            Self::LeftAlone => 3,
        }
    }

    pub(crate) fn of_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.number() == number)
    }
}

/// What a change did at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRecord {
    /// The path, relative to the workspace.
    pub path: PathBuf,
    /// What stood there before.
    pub before: Stamp,
    /// What stands there afterwards.
    pub after: Stamp,
    /// How many directories above it come and go with the file.
    pub directories: u32,
    /// What a file that went or came had beside its content and mode, where that was recorded.
    pub attributes: Option<Attributes>,
    /// Lines that were added, where it is text.
    pub added: Option<u64>,
    /// Lines that were removed, where it is text.
    pub removed: Option<u64>,
}

/// What stands at a path, by its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamp {
    /// Nothing.
    Absent,
    /// A regular file.
    File {
        /// The hash of its bytes.
        sha256: String,
        /// Its permission bits, where they are known.
        mode: Option<u32>,
    },
    /// A symbolic link.
    Link {
        /// The hash of where it points.
        sha256: String,
    },
}

impl Stamp {
    /// The stamp of `entry`, and the content to keep for it.
    pub(crate) fn of(entry: &Entry) -> (Self, Option<Content>) {
        match entry {
            Entry::Absent => (Self::Absent, None),
            Entry::File { content, mode } => {
                let sha256 = content.sha256().to_owned();
                (Self::File { sha256, mode: *mode }, Some(content.clone()))
            }
            Entry::Link { target } => {
                let target = Content::from(path_bytes(target));
                (Self::Link { sha256: target.sha256().to_owned() }, Some(target))
            }
        }
    }

    /// Whether `entry` is this, whatever its mode.
    pub(crate) fn matches(&self, entry: &Entry) -> bool {
        match (self, Self::of(entry).0) {
            (Self::Absent, Self::Absent) => true,
            (Self::File { sha256, .. }, Self::File { sha256: other, .. })
            | (Self::Link { sha256 }, Self::Link { sha256: other }) => *sha256 == other,
            (Self::Absent | Self::File { .. } | Self::Link { .. }, _) => false,
        }
    }

    /// The hash, where there is something.
    pub fn sha256(&self) -> Option<&str> {
        match self {
            Self::Absent => None,
            Self::File { sha256, .. } | Self::Link { sha256 } => Some(sha256),
        }
    }

    /// The permission bits, where they are known.
    pub fn mode(&self) -> Option<u32> {
        match self {
            Self::File { mode, .. } => *mode,
            Self::Absent | Self::Link { .. } => None,
        }
    }
}

impl Record {
    /// A hash over everything that is recorded, to tell when the disk has garbled it.
    pub(crate) fn seal(&self) -> String {
        let Self { id, workspace, session, tool, time, reverts, state, files } = self;
        let mut text = format!(
            "{id}|{time}|{reverts:?}|{}|{session}|{tool}|",
            state.number(),
            time = time.as_millisecond()
        )
        .into_bytes();
        let mut add = |bytes: &[u8]| {
            text.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            text.extend_from_slice(bytes);
        };
        add(&path_bytes(workspace));
        for FileRecord { path, before, after, directories, attributes, added, removed } in files {
            add(&path_bytes(path));
            for stamp in [before, after] {
                let kind: &[u8] = match stamp {
                    Stamp::Absent => b"0",
                    Stamp::File { .. } => b"1",
                    Stamp::Link { .. } => b"2",
                };
                add(kind);
                add(stamp.sha256().unwrap_or_default().as_bytes());
                add(format!("{:?}", stamp.mode()).as_bytes());
            }
            add(format!("{directories}|{added:?}|{removed:?}").as_bytes());
            if let Some(attributes) = attributes {
                add(attributes_text(attributes).as_bytes());
            }
        }
        sha256(&text)
    }
}

/// Attributes as they are stored: JSON.
pub(crate) fn attributes_text(attributes: &Attributes) -> String {
    // Numbers and lists of them are all there is in it.
    serde_json::to_string(attributes).unwrap_or_default()
}

/// The bytes of a path; on Unix every path has exactly one form.
#[cfg(unix)]
pub(crate) fn path_bytes(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
}

/// The path that the bytes are of.
#[cfg(unix)]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into()
}

/// The bytes of a path, as UTF-8.
#[cfg(not(unix))]
pub(crate) fn path_bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().into_owned().into_bytes()
}

/// The path that the bytes are of.
#[cfg(not(unix))]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
