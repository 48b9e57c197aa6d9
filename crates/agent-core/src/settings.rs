//! What a run may do, and how much.

use agent_llm::Price;
use agent_tools::edit::EditLimits;
use serde::{Deserialize, Serialize};

use crate::{Budget, Intent, Protocol, policy::Rule};

/// The narrow part of the configuration that a run needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Decision steps until the run ends with [`crate::Outcome::Budget`].
    pub max_turns: u32,
    /// What is done without asking.
    pub approval: Approval,
    /// What requests are about, whatever their words say.
    pub intent: Option<Intent>,
    /// Rules of the policy that somebody gave, the first first. They are those of today's
    /// configuration, and are not stored.
    #[serde(skip)]
    pub rules: Vec<Rule>,
    /// Sizes.
    pub limits: Limits,
    /// How the model says what is to be done.
    pub protocol: Protocol,
    /// The first step is planned by a call of its own, without a conversation.
    pub planner: bool,
    /// Sampling temperature of every call; the provider's default without it.
    pub temperature: Option<f32>,
    /// What the run may use up beside turns.
    pub budget: Budget,
    /// What the model's tokens cost, where that is known.
    pub price: Option<Price>,
    /// The model's window in tokens. Without it nothing is ever left out of a conversation.
    pub window: Option<u32>,
    /// How the user wants answers and changes to be, in words.
    pub style: Option<String>,
    /// Bytes of what is remembered of the workspace that the first request shows; with 0 nothing is
    /// shown, and nothing remembered.
    pub memory_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_turns: 25,
            approval: Approval::Edits,
            intent: None,
            rules: Vec::new(),
            limits: Limits::default(),
            protocol: Protocol::Auto,
            planner: false,
            temperature: None,
            budget: Budget::default(),
            price: None,
            window: None,
            style: None,
            memory_bytes: 2048,
        }
    }
}

/// What is done without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// Nothing: every change and every command is asked about.
    Ask,
    /// Edits inside the workspace.
    Edits,
    /// Everything that policy allows.
    All,
    /// Nothing is changed: writing tools are not offered, and refused if called all the same.
    Plan,
}

impl Approval {
    /// Its name in flags and in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Edits => "edits",
            Self::All => "all",
            Self::Plan => "plan",
        }
    }
}

/// Sizes within which tools and observations stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Bytes of a file that a model is shown at once, by `read_file` or for an edit plan.
    pub read_bytes: usize,
    /// Line edits that one call may list.
    pub edit: EditLimits,
    /// Matches that `grep_search` shows.
    pub matches: usize,
    /// Bytes of an observation that the model sees; more is cut in the middle.
    pub observation_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            read_bytes: 100 * 1024,
            edit: EditLimits::default(),
            matches: 50,
            observation_bytes: 160 * 1024,
        }
    }
}
