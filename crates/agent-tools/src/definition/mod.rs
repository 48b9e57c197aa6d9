//! Whole definitions, or whole small files, as the form of an edit.
//!
//! Somebody gives a function, a type or a constant in full, perhaps in a fence with words around
//! it. [`merge`] finds the definition of that name in the file and puts the new one in its place,
//! with the indentation that it has there. Nothing else changes: where the answer would lose
//! another definition, shrink the text without being asked, or leave open which one is meant, it is
//! declined with the reason. What comes out is always line edits.
//!
//! ```
//! use agent_tools::definition::{self, Consent};
//!
//! let file = "class Shop:\n    def total(self):\n        return 1\n\n    def name(self):\n        return 'x'\n";
//! let answer = "```python\ndef total(self):\n    return 2\n```";
//! let new = definition::merge_text("shop.py", file, "Shop.total", answer, &Consent::default());
//! assert_eq!(new.as_deref(), Ok("class Shop:\n    def total(self):\n        return 2\n\n    def name(self):\n        return 'x'\n"));
//! ```

mod apply;
mod decline;
mod fence;
mod file;
mod fragment;
mod indent;
mod outline;
mod role;

pub use decline::Decline;
pub use fence::code_blocks;
pub use outline::Definition;

use crate::edit::{self, EditLimits, LineEdit};
use crate::encoding::Encoding;
use crate::text::TextFile;
use file::File;

/// What may happen beyond the replacement because it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Consent {
    /// Names of definitions that may be gone, or have another name, afterwards.
    pub may_go: Vec<String>,
    /// The text may become much shorter.
    pub may_shrink: bool,
}

impl Consent {
    fn lets_go(&self, path: &[String]) -> bool {
        let last = path.last();
        self.may_go.iter().any(|name| Some(name) == last || *name == path.join("."))
    }
}

/// The definitions of a file by names that are each the only one, in the order of the lines; none
/// where its language is not known.
pub fn outline(path: &str, text: &str) -> Vec<(String, Definition)> {
    let Ok(file) = File::read(path, text) else { return Vec::new() };
    let named = |one: &Definition| (file.unique_name(one), one.clone());
    file.outline.definitions.iter().map(named).collect()
}

/// Replaces the definition `wanted` of a file by the one in `given`.
///
/// # Errors
///
/// [`Decline`], with what to give instead.
pub fn merge(
    path: &str,
    original: &str,
    wanted: &str,
    given: &str,
    consent: &Consent,
) -> Result<Vec<LineEdit>, Decline> {
    let file = File::read(path, original)?;
    first_that_fits(given, |code| apply::replace(&file, wanted, code, consent))
        .and_then(|new| apply::edits(&file.lines, &new))
}

/// Adds the definitions in `given`, which must all be new, behind `after` or at the end.
///
/// # Errors
///
/// [`Decline`], with what to give instead.
pub fn add(
    path: &str,
    original: &str,
    after: Option<&str>,
    given: &str,
) -> Result<Vec<LineEdit>, Decline> {
    let file = File::read(path, original)?;
    first_that_fits(given, |code| apply::add(&file, after, code))
        .and_then(|new| apply::edits(&file.lines, &new))
}

/// Removes the definition `wanted` of a file, with the comments right above it.
///
/// # Errors
///
/// [`Decline`] where it can't be found or told apart.
pub fn remove(path: &str, original: &str, wanted: &str) -> Result<Vec<LineEdit>, Decline> {
    let file = File::read(path, original)?;
    let new = apply::remove(&file, wanted)?;
    apply::edits(&file.lines, &new)
}

/// Replaces the text of a file by the whole text in `given`. It works in any language; definitions
/// are protected in those that can be parsed.
///
/// # Errors
///
/// [`Decline`], with what to give instead.
pub fn merge_file(
    path: &str,
    original: &str,
    given: &str,
    consent: &Consent,
) -> Result<Vec<LineEdit>, Decline> {
    let text = original.strip_prefix('\u{feff}').unwrap_or(original);
    let lines: Vec<&str> = text.lines().collect();
    first_that_fits(given, |code| apply::whole(path, text, code, consent))
        .and_then(|new| apply::edits(&lines, &new))
}

/// [`merge`] with the new text as its result.
///
/// # Errors
///
/// As [`merge`].
pub fn merge_text(
    path: &str,
    original: &str,
    wanted: &str,
    given: &str,
    consent: &Consent,
) -> Result<String, Decline> {
    applied(original, &merge(path, original, wanted, given, consent)?)
}

/// The text after edits that one of the functions here gave for it.
///
/// # Errors
///
/// [`Decline::NoChange`] where they change nothing.
pub fn applied(original: &str, edits: &[LineEdit]) -> Result<String, Decline> {
    let encoding =
        if original.starts_with('\u{feff}') { Encoding::Utf8Bom } else { Encoding::Utf8 };
    let file = TextFile::with_encoding(original.as_bytes().to_vec(), encoding);
    let edited = edit::apply(&file, edits, &EditLimits::NONE).map_err(|_| Decline::NoChange)?;
    Ok(String::from_utf8_lossy(edited.text.bytes()).into_owned())
}

/// Tries the code blocks of an answer in their order; where none fits, the first one's reason.
fn first_that_fits<T>(
    answer: &str,
    read: impl Fn(&str) -> Result<T, Decline>,
) -> Result<T, Decline> {
    let mut reason = None;
    for code in code_blocks(answer) {
        match read(code) {
            Ok(new) => return Ok(new),
            Err(decline) => reason = reason.or(Some(decline)),
        }
    }
    Err(reason.unwrap_or(Decline::Empty))
}
