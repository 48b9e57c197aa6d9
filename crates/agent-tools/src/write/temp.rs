//! The file that is written beside the target and then takes its place.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

use cap_std::fs::{File, OpenOptions};

use super::WriteError;
use super::attributes::Attributes;
use super::target::{Target, symlink};
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

    /// A file with this mode, or with that of any new file.
    pub(super) fn with_mode(target: &'a Target<'a>, mode: Option<u32>) -> Result<Self, WriteError> {
        let Some(mode) = mode else { return Self::new(target, OpenOptions::new()) };
        let temp = Self::private(target)?;
        temp.set_mode(mode)?;
        Ok(temp)
    }

    /// Gives the file, whose content is written, what another had beside its content.
    pub(super) fn give(
        &self,
        attributes: &Attributes,
        mode: Option<u32>,
    ) -> Result<(), WriteError> {
        attributes.give(&self.file);
        mode.map_or(Ok(()), |mode| self.set_mode(mode))
    }

    #[cfg(unix)]
    fn set_mode(&self, mode: u32) -> Result<(), WriteError> {
        use cap_std::fs::{Permissions, PermissionsExt};
        let set = self.file.set_permissions(Permissions::from_mode(mode));
        set.map_err(|source| self.target.failed("set the mode of", source))
    }

    #[cfg(not(unix))]
    fn set_mode(&self, _: u32) -> Result<(), WriteError> {
        Ok(())
    }

    fn new(target: &'a Target<'a>, mut options: OpenOptions) -> Result<Self, WriteError> {
        options.write(true).create_new(true);
        let (name, file) = free_name(target, |name| target.dir().open_with(name, &options))?;
        Ok(Self { target, name, file, is_target: false })
    }

    /// Puts a symbolic link in the place of the target.
    pub(super) fn relink_target(target: &Target<'_>, to: &Path) -> Result<(), WriteError> {
        let (name, ()) = free_name(target, |name| symlink(target.dir(), to, name))?;
        let renamed = target.dir().rename(&name, target.dir(), target.name());
        renamed.map_err(|source| {
            let _ = target.dir().remove_file(&name);
            target.failed("replace", source)
        })
    }

    /// Removes every temporary file of the target; how many there were.
    pub(super) fn sweep(target: &Target<'_>) -> usize {
        let Ok(entries) = target.dir().entries() else { return 0 };
        let names = entries.flatten().map(|entry| entry.file_name());
        let stray = names.filter(|name| is_name(target, name));
        stray.filter(|name| target.dir().remove_file(name).is_ok()).count()
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
            super::attributes::own(&self.file, old.uid(), old.gid());
        }
        // After the owner, since a new owner takes away capabilities and bits of the mode.
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        if let Ok(old) = self.target.dir().open_with(self.target.name(), &read_no_follow()) {
            super::xattr::write(&self.file, &super::xattr::read(&old));
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

/// Makes something under the first name that is free. A name is taken while another process writes
/// beside the same file, or for good when one was killed while it did.
fn free_name<T>(
    target: &Target<'_>,
    make: impl Fn(&OsStr) -> io::Result<T>,
) -> Result<(OsString, T), WriteError> {
    for number in 0..=0xffff {
        let name = OsString::from(format!("{}{number:04x}{SUFFIX}", prefix(target)));
        match make(&name) {
            Ok(made) => return Ok((name, made)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(target.failed("write a new file beside", source)),
        }
    }
    let taken = io::Error::from(io::ErrorKind::AlreadyExists);
    Err(target.failed("write a new file beside", taken))
}

const SUFFIX: &str = ".tmp";

/// `.NAME.agent-`, with as much of a long name as leaves room for the rest.
fn prefix(target: &Target<'_>) -> String {
    const MAX_NAME: usize = 255 - ".".len() - ".agent-0000.tmp".len();
    let of = target.name().to_string_lossy();
    let of = &of[..of.floor_char_boundary(MAX_NAME)];
    format!(".{of}.agent-")
}

/// Whether `name` is that of a temporary file of the target.
fn is_name(target: &Target<'_>, name: &OsStr) -> bool {
    let number = || name.to_str()?.strip_prefix(&prefix(target))?.strip_suffix(SUFFIX);
    number().is_some_and(|hex| hex.len() == 4 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl Drop for Temp<'_> {
    fn drop(&mut self) {
        if !self.is_target {
            let _ = self.target.dir().remove_file(&self.name);
        }
    }
}
