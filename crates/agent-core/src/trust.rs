//! What came with a workspace and the user has looked at.
//!
//! The user's word holds for one content in one directory, to the letter: whatever else stands there
//! later is as unknown as at first.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::{StoreError, store::StateDirectory};

/// The user's word for what others have written, in a state directory. It is opened when it is
/// first needed.
#[derive(Debug)]
pub struct Trusted {
    state: StateDirectory,
}

/// Something that came with a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    /// The hash of all that matters about it, with the workspace.
    pub(crate) hash: String,
    /// What it is, for people.
    pub(crate) what: String,
}

impl Brought {
    /// A file of the workspace with this text.
    pub fn file(workspace: &Path, path: &str, text: &str) -> Self {
        let all = json!([workspace.to_string_lossy(), path, text]).to_string();
        Self { hash: agent_tools::sha256(all.as_bytes()), what: path.to_owned() }
    }
}

impl Trusted {
    /// What was trusted in the state directory `directory`. Without one nothing is.
    pub fn at(directory: Option<PathBuf>) -> Self {
        Self { state: StateDirectory::at(directory) }
    }

    /// Whether the user has trusted this.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be read.
    pub fn holds(&self, brought: &Brought) -> Result<bool, StoreError> {
        if !self.state.exists() {
            return Ok(false);
        }
        self.state.with(|store| store.is_trusted(&brought.hash))
    }

    /// Trusts it as it stands.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be written.
    pub fn trust(&self, brought: &Brought) -> Result<(), StoreError> {
        self.state.with(|store| store.trust(&brought.hash, &brought.what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_holds_for_one_content_in_one_directory() {
        let state = tempfile::tempdir().unwrap();
        let trusted = Trusted::at(Some(state.path().to_owned()));
        let file = |workspace: &str, path: &str, text: &str| {
            Brought::file(Path::new(workspace), path, text)
        };
        let seen = file("/w", ".agent/config.toml", "a = 1");
        assert!(!trusted.holds(&seen).unwrap());
        trusted.trust(&seen).unwrap();
        assert!(trusted.holds(&seen).unwrap());
        for other in [
            file("/w", ".agent/config.toml", "a = 2"),
            file("/w", ".agent/config.toml", "a = 1\n"),
            file("/w", ".mcp.json", "a = 1"),
            file("/x", ".agent/config.toml", "a = 1"),
        ] {
            assert!(!trusted.holds(&other).unwrap(), "{other:?}");
        }
        assert!(!Trusted::at(None).holds(&seen).unwrap());
        assert!(Trusted::at(None).trust(&seen).is_err());
    }
}
