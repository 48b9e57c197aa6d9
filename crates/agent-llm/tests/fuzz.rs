//! What the fuzz target asserts, on texts at random: nobody needs the fuzzer to know that it compiles
//! and holds.
#![expect(
    unreachable_pub,
    clippy::expect_used,
    reason = "the files are the library of the fuzz targets too, and all that is in them is a test"
)]

#[path = "../../../fuzz/src/repair.rs"]
mod repair;

proptest::proptest! {
    #[test]
    fn replies(text in ".*", json in r#"[\[\]{}",:a-z0-9\\ ]*"#) {
        repair::check(&text);
        repair::check(&json);
    }
}
