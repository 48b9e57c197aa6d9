//! Decisions as JSON, for models that can't be trusted with tool calls.
//!
//! Each step is constrained by a schema that is built from what makes sense at that moment: paths
//! are those of files that exist, definitions those that a file has, and what was done already is
//! not offered again. What the model is shown is the session's conversation in plain words, so that
//! a session can change over to this protocol in the middle. A reply means the same tool call as
//! one that was made by the provider's own means.

mod about_tests;
mod named;
mod offer;
mod plain;
mod plainly;
mod wish;

use serde::{Deserialize, Serialize};

pub(crate) use about_tests::AboutTests;
pub use named::{Files, Shown};
pub(crate) use named::{has_word, quoted, text, without_files};
pub(crate) use offer::{Offer, WHOLE_FILE};
pub(crate) use plain::{plain, standing};
pub(crate) use plainly::plainly_named;
pub(crate) use wish::{Wish, lets_names_go, removes};

/// How the model says what is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// By tool calls, and by JSON once it has shown that it can't make any.
    #[default]
    Auto,
    /// By the provider's tool calls.
    Tools,
    /// By JSON that follows a schema.
    Json,
}
