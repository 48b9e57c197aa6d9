//! Edits of one reply are planned one after another, asked about at once, and made in their order.

use super::{
    act::{Acted, UnderWay},
    run::Run,
};
use crate::{
    Approval, Observation,
    approval::{Answered, Question},
    decision::{Act, Decision},
    dispatch::{self, Begun, Held},
    failure::Stop,
    history,
    session::Note,
    tool::Breach,
    tools,
};

impl Run<'_> {
    /// Whether `next` is asked about together with `acts`: where edits are asked about, and none of
    /// them builds on another.
    pub(super) fn goes_with(&self, acts: &[Act], next: &Decision) -> bool {
        let Decision::Act(next) = next else { return false };
        let target = |act: &Act| {
            let tool = tools::canonical(&act.tool);
            history::edit_target(tool, &act.params).map(|target| {
                let path = self.agent.workspace.resolve(target);
                path.map_or_else(|_| target.to_owned(), |path| path.to_string())
            })
        };
        let Some(file) = target(next) else { return false };
        self.agent.toolbox.policy().approval() == Approval::Ask
            && acts.iter().all(|act| target(act).is_some_and(|other| other != file))
    }

    /// Carries out actions, asking at once about all that they have planned, and enters them into
    /// the history.
    pub(super) async fn act(&mut self, acts: &[Act]) -> Result<Vec<Acted>, Stop> {
        let (mut stopped, mut under_way) = (None, Vec::new());
        for act in acts {
            match self.begin(act).await {
                Ok(begun) => under_way.push(begun),
                Err(stop) => {
                    stopped = Some(stop);
                    break;
                }
            }
        }
        let (mut begun, mut begins) = (Vec::new(), Vec::new());
        for (act, UnderWay { tool, timestamp, started, begun: one }) in acts.iter().zip(under_way) {
            begun.push(one.map(|one| (act.call.id.clone(), one)));
            begins.push((tool, timestamp, started));
        }
        let answers = self.allowed(begun).await;
        let mut acted = Vec::new();
        for ((act, begin), answer) in acts.iter().zip(begins).zip(answers) {
            match self.conclude(act, begin, answer).await {
                Ok(one) => acted.push(one),
                // Each call has its result, whatever that of another means for the run.
                Err(stop) => stopped = stopped.or(Some(stop)),
            }
        }
        stopped.map_or(Ok(acted), Err)
    }

    /// What the calls come to, with the answers of whoever is asked about those that wait.
    async fn allowed<E>(
        &mut self,
        mut begun: Vec<Result<(String, Begun), E>>,
    ) -> Vec<Result<Observation, E>> {
        loop {
            let mut held: Vec<&Held> = Vec::new();
            for (id, one) in begun.iter().flatten() {
                if let Begun::Waits(waits) = one {
                    held.push(waits);
                    let (call_id, changes) = (id.clone(), waits.changes.clone());
                    self.keep(&Note::Waits { call_id, changes });
                }
            }
            if held.is_empty() {
                break;
            }
            let question = Question::about(&held);
            // It is on the disk before anybody is asked.
            self.sync().await;
            let answered = dispatch::ask(&question, &self.agent.toolbox, &self.cx).await;
            let mut next = Vec::new();
            for one in begun {
                next.push(match one {
                    Ok((id, Begun::Waits(held))) => {
                        let allowed = self.allows(&answered, &held).await;
                        Ok((id, held.answered(allowed).await))
                    }
                    other => other,
                });
            }
            begun = next;
        }
        let over = |one: Result<(String, Begun), E>| match one {
            Ok((_, Begun::Over(observation))) => Some(Ok(observation)),
            Ok((_, Begun::Waits(_))) => None,
            Err(unknown) => Some(Err(unknown)),
        };
        begun.into_iter().filter_map(over).collect()
    }

    /// What an answer means for one of the calls that it was about.
    async fn allows(&self, answered: &Answered, held: &Held) -> Result<(), (String, Breach)> {
        let by_itself = match answered {
            Answered::Each => {
                let question = Question::about(&[held]);
                Some(dispatch::ask(&question, &self.agent.toolbox, &self.cx).await)
            }
            Answered::Yes(_) | Answered::No(..) => None,
        };
        match by_itself.as_ref().unwrap_or(answered) {
            Answered::Yes(_) | Answered::Each => Ok(()),
            Answered::No(message, breach) => Err((message.clone(), *breach)),
        }
    }
}
