//! A model's judgement of an answer, against a rubric that is always the same.

use std::sync::Arc;

use agent_llm::{Message, Provider, Purpose, ReplyBuilder, Request};
use agent_tools::limit;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use crate::{Redactor, Report};

/// What the judge goes by.
const RUBRIC: &str = include_str!("../prompt/judge.md");

/// Bytes of the answer, and of all differences, that the judge sees.
const SHOWN: usize = 16 * 1024;

/// A model that judges.
pub struct Judge {
    provider: Arc<dyn Provider>,
}

/// What it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The model's full name.
    #[serde(default)]
    pub model: String,
    /// From 1 to 5.
    pub score: u8,
    /// Why.
    pub reason: String,
}

impl Judge {
    /// The model behind `provider` as a judge.
    pub fn new(provider: Arc<dyn Provider>) -> Self {
        Self { provider }
    }

    /// Asks it.
    ///
    /// # Errors
    ///
    /// A sentence: the model could not be asked, or not understood.
    pub async fn judge(&self, report: &Report, redactor: &Redactor) -> Result<Judgement, String> {
        let case = redactor.clean(&case(report)).into_owned();
        let messages = vec![Message::System(RUBRIC.to_owned()).into(), Message::User(case).into()];
        let mut deltas = self.provider.send(Request::new(Purpose::Judge, messages));
        let mut reply = ReplyBuilder::default();
        while let Some(delta) = deltas.next().await {
            reply.push(delta.map_err(|error| error.to_string())?);
        }
        let reply = reply.finish().map_err(|error| error.to_string())?.text();
        let judgement = understood(&reply).ok_or("the judge's reply is no judgement")?;
        let reason = redactor.clean(&judgement.reason).into_owned();
        Ok(Judgement { model: self.provider.model().to_owned(), reason, ..judgement })
    }
}

/// What the judge is shown.
fn case(report: &Report) -> String {
    let diffs: String = report.changes.iter().map(|change| change.diff.as_str()).collect();
    let tests = report.last_test_result.as_ref().map(ToString::to_string).unwrap_or_default();
    format!(
        "Request:\n{}\n\nOutcome: {}\nTests: {}\n\nChanges:\n{}\n\nAnswer:\n{}\n",
        limit::head_tail(&report.user_query, SHOWN),
        report.outcome.name(),
        limit::head_tail(&tests, SHOWN),
        limit::head_tail(&diffs, SHOWN),
        limit::head_tail(report.response.as_deref().unwrap_or("(none)"), SHOWN),
    )
}

fn understood(reply: &str) -> Option<Judgement> {
    let (from, to) = (reply.find('{')?, reply.rfind('}')?);
    let judgement: Judgement = serde_json::from_str(reply.get(from..=to)?).ok()?;
    (1..=5).contains(&judgement.score).then_some(judgement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judgement_is_a_score_in_range_with_a_reason() {
        for (reply, expected) in [
            (r#"{"score": 4, "reason": "Right."}"#, Some(4)),
            ("```json\n{\"reason\": \"Right.\", \"score\": 1}\n```", Some(1)),
            (r#"{"score": 6, "reason": "Wow."}"#, None),
            (r#"{"score": 3}"#, None),
            ("4, it is right", None),
            ("} {", None),
        ] {
            assert_eq!(understood(reply).map(|judgement| judgement.score), expected, "{reply}");
        }
    }
}
