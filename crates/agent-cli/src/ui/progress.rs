//! A run as text, event by event.

use std::time::{Duration, Instant};

use agent_core::{
    Action, Change, ChangeKind, Event, Outcome, Report, Spent, approval::What, verify::TestRun,
};
use agent_llm::{Purpose, Retry, ToolCall};

use super::{
    Paint, Style, diff,
    flow::{Flow, WIDEST, laid_out},
    harmless, words,
};

#[cfg(test)]
pub(crate) mod tests;

/// Lines of one observation that are shown.
const SEEN: usize = 40;

/// Takes back the line.
const WIPE: &str = "\r\x1b[2K";

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// Warnings, and what stayed undone.
    Quiet,
    /// Every step.
    Steps,
    /// Also reasoning, results and tokens.
    Everything,
}

/// Who reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Somebody at a terminal: words appear as they come.
    Live,
    /// A file: only what stays true is written.
    Later,
}

/// Turns events into text. What it returns is to be written as it is, in order.
#[derive(Debug)]
pub(crate) struct Progress {
    style: Style,
    detail: Detail,
    reader: Reader,
    started: Instant,
    purpose: Purpose,
    /// Words of the current reply that were shown as they came.
    streamed: String,
    /// The words of the last reply.
    said: String,
    line: Line,
    /// What comes word by word, and how it is painted.
    flow: Flow,
    voice: Option<Paint>,
    /// The columns of the screen; where there is none, lines are as long as they are.
    columns: Option<usize>,
    /// Changes that were shown when somebody was asked about them.
    approved: Vec<Change>,
}

/// What stands in the current line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Empty,
    /// Words that stay.
    Words,
    /// A note that is wiped.
    Waiting,
}

impl Progress {
    pub(crate) fn new(style: Style, detail: Detail, reader: Reader) -> Self {
        Self {
            style,
            detail,
            reader,
            started: Instant::now(),
            purpose: Purpose::Decide,
            streamed: String::new(),
            said: String::new(),
            line: Line::Empty,
            flow: Flow::new(usize::MAX),
            voice: None,
            columns: None,
            approved: Vec::new(),
        }
    }

    /// Whether somebody watches.
    pub(crate) fn is_live(&self) -> bool {
        self.reader == Reader::Live
    }

    /// From here on lines are laid out for a screen so wide.
    pub(crate) fn fit(&mut self, columns: usize) {
        self.columns = Some(columns);
        self.flow.fit(columns.min(WIDEST));
    }

    /// Whether `answer` was the last thing that was shown live.
    pub(crate) fn showed(&self, answer: &str) -> bool {
        !answer.trim().is_empty() && self.streamed.trim() == answer.trim()
    }

    /// What there is to write about `event`.
    pub(crate) fn render(&mut self, event: &Event) -> String {
        match event {
            Event::Test(run) => self.test(run),
            Event::Warning(message) => self.warning(message),
            Event::Finished(report) => self.finished(report),
            _ if self.detail == Detail::Quiet => String::new(),
            Event::Started { session_id: _, model, tools: _, working_dir } => {
                self.started = Instant::now();
                let place = format!(" · {} · {}", harmless(model), harmless(working_dir));
                let name = self.style.paint(Paint::Bold, "agent");
                self.told(&format!("{name}{}\n", self.style.paint(Paint::Dim, &place)))
            }
            Event::ModelCalled { purpose, turn } => self.waiting(*purpose, *turn),
            Event::Text(words) => self.words(words),
            Event::Reasoning(words) => self.reasoning(words),
            Event::Retry(retry) => self.retry(retry),
            Event::Replied { purpose, text, calls, usage, cost, sent } => {
                let mut shown = self.replied(*purpose, text, calls);
                if self.detail == Detail::Everything {
                    let tokens = words::tokens(Spent { usage: *usage, cost: *cost });
                    let sent = sent.as_ref().map(words::sent).unwrap_or_default();
                    shown += &self.dim_lines(&format!("  {tokens}{sent}"));
                }
                shown
            }
            Event::ActionStarted { call_id: _, tool, reason, params } => {
                let subject = words::subject(params);
                // Where the reason is the reply's own words, they have just been shown.
                let reason = if reason.trim() == self.said.trim() { "" } else { reason };
                let tool = self.style.paint(Paint::Bold, &harmless(tool));
                let reason = self.style.paint(Paint::Dim, &harmless(&words::one_line(reason)));
                let parts = [tool, harmless(&subject).into_owned(), reason];
                let parts: Vec<String> =
                    parts.into_iter().filter(|part| !part.is_empty()).collect();
                self.told(&format!("› {}\n", parts.join("  ")))
            }
            Event::ActionFinished { call_id: _, action, observation, elapsed } => {
                self.acted(action, observation, *elapsed)
            }
            Event::Compacted { before, after, left_out } => {
                let text = words::compacted(*before, *after, *left_out);
                self.dim_lines(&text)
            }
            Event::ProtocolChanged { to: _, why } => self.warning(&words::protocol_changed(why)),
            Event::Proposed(one) => self.told(&format!("{}\n", harmless(&words::proposed(one)))),
            Event::CallRejected { call_id: _, message } => {
                let message = self.style.paint(Paint::Red, &harmless(&words::one_line(message)));
                self.told(&format!("  {message}\n"))
            }
            // Who is asked sees the question; the line is theirs.
            Event::Approval { question, answer } => {
                if let (Some(_), What::Changes(changes)) = (answer, &question.what) {
                    self.approved.clone_from(changes);
                }
                self.lines("")
            }
            Event::Changed(change) if self.approved.contains(change) => String::new(),
            Event::Changed(change) => {
                let text = match (change.diff.is_empty(), change.kind) {
                    (false, _) => diff(&change.diff, self.style),
                    (true, ChangeKind::Create) => format!("  created {}\n", harmless(&change.file)),
                    (true, ChangeKind::Edit) => format!("  changed {}\n", harmless(&change.file)),
                    (true, ChangeKind::Delete) => format!("  deleted {}\n", harmless(&change.file)),
                };
                self.lines(&text)
            }
        }
    }

    /// `text`, which is whole lines, in a line of its own.
    fn lines(&mut self, text: &str) -> String {
        let held = self.flow.finish();
        let before = match std::mem::replace(&mut self.line, Line::Empty) {
            Line::Empty if held.is_empty() => String::new(),
            Line::Empty | Line::Words => self.voiced(&held) + "\n",
            Line::Waiting => WIPE.to_owned(),
        };
        before + text
    }

    /// The same for what is made of words: it fits the screen.
    fn told(&mut self, text: &str) -> String {
        let text = self.fitted(text);
        self.lines(&text)
    }

    fn dim_lines(&mut self, text: &str) -> String {
        let text = self.style.paint(Paint::Dim, &self.fitted(text));
        self.lines(&format!("{text}\n"))
    }

    fn fitted(&self, text: &str) -> String {
        self.columns.map_or_else(|| text.to_owned(), |columns| laid_out(text, columns))
    }

    /// Words that go on where the last ones ended.
    fn go_on(&mut self, words: &str, voice: Option<Paint>) -> String {
        let before = match self.line {
            Line::Waiting => self.lines(""),
            Line::Empty | Line::Words => String::new(),
        };
        self.voice = voice;
        let shown = self.flow.push(words);
        if !shown.is_empty() {
            self.line = if shown.ends_with('\n') { Line::Empty } else { Line::Words };
        }
        before + &self.voiced(&shown)
    }

    fn voiced(&self, words: &str) -> String {
        match self.voice {
            Some(paint) => self.style.paint(paint, words),
            None => words.to_owned(),
        }
    }

    fn waiting(&mut self, purpose: Purpose, turn: u32) -> String {
        self.purpose = purpose;
        self.streamed.clear();
        self.flow.restart();
        if self.reader == Reader::Later {
            return String::new();
        }
        let what = match purpose {
            Purpose::Decide => format!("step {turn}"),
            Purpose::EditPlan => "planning the edit".to_owned(),
            Purpose::Response => "wording the answer".to_owned(),
            Purpose::Plan => "planning".to_owned(),
            Purpose::Summary => "shortening the history".to_owned(),
            Purpose::Judge => "judging the answer".to_owned(),
        };
        let note = self.style.paint(Paint::Dim, &format!("… {what}"));
        let text = self.lines(&note);
        self.line = Line::Waiting;
        text
    }

    fn words(&mut self, words: &str) -> String {
        let for_people = matches!(self.purpose, Purpose::Decide | Purpose::Response);
        if self.reader == Reader::Later || !for_people {
            return String::new();
        }
        // After reasoning, the answer begins in a line of its own.
        let before = if self.streamed.is_empty() { self.lines("") } else { String::new() };
        self.streamed.push_str(words);
        before + &self.go_on(&harmless(words), None)
    }

    fn reasoning(&mut self, words: &str) -> String {
        if self.detail < Detail::Everything {
            return String::new();
        }
        self.go_on(&harmless(words), Some(Paint::Dim))
    }

    fn retry(&mut self, retry: &Retry) -> String {
        let void = match std::mem::take(&mut self.streamed).is_empty() {
            true => "",
            false => " (what it had said is void)",
        };
        let delay = words::time(retry.delay);
        let message = words::one_line(&retry.error.to_string());
        let text = format!("try {} failed{void}, next in {delay}: {message}", retry.attempt);
        let text = self.style.paint(Paint::Yellow, &harmless(&text));
        self.told(&format!("{text}\n"))
    }

    fn replied(&mut self, purpose: Purpose, text: &str, calls: &[ToolCall]) -> String {
        text.clone_into(&mut self.said);
        // A reply without calls is the answer, which goes to standard output.
        let in_passing = purpose == Purpose::Decide && !calls.is_empty() && !text.trim().is_empty();
        if self.reader == Reader::Later && in_passing {
            return self.told(&format!("{}\n", harmless(text.trim_end())));
        }
        self.lines("")
    }

    fn acted(&mut self, action: &Action, observation: &str, elapsed: Duration) -> String {
        // Finishing shows in the answer and in the last line.
        if action.tool == "finish" {
            return self.lines("");
        }
        let (sign, paint) = match action.succeeded() {
            true => ("", Paint::Green),
            false => ("failed: ", Paint::Red),
        };
        let result = words::result(action);
        let result = self.style.paint(paint, &harmless(&format!("{sign}{result}")));
        let time = self.style.paint(Paint::Dim, &format!("· {}", words::time(elapsed)));
        let mut text = self.told(&format!("  {result} {time}\n"));
        if self.detail == Detail::Everything {
            let indented = |line| format!("    {}", harmless(line));
            let mut lines: Vec<String> = observation.lines().take(SEEN).map(indented).collect();
            let left_out = observation.lines().count().saturating_sub(SEEN);
            if left_out > 0 {
                lines.push(format!("    … {left_out} more lines"));
            }
            text += &self.dim_lines(&lines.join("\n"));
        }
        text
    }

    fn warning(&mut self, message: &str) -> String {
        let label = self.style.paint(Paint::Yellow, "warning:");
        self.told(&format!("{label} {}\n", harmless(message.trim_end())))
    }

    fn test(&mut self, run: &TestRun) -> String {
        if self.detail == Detail::Quiet {
            return String::new();
        }
        let command = self.style.paint(Paint::Bold, &format!("$ {}", harmless(&run.command)));
        let verdict = if run.passed {
            self.style.paint(Paint::Green, "the tests pass")
        } else {
            let first = run.failures.first().map_or("", |failure| failure.message.as_str());
            let first = harmless(&words::one_line(first)).into_owned();
            self.style.paint(Paint::Red, &format!("the tests fail: {first}"))
        };
        self.told(&format!("{command}\n  {verdict}\n"))
    }

    fn finished(&mut self, report: &Report) -> String {
        let mut text = self.lines("");
        if self.detail > Detail::Quiet {
            let paint = if report.outcome == Outcome::Finished { Paint::Green } else { Paint::Red };
            let summary = words::summary(report, self.started.elapsed());
            text += &self.told(&format!("{}\n", self.style.paint(paint, &harmless(&summary))));
        }
        if let (Detail::Everything, Some(traffic)) = (self.detail, words::traffic(report.sent)) {
            text += &self.dim_lines(&format!("  {traffic}"));
        }
        for undone in &report.undone {
            let label = self.style.paint(Paint::Yellow, "not done:");
            let message = words::one_line(&undone.message);
            let what = format!("{} {}: {message}", undone.tool, undone.target_file);
            text += &self.told(&format!("{label} {}\n", harmless(&what)));
        }
        text
    }
}
