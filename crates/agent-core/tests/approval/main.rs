//! Somebody is asked before something is done.
#![expect(clippy::disallowed_methods, reason = "the tests look at the files from outside")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod one;
mod person;
mod place;
mod together;

use serde_json::{Value, json};

use person::Person;
use place::Place;

/// A call that changes the first line of a file.
fn patch(file: &str, old: &str, new: &str) -> Value {
    json!({"name": "apply_patch", "arguments": {"path": file, "edits": [{"line": 1, "old": old, "new": new}]}})
}
