//! The file that is written beside the target and then takes its place.

use std::ffi::OsString;
use std::io::{self, Write};

use cap_std::fs::{File, OpenOptions};

use super::WriteError;
use super::target::Target;
use crate::workspace::read_no_follow;

/// A new file in the directory of the target, named `.NAME.agent-0000.tmp`. It is removed when
/// dropped, unless it has become the target.
#[derive(Debug)]
pub(super) struct Temp<'a> {
    target: &'a Target<'a>,
    name: OsString,
    file: File,
    is_target: bool,
}

impl<'a> Temp<'a> {
    /// A file that only its owner can read, until it gets the mode of the file it replaces.
    pub(super) fn private(target: &'a Target<'a>) -> Result<Self, WriteError> {
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self::new(target, options)
    }

    /// A file with the mode that new files get.
    pub(super) fn ordinary(target: &'a Target<'a>) -> Result<Self, WriteError> {
        Self::new(target, OpenOptions::new())
    }

    fn new(target: &'a Target<'a>, mut options: OpenOptions) -> Result<Self, WriteError> {
        options.write(true).create_new(true);
        // A name is taken while another process writes beside the same file, or for good when one
        // was killed while it did.
        for number in 0..=0xffff {
            let name = name(target, number);
            match target.dir().open_with(&name, &options) {
                Ok(file) => return Ok(Self { target, name, file, is_target: false }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(target.failed("write a new file beside", source)),
            }
        }
        let taken = io::Error::from(io::ErrorKind::AlreadyExists);
        Err(target.failed("write a new file beside", taken))
    }

    /// Writes the content.
    pub(super) fn fill(&mut self, content: &[u8]) -> Result<(), WriteError> {
        self.file.write_all(content).map_err(|source| self.target.failed("write", source))
    }

    /// Waits until the disk has content and mode: once the file has its name, a power failure must
    /// not find it empty.
    pub(super) fn sync(&self) -> Result<(), WriteError> {
        self.file.sync_all().map_err(|source| self.target.failed("write", source))
    }

    /// Takes over the mode, and owner, group and extended attributes where the system permits.
    /// Without the permission, the file belongs to whoever runs this, as one written by an editor
    /// would.
    pub(super) fn copy_permissions(&self) -> Result<(), WriteError> {
        let old = self.target.metadata()?;
        #[cfg(unix)]
        {
            use cap_std::fs::MetadataExt;
            use std::os::unix::fs::fchown;
            if fchown(&self.file, Some(old.uid()), Some(old.gid())).is_err() {
                let _ = fchown(&self.file, None, Some(old.gid()));
            }
        }
        // After the owner, since a new owner takes away capabilities and bits of the mode.
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        if let Ok(old) = self.target.dir().open_with(self.target.name(), &read_no_follow()) {
            super::xattr::copy(&old, &self.file);
        }
        self.file
            .set_permissions(old.permissions())
            .map_err(|source| self.target.failed("set the mode of", source))
    }

    /// Puts the file in the place of the target.
    pub(super) fn rename_to_target(mut self) -> Result<(), WriteError> {
        let dir = self.target.dir();
        dir.rename(&self.name, dir, self.target.name())
            .map_err(|source| self.target.failed("replace", source))?;
        self.is_target = true;
        Ok(())
    }

    /// Gives the file the name of the target, unless that exists.
    pub(super) fn link_to_target(self) -> io::Result<()> {
        let dir = self.target.dir();
        dir.hard_link(&self.name, dir, self.target.name())
    }
}

/// `.NAME.agent-0000.tmp`, with as much of a long name as leaves room for the rest.
fn name(target: &Target<'_>, number: u32) -> OsString {
    const MAX_NAME: usize = 255 - ".".len() - ".agent-0000.tmp".len();
    let of = target.name().to_string_lossy();
    let of = &of[..of.floor_char_boundary(MAX_NAME)];
    format!(".{of}.agent-{number:04x}.tmp").into()
}

impl Drop for Temp<'_> {
    fn drop(&mut self) {
        if !self.is_target {
            let _ = self.target.dir().remove_file(&self.name);
        }
    }
}
