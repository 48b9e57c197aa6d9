//! Where questions are asked and answers are kept.

use std::{path::PathBuf, sync::Arc};

use super::{Answer, Approver, Keep, Question, SavedRules};
use crate::{Approval, Event, EventSink, policy::Rule, tool::Breach};

/// Somebody to ask, those who watch, and where answers are saved.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) sink: Arc<dyn EventSink>,
    pub(crate) saved: Option<Arc<SavedRules>>,
    pub(crate) workspace: PathBuf,
}

/// What came of a question.
pub(crate) enum Answered {
    /// It may be done; from now on so may what the rule allows.
    Yes(Option<Box<Rule>>),
    /// Each of the calls is to be asked about by itself.
    Each,
    /// It may not, with what the model is told.
    No(String, Breach),
}

impl Desk {
    /// Asks. Where nobody is there, whoever wanted to be asked gets nothing else.
    pub(crate) async fn ask(&self, question: &Question, approval: Approval) -> Answered {
        let Some(approver) = &self.approver else {
            return match approval {
                Approval::Ask => Answered::No(nobody(question), Breach::Unanswered),
                Approval::Edits | Approval::All | Approval::Plan => {
                    Answered::No(nobody(question), Breach::None)
                }
            };
        };
        let tell = |answer| {
            let question = Box::new(question.clone());
            self.sink.emit(&Event::Approval { question, answer });
        };
        tell(None);
        let answer = approver.approve(question).await;
        tell(Some(answer.clone()));
        match answer {
            Answer::Once => Answered::Yes(None),
            Answer::Always(index) => {
                let scope = question.scopes.get(index);
                if let Some(scope) = scope.filter(|scope| scope.keep == Keep::Workspace) {
                    self.save(&scope.rule);
                }
                Answered::Yes(scope.map(|scope| Box::new(scope.rule.clone())))
            }
            Answer::Each => Answered::Each,
            Answer::Reject(reason) => Answered::No(rejected(&reason), Breach::None),
            Answer::Cancel => {
                Answered::No("not done: the user ended the run".to_owned(), Breach::Cancelled)
            }
        }
    }

    fn save(&self, rule: &Rule) {
        let Some(saved) = &self.saved else { return };
        if let Err(error) = saved.add(&self.workspace, rule) {
            let warning = format!("the answer holds for this run only: {error}");
            self.sink.emit(&Event::Warning(warning));
        }
    }
}

fn nobody(question: &Question) -> String {
    format!(
        "not done: nobody is there to be asked ({}; {}). Do without it, and say so in your answer.",
        question.why, question.rule
    )
}

fn rejected(reason: &str) -> String {
    match reason.trim() {
        "" => "not done: the user said no. Ask in your answer what they want instead, or try \
               another way."
            .to_owned(),
        reason => format!("not done: the user said no: {reason}"),
    }
}
