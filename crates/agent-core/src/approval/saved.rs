//! Answers that hold for a workspace.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    Sessions, StoreError,
    command::permission,
    policy::{Pattern, Rule, Source, Verdict},
    store::{RuleRow, StateDirectory},
};

/// The answers "always" in a state directory. It is opened when it is first needed.
#[derive(Debug)]
pub struct SavedRules {
    state: Arc<StateDirectory>,
}

impl SavedRules {
    /// The answers in the state directory `directory`. Without one every use of it fails.
    pub fn at(directory: Option<PathBuf>) -> Self {
        Self { state: Arc::new(StateDirectory::at(directory)) }
    }

    /// The answers in the state directory that `sessions` are in, which both open once.
    pub fn beside(sessions: &Sessions) -> Self {
        Self { state: Arc::clone(sessions.state()) }
    }

    /// Whether anything was ever written down here.
    pub fn exists(&self) -> bool {
        self.state.exists()
    }

    /// The answers for a workspace, the first first, each with its number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be read.
    pub fn list(&self, workspace: &Path) -> Result<Vec<(i64, Rule)>, StoreError> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        let rows = self.state.with(|store| store.rules(workspace))?;
        // A row that this version can't read permits nothing.
        Ok(rows.into_iter().filter_map(|(number, row)| Some((number, rule(&row)?))).collect())
    }

    /// Saves an answer.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be written.
    pub(crate) fn add(&self, workspace: &Path, rule: &Rule) -> Result<(), StoreError> {
        let row = RuleRow {
            effect: rule.effect.map(|kind| kind.name().to_owned()),
            path: rule.path.as_ref().map(ToString::to_string),
            command: rule.command.as_ref().map(ToString::to_string),
        };
        self.state.with(|store| store.add_rule(workspace, &row))
    }

    /// Forgets an answer; false where there is none of that number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be written.
    pub fn forget(&self, workspace: &Path, number: i64) -> Result<bool, StoreError> {
        if !self.exists() {
            return Ok(false);
        }
        self.state.with(|store| store.remove_rule(workspace, number))
    }
}

fn rule(row: &RuleRow) -> Option<Rule> {
    let known = |name: &str| crate::EffectKind::ALL.into_iter().find(|kind| kind.name() == name);
    let (path, command) = (row.path.as_deref(), row.command.as_deref());
    // Without either it would allow everything, and nobody can have said so.
    path.or(command)?;
    Some(Rule {
        effect: Some(known(row.effect.as_deref()?)?),
        path: path.map(Pattern::path).transpose().ok()?,
        command: command.map(permission::Pattern::parse).transpose().ok()?,
        ..Rule::any(Verdict::Allow, Source::Answer)
    })
}
