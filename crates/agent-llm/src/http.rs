//! The one HTTP client.

pub(crate) mod classify;
