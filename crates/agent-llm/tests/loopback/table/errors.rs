//! Errors as each vendor words them, from `fixtures/errors`.

use std::path::Path;

use agent_llm::ErrorKind;
use serde::Deserialize;
use serde_json::Value;

/// An error that a vendor documents, or that its server is known to answer with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Documented {
    pub(super) about: String,
    pub(super) status: u16,
    /// What it is with its status.
    pub(super) kind: ErrorKind,
    /// What it is taken for where it comes without one, if that is something else.
    inside: Option<ErrorKind>,
    pub(super) body: Value,
}

impl Documented {
    /// What it is taken for with status 200, and in the middle of a stream.
    pub(super) fn inside(&self) -> ErrorKind {
        self.inside.unwrap_or(self.kind)
    }
}

/// The errors in the files of these names.
#[expect(clippy::disallowed_methods, reason = "the errors lie beside the sources")]
pub(super) fn documented(names: &[&str]) -> Vec<Documented> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/errors");
    let read = |name| std::fs::read_to_string(directory.join(format!("{name}.jsonl"))).unwrap();
    let texts: Vec<String> = names.iter().map(read).collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}
