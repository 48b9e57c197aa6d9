//! Requests of the JSON protocol, and what is said after a step.

use std::sync::Arc;

use agent_llm::{Message, Purpose, Request, ToolChoice};

use super::{
    json_steps::{self, JsonSteps},
    run::Run,
};
use crate::{prompt, protocol};

impl Run<'_> {
    /// The request of a step whose decision is JSON, over the whole conversation.
    pub(super) fn json_request(&self, purpose: Purpose) -> Request {
        let messages = self.fold.conversation.messages();
        match &self.json {
            Some(steps) => self.json_request_of(steps, purpose, &messages),
            None => Request::new(purpose, messages),
        }
    }

    /// The same over these messages.
    pub(super) fn json_request_of(
        &self,
        steps: &JsonSteps,
        purpose: Purpose,
        asked: &[Arc<Message>],
    ) -> Request {
        let Self { agent, cx, fold, .. } = self;
        let approval = agent.settings.approval;
        let messages = protocol::plain(asked);
        if steps.can_answer() && fold.history.is_empty() {
            return Request {
                max_output_tokens: Some(500),
                ..Request::new(purpose, answering(messages, asked))
            };
        }
        let offer = steps.offer(cx, &agent.toolbox, approval, &fold.history);
        Request {
            output: Some(offer.schema()),
            tool_choice: ToolChoice::None,
            max_output_tokens: Some(700),
            ..Request::new(purpose, messages)
        }
    }

    /// Says what of the request is still open after the actions behind the first `before` of the
    /// history.
    pub(super) fn json_follow_up(&mut self, before: usize) {
        let Some(steps) = &self.json else { return };
        let new = self.fold.history.get(before..).unwrap_or_default();
        if new.iter().any(json_steps::is_kept_test) {
            let code = steps.files.code().join(", ");
            self.say(format!("The code that can be changed: {code}."));
            return;
        }
        if !new.iter().any(json_steps::is_edit) {
            return;
        }
        let open = steps.open(&self.cx, &self.fold.history);
        let known = steps.known(&self.fold.history);
        let mut words = match open.is_empty() {
            true => "If the request is done, finish: say what was changed.".to_owned(),
            false => format!("Still to be looked at for this request: {}.", open.join(", ")),
        };
        for path in open.iter().filter(|path| !known.contains(path)) {
            if let Some(text) = protocol::text(&self.cx.workspace, path) {
                words.push_str(&format!("\n\n{path}:\n```\n{text}```"));
            }
        }
        if let Some(steps) = &mut self.json {
            steps.show(&open);
        }
        let words = self.agent.redactor.clean(&words).into_owned();
        self.say(words);
    }

    /// What tools that ask the model themselves go on from.
    pub(super) fn share_conversation(&mut self) {
        if self.json.is_some() {
            self.cx.conversation = protocol::plain(&self.fold.conversation.messages());
        }
    }
}

/// The same messages for an answer in words.
fn answering(mut messages: Vec<Arc<Message>>, asked: &[Arc<Message>]) -> Vec<Arc<Message>> {
    if let (Some(first), Some(Message::System(system))) =
        (messages.first_mut(), asked.first().map(|message| &**message))
    {
        *first = Arc::new(Message::System(protocol::standing(prompt::ANSWER, system)));
    }
    messages
}
