//! The decision loop.

use std::{sync::Arc, time::Instant};

use agent_llm::{Provider, Purpose, Reply, Request, ToolCall, ToolChoice};
use agent_tools::{Workspace, limit};
use jiff::Timestamp;
use serde_json::Value;

use crate::{
    Action, Cancel, Change, Cx, Event, EventSink, Intent, Journal, Model, Observation, Outcome,
    Report, SCHEMA_VERSION, Settings, Spent, Toolbox,
    conversation::Conversation,
    decision::{self, Act, Decision},
    dispatch,
    failure::Stop,
    history, prompt,
    tool::Target,
    tools::finish,
    violations::Violations,
};

/// Replies in a row that mean nothing, until the run ends as failed.
const MALFORMED_IN_A_ROW: u32 = 3;

/// A model with tools in a workspace, ready for a request.
pub struct Agent {
    workspace: Arc<Workspace>,
    model: Arc<Model>,
    toolbox: Toolbox,
    settings: Settings,
    sink: Arc<dyn EventSink>,
    journal: Option<Arc<Journal>>,
}

impl Agent {
    /// An agent that works in `workspace` and reports to `sink`.
    pub fn new(
        workspace: Arc<Workspace>,
        provider: Arc<dyn Provider>,
        settings: Settings,
        sink: Arc<dyn EventSink>,
    ) -> Self {
        let model = Arc::new(Model::new(provider, Arc::clone(&sink), settings.temperature));
        let toolbox = Toolbox::offered(settings.approval);
        Self { workspace, model, toolbox, settings, sink, journal: None }
    }

    /// The same agent, writing every change down in `journal` before it is made.
    pub fn journaled(self, journal: Arc<Journal>) -> Self {
        Self { journal: Some(journal), ..self }
    }

    /// Works on `task` until the model finishes or something stops it. The report says which.
    pub async fn run(&self, task: &str, cancel: &Cancel) -> Report {
        let mut run = Run::new(self, task, cancel);
        self.sink.emit(&Event::Started {
            session_id: run.cx.session_id.clone(),
            model: self.model.name().to_owned(),
            tools: self.toolbox.specs().iter().map(|spec| spec.name.clone()).collect(),
            working_dir: self.workspace.root().display().to_string(),
        });
        let end = run.steps().await;
        let report = run.report(task, end);
        self.sink.emit(&Event::Finished(Box::new(report.clone())));
        report
    }
}

/// One request on its way.
struct Run<'a> {
    agent: &'a Agent,
    cx: Cx,
    conversation: Conversation,
    history: Vec<Action>,
    changes: Vec<Change>,
    violations: Violations,
    turn: u32,
}

/// What one step came to.
enum Step {
    /// Something was done; go on.
    Acted,
    /// Nothing in the reply could be carried out.
    Malformed,
    /// The model is done, perhaps with the answer.
    Finished(Option<String>),
}

impl<'a> Run<'a> {
    fn new(agent: &'a Agent, task: &str, cancel: &Cancel) -> Self {
        let cx = Cx {
            workspace: Arc::clone(&agent.workspace),
            model: Some(Arc::clone(&agent.model)),
            limits: agent.settings.limits.clone(),
            cancel: cancel.clone(),
            journal: agent.journal.clone(),
            session_id: history::new_session_id(),
            tool: String::new(),
        };
        Self {
            agent,
            cx,
            conversation: Conversation::new(
                prompt::system(agent.settings.approval),
                prompt::task(task, agent.workspace.root()),
            ),
            history: Vec::new(),
            changes: Vec::new(),
            violations: Violations::default(),
            turn: 0,
        }
    }

    /// The loop: ask, understand, act, until the model is done.
    async fn steps(&mut self) -> Result<String, Stop> {
        let mut malformed = 0;
        for turn in 1..=self.agent.settings.max_turns {
            self.turn = turn;
            self.agent.model.begin_turn(turn);
            let reply = self.ask(Purpose::Decide, ToolChoice::Auto).await?;
            match self.carry_out(decision::read(&reply)).await? {
                Step::Finished(Some(answer)) => return Ok(answer),
                Step::Finished(None) => return self.word_the_response().await,
                Step::Acted => malformed = 0,
                Step::Malformed => malformed += 1,
            }
            if malformed == MALFORMED_IN_A_ROW {
                return Err(Stop::not_understood(MALFORMED_IN_A_ROW));
            }
        }
        Err(Stop::out_of_turns(self.agent.settings.max_turns))
    }

    /// One model call over the whole conversation.
    async fn ask(&mut self, purpose: Purpose, tool_choice: ToolChoice) -> Result<Reply, Stop> {
        let request = Request {
            purpose,
            messages: self.conversation.messages(),
            tools: self.agent.toolbox.specs(),
            tool_choice,
            output: None,
            temperature: None,
            max_output_tokens: None,
        };
        let reply = self.agent.model.call(request, &self.cx.cancel).await?;
        let reply = self.conversation.push_reply(reply);
        self.agent.model.replied(purpose, &reply);
        Ok(reply)
    }

    /// Carries out the decisions of one reply in order. Every call gets exactly one result.
    async fn carry_out(&mut self, decisions: Vec<Decision>) -> Result<Step, Stop> {
        let mut step = Step::Malformed;
        let mut failed: Option<String> = None;
        for decision in decisions {
            if let (Step::Finished(_), Some(call)) = (&step, decision.call()) {
                self.reject(call, "not run: the request was already finished.".to_owned());
                continue;
            }
            match decision {
                Decision::Act(act) => {
                    let outcome = self.act(&act).await?;
                    if outcome.known {
                        step = Step::Acted;
                    }
                    if !outcome.succeeded {
                        failed = Some(act.call.name);
                    }
                }
                Decision::Finish { call, params, reason, response } => match (&failed, &call) {
                    // The model finished before it could see that something went wrong.
                    (Some(tool), Some(call)) => self.reject(
                        call,
                        format!("not finished: `{tool}`, called just before, failed. Look at its result first."),
                    ),
                    (_, _) => {
                        self.finish(call.as_ref(), params, reason);
                        step = Step::Finished(response);
                    }
                },
                Decision::Malformed { call: Some(call), problem } => self.reject(&call, problem),
                Decision::Malformed { call: None, problem } => {
                    self.agent.sink.emit(&Event::Warning(format!("malformed reply: {problem}")));
                    self.conversation.push_user(problem);
                }
            }
        }
        Ok(step)
    }

    /// Carries out one action and enters it into the history.
    async fn act(&mut self, act: &Act) -> Result<Acted, Stop> {
        let Act { call, params, reason, confidence } = act;
        let tool = crate::tools::canonical(&call.name).to_owned();
        self.agent.sink.emit(&Event::ActionStarted {
            call_id: call.id.clone(),
            tool: tool.clone(),
            reason: reason.clone(),
            params: params.clone(),
        });
        let timestamp = Timestamp::now();
        let started = Instant::now();
        let answer = self.agent.toolbox.call(&call.name, params, &self.cx).await;
        let known = answer.is_ok();
        let observation =
            answer.unwrap_or_else(|unknown| Observation::failure(format!("{unknown}.")));
        let shown = self.bounded(&dispatch::shown(&observation));
        let acted = Acted { known, succeeded: observation.succeeded() };
        let (file_content, file_success) = match observation.target {
            Some(Target::Read(text)) => (Some(self.bounded(&text)), Some(true)),
            Some(Target::Unread) => (None, Some(false)),
            None => (None, None),
        };
        let action = Action {
            tool,
            reason: reason.clone(),
            params: params.clone(),
            result: observation.result,
            timestamp,
            confidence: *confidence,
            file_content,
            file_success,
        };
        self.conversation.push_result(call, shown.clone());
        self.history.push(action.clone());
        self.agent.sink.emit(&Event::ActionFinished {
            call_id: call.id.clone(),
            action,
            observation: shown,
            elapsed: started.elapsed(),
        });
        for change in observation.changes {
            self.agent.sink.emit(&Event::Changed(change.clone()));
            self.changes.push(change);
        }
        if let Some(no_reply) = observation.no_reply {
            return Err(no_reply.into());
        }
        if let Some(signal) = self.cx.cancel.signal() {
            return Err(Stop::interrupted(signal));
        }
        if observation.violation {
            self.violations.note(&call.name, params)?;
        }
        Ok(acted)
    }

    fn bounded(&self, text: &str) -> String {
        limit::head_tail(text, self.cx.limits.observation_bytes).into_owned()
    }

    fn finish(&mut self, call: Option<&ToolCall>, params: Value, reason: String) {
        let result = finish::result();
        if let Some(call) = call {
            self.conversation.push_result(call, result.to_string());
        }
        let action = Action {
            tool: finish::NAME.to_owned(),
            reason,
            params,
            result: result.clone(),
            timestamp: Timestamp::now(),
            confidence: None,
            file_content: None,
            file_success: None,
        };
        self.history.push(action.clone());
        if let Some(call) = call {
            self.agent.sink.emit(&Event::ActionFinished {
                call_id: call.id.clone(),
                action,
                observation: result.to_string(),
                elapsed: std::time::Duration::ZERO,
            });
        }
    }

    /// Answers a call that is not carried out.
    fn reject(&mut self, call: &ToolCall, message: String) {
        let content = Observation::failure(message.as_str()).result.to_string();
        self.conversation.push_result(call, content);
        self.agent.sink.emit(&Event::CallRejected { call_id: call.id.clone(), message });
    }

    /// Has the model word the answer from what happened.
    async fn word_the_response(&mut self) -> Result<String, Stop> {
        self.conversation.push_user(prompt::RESPONSE);
        let reply = self.ask(Purpose::Response, ToolChoice::None).await?;
        let text = reply.text();
        Ok(if text.trim().is_empty() { prompt::plain_response(&self.changes) } else { text })
    }

    fn report(self, task: &str, end: Result<String, Stop>) -> Report {
        let (outcome, response, error) = match end {
            Ok(answer) => (Outcome::Finished, Some(answer), None),
            Err(stop) => (stop.outcome, None, Some(stop.failure)),
        };
        Report {
            user_query: task.to_owned(),
            working_dir: self.agent.workspace.root().display().to_string(),
            edit_operations: Vec::new(),
            response,
            schema_version: SCHEMA_VERSION,
            session_id: self.cx.session_id,
            model: self.agent.model.name().to_owned(),
            intent: Intent::of(&self.history),
            outcome,
            exit_code: outcome.exit_code(),
            turns: self.turn,
            usage: Spent { usage: self.agent.model.spent(), cost: None },
            changes: self.changes,
            evaluation: None,
            target_files: history::target_files(&self.history),
            pending_edits: Vec::new(),
            awaiting_approval: false,
            retry_count: 0,
            last_test_result: None,
            undone: history::undone(&self.history),
            error,
            history: self.history,
        }
    }
}

/// What became of an action.
struct Acted {
    known: bool,
    succeeded: bool,
}

impl Decision {
    fn call(&self) -> Option<&ToolCall> {
        match self {
            Self::Act(act) => Some(&act.call),
            Self::Finish { call, .. } | Self::Malformed { call, .. } => call.as_ref(),
        }
    }
}
