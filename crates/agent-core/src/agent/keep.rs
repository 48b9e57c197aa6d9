//! What a run writes down of itself.
//!
//! Whatever happens becomes a note: it changes where the session stands, and goes to the store
//! before the effect that it announces.

use agent_llm::{Part, Reply, ToolCall};
use jiff::Timestamp;

use super::{Agent, json_steps::JsonSteps, recall::Recalled, run::Run, verify::Checks};
use crate::{
    Action, Approval, Change, Event, Intent, NoReply, Protocol, prompt,
    session::{By, CallName, Note, Requested},
    store::Durability,
    tool::Breach,
    window,
};

impl Run<'_> {
    /// Takes a note. For a reply it gives back what stands in the conversation.
    pub(super) fn keep(&mut self, note: &Note) -> Option<Reply> {
        let reply = self.fold.add(note);
        self.writer.add(note, &self.fold);
        reply
    }

    /// Writes down what was noted. A crash does not take it back from here on.
    pub(super) async fn flush(&mut self) {
        self.write(Durability::Crash).await;
    }

    /// The same, for a power failure.
    pub(super) async fn sync(&mut self) {
        self.write(Durability::Power).await;
    }

    async fn write(&mut self, durability: Durability) {
        if let Some(problem) = self.writer.flush(durability).await {
            self.agent.sink.emit(&Event::Warning(problem));
        }
    }

    /// What every request begins with.
    pub(super) fn begin_prefix(&mut self) {
        let most = self.bounds(usize::MAX) / 2;
        let Agent { instructed_before, above, workspace, .. } = self.agent;
        let (own, problems) = match instructed_before {
            Some(own) => (own.clone(), Vec::new()),
            None => {
                let (project, problems) = window::agents_md::read(above, workspace, most);
                let wishes = window::agents_md::wishes(self.agent.settings.style.as_deref());
                (project + &wishes, problems)
            }
        };
        for problem in problems {
            self.agent.sink.emit(&Event::Warning(problem));
        }
        let own = self.agent.redactor.clean(&own);
        let system = prompt::system(self.agent.settings.approval) + &own;
        self.keep(&Note::Prefix { system, tools: self.agent.toolbox.specs() });
    }

    /// What every request begins with stays as it is, to the byte, unless another set of tools is
    /// on offer now.
    pub(super) fn keep_prefix(&mut self) {
        let plan = |approval| approval == Approval::Plan;
        let before = self.fold.requested.as_ref().map(|last| plan(last.settings.approval));
        if before != Some(plan(self.agent.settings.approval)) {
            self.begin_prefix();
        }
    }

    /// Begins a request of the user.
    pub(super) fn request(&mut self, task: &str, recalled: Recalled) {
        let root = self.agent.workspace.root();
        let task = &*self.agent.redactor.clean(task);
        let intent = self.agent.settings.intent.or_else(|| Intent::of_words(task));
        let by = match recalled.answer {
            Some(_) => By::Cache,
            None => self.answered_by(task, intent),
        };
        let steps = match (self.agent.settings.protocol, by) {
            (Protocol::Auto | Protocol::Tools, _) | (_, By::Program | By::Cache) => None,
            (Protocol::Json, By::Model) => Some(JsonSteps::new(task, self.look_around(task))),
        };
        let mut message = match &steps {
            Some(steps) => steps.message(),
            None => prompt::task(task, root),
        };
        if let Some(shown) = &recalled.shown {
            message = format!("{message}\n\n{shown}");
        }
        let requested = Requested {
            task: task.to_owned(),
            message: self.bounded(&message, usize::MAX),
            model: self.agent.model.name().to_owned(),
            working_dir: root.display().to_string(),
            settings: self.agent.settings.clone(),
            tests: self.agent.tests.clone(),
            intent,
            by,
            recalled: recalled.shown.clone(),
            time: Timestamp::now(),
        };
        self.keep(&Note::Requested(Box::new(requested)));
        if let Some(steps) = steps {
            self.keep(&steps.looked());
            self.json = Some(steps);
        }
        self.recalled = recalled;
        self.checks = Checks::default();
    }

    /// Says something to the model on the user's behalf.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.keep(&Note::Said { text: text.into() });
    }

    /// What came of asking the model; `meant` are the parts of the reply where they had to be
    /// mended.
    pub(super) fn keep_reply(
        &mut self,
        reply: Result<Reply, NoReply>,
        meant: Option<Vec<Part>>,
    ) -> Result<Reply, NoReply> {
        let mut lines = self.agent.recorder.take(self.fold.known());
        let reply = match reply {
            Ok(reply) => reply,
            Err(no_reply) => {
                lines.into_iter().for_each(|line| drop(self.keep(&Note::Aside { line })));
                return Err(no_reply);
            }
        };
        let last = lines.pop();
        lines.into_iter().for_each(|line| drop(self.keep(&Note::Aside { line })));
        let kept = last.and_then(|line| self.keep(&Note::Replied { line, meant }));
        Ok(kept.unwrap_or(reply))
    }

    /// Model calls that are no part of the conversation.
    pub(super) fn keep_asides(&mut self) {
        for line in self.agent.recorder.take(self.fold.known()) {
            self.keep(&Note::Aside { line });
        }
    }

    /// Announces an action. It is written down before anything is done.
    pub(super) async fn begin_action(&mut self, call: &ToolCall, tool: &str, time: Timestamp) {
        let (call_id, tool) = (call.id.clone(), tool.to_owned());
        self.keep(&Note::Began { call_id, tool, time });
        self.flush().await;
    }

    /// Enters an action into the history. It is written down before anybody is told.
    pub(super) async fn keep_action(
        &mut self,
        call: Option<&ToolCall>,
        content: &str,
        action: &Action,
        (changes, breach): (&[Change], Breach),
    ) {
        self.keep_asides();
        self.keep(&Note::Acted {
            call: call.map(CallName::from),
            content: Note::content(content.to_owned(), Some(action)),
            action: Some(Box::new(action.clone())),
            changes: changes.to_vec(),
            breach,
        });
        self.flush().await;
    }

    /// Answers a call that is not carried out.
    pub(super) fn keep_rejection(&mut self, call: &ToolCall, content: String) {
        let call = Some(CallName::from(call));
        let content = Some(content);
        let (action, changes, breach) = (None, Vec::new(), Breach::None);
        self.keep(&Note::Acted { call, content, action, changes, breach });
    }
}
