//! The journal: what it records, settles and takes back.
#![expect(clippy::disallowed_methods, reason = "tests lay out files and look at them directly")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod at_once;
mod damage;
mod large;
mod place;
mod properties;
mod revert;
mod settle;
