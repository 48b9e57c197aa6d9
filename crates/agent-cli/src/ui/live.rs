//! A run on a screen, while somebody watches.

use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_core::{Event, EventSink, Report, Spent};
use agent_llm::{Purpose, Retry, Usage};

use super::{
    Detail, Paint, Progress, Reader, Stream, Style,
    flow::WIDEST,
    harmless,
    markdown::{self, Page},
    screen_width,
    status::Status,
    words,
};

/// Shows events on the screen: steps as they end, answers block by block, and in the last line what
/// is going on.
#[derive(Debug)]
pub(crate) struct Live(Mutex<Screen>);

#[derive(Debug)]
struct Screen {
    style: Style,
    progress: Progress,
    answer: markdown::Stream,
    /// None where lines can't be taken back.
    status: Option<Status>,
    purpose: Purpose,
    /// Words of the current reply.
    streamed: String,
    /// Whether any of them are on the screen.
    spoke: bool,
    /// Tokens and money of the calls so far.
    spent: Spent,
    /// The action that is being carried out.
    doing: String,
    /// The command that tests changes, if there is one.
    test: Option<String>,
    changed: bool,
}

/// What a terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// Lines can be taken back.
    Screen,
    /// What is written stays.
    Paper,
}

impl Live {
    pub(crate) fn new(style: Style, surface: Surface) -> Self {
        let status = match surface {
            Surface::Screen => Some(Status::new(style)),
            Surface::Paper => None,
        };
        let page = Page { style, width: width() };
        let spent = Spent { usage: Usage::default(), cost: None };
        Self(Mutex::new(Screen {
            style,
            progress: Progress::new(style, Detail::Steps, Reader::Later),
            answer: markdown::Stream::new(page),
            status,
            purpose: Purpose::Decide,
            streamed: String::new(),
            spoke: false,
            spent,
            doing: String::new(),
            test: None,
            changed: false,
        }))
    }

    /// From here on changes are tested by `command`.
    pub(crate) fn tested_by(&self, command: Option<String>) {
        self.screen().test = command;
    }

    /// Says what is going on, until [`Live::rest`].
    pub(crate) fn doing(&self, what: &str) {
        self.screen().show(what);
    }

    /// Nothing is going on any more.
    pub(crate) fn rest(&self) {
        self.screen().hide();
    }

    fn screen(&self) -> MutexGuard<'_, Screen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for Live {
    fn emit(&self, event: &Event) {
        self.screen().event(event);
    }
}

impl Screen {
    fn event(&mut self, event: &Event) {
        self.answer.fit(width());
        self.progress.fit(screen_width());
        // Also where it is shown otherwise: what it says next depends on what went before.
        let steps = self.progress.render(event);
        match event {
            Event::Started { .. } => self.changed = false,
            Event::ModelCalled { purpose, turn: _ } => {
                self.purpose = *purpose;
                self.answer.drop();
                self.streamed.clear();
                self.spoke = false;
                self.show(waiting(*purpose));
            }
            Event::Text(words) => {
                if self.for_people() {
                    self.streamed.push_str(words);
                    let lines = self.answer.push(words);
                    self.say(&lines);
                }
            }
            Event::Reasoning(_) => {}
            Event::Retry(retry) => self.retry(retry, &steps),
            Event::Replied { purpose: _, text: _, calls: _, usage, cost, sent: _ } => {
                self.spend(*usage, *cost);
                let lines = self.answer.finish();
                self.say(&lines);
                self.show("working");
            }
            Event::ActionStarted { tool, params, .. } => {
                self.write(&steps);
                self.doing = format!("{tool} {}", words::subject(params));
                let doing = self.doing.clone();
                self.show(doing.trim());
            }
            Event::ActionFinished { .. } => {
                self.write(&steps);
                let next = match (&self.test, self.changed) {
                    (Some(command), true) => format!("testing: {command}"),
                    (Some(_) | None, _) => "working".to_owned(),
                };
                self.show(&next);
            }
            Event::Changed(_) => {
                self.changed = true;
                self.write(&steps);
                if let Some(command) = &self.test {
                    let testing = format!("testing: {command}");
                    self.show(&testing);
                }
            }
            // The line is whoever's who asks.
            Event::Approval { question: _, answer: None } => self.hide(),
            Event::Approval { question: _, answer: Some(_) } => {
                let doing = self.doing.clone();
                self.show(doing.trim());
            }
            Event::Test(_) => {
                self.changed = false;
                self.write(&steps);
            }
            Event::CallRejected { .. }
            | Event::Compacted { .. }
            | Event::ProtocolChanged { .. }
            | Event::Proposed(_)
            | Event::Warning(_) => {
                self.write(&steps);
            }
            Event::Finished(report) => self.finished(report, &steps),
        }
    }

    fn for_people(&self) -> bool {
        matches!(self.purpose, Purpose::Decide | Purpose::Response)
    }

    fn retry(&mut self, retry: &Retry, steps: &str) {
        if self.spoke {
            let note = self.style.paint(Paint::Yellow, "what it has said is void");
            self.write(&format!("{note}\n"));
        }
        self.answer.drop();
        self.streamed.clear();
        self.write(steps);
        let next = format!("until try {}", retry.attempt + 1);
        if let Some(status) = &mut self.status {
            status.count_down(next, retry.delay);
        }
    }

    fn finished(&mut self, report: &Report, steps: &str) {
        self.hide();
        let answer = report.response.as_deref().unwrap_or_default();
        if answer.trim() != self.streamed.trim() {
            self.answer.drop();
            self.spoke = false;
            let lines = self.answer.push(answer) + &self.answer.finish();
            self.say(&lines);
        }
        self.streamed.clear();
        let gap = if self.spoke { "\n" } else { "" };
        self.write(&format!("{gap}{steps}"));
    }

    fn spend(&mut self, usage: Usage, cost: Option<f64>) {
        self.spent.usage += usage;
        self.spent.cost = match (self.spent.cost, cost) {
            (None, None) => None,
            (before, now) => Some(before.unwrap_or_default() + now.unwrap_or_default()),
        };
    }

    /// Says what is going on, and what was spent.
    fn show(&mut self, what: &str) {
        let spent = self.spent;
        let Some(status) = &mut self.status else { return };
        let what = harmless(&words::one_line(what)).into_owned();
        status.show(match spent.usage == Usage::default() {
            true => what,
            false => format!("{what} · {}", words::short_tokens(spent)),
        });
    }

    fn hide(&mut self) {
        if let Some(status) = &mut self.status {
            status.hide();
        }
    }

    /// Writes what the model says, set off from the steps before it.
    fn say(&mut self, lines: &str) {
        if lines.is_empty() {
            return;
        }
        let gap = if std::mem::replace(&mut self.spoke, true) { "" } else { "\n" };
        self.write(&format!("{gap}{lines}"));
    }

    /// Writes above the last line.
    fn write(&self, text: &str) {
        match &self.status {
            _ if text.is_empty() => {}
            Some(status) => status.above(|| Stream::Output.write(text)),
            None => Stream::Output.write(text),
        }
    }
}

fn waiting(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Decide => "thinking",
        Purpose::EditPlan => "planning the edit",
        Purpose::Response => "wording the answer",
        Purpose::Plan => "planning",
        Purpose::Summary => "shortening the history",
        Purpose::Judge => "judging the answer",
    }
}

fn width() -> usize {
    screen_width().min(WIDEST)
}
