//! What the program shows, held against files of the repository: the tables of outcomes below
//! `fixtures/outcomes`, and the documentation.
//!
//! `cargo xtask golden --bless` rewrites what differs.

mod block;
mod ends;
mod errors;
#[cfg(target_os = "linux")]
mod outcomes;
mod pages;
#[cfg(unix)]
mod picture;
mod reference;
mod stand_ins;
#[cfg(target_os = "linux")]
mod streams;

use std::{fs, path::PathBuf};

use similar::TextDiff;

/// A file of the repository.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Holds `seen` against a file of the repository, or rewrites the file where that was asked for.
fn compare(name: &str, seen: &str) {
    let file = file(name);
    if std::env::var_os("AGENT_GOLDEN_BLESS").is_some() {
        fs::write(&file, seen).expect("the file can be written");
        return;
    }
    let golden = fs::read_to_string(&file).unwrap_or_default();
    if golden != seen {
        let diff = TextDiff::from_lines(golden.as_str(), seen);
        let diff = diff.unified_diff().context_radius(2).header("expected", "seen").to_string();
        panic!("{name} differs; `cargo xtask golden --bless` rewrites it\n{diff}");
    }
}
