//! Asking for decisions as JSON, and for the plan of the first step.

use std::sync::Arc;

use agent_llm::{ErrorKind, Message, Part, Purpose, Reply};

use super::{json_steps::JsonSteps, run::Run};
use crate::{
    Event, NoReply, Protocol,
    decision::{self, Decision},
    failure::Stop,
    protocol::{Files, Wish},
    understand::{Form, Understood, understand},
    window::tokens,
};

impl Run<'_> {
    /// What a request is about. Where a recording is run again, it was about that then.
    pub(super) fn look_around(&self, task: &str) -> Files {
        match &self.agent.looked_before {
            Some(looked_before) => looked_before(&self.cx),
            None => {
                let redactor = &self.agent.redactor;
                Files::of(&self.cx.workspace, task, redactor, &self.cx.cancel)
            }
        }
    }

    /// The last request in JSON decisions.
    pub(super) fn steps_of_last_request(&self) -> JsonSteps {
        let task = self.fold.requested.as_ref().map(|requested| requested.task.as_str());
        let task = task.unwrap_or_default();
        JsonSteps::new(task, self.look_around(task))
    }

    /// Whether the first step is planned by a call of its own.
    pub(super) fn plans(&self) -> bool {
        self.agent.settings.planner && self.turn == 1 && self.fold.history.is_empty()
    }

    /// Has the first step planned. Nothing where the provider can't do that: then the first step is
    /// decided like any other.
    pub(super) async fn plan(&mut self) -> Result<Option<Vec<Decision>>, Stop> {
        let reply = match self.json.is_some() {
            true => self.call_with(|run| run.json_request(Purpose::Plan)).await,
            false => self.plan_beside().await,
        };
        let mut understood = match &reply {
            Ok(reply) => understand(reply, &self.agent.toolbox, Form::Json),
            Err(_) => Understood::default(),
        };
        if let (Some(parts), Some(steps)) = (&mut understood.meant, &mut self.json) {
            steps.admit(parts);
        }
        let planned = match reply {
            Err(NoReply::Failed(error)) if is_about_the_call(error.kind) => {
                self.keep_asides();
                self.warn(vec![format!("the first step could not be planned: {error}")]);
                return Ok(None);
            }
            planned => self.take(Purpose::Plan, planned, understood.meant)?,
        };
        self.warn(understood.mended);
        Ok(Some(decisions(understood.problem, &planned)))
    }

    /// The plan of a session in tool calls: it is asked for in a conversation of its own.
    async fn plan_beside(&mut self) -> Result<Reply, NoReply> {
        let steps = self.steps_of_last_request();
        self.plan_keeps_tests = steps.keeps_tests();
        self.keep(&steps.looked());
        let user = Arc::new(Message::User(steps.message()));
        let request = self.json_request_of(&steps, Purpose::Plan, &[self.system(), user]);
        let tokens = tokens::of_request(&request);
        self.flush().await;
        self.agent.model.call(request, tokens, &self.cx.cancel).await
    }

    fn system(&self) -> Arc<Message> {
        let first = self.fold.conversation.messages().into_iter().next();
        first.unwrap_or_else(|| Arc::new(Message::System(String::new())))
    }

    /// One step's decision as JSON.
    pub(super) async fn decide_by_json(&mut self) -> Result<Vec<Decision>, Stop> {
        let reply = self.call_with(|run| run.json_request(Purpose::Decide)).await;
        let mut understood = match &reply {
            Ok(reply) => understand(reply, &self.agent.toolbox, Form::Json),
            Err(_) => Understood::default(),
        };
        let admit = |parts: &mut Vec<Part>| self.json.as_mut()?.admit(parts);
        if let Some(problem) = understood.meant.as_mut().and_then(admit) {
            understood.problem = Some(problem);
            understood.meant = None;
        }
        let has_calls = |reply: &Reply| reply.calls().next().is_some();
        let only_words = understood.meant.is_none()
            && self.json.as_ref().is_some_and(|steps| steps.wish == Wish::Change)
            && !reply.as_ref().is_ok_and(has_calls);
        self.warn(understood.mended);
        let reply = self.take(Purpose::Decide, reply, understood.meant)?;
        if only_words && understood.problem.is_none() && self.fold.changes.is_empty() {
            let problem = "nothing is changed yet. Answer with one JSON decision.".to_owned();
            understood.problem = Some(problem);
        }
        Ok(decisions(understood.problem, &reply))
    }

    /// Changes over to JSON decisions within a session.
    pub(super) fn switch_to_json(&mut self, why: &str) {
        let steps = self.steps_of_last_request();
        self.agent.sink.emit(&Event::ProtocolChanged { to: Protocol::Json, why: why.to_owned() });
        let message = steps.message();
        self.say(format!("From here on answer with one JSON decision at a time.\n\n{message}"));
        self.keep(&steps.looked());
        self.json = Some(steps);
    }
}

fn decisions(problem: Option<String>, reply: &Reply) -> Vec<Decision> {
    match problem {
        Some(problem) => vec![Decision::Malformed { call: None, problem }],
        None => decision::read(reply),
    }
}

/// Whether a failure is about this one request, so that another may succeed.
fn is_about_the_call(kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::NotFound
        | ErrorKind::BadRequest
        | ErrorKind::BadReply
        | ErrorKind::ContextTooLong => true,
        ErrorKind::Filtered
        | ErrorKind::Unauthorized
        | ErrorKind::RateLimited
        | ErrorKind::QuotaExceeded
        | ErrorKind::Overloaded
        | ErrorKind::Cut
        | ErrorKind::Network
        | ErrorKind::Silent
        | ErrorKind::Script => false,
    }
}
