//! What of a conversation the model sees: always as much as its window holds.

pub(crate) mod gauge;
pub(crate) mod tokens;

pub(crate) use gauge::Gauge;
