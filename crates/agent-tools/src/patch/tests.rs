//! What patches become, and when they are refused.

mod formats;
mod pairs;
mod property;

use super::*;

/// What a patch makes of a text; a refusal as its message.
fn merged(original: &str, patch: &Patch<'_>) -> Result<String, String> {
    merge_patch_text("src/lib.rs", original, patch).map_err(|error| error.to_string())
}

/// Checks that a patch gives `expected`: a text, or, after a `!`, the beginning of a refusal.
#[track_caller]
fn check(original: &str, patch: &Patch<'_>, expected: &str) {
    let merged = merged(original, patch);
    match (expected.strip_prefix('!'), &merged) {
        (Some(expected), Err(refusal)) if refusal.starts_with(expected) => {}
        (None, Ok(text)) if text == expected => {}
        _ => panic!("{patch:?} on {original:?}\n gave     {merged:?}\n expected {expected:?}"),
    }
}
