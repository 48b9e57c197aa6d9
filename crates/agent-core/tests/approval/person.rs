//! Somebody who answers as it was written down.

use std::sync::{Arc, Mutex};

use agent_core::approval::{Answer, Approver, BoxFuture, Question, What};
use tokio::sync::Notify;

/// Gives its answers in order, and notes what it was asked.
pub(crate) struct Person {
    answers: Mutex<Vec<Answer>>,
    pub(crate) asked: Mutex<Vec<Question>>,
    /// Told when somebody who goes away is asked too much; nobody else may be.
    gone: Option<Notify>,
}

impl Person {
    /// It fails the test to ask once too often.
    pub(crate) fn with(answers: &[Answer]) -> Arc<Self> {
        Arc::new(Self {
            answers: Mutex::new(answers.to_vec()),
            asked: Mutex::default(),
            gone: None,
        })
    }

    /// Somebody who is asked, and goes away without an answer.
    pub(crate) fn leaving() -> Arc<Self> {
        let (answers, asked) = (Mutex::default(), Mutex::default());
        Arc::new(Self { answers, asked, gone: Some(Notify::new()) })
    }

    /// Waits until they have gone.
    pub(crate) async fn gone(&self) {
        self.gone.as_ref().unwrap().notified().await;
    }

    /// The files of each question.
    pub(crate) fn files(&self) -> Vec<Vec<String>> {
        let files = |question: &Question| match &question.what {
            What::Changes(changes) => changes.iter().map(|change| change.file.clone()).collect(),
            What::Command(line) | What::Other(line) => vec![line.clone()],
        };
        self.asked.lock().unwrap().iter().map(files).collect()
    }
}

impl Approver for Person {
    fn approve<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.asked.lock().unwrap().push(question.clone());
        let mut answers = self.answers.lock().unwrap();
        if !answers.is_empty() {
            let answer = answers.remove(0);
            return Box::pin(async move { answer });
        }
        let gone = self.gone.as_ref();
        gone.unwrap_or_else(|| panic!("asked once too often: {question:?}")).notify_one();
        Box::pin(std::future::pending())
    }
}
