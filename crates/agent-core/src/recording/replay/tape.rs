//! The recording while it is run again: what comes next, and where it was different.

use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use agent_llm::{
    Purpose, ToolSpec,
    script::{Script, ScriptError, ScriptedReply},
};
use agent_tools::diff;

use super::{AT_THE_END, Replayed, place::Place};
use crate::{
    Action, Cancel, Change, Files, Outcome, Settings,
    recording::{FileLine, Line, Recording},
    session::{By, Ended, Fold, Note, told},
    tool::Breach,
    verify::{TestRun, Tests},
    window::agents_md,
};

/// The first thing that was different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// The decision step, from 1, over all requests of the recording.
    pub step: u32,
    /// What was different: a request, a result, the end.
    pub what: String,
    /// From the recorded to what came, as a unified diff.
    pub diff: String,
}

/// One request of the user, from its beginning to its end or to where it was cut off.
#[derive(Debug, Default)]
pub(super) struct Segment {
    /// Where the session stood.
    pub(super) before: Fold,
    /// The user's words; none where it went on with the last request.
    pub(super) task: Option<String>,
    pub(super) model: String,
    /// What was on offer.
    pub(super) tools: Vec<ToolSpec>,
    pub(super) settings: Settings,
    pub(super) tested: Tests,
    pub(super) by: By,
    /// What the project told agents then.
    pub(super) project: String,
    pub(super) recalled: Option<String>,
    pub(super) ended: Option<Ended>,
    replies: VecDeque<ScriptedReply>,
    calls: HashMap<String, RecordedCall>,
    /// What has to stand at paths before each call and each look, in their order.
    files: VecDeque<(At, Vec<FileLine>)>,
    /// What was seen of the workspace between calls.
    looks: VecDeque<Files>,
    /// Test runs, by the call that they came after.
    tests: HashMap<String, TestRun>,
    last_begun: String,
}

/// What finds files as they stand.
#[derive(Debug, PartialEq, Eq)]
enum At {
    Call(String),
    Look,
}

/// A call as it was recorded.
#[derive(Debug, Default, Clone)]
pub(super) struct RecordedCall {
    /// What has to stand at paths before it.
    pub(super) files: Vec<FileLine>,
    /// What it left, where it can't be carried out again.
    pub(super) left: Vec<FileLine>,
    /// What came of it; none where it was cut off.
    pub(super) acted: Option<Acted>,
}

/// What came of a call.
#[derive(Debug, Clone)]
pub(super) struct Acted {
    pub(super) content: String,
    pub(super) action: Action,
    pub(super) changes: Vec<Change>,
    pub(super) breach: Breach,
}

impl Segment {
    /// The segments of a recording.
    pub(super) fn all(recording: &Recording) -> Result<Vec<Self>, ScriptError> {
        let mut replies = replies(recording)?;
        let mut fold = Fold::default();
        let mut segments: Vec<Self> = Vec::new();
        let mut files: Vec<FileLine> = Vec::new();
        let mut project = String::new();
        for line in &recording.lines {
            let note = match line {
                Line::File(file) => {
                    files.push(file.clone());
                    continue;
                }
                Line::Note(note) => note,
            };
            match &**note {
                Note::Prefix { system, .. } => {
                    project = agents_md::of_prompt(system).unwrap_or_default().to_owned();
                }
                Note::Requested(requested) => segments.push(Self {
                    // What stands before the first request is what is said today.
                    before: if segments.is_empty() { Fold::default() } else { fold.clone() },
                    task: Some(requested.task.clone()),
                    tools: fold.tools.to_vec(),
                    model: requested.model.clone(),
                    settings: requested.settings.clone(),
                    tested: requested.tests.clone(),
                    by: requested.by,
                    project: project.clone(),
                    recalled: requested.recalled.clone(),
                    ..Self::default()
                }),
                Note::Said { text } if text == told::GOES_ON => {
                    let last = fold.requested.clone();
                    segments.push(Self {
                        before: fold.clone(),
                        tools: fold.tools.to_vec(),
                        model: last.as_ref().map(|last| last.model.clone()).unwrap_or_default(),
                        tested: last.as_ref().map(|last| last.tests.clone()).unwrap_or_default(),
                        settings: last.map(|last| last.settings).unwrap_or_default(),
                        ..Self::default()
                    });
                }
                Note::Said { .. }
                | Note::Looked(_)
                | Note::Replied { .. }
                | Note::Aside { .. }
                | Note::Began { .. }
                | Note::Waits { .. }
                | Note::Acted { .. }
                | Note::Tested(_)
                | Note::Compacted(_)
                | Note::Ended(_) => {}
            }
            if let Some(segment) = segments.last_mut() {
                segment.add(note, &mut replies, &mut files);
            }
            fold.add(note);
        }
        Ok(segments)
    }

    fn add(
        &mut self,
        note: &Note,
        replies: &mut VecDeque<ScriptedReply>,
        files: &mut Vec<FileLine>,
    ) {
        match note {
            Note::Replied { .. } | Note::Aside { .. } => self.replies.extend(replies.pop_front()),
            Note::Began { call_id, .. } => {
                let (left, files) = files.drain(..).partition(|file| file.left_by.is_some());
                self.files.push_back((At::Call(call_id.clone()), files));
                self.last_begun.clone_from(call_id);
                let recorded = RecordedCall { left, ..RecordedCall::default() };
                self.calls.insert(call_id.clone(), recorded);
            }
            // What nobody had answered was carried out when the session went on.
            Note::Acted { .. } if self.was_refused() => {}
            Note::Acted { call: Some(call), content, action: Some(action), changes, breach } => {
                if let Some(recorded) = self.calls.get_mut(&call.id) {
                    recorded.acted = Some(Acted {
                        content: Note::shown(content.as_deref(), Some(action)),
                        action: (**action).clone(),
                        changes: changes.clone(),
                        breach: *breach,
                    });
                }
            }
            Note::Looked(seen) => {
                self.files.push_back((At::Look, mem::take(files)));
                self.looks.push_back((**seen).clone());
            }
            Note::Tested(run) => {
                self.tests.insert(self.last_begun.clone(), (**run).clone());
            }
            Note::Ended(ended) => self.ended = Some((**ended).clone()),
            Note::Prefix { .. }
            | Note::Requested(_)
            | Note::Said { .. }
            | Note::Waits { .. }
            | Note::Compacted(_)
            | Note::Acted { .. } => {}
        }
    }
}

impl Segment {
    /// Whether it has ended for want of an answer.
    fn was_refused(&self) -> bool {
        self.ended.as_ref().is_some_and(|ended| ended.outcome == Outcome::Refused.name())
    }

    /// What has to stand at paths up to there.
    fn files_until(&mut self, at: &At) -> Vec<FileLine> {
        let mut until = Vec::new();
        while let Some((next, files)) = self.files.pop_front() {
            until.extend(files);
            if next == *at {
                break;
            }
        }
        until
    }
}

/// Every model call of a recording: one leans on those before it.
fn replies(recording: &Recording) -> Result<VecDeque<ScriptedReply>, ScriptError> {
    let lines = recording.lines.iter().filter_map(|line| match line {
        Line::Note(note) => note.line().map(|line| format!("{line}\n")),
        Line::File(_) => None,
    });
    let text: String = lines.collect();
    Ok(Script::parse(text.as_bytes())?.replies.into())
}

/// The recording while it is run again.
pub(super) struct Tape {
    place: Place,
    whole_tree: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    segment: Segment,
    cancel: Cancel,
    /// The call that is being carried out.
    current: String,
    at_the_end: bool,
    result: Option<Divergence>,
    steps: u32,
    calls: usize,
    answered: usize,
}

impl Tape {
    pub(super) fn new(place: Place, whole_tree: bool) -> Self {
        Self { place, whole_tree, state: Mutex::default() }
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// Whether the recording holds everything that a search could find.
    pub(super) fn has_whole_tree(&self) -> bool {
        self.whole_tree
    }

    pub(super) fn begin(&self, segment: Segment, cancel: &Cancel) {
        let mut state = self.state();
        state.segment = segment;
        state.cancel = cancel.clone();
        state.at_the_end = false;
    }

    /// The next reply; none where the recording ends.
    pub(super) fn next_reply(&self, purpose: Purpose) -> Option<ScriptedReply> {
        let mut state = self.state();
        if purpose == Purpose::Decide {
            state.steps += 1;
        }
        state.segment.replies.pop_front()
    }

    /// A call begins.
    pub(super) fn call(&self, id: &str) {
        let mut state = self.state();
        state.calls += 1;
        id.clone_into(&mut state.current);
    }

    /// The call that is being carried out, as it was recorded. The files before it are those of
    /// calls that never came to their tool, too.
    pub(super) fn current(&self) -> RecordedCall {
        let mut state = self.state();
        let current = state.current.clone();
        let mut call = state.segment.calls.get(&current).cloned().unwrap_or_default();
        call.files.extend(state.segment.files_until(&At::Call(current)));
        call
    }

    /// What was seen of the workspace next, and what has to stand at paths for that.
    pub(super) fn look(&self) -> (Files, Vec<FileLine>) {
        let mut state = self.state();
        let files = state.segment.files_until(&At::Look);
        (state.segment.looks.pop_front().unwrap_or_default(), files)
    }

    /// A call as it was recorded.
    pub(super) fn recorded(&self, id: &str) -> Option<Acted> {
        self.state().segment.calls.get(id)?.acted.clone()
    }

    /// The test run that came after the call that was carried out last, if there was one.
    pub(super) fn tests(&self) -> Option<TestRun> {
        let mut state = self.state();
        let current = state.current.clone();
        let run = state.segment.tests.remove(&current)?;
        state.answered += 1;
        Some(run)
    }

    /// Takes note of a call that is answered from the recording.
    pub(super) fn answered(&self) {
        self.state().answered += 1;
    }

    /// Something was different. Only the first counts, and ends the replay.
    pub(super) fn differs(&self, what: &str, was: &str, is: &str) {
        let mut state = self.state();
        if state.result.is_none() && !state.at_the_end {
            let step = state.steps;
            let diff = diff::unified("recorded", was, is);
            state.result = Some(Divergence { step, what: what.to_owned(), diff });
        }
        state.cancel.cancel(AT_THE_END);
    }

    /// The request was cut off here, or interrupted: so it ends here again.
    pub(super) fn cut(&self) {
        let mut state = self.state();
        state.at_the_end = true;
        state.cancel.cancel(AT_THE_END);
    }

    /// Whether the request was cut off, or interrupted.
    pub(super) fn is_cut(&self) -> bool {
        let state = self.state();
        state.segment.ended.as_ref().is_none_or(|ended| ended.outcome == "interrupted")
    }

    /// The request ended.
    pub(super) fn end(&self, differs: impl FnOnce() -> Option<(String, String)>) {
        let left = self.state().segment.replies.len();
        if let Some((was, is)) = differs() {
            self.differs("the end of the request is different", &was, &is);
        } else if left > 0 && !self.diverged() {
            let was = format!("{left} more model calls\n");
            self.differs("the request ends too early", &was, "");
        }
    }

    pub(super) fn diverged(&self) -> bool {
        self.state().result.is_some()
    }

    pub(super) fn result(&self) -> Replayed {
        let state = self.state();
        Replayed {
            steps: state.steps,
            calls: state.calls,
            answered: state.answered,
            divergence: state.result.clone(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
