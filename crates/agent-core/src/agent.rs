//! An agent, and what it does with a request.

use std::sync::Arc;

use agent_llm::Provider;
use agent_tools::Workspace;

use crate::{
    Cancel, Cx, Event, EventSink, Files, Journal, Model, Redactor, Report, Settings, Snapshots,
    Tool, Toolbox,
    approval::{Approver, Desk, SavedRules},
    command::Commands,
    failure::Stop,
    mcp::Own,
    policy::Policy,
    session::{By, Past, Recorder, Sessions},
    verify::{TestRun, Tests},
};

use recall::Recalled;
use run::Run;

mod act;
mod direct;
mod json_ask;
mod json_request;
mod json_steps;
mod keep;
mod recall;
mod remember;
mod report;
mod resume;
mod room;
mod run;
mod strikes;
mod together;
mod verify;

/// A model with tools in a workspace, ready for a request.
pub struct Agent {
    workspace: Arc<Workspace>,
    model: Arc<Model>,
    toolbox: Toolbox,
    settings: Settings,
    sink: Arc<dyn EventSink>,
    journal: Option<Arc<Journal>>,
    sessions: Option<Arc<Sessions>>,
    /// Directories above the workspace that have instructions for it, the nearest last.
    above: Vec<Workspace>,
    /// Whether answers that were given before are given again.
    caching: bool,
    /// Where there is something to remember.
    memory: Option<Arc<Sessions>>,
    recorder: Arc<Recorder>,
    commands: Arc<Commands>,
    snapshots: Arc<Snapshots>,
    tests: Tests,
    /// Answers for the tests, where a recording is run again.
    tested_before: Option<TestedBefore>,
    /// The same for what is seen of the workspace.
    looked_before: Option<LookedBefore>,
    /// The same for what the project tells agents.
    instructed_before: Option<String>,
    redactor: Arc<Redactor>,
}

/// What a test run came to that is due now; none where none was.
pub(crate) type TestedBefore = Arc<dyn Fn() -> Option<TestRun> + Send + Sync>;

/// What was seen of the workspace, which is then as it was.
pub(crate) type LookedBefore = Arc<dyn Fn(&Cx) -> Files + Send + Sync>;

impl Agent {
    /// An agent that works in `workspace` and reports to `sink`.
    pub fn new(
        workspace: Arc<Workspace>,
        provider: Arc<dyn Provider>,
        settings: Settings,
        sink: Arc<dyn EventSink>,
    ) -> Self {
        let recorder = Arc::new(Recorder::new(provider));
        let provider: Arc<dyn Provider> = Arc::clone(&recorder) as _;
        let model = Arc::new(Model::new(provider, Arc::clone(&sink), &settings));
        let policy = Policy::new(settings.approval, settings.rules.clone());
        let toolbox = Toolbox::offered(policy).asking(Desk {
            approver: None,
            saved: None,
            sink: Arc::clone(&sink),
            workspace: workspace.root().to_owned(),
        });
        Self {
            workspace,
            model,
            toolbox,
            settings,
            sink,
            journal: None,
            sessions: None,
            above: Vec::new(),
            caching: false,
            memory: None,
            recorder,
            commands: Arc::default(),
            snapshots: Arc::default(),
            tests: Tests::default(),
            tested_before: None,
            looked_before: None,
            instructed_before: None,
            redactor: Arc::default(),
        }
    }

    /// The same agent, with somebody to ask where the policy says so, and a place for answers that
    /// hold for longer.
    pub fn asking(self, approver: Arc<dyn Approver>, saved: Option<Arc<SavedRules>>) -> Self {
        let toolbox = self.toolbox.asking(Desk {
            approver: Some(approver),
            saved,
            sink: Arc::clone(&self.sink),
            workspace: self.workspace.root().to_owned(),
        });
        Self { toolbox, ..self }
    }

    /// The same agent, taking these secrets out of all that it shows, keeps and sends.
    pub fn redacting(self, redactor: Redactor) -> Self {
        Self { redactor: Arc::new(redactor), ..self }
    }

    /// The same agent, writing every change down in `journal` before it is made.
    pub fn journaled(self, journal: Arc<Journal>) -> Self {
        Self { journal: Some(journal), ..self }
    }

    /// The same agent, keeping every session in `sessions`, so that it can be gone on with.
    pub fn keeping(self, sessions: Arc<Sessions>) -> Self {
        Self { sessions: Some(sessions), ..self }
    }

    /// The same agent, following what `AGENTS.md` says in these directories too: the nearest to the
    /// workspace last. Nothing else in them is read, and nothing is written there.
    pub fn below(self, above: Vec<Workspace>) -> Self {
        Self { above, ..self }
    }

    /// The same agent, giving an answer again that still stands, where its sessions are kept.
    pub fn caching(self) -> Self {
        Self { caching: true, ..self }
    }

    /// The same agent, remembering what is known of its workspace from earlier sessions, and, where
    /// its sessions are kept, what becomes known.
    pub fn remembering(self, memory: Arc<Sessions>) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// The same agent, testing its edits as `tests` says.
    pub fn testing(self, tests: Tests) -> Self {
        Self { tests, ..self }
    }

    /// The same agent, running commands as `commands` says.
    pub fn commanding(self, commands: Arc<Commands>) -> Self {
        Self { commands, ..self }
    }

    /// The same agent with tools of somebody else's behind its own, and those that they lead to.
    pub(crate) fn with_more_tools(
        self,
        tools: Vec<Arc<dyn Tool>>,
        behind: Vec<Arc<dyn Tool>>,
    ) -> Self {
        Self { toolbox: self.toolbox.with_more(tools).with_behind(behind), ..self }
    }

    /// The same agent with tools of servers behind its own: in full, or where they are many by name.
    pub fn with_others(self, tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { toolbox: self.toolbox.with_others(tools), ..self }
    }

    /// The same agent, having its own tools carried out by processes of their own.
    pub fn routed(self, own: &Own) -> Self {
        self.with_tools(|tool| own.route(tool))
    }

    /// What a tool of the agent's reaches in the session `id`.
    pub fn reach(&self, id: &str, cancel: &Cancel) -> Cx {
        Cx {
            workspace: Arc::clone(&self.workspace),
            model: Some(Arc::clone(&self.model)),
            limits: self.settings.limits.clone(),
            commands: Arc::clone(&self.commands),
            snapshots: Arc::clone(&self.snapshots),
            cancel: cancel.clone(),
            journal: self.journal.clone(),
            session_id: id.to_owned(),
            redactor: Arc::clone(&self.redactor),
            gate: None,
            conversation: Vec::new(),
            tool: String::new(),
        }
    }

    /// Works on `task` until the model finishes or something stops it. The report says which.
    pub async fn run(&self, task: &str, cancel: &Cancel) -> Report {
        let mut run = Run::new(self, cancel);
        run.started();
        let recalled = run.recall(task).await;
        run.request(task, recalled);
        run.finished().await
    }

    /// Goes on with a session: with `task` as the next request, or without one with the request
    /// that was cut off.
    pub async fn resume(&self, mut past: Past, task: Option<&str>, cancel: &Cancel) -> Report {
        let mut run = Run::going_on(self, &mut past, cancel);
        run.started();
        match (run.settle(&past).await, task) {
            (Ok(()), Some(task)) => {
                let recalled = run.recall(task).await;
                run.request(task, recalled);
            }
            (Ok(()), None) => run.go_on(),
            // Nobody has answered again, and the user has something else to do by now.
            (Err(_), Some(task)) if run.close_unanswered(&past) => {
                run.request(task, Recalled::default());
            }
            // The request ends where it ended before.
            (Err(stop), _) => return run.reported(Err(stop)).await,
        }
        run.finished().await
    }
}

impl Run<'_> {
    fn started(&self) {
        self.agent.sink.emit(&Event::Started {
            session_id: self.cx.session_id.clone(),
            model: self.agent.model.name().to_owned(),
            tools: self.fold.tools.iter().map(|spec| spec.name.clone()).collect(),
            working_dir: self.agent.workspace.root().display().to_string(),
        });
    }

    async fn finished(mut self) -> Report {
        let end = match self.by() {
            By::Model => self.steps().await,
            By::Program => self.directly().await,
            By::Cache => Ok(self.recalled.answer.take().unwrap_or_default()),
        };
        if let Ok(answer) = &end {
            self.learn(answer).await;
        }
        self.reported(end).await
    }

    async fn reported(self, end: Result<String, Stop>) -> Report {
        let agent = self.agent;
        let report = self.report(end).await;
        agent.remember(&report).await;
        agent.sink.emit(&Event::Finished(Box::new(report.clone())));
        report
    }
}
