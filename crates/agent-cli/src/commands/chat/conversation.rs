//! The conversation: the agent that it is held with, and the session that it is kept in.

use std::sync::Arc;

use agent_core::{
    Approval, Cancel, Cx, Observation, Recorded, Report, Spent,
    command::{CommandError, CommandLine, CommandResult},
    config::{Config, Key},
    new_session_id,
    session::Past,
    verify::OnFailure,
    watched,
};
use agent_llm::{Provider, Usage};
use agent_tools::Workspace;

use crate::{
    args::ChatOptions,
    commands::config,
    error::Error,
    evaluation,
    setup::{self, Cache, Configured, Flags, Trusting, Wanted, Wired, Wiring},
};

/// The agent with what it was made by.
struct Connected {
    wired: Wired,
    config: Config,
}

pub(super) struct Conversation {
    wiring: Wiring,
    options: ChatOptions,
    connected: Connected,
    /// The session that goes on with the next request.
    session: Option<String>,
    /// What the model is told with the next request.
    heard: Vec<String>,
    /// What was spent in sessions before this one, and in this one.
    spent: (Spent, Spent),
}

const NOTHING: Spent = Spent {
    usage: Usage { input_tokens: 0, cached_tokens: 0, cache_written_tokens: 0, output_tokens: 0 },
    cost: None,
};

/// An agent with the model that `provider` speaks to, or else the one that is chosen, and what
/// there is to be told of it.
async fn connect(
    wiring: &Wiring,
    options: &ChatOptions,
    own_model: Option<&str>,
    provider: Option<Arc<dyn Provider>>,
) -> Result<(Connected, Vec<String>), Error> {
    let limits = options.limits();
    let flags = Flags {
        model: options.target.model.as_deref().or(own_model),
        approval: options.approval(),
        limits: &limits,
        allow_commands: &options.allow_commands,
        sandbox: options.sandbox.as_deref(),
        test: options.test.as_deref(),
        trusting: Trusting::of(options.trust),
        ..Flags::of(&options.target)
    };
    let Configured { config, mut warnings } =
        setup::configure(&wiring.workspace, flags, wiring.environment)?;
    let wanted = Wanted {
        provider,
        intent: None,
        first: None,
        on_failure: OnFailure::Keep,
        trusting: Trusting::of(options.trust),
        cache: if options.no_cache { Cache::Unused } else { Cache::Used },
    };
    let mut wired = wiring.agent(&config, wanted).await?;
    warnings.append(&mut wired.warnings);
    Ok((Connected { wired, config }, warnings))
}

impl Conversation {
    /// Begins a conversation, or goes on with a past one. What there is to be told of it comes
    /// along.
    pub(super) async fn open(
        wiring: Wiring,
        options: ChatOptions,
        past: Option<Past>,
    ) -> Result<(Self, Vec<String>), Error> {
        let own_model = past.as_ref().and_then(Past::requested).map(|last| last.model.clone());
        let own_model = own_model.filter(|model| *model != setup::NONE);
        let (connected, warnings) = connect(&wiring, &options, own_model.as_deref(), None).await?;
        let session = past.map(|past| past.summary.id);
        let spent = (NOTHING, NOTHING);
        let conversation = Self { wiring, options, connected, session, heard: Vec::new(), spent };
        Ok((conversation, warnings))
    }

    pub(super) fn workspace(&self) -> &Workspace {
        &self.wiring.workspace
    }

    /// Ends what was started for it.
    pub(super) async fn end(&self) {
        self.connected.wired.end().await;
    }

    /// The command that tests changes, where one is configured.
    pub(super) fn test(&self) -> Option<&str> {
        self.connected.config.text(Key::TestCommand)
    }

    /// With whom and where it is held, in one line.
    pub(super) fn about(&self) -> String {
        let Wired { provider, approval, .. } = &self.connected.wired;
        let model = provider.model();
        let session = match &self.session {
            Some(id) => format!(" · session {}", id.get(..13).unwrap_or(id)),
            None => String::new(),
        };
        let place = self.workspace().root().display();
        format!("{model} · {place} · approval: {}{session}", approval.name())
    }

    /// Tokens and money so far.
    pub(super) fn spent(&self) -> Spent {
        sum(self.spent.0, self.spent.1)
    }

    /// Keeps something for the model to be told.
    pub(super) fn hear(&mut self, text: String) {
        self.heard.push(text);
    }

    /// Runs a command of the user's with the user's own rights. What it changes is written down,
    /// whatever the model may do.
    pub(super) async fn run(
        &self,
        line: &CommandLine,
        cancel: &Cancel,
    ) -> Result<(Result<CommandResult, CommandError>, Recorded), Observation> {
        let session = self.session.clone().unwrap_or_else(new_session_id);
        let cx = Cx {
            journal: self.wiring.state.record(),
            tool: "run".to_owned(),
            ..self.connected.wired.agent.reach(&session, cancel)
        };
        let runner = setup::unconfined_runner(self.wiring.environment);
        watched(&cx, runner.run(line, cancel)).await
    }

    /// The next request. It goes on with the session, so that the model sees what went before.
    pub(super) async fn request(&mut self, text: &str, cancel: &Cancel) -> Report {
        let mut parts = std::mem::take(&mut self.heard);
        parts.push(mentioned(text, self.workspace()));
        let task = parts.join("\n\n");
        let agent = &self.connected.wired.agent;
        let report = match self.past() {
            Some(past) => agent.resume(past, Some(&task), cancel).await,
            None => {
                self.spent = (self.spent(), NOTHING);
                agent.run(&task, cancel).await
            }
        };
        self.session = Some(report.session_id.clone());
        self.spent.1 = report.usage;
        let (workspace, config) = (&self.wiring.workspace, &self.connected.config);
        let sessions = self.wiring.state.lasting_sessions();
        evaluation::keep(&report, sessions, workspace, config, self.wiring.environment).await;
        self.settle().await;
        report
    }

    /// Has what was written stand against a power failure: the process lives on, and nobody waits
    /// for the disk now.
    async fn settle(&self) {
        let Some(sessions) = self.wiring.state.kept() else { return };
        let synced = tokio::task::spawn_blocking(move || sessions.sync()).await;
        if let Ok(Err(error)) = synced {
            let warning = format!("the session is kept, and a power failure may take it: {error}");
            self.wiring.sink.emit(&agent_core::Event::Warning(warning));
        }
    }

    fn past(&self) -> Option<Past> {
        let id = self.session.as_deref()?;
        let sessions = self.wiring.state.kept()?;
        match sessions.find(id).and_then(|summary| sessions.past(&summary)) {
            Ok(past) => Some(past),
            Err(error) => {
                let warning = format!("the model begins without what was said before: {error}");
                self.wiring.sink.emit(&agent_core::Event::Warning(warning));
                None
            }
        }
    }

    /// Forgets what was said.
    pub(super) fn begin_anew(&mut self) {
        self.session = None;
        self.heard.clear();
    }

    /// From here on in that session.
    pub(super) fn go_on_with(&mut self, past: Past) {
        self.spent = (self.spent(), NOTHING);
        self.session = Some(past.summary.id);
    }

    /// What is set, and not as it is by default.
    pub(super) fn chosen(&self) -> String {
        config::chosen(&self.connected.config)
    }

    /// Goes on as it is configured now.
    pub(super) async fn configured(&mut self) -> Result<Vec<String>, Error> {
        self.rewire(self.options.clone(), None).await
    }

    /// Goes on with another model.
    pub(super) async fn switch(&mut self, model: &str) -> Result<Vec<String>, Error> {
        let mut options = self.options.clone();
        options.target.model = Some(model.to_owned());
        self.rewire(options, None).await
    }

    /// Goes on in another mode.
    pub(super) async fn permit(&mut self, approval: Approval) -> Result<Vec<String>, Error> {
        let options = self.options.clone().in_mode(approval.name());
        self.rewire(options, Some(Arc::clone(&self.connected.wired.provider))).await
    }

    /// Where it fails, everything stays as it was.
    async fn rewire(
        &mut self,
        options: ChatOptions,
        provider: Option<Arc<dyn Provider>>,
    ) -> Result<Vec<String>, Error> {
        let (connected, warnings) = connect(&self.wiring, &options, None, provider).await?;
        self.options = options;
        std::mem::replace(&mut self.connected, connected).wired.end().await;
        Ok(warnings)
    }
}

fn sum(a: Spent, b: Spent) -> Spent {
    let mut usage = a.usage;
    usage += b.usage;
    let cost = match (a.cost, b.cost) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or_default() + b.unwrap_or_default()),
    };
    Spent { usage, cost }
}

/// The request with each `@path` that names a file as the tools name it.
fn mentioned(text: &str, workspace: &Workspace) -> String {
    let is_there = |path: &str| {
        !path.is_empty()
            && workspace.resolve(path).is_ok_and(|path| workspace.metadata(&path).is_ok())
    };
    let mention = |word: &str| {
        let path = word.strip_prefix('@')?;
        let bare = path.trim_end_matches([',', '.', ';', ':', ')', '?', '!']);
        let path = if is_there(path) { path } else { bare };
        let rest = &word[1 + path.len()..];
        is_there(path).then(|| format!("`{path}`{rest}"))
    };
    text.split_inclusive(char::is_whitespace)
        .map(|piece| {
            let word = piece.trim_end_matches(char::is_whitespace);
            let space = &piece[word.len()..];
            mention(word).map_or_else(|| piece.to_owned(), |word| word + space)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_as_the_tools_name_it() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        let path = workspace.resolve("src/a.rs").unwrap();
        agent_tools::write::create(&workspace, &path, b"").unwrap();
        for (text, expected) in [
            ("see @src/a.rs, please", "see `src/a.rs`, please"),
            ("@src/a.rs\nand @src", "`src/a.rs`\nand `src`"),
            ("mail a@src/a.rs", "mail a@src/a.rs"),
            ("@nobody and @ and @../x", "@nobody and @ and @../x"),
            ("(@src/a.rs)", "(@src/a.rs)"),
            ("is it @src/a.rs?", "is it `src/a.rs`?"),
        ] {
            assert_eq!(mentioned(text, &workspace), expected, "{text}");
        }
    }

    #[test]
    fn what_was_spent_adds_up() {
        let spent = |tokens, cost| Spent {
            usage: Usage { input_tokens: tokens, output_tokens: 1, ..Usage::default() },
            cost,
        };
        assert_eq!(sum(spent(1, None), spent(2, None)).cost, None);
        assert_eq!(sum(spent(1, Some(0.5)), spent(2, None)).cost, Some(0.5));
        assert_eq!(sum(spent(1, Some(0.5)), spent(2, Some(0.25))).cost, Some(0.75));
        assert_eq!(sum(spent(1, None), spent(2, None)).usage.input_tokens, 3);
    }
}
