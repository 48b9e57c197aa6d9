//! The file tools against real directories.
#![expect(clippy::disallowed_methods, reason = "tests lay out files and look at them directly")]

mod edit;
mod edit_refused;
mod place;
mod workspace;
