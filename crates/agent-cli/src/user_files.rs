//! Files that the user names or owns, outside any workspace: the configuration, `-o`, recordings.
//! No model's path comes here.
#![expect(clippy::disallowed_methods, reason = "these paths are the user's own, not a model's")]

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::error::Error;

/// The text of a file; none where there is no such file.
pub(crate) fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether both belong to the same user, as far as the system tells.
#[cfg(unix)]
pub(crate) fn same_owner(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let owner = |path| fs::metadata(path).map(|metadata| metadata.uid());
    matches!((owner(one), owner(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
pub(crate) fn same_owner(_: &Path, _: &Path) -> bool {
    true
}

/// Opens a file to be read.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Replaces a file as a whole, with the directories above it. A crash leaves the old text or the
/// new one. Where the path is a symbolic link, what it leads to is replaced.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let dir = target.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(text.as_bytes())?;
    if let Ok(before) = fs::metadata(&target) {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&target).map(|_| ()).map_err(|error| error.error)
}

/// Adds to the end of a file, which is made where it is missing.
pub(crate) fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true).open(path)?.write_all(text.as_bytes())
}

/// Makes an empty directory, or takes one that is there and empty.
pub(crate) fn empty_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    match fs::read_dir(path)?.next() {
        None => Ok(()),
        Some(_) => Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, "it is not empty")),
    }
}

/// The file of `-o`, opened before the work begins, so that an answer is never lost to a path that
/// can't be written.
#[derive(Debug)]
pub(crate) struct AnswerFile {
    path: PathBuf,
    file: File,
}

impl AnswerFile {
    /// Opens the file and empties it: what stood there before must not be taken for this run's
    /// answer, however the run ends.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let file = File::create(path).map_err(|error| {
            let message = format!("{} can't be written: {error}", path.display());
            Error::usage("output_file", message, "name a file that can be written: `-o FILE`")
        })?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes the answer, with a newline at its end.
    pub(crate) fn write(mut self, answer: &str) -> Result<(), Error> {
        let newline = if answer.ends_with('\n') { "" } else { "\n" };
        let written = self.file.write_all(format!("{answer}{newline}").as_bytes());
        written.map_err(|error| Error::output(&self.path.display().to_string(), &error))
    }
}
