//! File, search, directory and edit tools that cannot leave a workspace.
//!
//! * [`Workspace`] is a directory held open as a capability. It turns the text of a path into a
//!   [`WorkspacePath`], and only a `WorkspacePath` reaches the disk.

pub mod edit;
pub mod lines;

mod encoding;
mod text;
mod workspace;

pub use edit::LineEdit;
pub use encoding::{Encoding, Legacy};
pub use text::{LineEnding, TextError, TextFile, sha256};
pub use workspace::{
    EntryKind, Metadata, PathError, Unsuitable, Workspace, WorkspaceError, WorkspacePath,
};
