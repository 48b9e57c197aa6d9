//! Going on with a session.

use std::sync::Arc;

use agent_llm::{FinishReason, Message, Part, Reply, ToolCall, Usage};
use jiff::Timestamp;
use serde_json::Value;

use super::{Agent, LookedBefore, TestedBefore, recall::Recalled, run::Run};
use crate::{
    Action, Cancel, Event, Protocol, Report, Tool,
    decision::{self, Act, Decision},
    failure::Stop,
    session::{Fold, Note, OpenCall, Past, told},
    tool::Breach,
};

impl Agent {
    /// The same agent with each of its tools in the hands of another.
    pub(crate) fn with_tools(self, wrap: impl Fn(Arc<dyn Tool>) -> Arc<dyn Tool>) -> Self {
        Self { toolbox: self.toolbox.with_tools(wrap), ..self }
    }

    /// The same agent, asking `answers` for what its tests come to.
    pub(crate) fn tested_before(self, answers: TestedBefore) -> Self {
        Self { tested_before: Some(answers), ..self }
    }

    /// The same agent, asking `answers` for what it sees of the workspace between its calls.
    pub(crate) fn looked_before(self, answers: LookedBefore) -> Self {
        Self { looked_before: Some(answers), ..self }
    }

    /// The same agent, with these instructions of a project in the place of those that its files
    /// hold.
    pub(crate) fn instructed_before(self, project: String) -> Self {
        Self { instructed_before: Some(project), ..self }
    }

    /// Runs a request again from where its session stood, with what was recalled for it then.
    pub(crate) async fn again(
        &self,
        session: &str,
        before: Fold,
        task: Option<(&str, Option<String>)>,
        cancel: &Cancel,
    ) -> Report {
        let mut run = Run::again(self, session, before, cancel);
        run.started();
        match task {
            Some((task, recalled)) => run.request(task, Recalled::before(recalled)),
            None => run.go_on(),
        }
        run.finished().await
    }
}

impl Run<'_> {
    /// Gives every call a result that has none, and names the files that have changed since. What
    /// was planned, and not answered by anybody, is planned and asked about once more.
    pub(super) async fn settle(&mut self, past: &Past) -> Result<(), Stop> {
        self.keep_prefix();
        let (waits, others): (Vec<_>, Vec<_>) =
            past.open_calls().iter().partition(|open| self.waits(past, open));
        for open in others {
            self.close(past, open);
        }
        let acts: Vec<Act> = waits.into_iter().filter_map(again).collect();
        if !acts.is_empty() {
            self.share_conversation();
            self.act(&acts).await?;
        }
        if let Some(changed) = told::changed(&past.changed_files(&self.agent.workspace)) {
            self.say(changed);
        }
        Ok(())
    }

    /// Whether the call waits for an answer, and has changed nothing.
    fn waits(&self, past: &Past, open: &OpenCall) -> bool {
        let made = || told::made_since(past, self.agent.journal.as_deref(), open);
        past.waits(open)
            && again(open).is_some()
            && made().is_ok_and(|made| made.is_none_or(|made| made.is_empty()))
    }

    /// Closes the calls that nobody has answered again; false where there are none.
    pub(super) fn close_unanswered(&mut self, past: &Past) -> bool {
        let open: Vec<&OpenCall> =
            past.open_calls().iter().filter(|open| self.is_open(open)).collect();
        open.iter().for_each(|open| self.close(past, open));
        self.pending.clear();
        !open.is_empty()
    }

    fn is_open(&self, open: &OpenCall) -> bool {
        let answered = |message: &Arc<Message>| matches!(&**message, Message::Tool(result) if result.call_id == open.call.id);
        !self.fold.conversation.shown().iter().any(answered)
    }

    /// Goes on with the request that was cut off.
    pub(super) fn go_on(&mut self) {
        self.say(told::GOES_ON);
        if self.agent.settings.protocol == Protocol::Json {
            let steps = self.steps_of_last_request();
            self.keep(&steps.looked());
            self.json = Some(steps);
        }
    }

    fn close(&mut self, past: &Past, open: &OpenCall) {
        let made = told::made_since(past, self.agent.journal.as_deref(), open);
        let made = made.unwrap_or_else(|error| {
            self.agent.sink.emit(&Event::Warning(error.to_string()));
            None
        });
        let observation = told::interrupted(open, made.as_deref());
        let shown = observation.result.to_string();
        let action = open.began.as_ref().map(|(tool, time)| {
            Box::new(Action {
                tool: tool.clone(),
                reason: String::new(),
                params: serde_json::from_str(&open.arguments).unwrap_or(Value::Null),
                result: observation.result,
                timestamp: Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(*time),
                confidence: None,
                file_content: None,
                file_success: None,
            })
        });
        let changes = made.iter().flatten().flat_map(told::changes_of).collect();
        let (call, breach) = (Some(open.call.clone()), Breach::None);
        let content = Note::content(shown, action.as_deref());
        self.keep(&Note::Acted { call, content, action, changes, breach });
    }
}

/// The action that the call asked for.
fn again(open: &OpenCall) -> Option<Act> {
    let OpenCall { call, arguments, began: _ } = open;
    let (id, name, arguments) = (call.id.clone(), call.name.clone(), arguments.clone());
    let call = Part::Call(ToolCall { id, name, arguments });
    let finish = FinishReason::ToolCalls;
    let reply = Reply { parts: vec![call], finish, usage: Usage::default() };
    match decision::read(&reply).pop()? {
        Decision::Act(act) => Some(act),
        Decision::Finish { .. } | Decision::Malformed { .. } => None,
    }
}
