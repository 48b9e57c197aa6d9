//! JSON and calls as weak models write them.
//!
//! [`json`] reads a value that is nearly JSON and says what it mended; [`calls`] finds calls that a
//! model wrote as text instead of making them. Neither guesses: what could mean two things, or may
//! have lost a piece, is refused, and the reason can be told to the model.
//!
//! ```
//! use agent_llm::repair::{self, Mend};
//!
//! let mended = repair::json("```json\n{'path': 'a.py', 'all': True,}\n```")?;
//! assert_eq!(mended.value, serde_json::json!({"path": "a.py", "all": true}));
//! assert_eq!(
//!     mended.mends,
//!     [Mend::Fence, Mend::SingleQuotes, Mend::PythonLiteral, Mend::TrailingComma]
//! );
//!
//! assert!(repair::json(r#"{"path": "a.p"#).is_err());
//! # Ok::<(), repair::Unclear>(())
//! ```

mod lenient;
mod strings;
mod tags;
mod text_calls;

use std::fmt;

use serde_json::Value;

pub use text_calls::{TextCall, Written, calls};

/// A value that was read, and what had to be mended for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Mended {
    /// The value.
    pub value: Value,
    /// What was mended, each once, in the order in which it was met; empty for plain JSON.
    pub mends: Vec<Mend>,
}

/// Something that is not JSON and whose meaning is clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mend {
    /// It stood in a fence.
    Fence,
    /// There were words around it.
    Words,
    /// Strings in single or typographic quotes.
    SingleQuotes,
    /// Strings in triple quotes.
    TripleQuotes,
    /// Keys without quotes.
    BareKeys,
    /// A comma behind the last member.
    TrailingComma,
    /// No comma between two members.
    MissingComma,
    /// Comments.
    Comment,
    /// `True`, `False` or `None`.
    PythonLiteral,
    /// Line feeds or tabs within a string.
    RawControl,
    /// An escape that JSON does not know.
    Escape,
    /// Closing brackets were missing at the end.
    Unclosed,
    /// There were more closing brackets than opening ones.
    ExtraClosers,
    /// JSON within a JSON string.
    EncodedTwice,
    /// The same value twice in a row.
    Repeated,
    /// A call written as text.
    CallAsText,
    /// More than one call was written where the later ones could not yet be meant.
    LaterCallsDropped,
}

impl fmt::Display for Mend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fence => "a fence around it",
            Self::Words => "words around it",
            Self::SingleQuotes => "single quotes",
            Self::TripleQuotes => "triple quotes",
            Self::BareKeys => "keys without quotes",
            Self::TrailingComma => "a trailing comma",
            Self::MissingComma => "a missing comma",
            Self::Comment => "comments",
            Self::PythonLiteral => "Python literals",
            Self::RawControl => "raw line breaks in a string",
            Self::Escape => "an unknown escape",
            Self::Unclosed => "missing closing brackets",
            Self::ExtraClosers => "superfluous closing brackets",
            Self::EncodedTwice => "JSON within a string",
            Self::Repeated => "the same twice",
            Self::CallAsText => "a call written as text",
            Self::LaterCallsDropped => "later calls left out",
        })
    }
}

/// A text whose meaning would have to be guessed. It reads after "the arguments ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unclear {
    /// There is no JSON in it.
    #[error("hold no JSON object")]
    NoJson,
    /// It ends within a string, a name or a number.
    #[error("are cut off at the end, near {near:?}")]
    Cut {
        /// What stands before the end.
        near: String,
    },
    /// It can't be read on.
    #[error("are not valid JSON near {near:?}: {problem}")]
    Syntax {
        /// What is wrong.
        problem: &'static str,
        /// What stands there.
        near: String,
    },
    /// Two values, one behind the other.
    #[error("hold more than one JSON value; send one")]
    Several,
    /// A key twice, with different values.
    #[error("have {key:?} twice, with different values")]
    TwoValues {
        /// The key.
        key: String,
    },
}

/// Reads a JSON value from a text that may have flaws.
///
/// # Errors
///
/// [`Unclear`] where that would take a guess.
pub fn json(text: &str) -> Result<Mended, Unclear> {
    let trimmed = text.trim().trim_start_matches('\u{feff}');
    if let Ok(value) = serde_json::from_str::<Value>(trimmed) {
        return decoded(Mended { value, mends: Vec::new() });
    }
    let (inner, mut mends) = unfenced(trimmed);
    let found = lenient::read(inner)?;
    mends.extend(found.mends);
    mends.dedup();
    decoded(Mended { value: found.value, mends })
}

/// Takes off encodings within a string.
fn decoded(mut mended: Mended) -> Result<Mended, Unclear> {
    for _ in 0..2 {
        let Some(text) = mended.value.as_str().map(str::trim) else { break };
        if !text.starts_with(['{', '[', '"']) {
            break;
        }
        let inner = match serde_json::from_str(text) {
            Ok(value) => Mended { value, mends: Vec::new() },
            Err(_) => lenient::read(text)?,
        };
        mended.mends.push(Mend::EncodedTwice);
        mended.mends.extend(inner.mends);
        mended.value = inner.value;
    }
    Ok(mended)
}

/// The content of the first fence, where there is one before any bracket.
fn unfenced(text: &str) -> (&str, Vec<Mend>) {
    let Some(fence) = text.find("```") else { return (text, Vec::new()) };
    if text.find(['{', '[']).is_some_and(|bracket| bracket < fence) {
        return (text, Vec::new());
    }
    let rest = text[fence..].trim_start_matches('`');
    // What stands beside the fence names the language.
    let rest = match rest.find(['\n', '{', '[']) {
        Some(end) => rest[end..].trim_start(),
        None => rest,
    };
    let mut mends = vec![Mend::Fence];
    if fence > 0 {
        mends.push(Mend::Words);
    }
    (rest, mends)
}
