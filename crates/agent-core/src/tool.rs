//! What a tool is.

use std::{borrow::Cow, sync::Arc, time::Duration};

use agent_llm::{Message, ToolSpec};
use agent_tools::{TextFile, Workspace};
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::task::JoinError;

use crate::{
    Cancel, Change, Effect, Journal, Limits, Model, NoReply, Redactor, Snapshots, approval::Gate,
    command::Commands,
};

/// Something that the model can have done.
pub trait Tool: Send + Sync {
    /// Its name, description and parameters, always the same.
    fn spec(&self) -> ToolSpec;

    /// Parses `params` once and says what the call would do, without doing it.
    ///
    /// # Errors
    ///
    /// [`BadParams`] where `params` are not what [`Tool::spec`] asks for.
    fn prepare(&self, params: &Value) -> Result<Call, BadParams>;
}

/// A call that is ready to run.
pub struct Call {
    /// What it would do, for the policy.
    pub effects: Vec<Effect>,
    /// Does it.
    pub run: Box<dyn FnOnce(Cx) -> BoxFuture<'static, Observation> + Send>,
}

impl Call {
    /// A call of a function that waits for something, such as a model.
    pub fn waiting<F, O>(effects: Vec<Effect>, run: F) -> Self
    where
        F: FnOnce(Cx) -> O + Send + 'static,
        O: Future<Output = Observation> + Send + 'static,
    {
        Self { effects, run: Box::new(move |cx| Box::pin(run(cx))) }
    }

    /// A call of a function that works without waiting. It runs beside the event loop, so that a
    /// signal is noticed meanwhile.
    pub fn working<F>(effects: Vec<Effect>, run: F) -> Self
    where
        F: FnOnce(&Cx) -> Observation + Send + 'static,
    {
        Self::waiting(effects, async move |cx| {
            let cancel = cx.cancel.clone();
            beside(&cancel, move || run(&cx)).await.unwrap_or_else(|broken| broken)
        })
    }

    /// The same for a function of which `soon` can tell that it is over sooner than another thread
    /// could begin with it. Then it runs on the event loop itself.
    pub fn working_soon<S, F>(effects: Vec<Effect>, soon: S, run: F) -> Self
    where
        S: FnOnce(&Cx) -> bool + Send + 'static,
        F: FnOnce(&Cx) -> Observation + Send + 'static,
    {
        Self::waiting(effects, async move |cx| {
            let cancel = cx.cancel.clone();
            let done = match soon(&cx) {
                // A task of its own keeps what breaks down in it from the run.
                true => tokio::spawn(async move { run(&cx) }).await.map_err(|error| broken(&error)),
                false => beside(&cancel, move || run(&cx)).await,
            };
            done.unwrap_or_else(|broken| broken)
        })
    }
}

/// How long work beside the event loop may still take once the run is cancelled. What is stuck for
/// longer, such as behind another process's lock, is left behind.
const PATIENCE: Duration = Duration::from_secs(2);

/// Does `work` beside the event loop, so that a signal is noticed meanwhile.
pub(crate) async fn beside<T: Send + 'static>(
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Observation> {
    let cancelled = async {
        cancel.cancelled().await;
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        biased;
        done = tokio::task::spawn_blocking(work) => done.map_err(|panic| broken(&panic)),
        () = cancelled => Err(Observation::failure(
            "interrupted before there was a result: look at the file to see what was done",
        )),
    }
}

fn broken(panic: &JoinError) -> Observation {
    Observation::failure(format!("the tool broke down: {panic}; try another way"))
}

/// What a running tool reaches.
#[derive(Clone)]
pub struct Cx {
    /// The only way to the disk.
    pub workspace: Arc<Workspace>,
    /// The model, for tools that ask one; none where nobody has configured one.
    pub model: Option<Arc<Model>>,
    /// Sizes to stay within.
    pub limits: Limits,
    /// How commands are run.
    pub commands: Arc<Commands>,
    /// The workspace as the last of them left it.
    pub snapshots: Arc<Snapshots>,
    /// Ends the run.
    pub cancel: Cancel,
    /// Where changes are written down before they are made; without it they can't be undone.
    pub journal: Option<Arc<Journal>>,
    /// The session that changes belong to.
    pub session_id: String,
    /// Takes secrets out of what a model is shown.
    pub redactor: Arc<Redactor>,
    /// Stands in the way of changes that somebody has to allow; the pipeline fills it in.
    pub gate: Option<Gate>,
    /// What the model was shown and said, for tools that ask it to go on from there; empty where
    /// they ask by themselves.
    pub conversation: Vec<Arc<Message>>,
    /// The tool that runs; the pipeline fills it in.
    pub tool: String,
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The result as it is recorded: an object with `success`.
    pub result: Value,
    /// What the model sees instead of `result`, where another form reads better.
    pub shown: Option<String>,
    /// What was done to files.
    pub changes: Vec<Change>,
    /// For edits: the target as it was read, or that it could not be read.
    pub target: Option<Target>,
    /// Whether the call asked for something that is not allowed.
    pub breach: Breach,
    /// Changes that were planned, and not allowed by anybody.
    pub pending: Box<[Change]>,
    /// The tool's own model call failed, and so would the next one: the run ends with this.
    pub no_reply: Option<NoReply>,
    /// Whether it is unknown what was done, so that the same call may be made once more.
    pub is_uncertain: bool,
}

/// The target of an edit as the edit found it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Its text.
    Read(String),
    /// It was read, and is too large for its text to be told again.
    TooLarge,
    /// It could not be read, or is not there yet.
    Unread,
}

impl Target {
    /// What is told of a file that was read.
    pub(crate) fn of(file: &TextFile) -> Self {
        const LARGEST: usize = 4 << 20;
        match file.bytes().len() {
            ..=LARGEST => Self::Read(file.text().into_owned()),
            _ => Self::TooLarge,
        }
    }
}

/// How far a call went beyond what is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Breach {
    /// It did not.
    #[default]
    None,
    /// It asked for something that is refused, such as a path outside. The same again and again
    /// ends the run.
    Violation,
    /// A rule of the policy ends the run.
    Stop,
    /// Somebody would have had to be asked, and there was nobody.
    Unanswered,
    /// Somebody was asked, and ended the run.
    Cancelled,
}

impl Observation {
    /// A result as it stands.
    pub fn of(result: Value) -> Self {
        Self {
            result,
            shown: None,
            changes: Vec::new(),
            target: None,
            breach: Breach::None,
            pending: Box::default(),
            no_reply: None,
            is_uncertain: false,
        }
    }

    /// A failure. `message` says what was wrong and what to do instead.
    pub fn failure(message: impl Into<String>) -> Self {
        Self::of(json!({ "success": false, "message": message.into() }))
    }

    /// A failure because the call asked for something that is not allowed.
    pub fn violation(message: impl Into<String>) -> Self {
        Self { breach: Breach::Violation, ..Self::failure(message) }
    }

    /// What the model sees of it.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.shown {
            Some(shown) => Cow::Borrowed(shown),
            None => Cow::Owned(self.result.to_string()),
        }
    }

    /// The same without secrets. What the journal keeps is exact, and not touched.
    pub fn without_secrets(mut self, redactor: &Redactor) -> Self {
        let clean = |text: &mut String| {
            if let Cow::Owned(cleaner) = redactor.clean(text) {
                *text = cleaner;
            }
        };
        redactor.clean_value(&mut self.result);
        self.shown.iter_mut().for_each(clean);
        if let Some(Target::Read(text)) = &mut self.target {
            clean(text);
        }
        let changes = self.changes.iter_mut().chain(&mut self.pending);
        changes.for_each(|change| clean(&mut change.diff));
        self
    }

    /// What the result says in words.
    pub fn message(&self) -> &str {
        self.result.get("message").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether the result says so.
    pub fn succeeded(&self) -> bool {
        self.result.get("success").and_then(Value::as_bool).unwrap_or(false)
    }
}

/// Parameters that don't fit the tool. It reads as a sentence to the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("bad parameters for {tool}: {problem}. It takes {takes}.")]
pub struct BadParams {
    /// The tool.
    pub tool: String,
    /// What does not fit, with the parameter's name.
    pub problem: String,
    /// The parameters that it takes, in words.
    pub takes: String,
}
