//! What stands at a path, as a whole, so that it can be put back.

use std::io::Read;
use std::path::PathBuf;

use cap_std::fs::Permissions;

use super::target::{Parents, Target};
use super::temp::Temp;
use super::{Attributes, Replaced, WriteError, create_with, replace};
use crate::content::Content;
use crate::workspace::{
    EntryKind, Metadata, PathError, Unsuitable, Workspace, WorkspacePath, read_no_follow,
};

/// Everything about a path that is kept and can be put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// There is nothing.
    Absent,
    /// A regular file.
    File {
        /// Its bytes.
        content: Content,
        /// Its permission bits. Without them a file that is put keeps those of the one it
        /// replaces, or gets those of any new file.
        mode: Option<u32>,
    },
    /// A symbolic link.
    Link {
        /// Where it points, as it is written.
        target: PathBuf,
    },
}

impl Entry {
    /// Reads what stands at `path`. A link there is not followed; a file with more than `max`
    /// bytes is refused, and so is what is neither file nor link.
    pub fn read(ws: &Workspace, path: &WorkspacePath, max: u64) -> Result<Self, WriteError> {
        Self::read_with(ws, path, max).map(|(entry, _)| entry)
    }

    /// The same, with what a file has beside that.
    pub fn read_with(
        ws: &Workspace,
        path: &WorkspacePath,
        max: u64,
    ) -> Result<(Self, Option<Attributes>), WriteError> {
        let kind = match ws.kind(path) {
            Ok(kind) => kind,
            Err(PathError::Missing { .. }) => return Ok((Self::Absent, None)),
            Err(error) => return Err(error.into()),
        };
        match kind {
            EntryKind::File => {}
            EntryKind::Symlink => {
                let target = ws.dir().read_link_contents(path.as_path());
                let target = target.map_err(|error| ws.explain(path, error))?;
                return Ok((Self::Link { target }, None));
            }
            kind @ (EntryKind::Dir | EntryKind::Other) => Unsuitable::check(path, kind)?,
        }
        let target = Target::at(ws, path)?;
        let opened = target.dir().open_with(target.name(), &read_no_follow());
        let file = opened.map_err(|error| ws.explain(path, error))?;
        let metadata = file.metadata().map_err(|source| target.failed("examine", source))?;
        let attributes = Attributes::read(&file, &metadata);
        let metadata = Metadata::new(&metadata);
        Unsuitable::check(path, metadata.kind)?;
        // Room for all of it and one byte, so that it is read at once and never moved.
        let length = usize::try_from(metadata.len.min(max)).unwrap_or(0);
        let mut content = Vec::with_capacity(length + 1);
        let read = file.take(max.saturating_add(1)).read_to_end(&mut content);
        read.map_err(|source| target.failed("read", source))?;
        if content.len() as u64 > max {
            return Err(WriteError::TooLarge { path: path.clone(), max });
        }
        Ok((Self::File { content: content.into(), mode: metadata.mode }, Some(attributes)))
    }

    /// Whether both are the same thing with the same content, whatever their modes.
    pub fn has_content_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { content, .. }, Self::File { content: other, .. }) => content == other,
            (Self::Absent, Self::Absent) => true,
            (Self::Link { target }, Self::Link { target: other }) => target == other,
            (Self::Absent | Self::File { .. } | Self::Link { .. }, _) => false,
        }
    }
}

/// Puts `after` where `before` stands. If something else stands there, it is left as it is.
///
/// `path` itself is meant: where it is a link, the link is replaced and not what it leads to.
/// Directories above a new file are made. A file that stays a file keeps its owner, its extended
/// attributes and its other names, and its mode unless `after` has another.
pub fn put(
    ws: &Workspace,
    path: &WorkspacePath,
    before: &Entry,
    after: &Entry,
) -> Result<Replaced, WriteError> {
    put_with(ws, path, before, after, None)
}

/// The same; a file that comes where nothing was is given these attributes.
pub fn put_with(
    ws: &Workspace,
    path: &WorkspacePath,
    before: &Entry,
    after: &Entry,
    attributes: Option<&Attributes>,
) -> Result<Replaced, WriteError> {
    match (before, after) {
        (Entry::Absent, Entry::Absent) => {}
        (Entry::Absent, Entry::File { content, mode }) => {
            create_with(ws, path, content, *mode, attributes)?;
        }
        (Entry::Absent, Entry::Link { target: to }) => {
            if ws.kind(path).is_ok() {
                return Err(WriteError::ChangedSinceRead { path: path.clone() });
            }
            let parents = Parents::make(ws, path)?;
            let target = Target::at(ws, path)?;
            target.link(to)?;
            target.sync_dir();
            parents.keep();
        }
        (Entry::File { content, .. }, Entry::File { content: new, mode }) => {
            // A link that has appeared here must not lead the replacement elsewhere.
            if ws.kind(path)? != EntryKind::File {
                return Err(WriteError::ChangedSinceRead { path: path.clone() });
            }
            let replaced = replace(ws, path, content.sha256(), new)?;
            set_mode(ws, path, *mode)?;
            return Ok(replaced);
        }
        (Entry::File { .. } | Entry::Link { .. }, Entry::Absent) => {
            let target = still(ws, path, before)?;
            target.remove()?;
            target.sync_dir();
        }
        (Entry::Link { .. }, Entry::File { content, mode }) => {
            let target = still(ws, path, before)?;
            let mut temp = Temp::with_mode(&target, *mode)?;
            temp.fill(content)?;
            temp.sync()?;
            temp.rename_to_target()?;
            target.sync_dir();
        }
        (Entry::File { .. } | Entry::Link { .. }, Entry::Link { target: to }) => {
            let target = still(ws, path, before)?;
            Temp::relink_target(&target, to)?;
            target.sync_dir();
        }
    }
    Ok(Replaced::Atomically)
}

/// The place of `path`, where `before` still stands.
fn still<'a>(
    ws: &Workspace,
    path: &'a WorkspacePath,
    before: &Entry,
) -> Result<Target<'a>, WriteError> {
    let target = Target::at(ws, path)?;
    match before {
        Entry::File { content, .. } => target.expect(content.sha256())?,
        Entry::Link { .. } | Entry::Absent => {
            if !Entry::read(ws, path, u64::MAX)?.has_content_of(before) {
                return Err(target.changed());
            }
        }
    }
    Ok(target)
}

#[cfg(unix)]
fn set_mode(ws: &Workspace, path: &WorkspacePath, mode: Option<u32>) -> Result<(), WriteError> {
    use cap_std::fs::PermissionsExt;
    let Some(mode) = mode.filter(|mode| ws.metadata(path).is_ok_and(|is| is.mode != Some(*mode)))
    else {
        return Ok(());
    };
    let target = Target::at(ws, path)?;
    let set = ws.dir().set_permissions(path.as_path(), Permissions::from_mode(mode));
    set.map_err(|source| target.failed("set the mode of", source))
}

#[cfg(not(unix))]
fn set_mode(_: &Workspace, _: &WorkspacePath, _: Option<u32>) -> Result<(), WriteError> {
    Ok(())
}

/// The directories above `path` that are missing, the outermost first.
pub fn missing_parents(ws: &Workspace, path: &WorkspacePath) -> Vec<WorkspacePath> {
    let mut above = path.prefixes();
    above.pop();
    above.retain(|dir| matches!(ws.metadata(dir), Err(PathError::Missing { .. })));
    above
}

/// Removes those of the directories that are empty, the last first. What somebody has put into one
/// keeps it there.
pub fn remove_empty(ws: &Workspace, dirs: &[WorkspacePath]) {
    for dir in dirs.iter().rev() {
        let _ = ws.dir().remove_dir(dir.as_path());
    }
}

/// Removes the temporary files that a killed process left beside `path`. Only whoever keeps others
/// from writing there may do this: to a file that is being written it would do harm.
pub fn sweep(ws: &Workspace, path: &WorkspacePath) -> usize {
    let Ok(target) = Target::at(ws, path) else { return 0 };
    Temp::sweep(&target)
}

/// Whether `path` is a regular file with more names than this one (hard links).
pub fn has_other_names(ws: &Workspace, path: &WorkspacePath) -> bool {
    Target::at(ws, path).and_then(|target| target.has_other_names()).unwrap_or(false)
}
