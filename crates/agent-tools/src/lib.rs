//! File, search, directory and edit tools that cannot leave a workspace.
//!
//! * [`Workspace`] is a directory held open as a capability. It turns the text of a path into a
//!   [`WorkspacePath`], and only a `WorkspacePath` reaches the disk.

mod workspace;

pub use workspace::{
    EntryKind, Metadata, PathError, Unsuitable, Workspace, WorkspaceError, WorkspacePath,
};
