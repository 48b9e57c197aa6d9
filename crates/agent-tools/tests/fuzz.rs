//! What the fuzz targets assert, on inputs at random: nobody needs the fuzzer to know that they
//! compile and hold.
#![expect(
    unreachable_pub,
    clippy::expect_used,
    reason = "the files are the library of the fuzz targets too, and all that is in them is a test"
)]

#[path = "../../../fuzz/src/edit.rs"]
mod edit;
#[path = "../../../fuzz/src/locate.rs"]
mod locate;
#[path = "../../../fuzz/src/patch.rs"]
mod patch;
#[path = "../../../fuzz/src/sketch.rs"]
mod sketch;
#[path = "../../../fuzz/src/text.rs"]
mod text;

use arbitrary::{Arbitrary, Unstructured};
use proptest::collection::vec;
use proptest::prelude::*;

/// Reads an input as the fuzzer does, and checks it.
fn check<T: for<'a> Arbitrary<'a>>(bytes: &[u8], check: impl Fn(&T)) {
    if let Ok(input) = T::arbitrary_take_rest(Unstructured::new(bytes)) {
        check(&input);
    }
}

proptest! {
    #[test]
    fn edits(bytes in vec(any::<u8>(), 0..2_000)) {
        check(&bytes, edit::check);
    }

    #[test]
    fn old_lines_are_found(bytes in vec(any::<u8>(), 0..2_000)) {
        check(&bytes, locate::check);
    }

    #[test]
    fn patches(bytes in vec(any::<u8>(), 0..2_000)) {
        check(&bytes, patch::check);
    }

    #[test]
    fn sketches(bytes in vec(any::<u8>(), 0..2_000)) {
        check(&bytes, sketch::check);
    }
}
