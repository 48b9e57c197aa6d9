//! A file in a recording.

use agent_tools::{sha256, write::Entry};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

/// What stands at a path from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileLine {
    /// The path in the workspace, with `/`.
    pub file: String,
    /// What stands there.
    pub what: What,
    /// The call that leaves it so, where that call is answered from the recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_by: Option<String>,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Nothing.
    Absent,
    /// A file that is UTF-8.
    Text {
        /// Its text.
        text: String,
        /// The hash of its bytes.
        sha256: String,
        /// Its permission bits, where they are known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<u32>,
    },
    /// Any other file.
    Bytes {
        /// Its bytes in base64.
        base64: String,
        /// The hash of its bytes.
        sha256: String,
        /// Its permission bits, where they are known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<u32>,
    },
    /// A symbolic link, by where it points.
    Link(String),
    /// A directory.
    Directory,
    /// A file that nobody has any more: what needs it is answered from the recording.
    Lost,
}

impl What {
    /// What an entry is.
    pub(super) fn of(entry: Entry) -> Self {
        match entry {
            Entry::Absent => Self::Absent,
            Entry::Link { target } => Self::Link(target.display().to_string()),
            Entry::File { content, mode } => {
                let sha256 = content.sha256().to_owned();
                match String::from_utf8(content.into_bytes()) {
                    Ok(text) => Self::Text { text, sha256, mode },
                    Err(error) => {
                        let base64 = STANDARD.encode(error.as_bytes());
                        Self::Bytes { base64, sha256, mode }
                    }
                }
            }
        }
    }

    /// The entry that it stands for; none for a directory and for what is lost.
    pub(super) fn entry(&self) -> Option<Entry> {
        match self {
            Self::Absent => Some(Entry::Absent),
            Self::Text { text, sha256: _, mode } => {
                Some(Entry::File { content: text.clone().into(), mode: *mode })
            }
            Self::Bytes { base64, sha256: _, mode } => {
                let content = STANDARD.decode(base64).ok()?;
                Some(Entry::File { content: content.into(), mode: *mode })
            }
            Self::Link(target) => Some(Entry::Link { target: target.into() }),
            Self::Directory | Self::Lost => None,
        }
    }
}

impl FileLine {
    /// Whether the content is the one that was recorded.
    pub(super) fn check(&self) -> Result<(), String> {
        let (actual, hash) = match &self.what {
            What::Text { text, sha256: hash, .. } => (Some(sha256(text.as_bytes())), hash),
            What::Bytes { base64, sha256: hash, .. } => {
                (STANDARD.decode(base64).ok().map(|content| sha256(&content)), hash)
            }
            What::Absent | What::Link(_) | What::Directory | What::Lost => return Ok(()),
        };
        match actual.as_ref() == Some(hash) {
            true => Ok(()),
            false => Err(format!("the content of `{}` does not have the hash {hash}", self.file)),
        }
    }
}
