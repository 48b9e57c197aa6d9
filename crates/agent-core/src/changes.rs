//! The one way in which files are changed: written down, then made, in one file or in several, all
//! of them or none.

use agent_tools::{
    PathError, TextFile, Workspace, WorkspacePath, diff,
    write::{self, Attributes, Entry, Replaced, WriteError},
};

use crate::{
    Change, ChangeKind, Cx, StoreError,
    approval::Denied,
    journal::{Intended, IntendedFile, Journal, LARGEST_FILE, Pending},
    redact,
};

/// What a change does at one path.
#[derive(Debug, Clone)]
pub struct FileChange {
    /// The path itself: where it is a link, the link and not what it leads to.
    pub path: WorkspacePath,
    /// The name under which it is reported.
    pub name: String,
    /// What stands there.
    pub before: Entry,
    /// What shall stand there.
    pub after: Entry,
    /// Directories above it that go with it, where it goes and they are empty.
    pub directories: u32,
    /// What the file that goes or comes has beside its content and mode. Of one that is still
    /// there it is looked up.
    pub attributes: Option<Attributes>,
}

/// Who makes a change.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The session that it belongs to.
    pub session: String,
    /// The tool.
    pub tool: String,
    /// The change that is taken back.
    pub reverts: Option<i64>,
}

/// A change that was made.
#[derive(Debug, Clone)]
pub struct Made {
    /// Its number in the journal, where there is one.
    pub id: Option<i64>,
    /// What was done, file by file.
    pub changes: Vec<Change>,
    /// Whether a file had to be written in place, because it has several names.
    pub replaced: Replaced,
}

/// Why a change was not made. Every file is as it was, unless the text says otherwise.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// A file could not be changed.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// It would write the mark of a secret that was taken out.
    #[error(
        "the new text of `{file}` holds {mark}, which stands for a secret that you are not shown. \
         Nothing was changed; leave that line out of the edit",
        mark = crate::MARK
    )]
    Marked {
        /// The file.
        file: String,
    },
    /// Nobody allowed it.
    #[error(transparent)]
    Denied(Denied),
    /// The change could not be written down.
    #[error(
        "nothing was changed, because the change could not be recorded for undo: {0}. No edit will \
         work in this run; say so to the user, who can mend that, or start it again with \
         `--ephemeral`"
    )]
    Journal(StoreError),
    /// A file could not be changed, nor one that had been changed before be put back.
    #[error("{cause}; and `{file}`, which was changed with it, could not be put back: {reason}")]
    Half {
        /// Why it failed at first.
        cause: WriteError,
        /// A file that is changed.
        file: String,
        /// Why it could not be put back.
        reason: WriteError,
    },
}

impl From<PathError> for ChangeError {
    fn from(error: PathError) -> Self {
        Self::Write(error.into())
    }
}

impl FileChange {
    /// Puts `after` where `before` stands.
    pub fn new(path: WorkspacePath, before: Entry, after: Entry) -> Self {
        Self { name: path.to_string(), path, before, after, directories: 0, attributes: None }
    }
}

/// Makes a change on behalf of a tool.
pub(crate) fn make(cx: &Cx, files: &[FileChange]) -> Result<Made, ChangeError> {
    let marked =
        |file: &&FileChange| redact::writes_a_mark(content(&file.before), content(&file.after));
    if let Some(file) = files.iter().find(marked) {
        return Err(ChangeError::Marked { file: file.name.clone() });
    }
    if let Some(file) = files.iter().find(|file| content(&file.after).len() as u64 > LARGEST_FILE) {
        let path = file.path.clone();
        return Err(WriteError::TooLarge { path, max: LARGEST_FILE }.into());
    }
    let changes: Vec<Change> = files.iter().map(described).collect();
    if let Some(gate) = &cx.gate {
        gate.pass(&changes).map_err(ChangeError::Denied)?;
    }
    let origin = Origin { session: cx.session_id.clone(), tool: cx.tool.clone(), reverts: None };
    carry_out_described(&cx.workspace, cx.journal.as_deref(), &origin, files, changes)
}

fn content(entry: &Entry) -> &[u8] {
    match entry {
        Entry::File { content, .. } => content,
        Entry::Absent | Entry::Link { .. } => &[],
    }
}

/// Writes down a change that is made already, so that it can be taken back.
pub(crate) fn made(cx: &Cx, files: &[FileChange]) -> Result<Made, StoreError> {
    let changes: Vec<Change> = files.iter().map(described).collect();
    let replaced = Replaced::Atomically;
    let Some(journal) = cx.journal.as_deref() else {
        return Ok(Made { id: None, changes, replaced });
    };
    let step = |file| Step { file, directories: file.directories, attributes: None };
    let steps = files.iter().map(step);
    let intended = Intended {
        workspace: cx.workspace.root().to_owned(),
        session: cx.session_id.clone(),
        tool: cx.tool.clone(),
        reverts: None,
        files: steps.zip(&changes).map(|(step, change)| step.intended(change)).collect(),
    };
    let record = journal.begin(&intended).and_then(Pending::done)?;
    Ok(Made { id: Some(record.id), changes, replaced })
}

/// Makes a change: each file gets what it shall have, or none does. With a journal it is written
/// down first.
///
/// # Errors
///
/// [`ChangeError`]; every file is as it was then.
pub fn carry_out(
    workspace: &Workspace,
    journal: Option<&Journal>,
    origin: &Origin,
    files: &[FileChange],
) -> Result<Made, ChangeError> {
    let changes = files.iter().map(described).collect();
    carry_out_described(workspace, journal, origin, files, changes)
}

fn carry_out_described(
    workspace: &Workspace,
    journal: Option<&Journal>,
    origin: &Origin,
    files: &[FileChange],
    changes: Vec<Change>,
) -> Result<Made, ChangeError> {
    let steps: Vec<Step<'_>> =
        files.iter().map(|file| Step::of(workspace, file)).collect::<Result<_, _>>()?;
    let Some(journal) = journal else {
        let replaced = write_all(workspace, &steps)?;
        return Ok(Made { id: None, changes, replaced });
    };
    let intended = Intended {
        workspace: workspace.root().to_owned(),
        session: origin.session.clone(),
        tool: origin.tool.clone(),
        reverts: origin.reverts,
        files: steps.iter().zip(&changes).map(|(step, change)| step.intended(change)).collect(),
    };
    let pending = journal.begin(&intended).map_err(ChangeError::Journal)?;
    match write_all(workspace, &steps) {
        Ok(replaced) => {
            let marked = pending.done();
            if let Err(error) = &marked {
                // The files are changed, and the journal will find that out by itself.
                tracing::warn!("a change could not be marked as done: {error}");
            }
            Ok(Made { id: marked.ok().map(|record| record.id), changes, replaced })
        }
        // What could not be put back is left for the journal to settle.
        Err(
            error @ (ChangeError::Half { .. }
            | ChangeError::Journal(_)
            | ChangeError::Denied(_)
            | ChangeError::Marked { .. }),
        ) => Err(error),
        Err(error @ ChangeError::Write(_)) => {
            if let Err(error) = pending.void() {
                tracing::warn!("a change could not be marked as void: {error}");
            }
            Err(error)
        }
    }
}

/// What stands at `path`, to be changed.
pub(crate) fn entry(workspace: &Workspace, path: &WorkspacePath) -> Result<Entry, WriteError> {
    Entry::read(workspace, path, LARGEST_FILE)
}

/// One file of a change that is about to be made.
struct Step<'a> {
    file: &'a FileChange,
    /// How many directories above it come or go with it.
    directories: u32,
    /// What the file has that goes with it.
    attributes: Option<Attributes>,
}

impl<'a> Step<'a> {
    fn of(workspace: &Workspace, file: &'a FileChange) -> Result<Self, WriteError> {
        if file.before != Entry::Absent {
            let goes = file.after == Entry::Absent;
            let attributes = goes.then(|| Attributes::of(workspace, &file.path)).flatten();
            return Ok(Self { file, directories: file.directories, attributes });
        }
        match workspace.kind(&file.path) {
            Ok(kind) => return Err(WriteError::Exists { path: file.path.clone(), kind }),
            Err(PathError::Missing { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let missing = write::missing_parents(workspace, &file.path).len();
        let directories = u32::try_from(missing).unwrap_or(u32::MAX);
        Ok(Self { file, directories, attributes: None })
    }

    fn intended(&self, change: &Change) -> IntendedFile {
        let Self { file, directories, attributes } = self;
        let text = !change.diff.is_empty() || file.before.has_content_of(&file.after);
        IntendedFile {
            path: file.path.as_path().to_owned(),
            before: file.before.clone(),
            after: file.after.clone(),
            directories: *directories,
            attributes: attributes.as_ref().or(file.attributes.as_ref()).cloned(),
            lines: text.then(|| diff::counts(&change.diff)),
        }
    }

    /// Removes the directories that come or go with the file, now that it is not there.
    fn remove_directories(&self, workspace: &Workspace) {
        write::remove_empty(workspace, &self.file.path.above(self.directories as usize));
    }
}

/// Writes every file, or puts those back that were written before one failed.
fn write_all(workspace: &Workspace, steps: &[Step<'_>]) -> Result<Replaced, ChangeError> {
    let mut all = Replaced::Atomically;
    for (index, Step { file, .. }) in steps.iter().enumerate() {
        let attributes = file.attributes.as_ref();
        match write::put_with(workspace, &file.path, &file.before, &file.after, attributes) {
            Ok(Replaced::Atomically) => {}
            Ok(Replaced::InPlace) => all = Replaced::InPlace,
            Err(cause) => return Err(put_back(workspace, &steps[..index], cause)),
        }
    }
    let gone = steps.iter().filter(|step| step.file.after == Entry::Absent);
    gone.for_each(|step| step.remove_directories(workspace));
    Ok(all)
}

fn put_back(workspace: &Workspace, written: &[Step<'_>], cause: WriteError) -> ChangeError {
    for Step { file, attributes, .. } in written.iter().rev() {
        let (now, before) = (&file.after, &file.before);
        let put = write::put_with(workspace, &file.path, now, before, attributes.as_ref());
        if let Err(reason) = put {
            return ChangeError::Half { cause, file: file.name.clone(), reason };
        }
    }
    let gone = written.iter().filter(|step| step.file.before == Entry::Absent);
    gone.for_each(|step| step.remove_directories(workspace));
    ChangeError::Write(cause)
}

/// What a file's part of a change is, in the words of the report.
fn described(file: &FileChange) -> Change {
    let hash = |entry: &Entry| match entry {
        Entry::File { content, .. } => Some(content.sha256().to_owned()),
        Entry::Absent | Entry::Link { .. } => None,
    };
    Change {
        file: file.name.clone(),
        kind: match (&file.before, &file.after) {
            (Entry::Absent, _) => ChangeKind::Create,
            (_, Entry::Absent) => ChangeKind::Delete,
            (_, _) => ChangeKind::Edit,
        },
        before_sha256: hash(&file.before),
        after_sha256: hash(&file.after),
        diff: difference(&file.name, &file.before, &file.after),
    }
}

/// What differs between two entries as a unified diff; empty where one of them is no text, or more
/// differs than anybody would read.
pub fn difference(name: &str, before: &Entry, after: &Entry) -> String {
    match (text(before), text(after)) {
        (Some(before), Some(after)) => {
            diff::files(name, before.as_ref(), after.as_ref()).unwrap_or_default()
        }
        (_, _) => String::new(),
    }
}

/// The text of an entry, and none within for nothing at all; none where it is no text.
fn text(entry: &Entry) -> Option<Option<TextFile>> {
    match entry {
        Entry::Absent => Some(None),
        Entry::File { content, .. } => Some(Some(TextFile::of(content.clone()).ok()?)),
        Entry::Link { .. } => None,
    }
}
