//! What is known from earlier requests.

mod cache;
#[cfg(test)]
mod tests;
mod wording;

pub use cache::CacheStats;
pub(crate) use cache::{Cached, Origin, Source, hash};
pub(crate) use wording::{Likeness, likeness, normalised};
