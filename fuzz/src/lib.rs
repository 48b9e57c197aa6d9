//! What the targets assert of any input.
//!
//! The tests of the crates include these files too, and try them on a few inputs at random: so they
//! compile and hold even where nobody runs the fuzzer.

pub mod edit;
pub mod locate;
pub mod patch;
pub mod repair;
pub mod sketch;
pub mod text;
