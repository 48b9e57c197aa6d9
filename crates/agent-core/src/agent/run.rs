//! The decision loop.

use agent_llm::{FinishReason, Part, Purpose, Reply, ToolChoice};

use super::{
    Agent,
    act::Step,
    json_steps::JsonSteps,
    recall::Recalled,
    strikes::{Flaw, Strikes},
    verify::Checks,
};
use crate::{
    Cancel, Change, Cx, Event, Exhausted, NoReply, Outcome, Protocol,
    decision::{self, Act, Decision},
    failure::Stop,
    history,
    policy::withheld,
    prompt,
    repeats::Repeats,
    session::{Fold, Past, Writer},
    tools::canonical,
    understand::{Form, Understood, understand},
};

/// Replies in a row that mean nothing, until the run ends as failed.
const MALFORMED_IN_A_ROW: u32 = 3;

/// One request on its way.
pub(super) struct Run<'a> {
    pub(super) agent: &'a Agent,
    pub(super) cx: Cx,
    /// Where the session stands. It changes by [`Run::keep`] alone.
    pub(super) fold: Fold,
    pub(super) writer: Writer,
    pub(super) repeats: Repeats,
    pub(super) checks: Checks,
    /// What was recalled for the request.
    pub(super) recalled: Recalled,
    /// Changes that were planned and not allowed, when that ends the run.
    pub(super) pending: Vec<Change>,
    pub(super) turn: u32,
    /// The request in JSON decisions, where the model makes no tool calls.
    pub(super) json: Option<JsonSteps>,
    /// The first step was planned in JSON for a request that is about the code, and not its tests.
    pub(super) plan_keeps_tests: bool,
    /// What speaks against the model's tool calls.
    pub(super) strikes: Strikes,
}

impl<'a> Run<'a> {
    /// A session that begins.
    pub(super) fn new(agent: &'a Agent, cancel: &Cancel) -> Self {
        let mut run = Self::of(agent, &history::new_session_id(), Fold::default(), 0, cancel);
        run.begin_prefix();
        run
    }

    /// A session that goes on.
    pub(super) fn going_on(agent: &'a Agent, past: &mut Past, cancel: &Cancel) -> Self {
        let fold = std::mem::take(&mut past.fold);
        Self::of(agent, &past.summary.id, fold, past.stored, cancel)
    }

    /// A session that stands where it stood before.
    pub(super) fn again(agent: &'a Agent, id: &str, fold: Fold, cancel: &Cancel) -> Self {
        let begins = fold.requested.is_none();
        let mut run = Self::of(agent, id, fold, 0, cancel);
        if begins {
            run.begin_prefix();
        }
        run
    }

    fn of(agent: &'a Agent, id: &str, fold: Fold, stored: usize, cancel: &Cancel) -> Self {
        agent.recorder.begin();
        agent.model.spending().begin(fold.tally);
        let workspace = agent.workspace.root().to_owned();
        let writer = Writer::new(agent.sessions.clone(), id, workspace, stored);
        let cx = agent.reach(id, cancel);
        let checks = Checks::after(&fold.tests);
        Self {
            agent,
            cx,
            fold,
            recalled: Recalled::default(),
            writer,
            repeats: Repeats::default(),
            checks,
            pending: Vec::new(),
            turn: 0,
            json: None,
            plan_keeps_tests: false,
            strikes: Strikes::default(),
        }
    }

    /// The loop: ask, understand, act, until the model is done.
    pub(super) async fn steps(&mut self) -> Result<String, Stop> {
        let mut malformed = 0;
        for turn in 1..=self.agent.settings.max_turns {
            self.turn = turn;
            self.agent.model.begin_turn(turn);
            let done = self.fold.history.len();
            let decisions = self.decide().await?;
            self.share_conversation();
            let before = self.fold.changes.len();
            let step = self.carry_out(decisions).await?;
            self.strikes.end_step();
            match self.verified(step, before).await? {
                Step::Finished(Some(answer)) => return Ok(answer),
                Step::Finished(None) => return self.word_the_response().await,
                Step::Acted => malformed = 0,
                Step::Malformed => malformed += 1,
            }
            if malformed == MALFORMED_IN_A_ROW {
                return Err(Stop::not_understood(MALFORMED_IN_A_ROW));
            }
            self.json_follow_up(done);
        }
        Err(Exhausted::Turns(self.agent.settings.max_turns).into())
    }

    /// One step's decisions, as they were meant.
    async fn decide(&mut self) -> Result<Vec<Decision>, Stop> {
        self.plan_keeps_tests = false;
        if self.plans()
            && let Some(decisions) = self.plan().await?
        {
            return Ok(decisions);
        }
        if self.json.is_none()
            && self.agent.settings.protocol == Protocol::Auto
            && let Some(flaw) = self.strikes.enough()
        {
            self.switch_to_json(flaw.why());
        }
        if self.json.is_some() {
            return self.decide_by_json().await;
        }
        let reply = self.call(Purpose::Decide, ToolChoice::Auto).await;
        let understood = match &reply {
            Ok(reply) => understand(reply, &self.agent.toolbox, Form::Calls),
            Err(_) => Understood::default(),
        };
        self.warn(understood.mended);
        let reply = self.take(Purpose::Decide, reply, understood.meant)?;
        if understood.calls_as_text || understood.problem.is_some() {
            self.strikes.note(Flaw::Text);
        }
        let decisions = match understood.problem {
            Some(problem) => vec![Decision::Malformed { call: None, problem }],
            None => decision::read(&reply),
        };
        // What the output limit cut off was no mistake.
        if reply.finish != FinishReason::Length && decisions.iter().any(|one| self.is_misfit(one)) {
            self.strikes.note(Flaw::Form);
        }
        Ok(decisions)
    }

    /// Whether no tool takes a call. One that a mode withholds might.
    fn is_misfit(&self, decision: &Decision) -> bool {
        match decision {
            Decision::Act(Act { tool, params, .. }) => {
                let withheld = withheld(canonical(tool), self.agent.settings.approval);
                !self.agent.toolbox.accepts(tool, params) && withheld.is_none()
            }
            Decision::Malformed { call, .. } => call.is_some(),
            Decision::Finish { .. } => false,
        }
    }

    pub(super) fn warn(&self, warnings: Vec<String>) {
        for warning in warnings {
            self.agent.sink.emit(&Event::Warning(warning));
        }
    }

    /// One model call over the whole conversation.
    async fn ask(&mut self, purpose: Purpose, tool_choice: ToolChoice) -> Result<Reply, Stop> {
        let reply = self.call(purpose, tool_choice).await;
        self.take(purpose, reply, None)
    }

    /// Enters a reply into the conversation.
    pub(super) fn take(
        &mut self,
        purpose: Purpose,
        reply: Result<Reply, NoReply>,
        meant: Option<Vec<Part>>,
    ) -> Result<Reply, Stop> {
        let reply = self.keep_reply(reply, meant)?;
        self.agent.model.replied(purpose, &reply);
        Ok(reply)
    }

    /// Has the model word the answer from what happened.
    async fn word_the_response(&mut self) -> Result<String, Stop> {
        self.say(prompt::RESPONSE);
        let reply = match self.ask(Purpose::Response, ToolChoice::None).await {
            Ok(reply) => reply,
            // The work is done; only the words for it are missing.
            Err(stop) if stop.outcome == Outcome::Budget => {
                self.agent.sink.emit(&Event::Warning(stop.failure.message));
                return Ok(prompt::plain_response(&self.fold.changes));
            }
            Err(stop) => return Err(stop),
        };
        let text = reply.text();
        Ok(if text.trim().is_empty() { prompt::plain_response(&self.fold.changes) } else { text })
    }
}
