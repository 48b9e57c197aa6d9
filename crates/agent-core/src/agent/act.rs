//! Carrying out what a reply asks for.

use std::time::{Duration, Instant};

use agent_llm::ToolCall;
use agent_tools::limit;
use jiff::Timestamp;
use serde_json::Value;

use super::{json_steps::JsonSteps, run::Run, strikes::Flaw};
use crate::{
    Action, ChangeKind, Event, Observation, UnknownTool,
    decision::{Act, Decision},
    dispatch::Begun,
    failure::Stop,
    history,
    policy::Past,
    repeats::{self, Found},
    tool::{Breach, Target},
    tools::finish,
};

/// What one step came to.
pub(super) enum Step {
    /// Something was done; go on.
    Acted,
    /// Nothing in the reply could be carried out.
    Malformed,
    /// The model is done, perhaps with the answer.
    Finished(Option<String>),
}

impl Run<'_> {
    /// Carries out the decisions of one reply in order. Every call gets exactly one result.
    pub(super) async fn carry_out(&mut self, decisions: Vec<Decision>) -> Result<Step, Stop> {
        let mut step = Step::Malformed;
        let mut failed: Option<String> = None;
        let decisions: Vec<Decision> = decisions.into_iter().map(|it| self.meant(it)).collect();
        let mut decisions = decisions.into_iter().peekable();
        while let Some(decision) = decisions.next() {
            if let (Step::Finished(_), Some(call)) = (&step, decision.call()) {
                self.reject(call, "not run: the request was already finished.".to_owned());
                continue;
            }
            match decision {
                Decision::Act(act) => {
                    let mut acts = vec![act];
                    while let Some(Decision::Act(act)) =
                        decisions.next_if(|next| self.goes_with(&acts, next))
                    {
                        acts.push(act);
                    }
                    for (outcome, act) in self.act(&acts).await?.into_iter().zip(acts) {
                        if outcome.known {
                            step = Step::Acted;
                        }
                        if !outcome.succeeded {
                            failed = Some(act.tool);
                        }
                    }
                }
                Decision::Finish { call, params, reason, response } => match (&failed, &call) {
                    // The model finished before it could see that something went wrong.
                    (Some(tool), Some(call)) => self.reject(
                        call,
                        format!("not finished: `{tool}`, called just before, failed. Look at its result first."),
                    ),
                    (_, _) => {
                        self.finish(call.as_ref(), params, reason).await;
                        step = Step::Finished(response);
                    }
                },
                Decision::Malformed { call: Some(call), problem } => self.reject(&call, problem),
                Decision::Malformed { call: None, problem } => {
                    self.agent.sink.emit(&Event::Warning(format!("malformed reply: {problem}")));
                    self.say(problem);
                }
            }
        }
        Ok(step)
    }

    /// The decision with the tool that it means.
    fn meant(&self, decision: Decision) -> Decision {
        match decision {
            Decision::Act(act) => {
                let (tool, params) = self.agent.toolbox.meant(&act.tool, &act.params);
                Decision::Act(Act { tool, params, ..act })
            }
            other @ (Decision::Finish { .. } | Decision::Malformed { .. }) => other,
        }
    }

    /// Announces an action, and goes on with it up to where somebody has to allow what it has
    /// planned.
    pub(super) async fn begin(&mut self, act: &Act) -> Result<UnderWay, Stop> {
        let Act { call, tool: name, params, reason, confidence: _ } = act;
        self.agent.model.spending().count_tool_call()?;
        let tool = crate::tools::canonical(name).to_owned();
        let timestamp = Timestamp::now();
        self.begin_action(call, &tool, timestamp).await;
        self.agent.sink.emit(&Event::ActionStarted {
            call_id: call.id.clone(),
            tool: tool.clone(),
            reason: reason.clone(),
            params: params.clone(),
        });
        let started = Instant::now();
        let begun = match self.repeats.hopeless(&tool, params) {
            Some(result) => Ok(Begun::Over(hopeless(result))),
            None => self.agent.toolbox.begin(name, params, self.past(), &self.cx).await,
        };
        Ok(UnderWay { tool, timestamp, started, begun })
    }

    /// Enters an action that is over into the history.
    pub(super) async fn conclude(
        &mut self,
        act: &Act,
        (tool, timestamp, started): (String, Timestamp, Instant),
        answer: Result<Observation, UnknownTool>,
    ) -> Result<Acted, Stop> {
        let Act { call, tool: name, params, reason, confidence } = act;
        let known = answer.is_ok();
        let observation =
            answer.unwrap_or_else(|unknown| Observation::failure(format!("{unknown}.")));
        let observation = observation.without_secrets(&self.agent.redactor);
        let mut shown = self.bounded(&observation.text(), self.cx.limits.observation_bytes);
        let found = self.note(&tool, params, &observation);
        if let Found::Note { note, told } = &found {
            shown = repeats::with_note(&shown, note);
            if *told && known {
                self.strikes.note(Flaw::Repeated);
            }
        }
        let message = observation.message().to_owned();
        let acted = Acted { known, succeeded: observation.succeeded() };
        let (file_content, file_success) = match observation.target {
            Some(Target::Read(text)) => (
                Some(limit::head_tail(&text, self.cx.limits.observation_bytes).into_owned()),
                Some(true),
            ),
            Some(Target::TooLarge) => (None, Some(true)),
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
        let changes = observation.changes;
        if observation.breach == Breach::Unanswered && !observation.pending.is_empty() {
            // It is asked again when the session goes on: the call has its result then.
            self.fold.unanswered(&action);
        } else {
            self.keep_action(Some(call), &shown, &action, (&changes, observation.breach)).await;
        }
        self.agent.sink.emit(&Event::ActionFinished {
            call_id: call.id.clone(),
            action,
            observation: shown,
            elapsed: started.elapsed(),
        });
        for change in changes {
            self.agent.sink.emit(&Event::Changed(change));
        }
        if let Some(no_reply) = observation.no_reply {
            return Err(no_reply.into());
        }
        if let Some(signal) = self.cx.cancel.signal() {
            return Err(Stop::interrupted(signal));
        }
        match observation.breach {
            Breach::None => {}
            Breach::Violation => self.repeats.violation(name, params)?,
            Breach::Stop => return Err(Stop::denied(&message)),
            Breach::Unanswered => {
                self.pending.extend(observation.pending);
                return Err(Stop::nobody_to_ask(&message));
            }
            Breach::Cancelled => {
                self.pending.extend(observation.pending);
                return Err(Stop::denied_by_user());
            }
        }
        match found {
            Found::Circle { times } if known => Err(Stop::in_circles(name, times)),
            Found::Circle { .. } | Found::Note { .. } | Found::Nothing => Ok(acted),
        }
    }

    /// Notes an action, to see whether the model goes in circles.
    fn note(&mut self, tool: &str, params: &Value, observation: &Observation) -> Found {
        if !observation.changes.is_empty() || tool == "run_command" {
            self.repeats.changed();
        }
        match self.repeats.hopeless(tool, params).cloned() {
            Some(result) => self.repeats.note(tool, params, &result),
            None => {
                let answered = observation.breach == Breach::None && !observation.is_uncertain;
                if history::is_edit(tool) && answered && !observation.succeeded() {
                    self.repeats.failed(tool, params, &observation.result);
                }
                self.repeats.note(tool, params, &observation.result)
            }
        }
    }

    /// What was done so far, for the policy.
    pub(super) fn past(&self) -> Past {
        let deleted = self.fold.changes.iter().filter(|change| change.kind == ChangeKind::Delete);
        let keeps_tests = self.json.as_ref().map_or(self.plan_keeps_tests, JsonSteps::keeps_tests);
        Past { deleted: deleted.count(), intent: self.intent(), keeps_tests }
    }

    async fn finish(&mut self, call: Option<&ToolCall>, params: Value, reason: String) {
        let result = finish::result();
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
        self.keep_action(call, &result.to_string(), &action, (&[], Breach::None)).await;
        if let Some(call) = call {
            self.agent.sink.emit(&Event::ActionFinished {
                call_id: call.id.clone(),
                action,
                observation: result.to_string(),
                elapsed: Duration::ZERO,
            });
        }
    }

    /// Answers a call that is not carried out.
    fn reject(&mut self, call: &ToolCall, message: String) {
        let content = Observation::failure(message.as_str()).result.to_string();
        self.keep_rejection(call, content);
        self.agent.sink.emit(&Event::CallRejected { call_id: call.id.clone(), message });
    }
}

/// The answer to an edit that failed twice.
fn hopeless(result: &Value) -> Observation {
    let why = result.get("message").and_then(Value::as_str).unwrap_or_default();
    Observation::failure(format!(
        "not tried again: this same edit failed twice, and nothing has changed since. Read the file \
         again and make another edit. It failed because:\n{why}"
    ))
}

/// An action that has begun.
pub(super) struct UnderWay {
    pub(super) tool: String,
    pub(super) timestamp: Timestamp,
    pub(super) started: Instant,
    pub(super) begun: Result<Begun, UnknownTool>,
}

/// What became of an action.
pub(super) struct Acted {
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
