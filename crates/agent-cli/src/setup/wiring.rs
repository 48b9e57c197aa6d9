//! An agent with all that it works with, and what has to be ended with it.

use std::sync::Arc;

use agent_core::{
    Agent, Approval, EventSink, Intent,
    approval::Approver,
    config::{Config, Key, Origin},
    mcp::{Asking, Learning, Own, Servers},
    verify::OnFailure,
};
use agent_llm::Provider;
use agent_tools::Workspace;

use super::{
    State, Trusting, UNRECORDED, commands, confined, described, discreet::Discreet, for_model, mcp,
    prepared, provider_for, saved, settings, tests,
};
use crate::{environment::Environment, error::Error};

/// What every agent of this process is made of, whichever its model.
pub(crate) struct Wiring {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) sink: Arc<dyn EventSink>,
    /// Who is asked, where there is somebody.
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) state: State,
    pub(crate) environment: Environment,
}

/// What one of them is to be like, beside what is configured.
pub(crate) struct Wanted {
    /// A provider that is there already.
    pub(crate) provider: Option<Arc<dyn Provider>>,
    /// What requests are about, whatever their words say.
    pub(crate) intent: Option<Intent>,
    /// What the first one is about: some need no model.
    pub(crate) first: Option<Intent>,
    pub(crate) on_failure: OnFailure,
    pub(crate) trusting: Trusting,
    pub(crate) cache: Cache,
}

/// Whether an answer that still stands is given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cache {
    Used,
    Unused,
}

/// An agent with what there is to be known of it.
pub(crate) struct Wired {
    pub(crate) agent: Agent,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) approval: Approval,
    /// What the user should know.
    pub(crate) warnings: Vec<String>,
    /// Programs that lend it tools, as long as it is used.
    servers: Servers,
    /// Programs that carry out its own, where that is wanted.
    own: Option<Own>,
}

impl Wiring {
    /// An agent as it is configured and wanted. What needs the model, the record of changes or
    /// other programs is got ready at the same time.
    pub(crate) async fn agent(&self, config: &Config, wanted: Wanted) -> Result<Wired, Error> {
        let Self { workspace, sink, approver, state, environment } = self;
        let environment = *environment;
        let commands = commands(workspace, config, environment);
        confined(&commands, config).await?;
        let mut settings = settings(config);
        settings.intent = wanted.intent;
        // Where nobody has chosen, a person is asked.
        if config.setting(Key::Approval).origin == Origin::Default && environment.has_a_person() {
            settings.approval = Approval::Ask;
        }
        let approval = settings.approval;
        let rules = state.rules();
        if let Some(rules) = &rules {
            settings.rules.extend(saved(rules, workspace)?);
        }
        let learning = if state.lasts() { Learning::Kept } else { Learning::Forgotten };
        let known = mcp::known(learning, environment);
        let (declared, mut warnings) =
            mcp::permitted(config, workspace, wanted.trusting, environment)?;
        let servers = mcp::servers(declared, workspace, known, environment);
        let journal = match approval {
            Approval::Plan => None,
            Approval::Ask | Approval::Edits | Approval::All => {
                warnings.extend((!state.lasts()).then(|| UNRECORDED.to_owned()));
                state.record()
            }
        };
        let model = async {
            let provider = match wanted.provider {
                Some(provider) => provider,
                None => provider_for(wanted.first, config, environment).await?,
            };
            let model = provider.model();
            let described = described(model, wanted.first, config, environment).await?;
            Ok((provider, described))
        };
        let tools = async { Ok(servers.tools(approval, Asking::OnceADay).await) };
        let above = async { Ok(super::above(workspace, environment)) };
        // A run that can't record its changes says so now, and not in the middle of its work. That
        // takes longest, and is done beside the rest.
        let (settled, (provider, described), (tools, missing), above) =
            tokio::try_join!(prepared(journal.clone()), model, tools, above)?;
        warnings.extend(settled);
        warnings.extend(missing);
        let about = (provider.model(), described.as_ref());
        let settings = for_model(settings, about, config, environment)?;
        let discreet = Arc::new(Discreet::new(Arc::clone(&provider), environment.redactor()));
        let mut agent = Agent::new(Arc::clone(workspace), discreet, settings, Arc::clone(sink))
            .commanding(Arc::new(commands))
            .testing(tests(config, wanted.on_failure))
            .below(above);
        let recorded_in = journal.as_ref().and_then(|_| state.directory());
        let own = mcp::own(config, workspace, recorded_in, environment);
        if let Some(own) = &own {
            agent = agent.routed(own);
        }
        if let Some(journal) = journal {
            agent = agent.journaled(journal);
        }
        agent = agent.with_others(tools).redacting(environment.redactor());
        if let Some(approver) = approver {
            agent = agent.asking(Arc::clone(approver), rules);
        }
        if let Some(sessions) = state.kept() {
            agent = agent.keeping(sessions);
        }
        if let Some(sessions) = state.lasting_sessions() {
            agent = agent.remembering(sessions);
            if wanted.cache == Cache::Used {
                agent = agent.caching();
            }
        }
        Ok(Wired { agent, provider, approval, warnings, servers, own })
    }
}

impl Wired {
    /// Ends the programs that were started for it.
    pub(crate) async fn end(&self) {
        self.servers.end().await;
        if let Some(own) = &self.own {
            own.end().await;
        }
    }
}
