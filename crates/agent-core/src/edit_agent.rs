//! The edit sub-agent: turns a sketch into line edits with a model's help, and applies them.

use std::sync::Arc;

use agent_llm::{Message, OutputSchema, Part, Purpose, Request, ToolChoice};
use agent_tools::{PathError, WorkspacePath, write};
use serde_json::{Value, json};

use crate::{
    Cx, Model, Observation,
    line_edits::{self, Opened},
    prompt,
    tool::Target,
    tools,
};

mod plan;

/// Plans that a model may try for one edit.
const ATTEMPTS: u32 = 3;

/// An edit as the deciding model asked for it.
pub(crate) struct Job {
    pub(crate) target_file: String,
    pub(crate) instructions: String,
    pub(crate) code_edit: String,
    pub(crate) expected_sha256: Option<String>,
}

/// Carries out `job`: reads the target, has the model plan line edits, validates and applies them.
/// A target that does not exist is created from a sketch that leaves nothing out.
pub(crate) async fn edit(cx: &Cx, job: &Job) -> Observation {
    let path = match tools::resolve(cx, &job.target_file) {
        Ok(path) => path,
        Err(refusal) => return refusal,
    };
    if matches!(cx.workspace.kind(&path), Err(PathError::Missing { .. })) {
        return create(cx, &path, job);
    }
    let opened = match line_edits::open(cx, path, job.expected_sha256.as_deref()) {
        Ok(opened) => opened,
        Err(refusal) => return refusal,
    };
    let Some(model) = cx.model.clone() else {
        let message = "this sketch needs a model to be turned into line edits, and none is \
                       configured; use `apply_patch` with exact lines instead";
        let target = Some(Target::Read(opened.text.text().into_owned()));
        return Observation { target, ..Observation::failure(message) };
    };
    if opened.text.bytes().len() > cx.limits.read_bytes {
        let message = format!(
            "{} has {} bytes in {} lines; a file over {} bytes is not turned into a plan as a \
             whole. Nothing was changed. Read the lines in question with `read_file` and a range, \
             then use `apply_patch` with exact lines.",
            opened.path,
            opened.text.bytes().len(),
            opened.text.line_count(),
            cx.limits.read_bytes,
        );
        return Observation::failure(message);
    }
    plan_and_apply(cx, &model, &opened, job).await
}

fn create(cx: &Cx, path: &WorkspacePath, job: &Job) -> Observation {
    let unread = |observation| Observation { target: Some(Target::Unread), ..observation };
    if plan::has_marker(&job.code_edit) {
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
    let mut content = job.code_edit.clone();
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    if let Err(error) = write::create(&cx.workspace, path, content.as_bytes()) {
        return unread(tools::write_failure(&error));
    }
    let change = tools::create_file::creation(&path.to_string(), &content);
    unread(Observation {
        changes: vec![change.clone()],
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
            "diff": change.diff,
            "sha256": change.after_sha256,
            "method": "create",
            "syntax": line_edits::NOT_CHECKED,
        }))
    })
}

async fn plan_and_apply(cx: &Cx, model: &Arc<Model>, opened: &Opened, job: &Job) -> Observation {
    let mut messages = vec![
        Arc::new(Message::System(prompt::EDIT_PLAN.to_owned())),
        Arc::new(Message::User(question(opened, job))),
    ];
    let target = || Some(Target::Read(opened.text.text().into_owned()));
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
        let reply = match model.call(request, &cx.cancel).await {
            Ok(reply) => reply,
            Err(no_reply) => {
                let message = format!(
                    "the edit could not be planned: {no_reply}. Nothing was changed; use \
                     `apply_patch` with exact lines instead."
                );
                return Observation { target: target(), ..Observation::failure(message) };
            }
        };
        model.replied(Purpose::EditPlan, &reply);
        problem = match plan::read(&reply.text(), &opened.text) {
            Err(problem) => Observation::of(line_edits::failed(&problem, &[], "plan")),
            Ok(edits) => match line_edits::apply(cx, opened, &edits, "plan") {
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
            "That plan was refused and nothing was changed: {} Answer with a corrected plan for \
             the file as given.",
            message_of(&problem)
        ))));
    }
    let message = format!(
        "{} plans for this edit were refused, and nothing was changed. The last: {} Read the file \
         again, then use `apply_patch` with exact lines.",
        ATTEMPTS,
        message_of(&problem)
    );
    problem.result["message"] = Value::from(message);
    Observation { target: target(), ..problem }
}

fn message_of(observation: &Observation) -> &str {
    observation.result.get("message").and_then(Value::as_str).unwrap_or_default()
}

fn question(opened: &Opened, job: &Job) -> String {
    let file = tools::with_line_numbers(&opened.text.text(), 1);
    format!(
        "File {path} ({lines} lines):\n\n{file}\nInstructions: {instructions}\n\nSketch:\n\n{sketch}\n",
        path = opened.path,
        lines = opened.text.line_count(),
        instructions = job.instructions,
        sketch = job.code_edit,
    )
}
