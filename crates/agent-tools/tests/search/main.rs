//! Listing and searching, against real directories.
#![expect(clippy::disallowed_methods, reason = "tests lay out files directly")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod find;
mod grep;
mod grep_bounds;
mod grep_globs;
mod ignore_rules;
mod names;
mod sample;
mod tree;
mod tree_bounds;
