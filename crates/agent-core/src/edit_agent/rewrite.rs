//! Edits by whole definitions: the model writes one of them, or a small file, anew as plain text,
//! and what it wrote takes the place of the old.

use std::sync::Arc;

use agent_llm::{Message, Part, Purpose, Request, ToolChoice};
use agent_tools::{
    LineEdit,
    definition::{self, Consent, Decline},
};
use serde_json::Value;

use super::{ATTEMPTS, Job, applied, ends_the_run};
use crate::{
    Cx, Model, Observation,
    line_edits::{self, Method, Opened},
    prompt,
    protocol::{self, WHOLE_FILE},
    tool::Target,
    window::tokens,
};

/// Has the definition that `job` names written anew, or removes it.
pub(super) async fn rewrite(cx: &Cx, opened: &Arc<Opened>, job: &Job, name: &str) -> Observation {
    let (path, text) = (opened.path.to_string(), opened.text.text());
    let refused = |message: &str| {
        let result = line_edits::failed(message, &[], Method::Merge, &Value::Null);
        let target = Some(Target::of(&opened.text));
        Observation { target, ..Observation::of(result) }
    };
    if job.remove {
        return match definition::remove(&path, &text, name) {
            Ok(edits) => applied(cx, opened, edits, Method::Merge)
                .await
                .unwrap_or_else(|refused| refused.observation),
            Err(decline) => refused(&format!("{decline}. Nothing was changed.")),
        };
    }
    let Some(current) = current(&path, &text, name) else {
        let names = definition::outline(&path, &text).into_iter().map(|(name, _)| name);
        let names: Vec<String> = names.collect();
        return refused(&format!("{path} defines no {name}; it defines {}.", names.join(", ")));
    };
    let Some(model) = &cx.model else {
        return refused("No model is configured that could write it; give `code_edit` instead.");
    };
    if current.len() > cx.limits.read_bytes {
        return refused("That is too much to be written anew; use `apply_patch` with exact lines.");
    }
    written(cx, model, opened, job, name, &current).await
}

/// What stands there now.
fn current(path: &str, text: &str, name: &str) -> Option<String> {
    if name == WHOLE_FILE {
        return Some(text.to_owned());
    }
    let all = definition::outline(path, text);
    let found = all.iter().find(|(unique, _)| unique == name);
    let last = |one: &definition::Definition| one.path.last().is_some_and(|last| last == name);
    let (_, place) = found.or_else(|| all.iter().find(|(_, one)| last(one)))?;
    let lines: Vec<&str> = text.lines().collect();
    Some(lines.get(place.first_line - 1..place.last_line)?.join("\n"))
}

async fn written(
    cx: &Cx,
    model: &Model,
    opened: &Arc<Opened>,
    job: &Job,
    name: &str,
    current: &str,
) -> Observation {
    let target = || Some(Target::of(&opened.text));
    let mut messages = match cx.conversation.is_empty() {
        true => vec![Arc::new(Message::System(prompt::REWRITE.to_owned()))],
        false => cx.conversation.clone(),
    };
    let question = question(opened, job, name, current);
    messages.push(Arc::new(Message::User(cx.redactor.clean(&question).into_owned())));
    let (mut problem, mut before) = (String::new(), None);
    for _ in 0..ATTEMPTS {
        let request = Request {
            max_output_tokens: Some(400 + u32::try_from(current.len() / 2).unwrap_or(4_000)),
            tool_choice: ToolChoice::None,
            ..Request::new(Purpose::EditPlan, messages.clone())
        };
        let tokens = tokens::of_request(&request);
        let reply = match model.call(request, tokens, &cx.cancel).await {
            Ok(reply) => reply,
            Err(no_reply) => {
                let message =
                    format!("the new code could not be had: {no_reply}. Nothing was changed.");
                let no_reply = ends_the_run(&no_reply).then_some(no_reply);
                return Observation { target: target(), no_reply, ..Observation::failure(message) };
            }
        };
        model.replied(Purpose::EditPlan, &reply);
        let code = reply.text();
        problem = match merged(opened, job, name, &code) {
            Err(problem) => problem,
            Ok(edits) => match applied(cx, opened, edits, Method::Merge).await {
                Ok(done) => return done,
                Err(refused) if refused.plan_is_wrong => refused.observation.message().to_owned(),
                Err(refused) => return refused.observation,
            },
        };
        // Asked the same again, a model without chance in it answers the same again.
        if before.as_ref() == Some(&code) {
            break;
        }
        before = Some(code.clone());
        let said = if code.trim().is_empty() { "(empty reply)".to_owned() } else { code };
        messages.push(Arc::new(Message::Assistant(vec![Part::Text(said)])));
        messages.push(Arc::new(Message::User(format!(
            "That was refused: {problem}. Answer once more with {} in one fenced block.",
            whole(name)
        ))));
    }
    let message = format!("the new code was refused, and nothing was changed: {problem}.");
    let result = line_edits::failed(&message, &[], Method::Merge, &Value::Null);
    Observation { target: target(), ..Observation::of(result) }
}

/// The line edits that put the code in its place, unless it changes what nobody asked for.
fn merged(opened: &Opened, job: &Job, name: &str, code: &str) -> Result<Vec<LineEdit>, String> {
    let (path, text) = (opened.path.to_string(), opened.text.text());
    let consent = consent(&path, &text, &job.instructions);
    let edits = match name {
        WHOLE_FILE => definition::merge_file(&path, &text, code, &consent),
        name => definition::merge(&path, &text, name, code, &consent),
    };
    let edits = edits.map_err(|decline| {
        let nothing = decline == Decline::NoChange;
        if nothing { "nothing is different from before".to_owned() } else { decline.to_string() }
    })?;
    match untouched(opened, &edits, &job.instructions, name) {
        Some(term) => Err(format!("no line with {term} is changed, which the request is about")),
        None => Ok(edits),
    }
}

/// What the request lets go.
fn consent(path: &str, text: &str, request: &str) -> Consent {
    if !protocol::lets_names_go(request) {
        return Consent::default();
    }
    let all = definition::outline(path, text).into_iter();
    let lasts = all.filter_map(|(_, one)| one.path.last().cloned());
    let words = protocol::without_files(request, path);
    let may_go = lasts.filter(|name| protocol::has_word(&words, name)).collect();
    Consent { may_go, may_shrink: protocol::removes(request) }
}

/// A term in quotes that the file holds, where no edit touches a line with such a term. The names of
/// what stands around an edit are touched by it.
fn untouched(opened: &Opened, edits: &[LineEdit], request: &str, name: &str) -> Option<String> {
    let text = opened.text.text();
    let path = opened.path.to_string();
    let all = definition::outline(&path, &text);
    let holds = |one: &definition::Definition| {
        edits.iter().any(|edit| (one.lead_line..=one.last_line).contains(&edit.start_line))
    };
    let around: Vec<&String> =
        all.iter().filter(|(_, one)| holds(one)).flat_map(|(_, one)| &one.path).collect();
    let quoted = protocol::quoted(request);
    let is_around = |term: &str| {
        let term = term.trim_end_matches("()");
        let last = term.rsplit(['.', ':', '#']).next().unwrap_or(term);
        name == term || around.iter().any(|one| *one == last)
    };
    if quoted.iter().any(|term| is_around(term)) && !protocol::lets_names_go(request) {
        return None;
    }
    let here: Vec<&String> = quoted.iter().filter(|term| text.contains(term.as_str())).collect();
    let first = here.first()?;
    let touches = edits.iter().any(|edit| {
        let old = opened.text.text_of(edit.start_line, edit.end_line);
        let old = if edit.end_line < edit.start_line { "".into() } else { old };
        quoted
            .iter()
            .any(|term| old.contains(term.as_str()) || edit.replacement.contains(term.as_str()))
    });
    (!touches).then(|| format!("{first:?}"))
}

fn whole(name: &str) -> String {
    if name == WHOLE_FILE {
        "the whole new file".to_owned()
    } else {
        format!("all of the new `{name}`")
    }
}

fn question(opened: &Opened, job: &Job, name: &str, current: &str) -> String {
    let what = if name == WHOLE_FILE { "The file" } else { name };
    let end = if current.ends_with('\n') { "" } else { "\n" };
    format!(
        "{what} in {path} reads now:\n```\n{current}{end}```\nRewrite it so that this is done: \
         {instructions}\nKeep everything else as it is. Answer with {whole} in one fenced block, \
         and nothing else.",
        path = opened.path,
        instructions = job.instructions,
        whole = whole(name),
    )
}
