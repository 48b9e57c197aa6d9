//! Changing files so that they are either old or new, never in between.

mod attributes;
mod entry;
mod error;
mod target;
mod temp;
#[cfg(test)]
mod tests;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod xattr;

use std::io::{self, Read, Seek, SeekFrom, Write};

use cap_fs_ext::{OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::OpenOptions;

use crate::hash::sha256;
use crate::workspace::{EntryKind, PathError, Unsuitable, Workspace, WorkspacePath};

pub use attributes::Attributes;
pub use entry::{Entry, has_other_names, missing_parents, put, put_with, remove_empty, sweep};
pub use error::WriteError;
use target::{Parents, Target};
use temp::Temp;

/// How a file got its new content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// In one step: a finished file took its place.
    Atomically,
    /// By writing into it, because the file has other names (hard links) that a new file would
    /// leave behind with the old content.
    InPlace,
}

/// Replaces the content of a file that still has the content with the hash `expected_sha256`.
///
/// A symbolic link stays a link, and the file it leads to is written. The new file has the mode of
/// the old, and its owner, group and extended attributes where the system permits.
/// The hash is compared once more right before the new file takes its place, and whatever fails,
/// no temporary file is left behind.
pub fn replace(
    ws: &Workspace,
    path: &WorkspacePath,
    expected_sha256: &str,
    new: &[u8],
) -> Result<Replaced, WriteError> {
    let target = Target::of_file(ws, path)?;
    target.check_writable()?;
    target.expect(expected_sha256)?;
    if target.has_other_names()? {
        overwrite(&target, expected_sha256, new)?;
        return Ok(Replaced::InPlace);
    }
    let mut temp = Temp::private(&target)?;
    temp.fill(new)?;
    temp.copy_permissions()?;
    temp.sync()?;
    target.expect(expected_sha256)?;
    temp.rename_to_target()?;
    target.sync_dir();
    Ok(Replaced::Atomically)
}

/// Creates a file, and the directories above it. Fails if anything stands there, also if it
/// appeared just now.
pub fn create(ws: &Workspace, path: &WorkspacePath, content: &[u8]) -> Result<(), WriteError> {
    create_with(ws, path, content, None, None)
}

/// Creates a file with this mode, or with that of any new file, and with what else it had.
fn create_with(
    ws: &Workspace,
    path: &WorkspacePath,
    content: &[u8],
    mode: Option<u32>,
    attributes: Option<&Attributes>,
) -> Result<(), WriteError> {
    match ws.kind(path) {
        Ok(kind) => return Err(WriteError::Exists { path: path.clone(), kind }),
        Err(PathError::Missing { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let parents = Parents::make(ws, path)?;
    let target = Target::at(ws, path)?;
    let mut temp = Temp::with_mode(&target, mode)?;
    temp.fill(content)?;
    if let Some(attributes) = attributes {
        temp.give(attributes, mode)?;
    }
    temp.sync()?;
    match temp.link_to_target() {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(WriteError::Exists { path: path.clone(), kind: ws.kind(path)? });
        }
        // The file system has no hard links; what it has is a creation that fails if the file
        // exists.
        Err(_) => target.create(content, mode)?,
    }
    target.sync_dir();
    parents.keep();
    Ok(())
}

/// Deletes a file, or a symbolic link itself and not what it leads to.
pub fn delete(ws: &Workspace, path: &WorkspacePath) -> Result<(), WriteError> {
    match ws.kind(path)? {
        EntryKind::File | EntryKind::Symlink => {}
        kind @ (EntryKind::Dir | EntryKind::Other) => Unsuitable::check(path, kind)?,
    }
    let target = Target::at(ws, path)?;
    target.remove()?;
    target.sync_dir();
    Ok(())
}

/// Writes into the file itself; should that fail, the old content is put back.
fn overwrite(target: &Target<'_>, expected_sha256: &str, new: &[u8]) -> Result<(), WriteError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).nonblock(true).follow(cap_fs_ext::FollowSymlinks::No);
    let opened = target.dir().open_with(target.name(), &options);
    let mut file = opened.map_err(|source| target.failed("open", source))?;
    let mut old = Vec::new();
    file.read_to_end(&mut old).map_err(|source| target.failed("read", source))?;
    if !sha256(&old).eq_ignore_ascii_case(expected_sha256) {
        return Err(target.changed());
    }
    let mut put = |content: &[u8]| {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(content)?;
        file.set_len(content.len() as u64)?;
        file.sync_all()
    };
    put(new).map_err(|source| match put(&old) {
        Ok(()) => target.failed("write", source),
        Err(_) => WriteError::Torn { path: target.path().clone(), source },
    })
}
