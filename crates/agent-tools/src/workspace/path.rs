//! Paths inside a workspace, and the text work that makes them.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

use super::PathError;

/// The longest path and the longest name that Linux accepts.
const MAX_PATH: usize = 4095;
const MAX_NAME: usize = 255;

/// A path beneath the root of a [`Workspace`](crate::Workspace): relative, without `.` and `..`.
///
/// There is no public constructor; a workspace resolves the text of a path. Whether anything
/// stands there, and whether links lead out, is found out when the path is used.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkspacePath(PathBuf);

impl WorkspacePath {
    /// The relative path, `.` for the root.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// Whether this is the root of the workspace.
    pub fn is_root(&self) -> bool {
        self.0.as_os_str() == "."
    }

    /// The last component; the root has none.
    pub fn file_name(&self) -> Option<&OsStr> {
        self.0.file_name()
    }

    /// The directory that holds this entry; the root has none.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        let parent = self.0.parent().filter(|parent| !parent.as_os_str().is_empty());
        Some(Self(parent.unwrap_or(Path::new(".")).to_owned()))
    }

    /// The nearest `count` directories that hold this entry, the outermost first; never the root.
    pub fn above(&self, count: usize) -> Vec<Self> {
        let mut above = self.prefixes();
        above.pop();
        above.split_off(above.len().saturating_sub(count))
    }

    /// Every directory from the first component down to the path itself.
    pub(crate) fn prefixes(&self) -> Vec<Self> {
        let mut prefixes: Vec<_> = self.0.ancestors().map(|path| Self(path.to_owned())).collect();
        // The last ancestor of a relative path is the empty one.
        prefixes.pop();
        prefixes.reverse();
        prefixes
    }

    /// The entry `name` of this directory; `None` when `name` is not a plain file name.
    pub fn child(&self, name: impl AsRef<OsStr>) -> Option<Self> {
        let name = Path::new(name.as_ref());
        let mut components = name.components();
        match (components.next(), components.next()) {
            (Some(Component::Normal(only)), None) if only == name.as_os_str() => {
                Some(if self.is_root() { Self(name.to_owned()) } else { Self(self.0.join(name)) })
            }
            _ => None,
        }
    }

    fn from_components(components: &[&OsStr]) -> Self {
        if components.is_empty() {
            return Self(PathBuf::from("."));
        }
        Self(components.iter().collect())
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string_lossy();
        if MAIN_SEPARATOR == '/' {
            f.write_str(&text)
        } else {
            f.write_str(&text.replace(MAIN_SEPARATOR, "/"))
        }
    }
}

/// Makes the path relative to whichever of `roots` it lies in, and removes `.` and `..`.
pub(super) fn normalise(
    path: &Path,
    roots: &[Option<&Path>],
    root: &Path,
) -> Result<WorkspacePath, PathError> {
    let text = path.to_string_lossy();
    if text.is_empty() {
        return Err(PathError::Empty);
    }
    if text.contains('\0') {
        return Err(PathError::Nul { path: text.into_owned() });
    }
    let outside = || PathError::outside(&text, root);
    let relative = if path.is_absolute() {
        let absolute = normalise_absolute(path).ok_or_else(outside)?;
        let inside = roots.iter().flatten().find_map(|root| absolute.strip_prefix(root).ok());
        inside.ok_or_else(outside)?.to_owned()
    } else {
        path.to_owned()
    };
    let components = fold(&relative).ok_or_else(outside)?;
    let path = WorkspacePath::from_components(&components);
    let longest = components.iter().map(|name| name.len()).max().unwrap_or(0);
    if longest > MAX_NAME || path.as_path().as_os_str().len() > MAX_PATH {
        return Err(PathError::too_long(&text));
    }
    Ok(path)
}

/// An absolute path without `.` and `..`; `None` for a relative one. `..` at the top is refused
/// rather than swallowed.
pub(super) fn normalise_absolute(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let top: PathBuf = path
        .components()
        .take_while(|component| matches!(component, Component::Prefix(_) | Component::RootDir))
        .collect();
    let below = fold(path.strip_prefix(&top).ok()?)?;
    let mut absolute = top;
    absolute.extend(below);
    Some(absolute)
}

/// Whether the path begins with a Windows drive, as in `C:/`.
pub(super) fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 3 && bytes[0].is_ascii_alphabetic() && bytes[1..3] == *b":/"
}

/// Whether a shell would take the path for one in a home directory.
pub(super) fn is_home(path: &str) -> bool {
    path == "~" || path.starts_with("~/")
}

/// The names of a relative path with `.` and `..` resolved; `None` when it climbs above its start.
fn fold(path: &Path) -> Option<Vec<&OsStr>> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                names.pop()?;
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(names)
}
