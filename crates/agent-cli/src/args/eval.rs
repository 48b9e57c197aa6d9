//! `agent eval`

use clap::Args;

use super::Scope;

#[derive(Debug, Args)]
#[command(
    after_help = "A score goes from 1 to 5. It is counted from what happened: outcome, tests, \
    failed and declined edits, turns, size of the change. `evaluator.model` has a model judge too."
)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) scope: Scope,
}
