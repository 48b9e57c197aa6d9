//! A tool in a replay.

use std::sync::Arc;

use agent_llm::ToolSpec;
use agent_tools::write::{self, Entry};
use serde_json::{Value, json};

use super::{
    answered, looks_around,
    tape::{Acted, Tape},
};
use crate::{
    Action, BadParams, Call, Cx, Observation, Tool,
    changes::{self, FileChange},
    mcp,
    recording::{FileLine, What},
    repeats::without_note,
    tool::Target,
};

/// The real tool on the recorded files, or the recorded answer where those would not do.
pub(super) struct Replayed {
    tool: Arc<dyn Tool>,
    tape: Arc<Tape>,
}

impl Replayed {
    pub(super) fn new(tool: Arc<dyn Tool>, tape: Arc<Tape>) -> Self {
        Self { tool, tape }
    }
}

impl Tool for Replayed {
    fn spec(&self) -> ToolSpec {
        self.tool.spec()
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let real = self.tool.prepare(&self.tape.place().value_to_here(params))?;
        let tape = Arc::clone(&self.tape);
        // Verdicts and approvals are recorded too: nobody is asked again.
        let Call { effects: _, run } = real;
        Ok(Call::waiting(Vec::new(), async move |cx: Cx| {
            let call = tape.current();
            put(&cx, &call.files);
            let Some(acted) = call.acted else {
                tape.cut();
                return Observation::failure("the recording was cut off here");
            };
            let lost = call.files.iter().any(|file| file.what == What::Lost);
            let around = looks_around(&cx.tool) || suggests(&cx, &acted.action);
            let refused = acted.action.result.get("rule").is_some();
            let around = around && !tape.has_whole_tree();
            if refused || lost || around || answered(&cx.tool) {
                return from_tape(&cx, (&acted, &call.left), &tape);
            }
            let came = run(cx).await;
            if same(&acted, &came, &tape) { recorded(&acted, came) } else { came }
        }))
    }
}

/// A tool of somebody else's, which nobody calls a second time: its answers are the recorded ones.
struct Foreign {
    spec: ToolSpec,
    tape: Arc<Tape>,
}

/// What was on offer, in the recorded order. Tools of this program take their own places before it.
pub(super) fn foreign(offered: Vec<ToolSpec>, tape: &Arc<Tape>) -> Vec<Arc<dyn Tool>> {
    let tool = |spec| Arc::new(Foreign { spec, tape: Arc::clone(tape) }) as _;
    offered.into_iter().map(tool).collect()
}

/// The tools that this one leads to. Of what they take nothing has to be known.
pub(super) fn named(leading: &ToolSpec) -> Vec<ToolSpec> {
    let spec = |name| ToolSpec { name, description: String::new(), parameters: json!({}) };
    mcp::names(leading).into_iter().map(spec).collect()
}

impl Tool for Foreign {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn prepare(&self, _: &Value) -> Result<Call, BadParams> {
        let tape = Arc::clone(&self.tape);
        Ok(Call::waiting(Vec::new(), async move |cx: Cx| {
            let call = tape.current();
            put(&cx, &call.files);
            match call.acted {
                Some(acted) => from_tape(&cx, (&acted, &call.left), &tape),
                None => {
                    tape.cut();
                    Observation::failure("the recording was cut off here")
                }
            }
        }))
    }
}

/// The recorded answer, with what the call left behind.
fn from_tape(cx: &Cx, (acted, left): (&Acted, &[FileLine]), tape: &Tape) -> Observation {
    tape.answered();
    leave(cx, left);
    recorded(acted, Observation::failure(""))
}

/// Whether a call failed for want of its file: what it says of names that are alike depends on files
/// that nobody has read.
fn suggests(cx: &Cx, action: &Action) -> bool {
    let path = action.params.get("target_file").or_else(|| action.params.get("path"));
    let path = path.and_then(Value::as_str).and_then(|path| cx.workspace.resolve(path).ok());
    !action.succeeded() && path.is_some_and(|path| cx.workspace.kind(&path).is_err())
}

/// Puts files where a call is to find them.
pub(super) fn put(cx: &Cx, files: &[FileLine]) {
    for file in files {
        let Ok(path) = cx.workspace.resolve(&file.file) else { continue };
        let here = changes::entry(&cx.workspace, &path).unwrap_or(Entry::Absent);
        let failed = match (&file.what, file.what.entry()) {
            (What::Directory, _) => directory(cx, &file.file).err(),
            (_, Some(entry)) if entry == here => None,
            (_, Some(entry)) => write::put(&cx.workspace, &path, &here, &entry).err(),
            (_, None) => None,
        };
        if let Some(error) = failed {
            tracing::warn!("{}: {error}", file.file);
        }
    }
}

/// Makes a directory, by a file in it that goes again.
fn directory(cx: &Cx, name: &str) -> Result<(), write::WriteError> {
    let path = cx.workspace.resolve(&format!("{name}/.keep"))?;
    let file = Entry::File { content: agent_tools::Content::default(), mode: None };
    write::put(&cx.workspace, &path, &Entry::Absent, &file)?;
    write::put(&cx.workspace, &path, &file, &Entry::Absent).map(drop)
}

/// Changes files as a call did that is not carried out.
fn leave(cx: &Cx, files: &[FileLine]) {
    let changes = files.iter().filter_map(|file| {
        let path = cx.workspace.resolve(&file.file).ok()?;
        let before = changes::entry(&cx.workspace, &path).ok()?;
        let after = file.what.entry().filter(|after| *after != before)?;
        Some(FileChange::new(path, before, after))
    });
    let changes: Vec<_> = changes.collect();
    if !changes.is_empty()
        && let Err(error) = changes::make(cx, &changes)
    {
        tracing::warn!("{error}");
    }
}

/// Whether a call came to what was recorded, but for what may differ.
fn same(acted: &Acted, came: &Observation, tape: &Tape) -> bool {
    let place = tape.place();
    let shown = came.text();
    let content = place.to_recorded(&shown);
    let was = without_note(&acted.content);
    let alike = |was: &str, is: &str| {
        let parse = |text: &str| serde_json::from_str::<Value>(text).map(steady);
        was == is || matches!((parse(was), parse(is)), (Ok(was), Ok(is)) if was == is)
    };
    let result = steady(place.value_to_recorded(&came.result));
    // What is cut for being too long is compared by its result.
    result == steady(acted.action.result.clone())
        && (alike(was, &content) || content.len() > was.len())
}

/// The value less the number of a change.
fn steady(mut value: Value) -> Value {
    if let Some(change) = value.get_mut("change").filter(|change| change.is_number()) {
        *change = Value::Null;
    }
    // Nor does it matter which process carried it out.
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|name, _| name != "route" && name != "route_reason");
    }
    value
}

/// What was recorded, in the place of what came.
fn recorded(acted: &Acted, came: Observation) -> Observation {
    let target = match (&acted.action.file_content, acted.action.file_success) {
        (Some(text), _) => Some(Target::Read(text.clone())),
        (None, Some(true)) => Some(Target::TooLarge),
        (None, Some(false)) => Some(Target::Unread),
        (None, None) => None,
    };
    Observation {
        result: acted.action.result.clone(),
        // A note on it is added anew.
        shown: Some(without_note(&acted.content).to_owned()),
        changes: acted.changes.clone(),
        target,
        breach: acted.breach,
        ..came
    }
}
