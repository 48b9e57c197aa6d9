//! The numbers of one format, as the scorer gives them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How a format did.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Score {
    pub(super) format: String,
    pub(super) all: Row,
    /// By tier, in the order of their names.
    pub(super) tiers: BTreeMap<String, Row>,
    pub(super) languages: BTreeMap<String, Row>,
    /// Processor time of an edit on average; unknown when the program had to be started again.
    pub(super) processor_ms: Option<f64>,
    /// Edits in a very long file; absent when one was not answered.
    pub(super) large: Option<Large>,
}

/// Some edits of a format. Shares are in per cent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) n: usize,
    /// The right bytes, or declined where that is the answer.
    pub(super) exact: f64,
    /// Applied, and anything but the right bytes.
    pub(super) wrong: f64,
    /// The part of `wrong` that differs in the final newline alone.
    pub(super) wrong_newline: f64,
    pub(super) declined: f64,
    /// Not answered.
    pub(super) error: f64,
    pub(super) median_ms: f64,
    pub(super) p95_ms: f64,
    pub(super) max_ms: f64,
}

/// Edits in a file of `lines` lines.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Large {
    pub(super) lines: usize,
    pub(super) n: usize,
    pub(super) median_ms: f64,
    pub(super) max_ms: f64,
    /// Processor time of an edit on average.
    pub(super) processor_ms: f64,
}
