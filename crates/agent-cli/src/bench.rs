//! The tools without an agent: somebody else decides what to call.

use std::{path::Path, sync::Arc};

use agent_core::{
    Approval, Cancel, Cx, Journal, Model, Observation, Redactor, Silent, Snapshots, Tool, Toolbox,
    UnknownTool,
    command::Commands,
    new_session_id,
    policy::{Past, Policy},
};
use agent_tools::Workspace;
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::{
    args,
    environment::Environment,
    error::Error,
    setup::{self, Configured, Flags},
    ui,
};

/// The one tool that asks a model.
const ASKS_A_MODEL: &str = "edit_file";

/// The tools, and what they work on.
pub(crate) struct Bench {
    toolbox: Toolbox,
    workspace: Arc<Workspace>,
    configured: Configured,
    commands: Arc<Commands>,
    snapshots: Arc<Snapshots>,
    environment: Environment,
    /// Not looked for before a tool wants it.
    model: OnceCell<Option<Arc<Model>>>,
    journal: Option<Arc<Journal>>,
    session_id: String,
    redactor: Arc<Redactor>,
}

/// What is kept of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// A record of each.
    Record,
    /// Nothing.
    Nothing,
}

impl Bench {
    /// Every tool, in the directory that was asked for.
    pub(crate) fn open(
        target: &args::Target,
        approval: Approval,
        keeping: Keeping,
        environment: Environment,
    ) -> Result<Self, Error> {
        let workspace = setup::workspace(target.directory.as_deref(), environment)?;
        let configured = setup::configure(&workspace, Flags::of(target), environment)?;
        for warning in &configured.warnings {
            ui::warn(warning, environment);
        }
        let journal = match keeping {
            Keeping::Record => Some(setup::journal(environment)),
            Keeping::Nothing => {
                ui::warn(setup::UNRECORDED, environment);
                None
            }
        };
        let commands = setup::commands(&workspace, &configured.config, environment);
        let workspace = Arc::new(workspace);
        let policy = Policy::new(approval, configured.config.rules());
        Ok(Self {
            toolbox: Toolbox::direct(policy),
            commands: Arc::new(commands),
            snapshots: Arc::default(),
            workspace,
            configured,
            environment,
            model: OnceCell::new(),
            journal,
            session_id: new_session_id(),
            redactor: Arc::default(),
        })
    }

    /// The same tools, taking secrets out of what they show.
    pub(crate) fn redacting(self, redactor: Redactor) -> Self {
        Self { redactor: Arc::new(redactor), ..self }
    }

    /// The same with more tools.
    pub(crate) fn with_more(self, tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { toolbox: self.toolbox.with_more(tools), ..self }
    }

    /// Makes sure that commands are confined where nothing else will do.
    pub(crate) async fn confined(&self) -> Result<(), Error> {
        setup::confined(&self.commands, &self.configured.config).await
    }

    /// The directory that the tools work in.
    pub(crate) fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// The tool's own name for `name`, which may be an alias.
    pub(crate) fn resolve(&self, name: &str) -> Result<&str, UnknownTool> {
        self.toolbox.resolve(name)
    }

    /// Runs one call. Everything that can go wrong is in the result.
    pub(crate) async fn call(&self, name: &str, params: &Value, cancel: Cancel) -> Observation {
        self.call_for(None, name, params, cancel).await
    }

    /// The same for a session of somebody else's.
    pub(crate) async fn call_for(
        &self,
        session: Option<&str>,
        name: &str,
        params: &Value,
        cancel: Cancel,
    ) -> Observation {
        let model = match self.toolbox.resolve(name) {
            Ok(ASKS_A_MODEL) => self.model.get_or_init(|| self.find_model()).await.clone(),
            Ok(_) | Err(_) => None,
        };
        let cx = Cx {
            workspace: Arc::clone(&self.workspace),
            model,
            limits: setup::settings(&self.configured.config).limits,
            commands: Arc::clone(&self.commands),
            snapshots: Arc::clone(&self.snapshots),
            cancel,
            journal: self.journal.clone(),
            session_id: session.unwrap_or(&self.session_id).to_owned(),
            redactor: Arc::clone(&self.redactor),
            gate: None,
            conversation: Vec::new(),
            tool: name.to_owned(),
        };
        let observation = self.toolbox.call(name, params, Past::default(), &cx).await;
        observation.unwrap_or_else(|unknown| Observation::failure(format!("{unknown}.")))
    }

    /// What a caller may be shown of an observation: no secrets, and no more than a model sees.
    pub(crate) fn shown(&self, observation: Observation) -> (Observation, String) {
        let observation = observation.without_secrets(&self.redactor);
        let most = setup::settings(&self.configured.config).limits.observation_bytes;
        let text = agent_tools::limit::head_tail(&observation.text(), most).into_owned();
        (observation, text)
    }

    async fn find_model(&self) -> Option<Arc<Model>> {
        let config = &self.configured.config;
        let found = match setup::provider(config, self.environment).await {
            Ok(provider) => {
                let settings = setup::settings(config);
                let name = provider.model().to_owned();
                setup::for_model(settings, (&name, None), config, self.environment)
                    .map(|settings| Arc::new(Model::new(provider, Arc::new(Silent), &settings)))
            }
            // Without a model the tool says for itself what it can't do.
            Err(error) if error.failure.code == setup::NO_MODEL => return None,
            Err(error) => Err(error),
        };
        found
            .inspect_err(|error| {
                ui::warn(&format!("no model: {}", error.failure.message), self.environment);
            })
            .ok()
    }
}
