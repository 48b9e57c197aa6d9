//! `cargo xtask tidy`: rules about the tree that no compiler knows.
//!
//! Each rule is a pure function from what it looks at to the problems it finds; this file feeds
//! them and reports everything at once.

mod fixtures;
mod layers;
mod manifests;
mod sources;

use std::path::Path;

use crate::{Failure, repository};

/// Files that the repository has to have at its root.
const REQUIRED: [&str; 11] = [
    ".cargo/config.toml",
    ".ci/run",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "clippy.toml",
    "rust-toolchain.toml",
];

/// The fuzz targets, a workspace of their own: there is nothing that they could inherit.
const FUZZ: &str = "fuzz/";

/// Checks the repository and says how much was looked at.
pub(crate) fn run() -> Result<(), Failure> {
    let root = repository::root();
    check(&root)?;
    println!("tidy: {} files and their layers are in order", repository::files(&root)?.len());
    Ok(())
}

/// Checks the tree below `root`.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let files = repository::files(root)?;
    let mut problems: Vec<String> = REQUIRED
        .iter()
        .filter(|required| !files.iter().any(|file| file == *required))
        .map(|required| format!("{required}: missing"))
        .collect();
    problems.extend(layers::problems(root)?);
    problems.extend(fixtures::problems(root, &files)?);
    let machine = sources::Machine::new(root);
    for file in &files {
        problems.extend(machine.problems(file, &repository::read_bytes(root, file)?));
        if file.starts_with("fixtures/") {
            continue;
        }
        if file.ends_with(".rs") {
            problems.extend(sources::problems(file, &repository::read(root, file)?));
        } else if file.ends_with("/Cargo.toml") && !file.starts_with(FUZZ) {
            problems.extend(manifests::problems(file, &repository::read(root, file)?));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}
