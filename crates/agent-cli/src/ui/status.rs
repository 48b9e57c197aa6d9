//! The line at the bottom of a screen that says what is going on.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::{Style, words};

/// How often it moves.
const TICK: Duration = Duration::from_millis(120);

/// A line that moves while something is waited for. It is never longer than the screen is wide.
#[derive(Debug)]
pub(crate) struct Status {
    style: Style,
    bar: Option<ProgressBar>,
    clock: Arc<Mutex<Clock>>,
}

/// The time that the line shows.
#[derive(Debug, Clone, Copy)]
enum Clock {
    /// Since then.
    Since(Instant),
    /// Until then.
    Until(Instant),
}

impl Status {
    pub(crate) fn new(style: Style) -> Self {
        Self { style, bar: None, clock: Arc::new(Mutex::new(Clock::Since(Instant::now()))) }
    }

    /// Says what is going on from now on.
    pub(crate) fn show(&mut self, what: String) {
        self.turn(what, Clock::Since(Instant::now()));
    }

    /// Says what will go on after `delay`.
    pub(crate) fn count_down(&mut self, what: String, delay: Duration) {
        self.turn(what, Clock::Until(Instant::now() + delay));
    }

    /// Says nothing more.
    pub(crate) fn hide(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Writes something above the line.
    pub(crate) fn above(&self, write: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn turn(&mut self, what: String, clock: Clock) {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner) = clock;
        if let Some(bar) = &self.bar {
            bar.set_message(what);
            return;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
        bar.set_style(self.template());
        bar.set_message(what);
        bar.enable_steady_tick(TICK);
        self.bar = Some(bar);
    }

    fn template(&self) -> ProgressStyle {
        let clock = Arc::clone(&self.clock);
        let time = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let clock = *clock.lock().unwrap_or_else(PoisonError::into_inner);
            let time = match clock {
                Clock::Since(then) => then.elapsed(),
                Clock::Until(then) => then.saturating_duration_since(Instant::now()),
            };
            // Whoever draws is asked again soon.
            let _ = out.write_str(&words::seconds(time));
        };
        let template = match self.style {
            Style::Coloured => "{spinner:.cyan} {time:.dim} {wide_msg}",
            Style::Plain => "{spinner} {time} {wide_msg}",
        };
        let style = ProgressStyle::with_template(template);
        style.unwrap_or_else(|_| ProgressStyle::default_spinner()).with_key("time", time)
    }
}
