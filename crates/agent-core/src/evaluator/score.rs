//! From what was counted to a score.

use super::Signals;
use crate::Intent;

/// Points so far, with what led to them.
struct Points {
    left: f64,
    reasons: Vec<String>,
}

impl Points {
    fn less(&mut self, points: f64, reason: impl Into<String>) {
        self.left -= points;
        self.reasons.push(reason.into());
    }

    fn at_most(&mut self, points: f64, reason: impl Into<String>) {
        self.left = self.left.min(points);
        self.reasons.push(reason.into());
    }
}

/// The score with its reason.
pub(super) fn score(signals: &Signals) -> (u8, String) {
    let mut points = Points { left: 5.0, reasons: Vec::new() };
    if signals.outcome == "finished" {
        points.reasons.push("finished".to_owned());
        result(signals, &mut points);
    } else {
        unfinished(signals, &mut points);
    }
    tests(signals, &mut points);
    way(signals, &mut points);
    (points.left.clamp(1.0, 5.0).round() as u8, points.reasons.join("; "))
}

/// What a request is worth that did not finish.
fn unfinished(signals: &Signals, points: &mut Points) {
    let most = match (signals.outcome.as_str(), signals.files, signals.tests_last) {
        ("budget" | "loop" | "interrupted", 1.., Some(true)) => 3.0,
        ("budget" | "loop" | "interrupted" | "failed" | "refused", 1.., _) => 2.0,
        ("refused" | "interrupted", _, _) => 2.0,
        (_, _, _) => 1.0,
    };
    points.at_most(most, format!("ended: {}", signals.outcome));
}

/// What came of a request that finished.
fn result(signals: &Signals, points: &mut Points) {
    if !signals.answered {
        points.less(1.0, "no answer in words");
    }
    match signals.intent {
        Intent::Edit if signals.files == 0 => points.less(2.0, "nothing was changed"),
        Intent::Read if signals.from_cache => points.reasons.push("from cache".to_owned()),
        Intent::Read if signals.files == 0 && signals.calls == 0 => {
            points.less(1.0, "answered without looking");
        }
        Intent::Run if signals.calls == 0 => points.less(2.0, "nothing was run"),
        Intent::Read | Intent::Edit | Intent::Run | Intent::Undo | Intent::Profile => {}
    }
    if signals.undone > 0 {
        points.less(
            if signals.undone == 1 { 1.5 } else { 2.0 },
            count(signals.undone, "edit stayed undone", "edits stayed undone"),
        );
    }
    let words = signals.request_words.max(1) as u64;
    if signals.lines > 400 && signals.lines / words > 40 {
        points.less(1.0, format!("{} lines changed for {words} words", signals.lines));
    }
}

fn tests(signals: &Signals, points: &mut Points) {
    match (signals.tests_first, signals.tests_last) {
        (_, Some(false)) => points.at_most(2.0, "the tests fail"),
        (Some(true), Some(true)) => points.reasons.push("the tests pass".to_owned()),
        (_, Some(true)) => {
            let tries = count(signals.retries as usize, "failed run", "failed runs");
            points.less(
                0.4 * f64::from(signals.retries.min(4)),
                format!("the tests pass after {tries}"),
            );
        }
        (_, None) if signals.files > 0 => points.less(0.4, "not tested"),
        (_, None) => {}
    }
}

/// How it went on the way.
fn way(signals: &Signals, points: &mut Points) {
    if signals.declined > 0 {
        let less = 0.5 * signals.declined.min(3) as f64;
        points.less(less, count(signals.declined, "call was declined", "calls were declined"));
    }
    if signals.syntax_errors > 0 {
        let less = 0.3 * signals.syntax_errors.min(3) as f64;
        points.less(
            less,
            count(signals.syntax_errors, "edit with a syntax error", "edits with syntax errors"),
        );
    }
    let other = signals.failed_calls.saturating_sub(signals.declined + signals.syntax_errors);
    if other > 0 && other * 4 > signals.calls {
        let less = if other * 2 > signals.calls { 1.0 } else { 0.5 };
        points.less(less, format!("{other} of {} calls failed", signals.calls));
    }
    if signals.max_turns > 0 && signals.turns * 10 > signals.max_turns * 7 {
        points.less(0.5, format!("{} of {} turns", signals.turns, signals.max_turns));
    }
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
