//! What a walk or a search passed over.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// Why an entry was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// An ignore rule leaves it out. A directory counts once, whatever it holds.
    Ignored,
    /// The content holds a NUL byte.
    Binary,
    /// A line is too long to be held in memory; what follows it was not searched.
    LineTooLong,
    /// The system refused to read it.
    Unreadable,
    /// A symbolic link: never followed.
    Link,
    /// A FIFO, a socket or a device.
    Special,
}

impl Reason {
    fn describe(self, count: usize) -> &'static str {
        match self {
            Self::Ignored => "ignored",
            Self::Binary => "binary",
            Self::LineTooLong => "with too long a line",
            Self::Unreadable => "unreadable",
            Self::Link if count == 1 => "symbolic link",
            Self::Link => "symbolic links",
            Self::Special if count == 1 => "special file",
            Self::Special => "special files",
        }
    }
}

/// How many entries were passed over, by reason. Serialises as a map without zeros.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Skipped(BTreeMap<Reason, usize>);

impl Skipped {
    pub(crate) fn add(&mut self, reason: Reason) {
        *self.0.entry(reason).or_default() += 1;
    }

    pub(crate) fn extend(&mut self, other: &Self) {
        for (reason, count) in other.iter() {
            *self.0.entry(reason).or_default() += count;
        }
    }

    /// How many entries were passed over for this reason.
    pub fn count(&self, reason: Reason) -> usize {
        self.0.get(&reason).copied().unwrap_or(0)
    }

    /// Whether nothing was passed over.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The reasons that occurred, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, usize)> {
        self.0.iter().map(|(reason, count)| (*reason, *count))
    }
}

/// `3 ignored, 1 binary`; nothing when nothing was passed over.
impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (reason, count)) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{count} {}", reason.describe(count))?;
        }
        Ok(())
    }
}
