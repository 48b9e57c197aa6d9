//! File, search, directory and edit tools that cannot leave a workspace.
//!
//! Everything here is synchronous, and knows nothing of processes, networks, clocks or models.
//!
//! * [`Workspace`] is a directory held open as a capability. It turns the text of a path into a
//!   [`WorkspacePath`], and only a `WorkspacePath` reaches the disk.
//! * [`TextFile`] is the bytes of a file with its lines, whatever its encoding and its endings.
//! * [`LineEdit`] replaces, inserts or deletes whole lines. A list of them is a plan, which
//!   [`edit::apply`] applies to a `TextFile` as a whole or not at all.
//!
//! Reading a file, editing it and writing it back goes like this:
//!
//! ```
//! use agent_tools::edit::{self, EditLimits};
//! use agent_tools::{LineEdit, Workspace, diff, read, write};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = tempfile::tempdir()?;
//! let ws = Workspace::open(dir.path())?;
//! let path = ws.resolve("src/greeting.txt")?;
//! write::create(&ws, &path, b"Hello,\r\nworld\r\n")?;
//!
//! let old = read::read_text(&ws, &path, 1_000_000)?;
//! let plan = [LineEdit::one_line(2, "world".into(), "workspace".into())];
//! let new = edit::apply(&old, &plan, &EditLimits::default())?.text;
//!
//! // The file is replaced only if it still is what was read.
//! write::replace(&ws, &path, &old.sha256(), new.bytes())?;
//! assert_eq!(read::read_text(&ws, &path, 1_000_000)?.bytes(), b"Hello,\r\nworkspace\r\n");
//!
//! assert_eq!(
//!     diff::unified("src/greeting.txt", &*old.text(), &*new.text()).lines().nth(3),
//!     Some(" Hello,")
//! );
//!
//! // A path that leads out gets no further than this.
//! assert!(ws.resolve("../elsewhere").is_err());
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "syntax")]
pub mod definition;
pub mod diff;
pub mod edit;
pub mod find;
pub mod grep;
pub mod limit;
pub mod lines;
pub mod patch;
pub mod read;
pub mod sketch;
#[cfg(feature = "syntax")]
pub mod syntax;
pub mod tree;
pub mod walk;
pub mod write;

mod content;
mod drift;
mod encoding;
mod hash;
mod line;
mod text;
mod workspace;

pub use content::Content;
pub use edit::LineEdit;
pub use encoding::{Encoding, Legacy};
pub use hash::sha256;
pub use text::{LineEnding, TextError, TextFile};
pub use workspace::{
    EntryKind, Fingerprint, Metadata, PathError, Unsuitable, Workspace, WorkspaceError,
    WorkspacePath,
};
