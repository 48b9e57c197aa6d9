//! Where the repository lies and which files it has.
#![expect(clippy::disallowed_methods, reason = "chores read the project's own files")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::Failure;

/// Directories that hold no sources: build products, git's own, and what the fuzzer found.
const SKIPPED: [&str; 6] =
    ["target", ".git", "fuzz/target", "fuzz/corpus", "fuzz/artifacts", "fuzz/coverage"];

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
}

/// Where cargo puts what it builds.
pub(crate) fn target_directory() -> Result<PathBuf, Failure> {
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .exec();
    let metadata = metadata.map_err(|error| format!("failed to ask cargo: {error}"))?;
    Ok(metadata.target_directory.into_std_path_buf())
}

/// The text of a file below `root`.
pub(crate) fn read(root: &Path, file: &str) -> Result<String, Failure> {
    fs::read_to_string(root.join(file)).map_err(|error| format!("failed to read {file}: {error}"))
}

/// The bytes of a file below `root`.
pub(crate) fn read_bytes(root: &Path, file: &str) -> Result<Vec<u8>, Failure> {
    fs::read(root.join(file)).map_err(|error| format!("failed to read {file}: {error}"))
}

/// Every regular file below `root`, relative and with `/`, sorted. Links are not followed.
pub(crate) fn files(root: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    collect(root, "", &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(root: &Path, below: &str, found: &mut Vec<String>) -> Result<(), Failure> {
    let directory = root.join(below);
    let problem = |error| format!("failed to list {}: {error}", directory.display());
    for entry in fs::read_dir(&directory).map_err(problem)? {
        let entry = entry.map_err(problem)?;
        let Ok(name) = entry.file_name().into_string() else {
            return Err(format!("{}: a name that is not UTF-8", directory.display()));
        };
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        let kind = entry.file_type().map_err(problem)?;
        if kind.is_file() {
            found.push(path);
        } else if kind.is_dir() && !SKIPPED.contains(&path.as_str()) {
            collect(root, &path, found)?;
        }
    }
    Ok(())
}
