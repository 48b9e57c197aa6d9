//! What a call would do, declared before it runs.

use std::fmt;

use crate::command::permission::Execution;

/// One thing that a call would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Reads the file or directory that the path names.
    Read(String),
    /// Writes the file that the path names, or creates it.
    Write(String),
    /// Deletes the file that the path names.
    Delete(String),
    /// Takes the session's last change back.
    Undo,
    /// Runs a command. Each part of a compound line is judged by itself.
    Execute(Execution),
    /// Connects to the host, outside of any program that it runs.
    Network(String),
    /// Does something that nobody here can foresee, such as a tool of somebody else's server.
    External(String),
}

/// Kinds of effect, as rules name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EffectKind {
    /// [`Effect::Read`]
    Read,
    /// [`Effect::Write`]
    Write,
    /// [`Effect::Delete`]
    Delete,
    /// [`Effect::Undo`]
    Undo,
    /// [`Effect::Execute`]
    Execute,
    /// [`Effect::Network`]
    Network,
    /// [`Effect::External`]
    External,
}

impl Effect {
    /// Its kind.
    pub fn kind(&self) -> EffectKind {
        match self {
            Self::Read(_) => EffectKind::Read,
            Self::Write(_) => EffectKind::Write,
            Self::Delete(_) => EffectKind::Delete,
            Self::Undo => EffectKind::Undo,
            Self::Execute(_) => EffectKind::Execute,
            Self::Network(_) => EffectKind::Network,
            Self::External(_) => EffectKind::External,
        }
    }

    /// The path that it is about.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Read(path) | Self::Write(path) | Self::Delete(path) => Some(path),
            Self::Undo | Self::Execute(_) | Self::Network(_) | Self::External(_) => None,
        }
    }

    /// The same effect on another path, where it has one.
    pub(crate) fn at(&self, path: String) -> Self {
        match self {
            Self::Read(_) => Self::Read(path),
            Self::Write(_) => Self::Write(path),
            Self::Delete(_) => Self::Delete(path),
            Self::Undo | Self::Execute(_) | Self::Network(_) | Self::External(_) => self.clone(),
        }
    }
}

/// Reads after "may not" and "to".
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(path) => write!(f, "read `{path}`"),
            Self::Write(path) => write!(f, "write `{path}`"),
            Self::Delete(path) => write!(f, "delete `{path}`"),
            Self::Undo => f.write_str("take back the last change"),
            Self::Execute(execution) => write!(f, "run `{}`", execution.line),
            Self::Network(host) => write!(f, "connect to {host}"),
            Self::External(what) => write!(f, "do what nobody here can foresee: {what}"),
        }
    }
}

impl EffectKind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Read,
        Self::Write,
        Self::Delete,
        Self::Undo,
        Self::Execute,
        Self::Network,
        Self::External,
    ];

    /// Its name in rules.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Undo => "undo",
            Self::Execute => "execute",
            Self::Network => "network",
            Self::External => "external",
        }
    }
}
