//! What is known from earlier requests.

mod cache;
mod remembered;
mod session;
mod shown;
#[cfg(test)]
mod tests;
mod wording;
mod workspace;

pub use cache::CacheStats;
pub(crate) use cache::{Cached, Origin, Source, hash};
pub use remembered::{Earlier, Remembered, Standing, Touched};
pub use session::{Changed, KnownFile, SessionMemory, Touch, Turn};
pub use shown::{Item, Shown};
pub(crate) use wording::{Likeness, Wording, normalised};
pub use workspace::{Memory, MemoryError};
