//! The syntax gate: what it must catch, and what it must let pass.
#![cfg(feature = "syntax")]
#![expect(clippy::disallowed_methods, reason = "tests read their samples directly")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod broken;
mod caught;
mod errors;
mod limits;
mod mutation;
mod passed;
mod robust;
mod sample;
