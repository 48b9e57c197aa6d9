//! What of a conversation the model sees: always as much as its window holds.
//!
//! Each message is bounded when it comes in. When the window fills, old results are shortened
//! first, which needs no model; where that is not enough, the oldest part gives way to a digest of
//! it. Instructions and the current request are always shown as they are, and so is, in the digest,
//! what was touched and what failed. Between two such moments a conversation only grows at its end.

pub(crate) mod agents_md;
mod compaction;
pub(crate) mod digest;
mod facts;
mod gauge;
mod shorten;
pub(crate) mod tokens;

pub use compaction::{Compaction, Digest};
pub(crate) use compaction::{Item, Plan, Role, Room, plan};
pub(crate) use facts::Facts;
pub(crate) use gauge::Gauge;
pub(crate) use shorten::{shortened, shortened_tokens};
pub(crate) use tokens::of_tools as tokens_of_tools;

/// Bytes of text that so many tokens are likely to hold.
pub(crate) fn bytes(tokens: u64) -> usize {
    usize::try_from(tokens.saturating_mul(3)).unwrap_or(usize::MAX)
}
