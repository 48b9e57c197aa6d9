//! Running a recording again.

mod place;
mod provider;
mod sink;
mod tape;
mod tool;

use std::sync::Arc;

use agent_llm::script::ScriptError;
use agent_tools::Workspace;

pub use tape::Divergence;

use crate::{
    Agent, Cancel, EventSink, Journal, Report, Signal,
    recording::{Recording, TreeKind},
    session::{By, Ended},
};

use place::Place;
use provider::Replaying;
use sink::Checking;
use tape::{Segment, Tape};
use tool::Replayed as ReplayedTool;

/// Where a recording is run again.
pub struct Stage {
    /// An empty directory.
    pub workspace: Arc<Workspace>,
    /// A journal of its own.
    pub journal: Arc<Journal>,
    /// Who watches.
    pub sink: Arc<dyn EventSink>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// Decision steps that were taken.
    pub steps: u32,
    /// Calls that were carried out.
    pub calls: usize,
    /// Those of them that were answered from the recording.
    pub answered: usize,
    /// The first thing that was different.
    pub divergence: Option<Divergence>,
}

/// Whether calls of the tool are always answered from the recording.
pub(super) fn answered(tool: &str) -> bool {
    tool == "run_command"
}

/// Whether they are where the recording does not hold the whole tree.
fn looks_around(tool: &str) -> bool {
    matches!(tool, "list_dir" | "grep_search" | "file_search")
}

/// Runs a recording again, up to the first difference.
///
/// # Errors
///
/// A recorded model call that can't be understood.
pub async fn replay(recording: &Recording, stage: &Stage) -> Result<Replayed, ScriptError> {
    let segments = Segment::all(recording)?;
    let place = Place::new(&stage.workspace, &recording.header.workspace);
    let tape = Arc::new(Tape::new(place, recording.header.tree == TreeKind::Whole));
    // What the program answered by itself depends on more than a recording holds.
    let by_model = segments.into_iter().filter(|segment| segment.by == By::Model);
    for segment in by_model {
        let cancel = Cancel::new();
        let task = segment.task.clone();
        let (recalled, offered) = (segment.recalled.clone(), segment.tools.clone());
        let named = offered.iter().flat_map(tool::named).collect();
        let (fold, ended) = (segment.before.clone(), segment.ended.clone());
        let provider = Replaying::new(segment.model.clone(), Arc::clone(&tape));
        let (settings, tests) = (segment.settings.clone(), segment.tested.clone());
        let project = segment.project.clone();
        let (tested, looked) = (Arc::clone(&tape), Arc::clone(&tape));
        tape.begin(segment, &cancel);
        let sink = Arc::new(Checking::new(Arc::clone(&tape), Arc::clone(&stage.sink)));
        let workspace = Arc::clone(&stage.workspace);
        let agent = Agent::new(workspace, Arc::new(provider), settings, sink)
            .journaled(Arc::clone(&stage.journal))
            .testing(tests)
            .instructed_before(project)
            .tested_before(Arc::new(move || tested.tests()))
            .looked_before(Arc::new(move |cx| {
                let (seen, files) = looked.look();
                tool::put(cx, &files);
                seen
            }))
            .with_tools(|tool| Arc::new(ReplayedTool::new(tool, Arc::clone(&tape))) as _)
            .with_more_tools(tool::foreign(offered, &tape), tool::foreign(named, &tape));
        let session = &recording.header.session;
        let report =
            agent.again(session, fold, task.as_deref().map(|task| (task, recalled)), &cancel).await;
        tape.end(|| end_differs(&tape, ended.as_ref(), &report));
        if tape.diverged() {
            break;
        }
    }
    Ok(tape.result())
}

/// How the end of a request differs from the recorded one. One that was cut off has none.
fn end_differs(tape: &Tape, ended: Option<&Ended>, report: &Report) -> Option<(String, String)> {
    let ended = ended?;
    let told = |outcome: &str, response: Option<&str>| {
        format!("outcome: {outcome}\n{}\n", response.unwrap_or("(no answer)"))
    };
    let response = report.response.as_deref().map(|text| tape.place().to_recorded(text));
    let was = told(&ended.outcome, ended.response.as_deref());
    let is = told(report.outcome.name(), response.as_deref());
    (was != is).then_some((was, is))
}

/// The signal with which a replay ends where the recording does.
const AT_THE_END: Signal = Signal::Interrupt;
