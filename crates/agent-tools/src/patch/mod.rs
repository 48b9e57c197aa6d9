//! Patches as models write them: old and new texts, search/replace blocks, envelopes, diffs.
//!
//! Every [`Patch`] shows lines of the file as they are and as they are to be. The old lines are
//! looked for in the file, strictly first and then ever more leniently: without white space at the
//! ends of lines, with another indentation, with none, with plain quotes for typographic ones. The
//! first degree of leniency that finds them decides, and only if it finds them once; lines that
//! stand in two places, or in none, are refused with the numbers of the lines that come into
//! question. Line numbers in a diff are believed only where all of them are right.
//!
//! * Lines that a patch keeps stay as the file has them, whatever the patch made of their white
//!   space, and new lines are indented as the file is.
//! * Line endings and the final newline stay as they were, whatever the patch says of them.
//! * Search/replace blocks and pairs are about the result of the ones before, hunks of envelopes
//!   and diffs about the file as it is.
//!
//! ```
//! use agent_tools::patch::{self, Patch};
//!
//! let file = "fn main() {\n    greet(\"world\");\n}\n";
//! let diff = "@@ -10,3 +10,3 @@\n fn main() {\n-    greet(\"world\");\n+    greet(\"moon\");\n }\n";
//! assert_eq!(
//!     patch::merge_patch_text("src/main.rs", file, &Patch::UnifiedDiff(diff)).as_deref(),
//!     Ok("fn main() {\n    greet(\"moon\");\n}\n")
//! );
//! ```

mod blocks;
mod changes;
mod draft;
mod envelope;
mod error;
mod fit;
mod hunk;
mod locate;
mod nearest;
mod part;
mod piece;
mod place;
mod rows;
mod scope;
mod swap;
mod unified;

#[cfg(test)]
mod tests;

pub use changes::Changes;
pub use error::{Part, PatchError};
pub use nearest::Near;
pub use part::{FilePatch, Operation};

use crate::edit::{self, EditLimits};
use crate::encoding::Encoding;
use crate::sketch::stray_marker;
use crate::text::TextFile;

/// A patch in one of the formats that models write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patch<'a> {
    /// Old texts with the new ones, each about the result of the ones before.
    Pairs(&'a [(String, String)]),
    /// Blocks of `<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE`.
    SearchReplace(&'a str),
    /// An envelope of `*** Begin Patch` and `*** End Patch`.
    V4a(&'a str),
    /// A unified diff.
    UnifiedDiff(&'a str),
}

impl Patch<'_> {
    /// What the patch does to each file that it names, in the order in which it names them.
    pub fn parse(&self) -> Result<Vec<FilePatch>, PatchError> {
        let (files, expected) = match self {
            Self::Pairs([]) => (Vec::new(), "a list of pairs, [old text, new text]"),
            Self::Pairs(pairs) => {
                let operation = Operation::Update { changes: Changes::pairs(pairs), move_to: None };
                (vec![FilePatch { path: None, operation }], "")
            }
            Self::SearchReplace(text) => {
                (blocks::parse(text)?, "blocks of <<<<<<< SEARCH, =======, >>>>>>> REPLACE")
            }
            Self::V4a(text) => (
                envelope::parse(text)?,
                "*** Begin Patch, *** Update File: PATH, hunks, *** End Patch",
            ),
            Self::UnifiedDiff(text) => {
                (unified::parse(text)?, "hunks that begin with @@ and have lines with - and +")
            }
        };
        if files.is_empty() { Err(PatchError::Empty { expected }) } else { Ok(files) }
    }
}

/// Applies a patch to the text of a file and gives the new text.
///
/// Of a patch for several files only the part for `path` is applied. A new name that it gives the
/// file is of no consequence here.
pub fn merge_patch_text(
    path: &str,
    original: &str,
    patch: &Patch<'_>,
) -> Result<String, PatchError> {
    let owned = || path.to_owned();
    match part::part_for(patch.parse()?, path)?.operation {
        Operation::Add { content } if original.is_empty() => {
            match stray_marker(content.lines(), []) {
                Some(marker) => {
                    let part = Part { noun: "part", number: 1, line: None };
                    Err(PatchError::Marker { part, marker: marker.to_owned() })
                }
                None => Ok(content),
            }
        }
        Operation::Add { .. } => Err(PatchError::Exists { path: owned() }),
        Operation::Delete => Err(PatchError::Deletes { path: owned() }),
        Operation::Update { changes, .. } => {
            let text = original.strip_prefix(BOM);
            let encoding = if text.is_some() { Encoding::Utf8Bom } else { Encoding::Utf8 };
            let edits = changes.edits(text.unwrap_or(original))?;
            let file = TextFile::with_encoding(original.as_bytes().to_vec(), encoding);
            let edited = edit::apply(&file, &edits, &EditLimits::NONE)?;
            Ok(String::from_utf8_lossy(edited.text.bytes()).into_owned())
        }
    }
}

const BOM: char = '\u{feff}';
