//! The edit sub-agent: turns a sketch into line edits, with a model's help where it has to, and
//! applies them.

use std::sync::Arc;

use agent_llm::{ErrorKind, Message, OutputSchema, Part, Purpose, Request, ToolChoice};
use agent_tools::{
    PathError, WorkspacePath, diff,
    edit::LineEdit,
    sketch::{self, Decline, Merge, Reason},
    write::Entry,
};
use serde_json::{Value, json};

use crate::{
    Cx, Model, NoReply, Observation,
    changes::{self, FileChange},
    line_edits::{self, Method, NotApplied, Opened},
    prompt, syntax,
    tool::{Target, beside},
    tools,
    window::tokens,
};

mod plan;
mod rewrite;

/// Plans that a model may try for one edit.
const ATTEMPTS: u32 = 3;

/// An edit as the deciding model asked for it.
pub(crate) struct Job {
    pub(crate) target_file: String,
    pub(crate) instructions: String,
    /// The sketch; empty where a definition is named instead.
    pub(crate) code_edit: String,
    /// The definition that is to be written anew, or the whole file.
    pub(crate) definition: Option<String>,
    /// The definition is to be gone instead.
    pub(crate) remove: bool,
    pub(crate) expected_sha256: Option<String>,
}

/// Carries out `job`: reads the target, merges the sketch, or where it has no one reading has the
/// model plan line edits, and applies them. A target that does not exist is created from a sketch that leaves nothing out.
pub(crate) async fn edit(cx: &Cx, job: Job) -> Observation {
    let (own, job) = (cx.clone(), Arc::new(job));
    let shared = Arc::clone(&job);
    match beside(&cx.cancel, move || merged(&own, &shared)).await {
        Ok(Tried::Done(observation)) | Err(observation) => observation,
        Ok(Tried::Named(opened, name)) => rewrite::rewrite(cx, &opened, &job, &name).await,
        Ok(Tried::Declined(opened, decline)) => planned(cx, &opened, &job, &decline).await,
    }
}

/// What a merge came to.
enum Tried {
    /// It was made, or there was nothing to be made.
    Done(Observation),
    /// A definition is named, to be written anew.
    Named(Arc<Opened>, String),
    /// The sketch has no one reading.
    Declined(Arc<Opened>, Decline),
}

fn merged(cx: &Cx, job: &Job) -> Tried {
    let path = match tools::resolve(cx, &job.target_file) {
        Ok(path) => path,
        Err(refusal) => return Tried::Done(refusal),
    };
    if matches!(cx.workspace.kind(&path), Err(PathError::Missing { .. })) {
        return Tried::Done(create(cx, &path, job));
    }
    let opened = match line_edits::open(cx, path, job.expected_sha256.as_deref()) {
        Ok(opened) => opened,
        Err(refusal) => return Tried::Done(refusal),
    };
    if let Some(name) = &job.definition {
        return Tried::Named(Arc::new(opened), name.clone());
    }
    match sketch::merge(&opened.text.text(), &job.code_edit, &opened.path.to_string()) {
        Merge::Applied(edits) => {
            let applied = line_edits::apply(cx, &opened, &edits, Method::Merge);
            Tried::Done(applied.unwrap_or_else(|refused| refused.observation))
        }
        Merge::Declined(decline) => Tried::Declined(Arc::new(opened), decline),
    }
}

/// Has the model say what a sketch means that has no one reading.
async fn planned(cx: &Cx, opened: &Arc<Opened>, job: &Job, decline: &Decline) -> Observation {
    let refused = |reason: &str| {
        let message = format!("{decline}\n{reason} Nothing was changed.");
        let result = line_edits::failed(&message, &[], Method::Merge, &Value::Null);
        let target = Some(Target::of(&opened.text));
        Observation { target, ..Observation::of(result) }
    };
    let size = opened.text.bytes().len();
    let Some(model) = &cx.model else {
        return refused("No model is configured that could turn it into line edits.");
    };
    if decline.reason == Reason::NoChange {
        return refused("Read the file again if that is not what you expect.");
    }
    if size > cx.limits.read_bytes {
        return refused(&format!(
            "The file has {size} bytes in {} lines, too much to plan the edit as a whole: read \
             the lines in question with a range, then use `apply_patch` with exact lines.",
            opened.text.line_count(),
        ));
    }
    plan_and_apply(cx, model, opened, job, decline).await
}

fn create(cx: &Cx, path: &WorkspacePath, job: &Job) -> Observation {
    let unread = |observation| Observation { target: Some(Target::Unread), ..observation };
    if job.code_edit.lines().any(sketch::is_marker) {
        return unread(Observation::failure(format!(
            "{path} does not exist, so there is no existing code that the sketch could leave out. \
             Check the path with `file_search`, or give the whole content without markers."
        )));
    }
    if job.expected_sha256.is_some() {
        return unread(Observation::failure(format!(
            "{path} does not exist, although an `expected_sha256` was given. Check the path with `file_search`."
        )));
    }
    let file = path.to_string();
    let mut content = job.code_edit.clone();
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    let syntax = match syntax::gate(&file, "", &content) {
        Ok(syntax) => syntax,
        Err(broken) => return unread(Observation::failure(broken.message)),
    };
    let after = Entry::File { content: content.clone().into(), mode: None };
    let made = changes::make(cx, &[FileChange::new(path.clone(), Entry::Absent, after)]);
    let changes = match made {
        Ok(made) => made.changes,
        Err(error) => return unread(tools::change_failure(&error)),
    };
    let diff = diff::unified(&file, None, &*content);
    unread(Observation {
        changes,
        ..Observation::of(json!({
            "success": true,
            "message": format!("created {path}"),
            "total_edits": 1,
            "successful_edits": 1,
            "details": [{
                "success": true,
                "message": "created",
                "edit": { "start_line": 1, "end_line": 0, "replacement": content },
            }],
            "diff": diff,
            "sha256": agent_tools::sha256(content.as_bytes()),
            "method": "create",
            "syntax": syntax,
        }))
    })
}

async fn plan_and_apply(
    cx: &Cx,
    model: &Model,
    opened: &Arc<Opened>,
    job: &Job,
    decline: &Decline,
) -> Observation {
    let mut messages = vec![
        Arc::new(Message::System(prompt::EDIT_PLAN.to_owned())),
        Arc::new(Message::User(cx.redactor.clean(&question(opened, job, decline)).into_owned())),
    ];
    let target = || Some(Target::of(&opened.text));
    let mut problem = Observation::failure("");
    for _ in 0..ATTEMPTS {
        let request = Request {
            purpose: Purpose::EditPlan,
            messages: messages.clone(),
            tools: Arc::new([]),
            tool_choice: ToolChoice::None,
            output: Some(OutputSchema { name: "line_edits".to_owned(), schema: plan::schema() }),
            temperature: None,
            max_output_tokens: None,
        };
        let tokens = tokens::of_request(&request);
        let reply = match model.call(request, tokens, &cx.cancel).await {
            Ok(reply) => reply,
            Err(no_reply) => {
                let message = format!(
                    "the edit could not be planned: {no_reply}. Nothing was changed; use \
                     `apply_patch` with exact lines instead."
                );
                let no_reply = ends_the_run(&no_reply).then_some(no_reply);
                return Observation { target: target(), no_reply, ..Observation::failure(message) };
            }
        };
        model.replied(Purpose::EditPlan, &reply);
        problem = match plan::read(&reply.text()) {
            Err(problem) => {
                Observation::of(line_edits::failed(&problem, &[], Method::Plan, &Value::Null))
            }
            Ok(edits) => match applied(cx, opened, edits, Method::Plan).await {
                Ok(done) => return done,
                Err(refused) if refused.plan_is_wrong => refused.observation,
                Err(refused) => return refused.observation,
            },
        };
        let said = match reply.text() {
            text if text.trim().is_empty() => "(empty reply)".to_owned(),
            text => text,
        };
        messages.push(Arc::new(Message::Assistant(vec![Part::Text(said)])));
        messages.push(Arc::new(Message::User(format!(
            "That plan was refused: {} Answer with a corrected plan for \
             the file as given.",
            problem.message()
        ))));
    }
    let message = format!(
        "{} plans for this edit were refused. The last: {} Read the file \
         again, then use `apply_patch` with exact lines.",
        ATTEMPTS,
        problem.message()
    );
    problem.result["message"] = Value::from(message);
    Observation { target: target(), ..problem }
}

/// Applies edits beside the event loop: a grammar can be slow, and a lock held.
async fn applied(
    cx: &Cx,
    opened: &Arc<Opened>,
    edits: Vec<LineEdit>,
    method: Method,
) -> Result<Observation, NotApplied> {
    let (own, opened) = (cx.clone(), Arc::clone(opened));
    let apply = move || line_edits::apply(&own, &opened, &edits, method);
    beside(&cx.cancel, apply).await.unwrap_or_else(Ok)
}

/// Whether a failure is about the provider as a whole, and not about this one request.
fn ends_the_run(no_reply: &NoReply) -> bool {
    match no_reply {
        NoReply::Cancelled(_) | NoReply::Exhausted(_) => true,
        NoReply::Failed(error) => match error.kind {
            ErrorKind::ContextTooLong
            | ErrorKind::Filtered
            | ErrorKind::BadRequest
            | ErrorKind::BadReply => false,
            ErrorKind::Unauthorized
            | ErrorKind::NotFound
            | ErrorKind::RateLimited
            | ErrorKind::QuotaExceeded
            | ErrorKind::Overloaded
            | ErrorKind::Cut
            | ErrorKind::Network
            | ErrorKind::Silent
            | ErrorKind::Script => true,
        },
    }
}

fn question(opened: &Opened, job: &Job, decline: &Decline) -> String {
    let file = tools::with_line_numbers(&opened.text.text(), 1);
    format!(
        "File {path} ({lines} lines):\n\n{file}\nInstructions: {instructions}\n\nSketch:\n\n{sketch}\n\n\
         The sketch alone does not say where everything goes: {decline}\n",
        path = opened.path,
        lines = opened.text.line_count(),
        instructions = job.instructions,
        sketch = job.code_edit,
    )
}
