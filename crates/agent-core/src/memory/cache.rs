//! Answers that were given before.
//!
//! An answer counts as long as all that it was made from is as it was: the model, its instructions
//! and tools, the files that were read, and what searches found. Only questions are kept.

use agent_tools::sha256;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::normalised;
use crate::{Action, Sessions, StoreError, store::Store};

/// What an answer depends on beside files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The workspace's canonical path, as bytes.
    pub(crate) workspace: std::path::PathBuf,
    /// The model's full name.
    pub(crate) model: String,
    /// A hash of the instructions and of the tools.
    pub(crate) prompt: String,
}

/// An answer with what it was made from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cached {
    /// Its number in the store; 0 where it has none yet.
    pub(crate) number: i64,
    /// The request, normalised.
    pub(crate) request: String,
    /// The answer.
    pub(crate) answer: String,
    /// What it was made from.
    pub(crate) sources: Vec<Source>,
    /// When it was given.
    pub(crate) time: Timestamp,
}

/// One thing that an answer was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Source {
    /// A file that was read.
    File {
        /// Its path as the call gave it.
        path: String,
        /// The hash of its bytes.
        sha256: String,
    },
    /// What another call came to.
    Call {
        /// The tool.
        tool: String,
        /// Its parameters.
        params: Value,
        /// A hash of its result.
        sha256: String,
    },
}

/// What there is in the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CacheStats {
    /// Answers.
    pub entries: u64,
    /// The most that are kept.
    pub most: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// How often one was given again.
    pub hits: u64,
}

impl Source {
    /// What an action contributed; none where it can't be told whether it would be the same again.
    pub(crate) fn of(action: &Action) -> Option<Self> {
        let reads =
            ["read_file", "list_dir", "grep_search", "file_search", "check_syntax", "finish"];
        if !reads.contains(&action.tool.as_str()) {
            return None;
        }
        let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let path = || text(&action.params, "target_file").or_else(|| text(&action.params, "path"));
        if action.tool == "read_file"
            && let (Some(path), Some(sha256)) = (path(), text(&action.result, "sha256"))
        {
            return Some(Self::File { path, sha256 });
        }
        let (tool, params) = (action.tool.clone(), action.params.clone());
        Some(Self::Call { tool, params, sha256: hash(&action.result) })
    }
}

/// A hash of a result.
pub(crate) fn hash(result: &Value) -> String {
    sha256(result.to_string().as_bytes())
}

impl Cached {
    /// An answer to `task` that was made by these actions; none where it can't be told whether it
    /// would still be right.
    pub(crate) fn of(task: &str, answer: &str, history: &[Action]) -> Option<Self> {
        let done = history.iter().filter(|action| action.tool != "finish");
        let mut sources = done.map(Source::of).collect::<Option<Vec<_>>>()?;
        sources.dedup();
        let (request, answer) = (normalised(task), answer.to_owned());
        // What was made from nothing depends on what nobody knows.
        let known = !sources.is_empty() && !request.is_empty() && !answer.trim().is_empty();
        known.then(|| Self { number: 0, request, answer, sources, time: Timestamp::now() })
    }
}

impl Sessions {
    /// What there is in the cache.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be read.
    pub fn cache_stats(&self) -> Result<CacheStats, StoreError> {
        self.with(|store| store.cache_stats())
    }

    /// Empties the cache, and says how many answers there were.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be written.
    pub fn clear_cache(&self) -> Result<usize, StoreError> {
        self.with(Store::clear_cache)
    }
}
