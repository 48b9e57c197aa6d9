//! The file tools against real directories.
#![expect(clippy::disallowed_methods, reason = "tests lay out files and look at them directly")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod edit;
mod edit_refused;
mod matrix;
mod place;
mod properties;
mod put;
mod read;
mod text;
mod workspace;
mod write;
mod write_refused;
