//! A terminal with nobody but a test in front of it.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{pty::Pty, tmux::Tmux};
use crate::support::Place;

/// How long anything may take to appear. The machine may be busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a terminal is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
    Pty,
    Tmux,
}

/// How a terminal is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) on: On,
    pub(crate) rows: u16,
    pub(crate) columns: u16,
    pub(crate) term: &'static str,
    pub(crate) no_colour: bool,
}

impl Kind {
    pub(crate) fn of(on: On) -> Self {
        Self { on, rows: 50, columns: 80, term: "xterm-256color", no_colour: false }
    }

    /// The variables that the program sees.
    pub(super) fn environment(self, place: &Place) -> Vec<(&'static str, String)> {
        let path = |name| place.path(name).display().to_string();
        let search = std::env::var("PATH").unwrap_or_default();
        let mut all = vec![("PATH", search), ("HOME", path("home")), ("TMPDIR", path(""))];
        all.push(("TERM", self.term.to_owned()));
        if self.no_colour {
            all.push(("NO_COLOR", "1".to_owned()));
        }
        all
    }
}

/// What shows a program to a user, and gives it the keys.
pub(super) trait Emulator {
    fn keys(&self, keys: &str);
    /// The screen as text; a line that the terminal itself has broken is one.
    fn contents(&self) -> String;
    fn resize(&self, rows: u16, columns: u16);
    /// Everything that was written, escapes and all.
    fn written(&self) -> Vec<u8>;
    /// The exit code, once there is one.
    fn ended(&mut self) -> Option<i32>;
    /// The program's process.
    fn id(&self) -> u32;
}

/// A terminal in which the program runs.
pub(crate) struct Terminal(Box<dyn Emulator>);

/// The keys that have no character.
pub(super) const ENTER: &str = "\r";
pub(super) const TAB: &str = "\t";
pub(super) const UP: &str = "\u{1b}[A";
pub(super) const ALT_ENTER: &str = "\u{1b}\r";
pub(super) const CTRL_C: &str = "\u{3}";
pub(super) const CTRL_D: &str = "\u{4}";

impl Terminal {
    /// Starts a chat with the model that the replies make up, and waits for the first prompt.
    pub(super) fn chat(place: &Place, kind: Kind, replies: &[Value], arguments: &[&str]) -> Self {
        let model = place.script(replies);
        let mut all = vec!["chat", "-m", &model];
        all.extend(arguments);
        let terminal = Self::start(place, kind, &all);
        terminal.sees("leaves.");
        terminal.prompt();
        terminal
    }

    pub(super) fn start(place: &Place, kind: Kind, arguments: &[&str]) -> Self {
        Self(match kind.on {
            On::Pty => Box::new(Pty::start(place, kind, arguments)),
            On::Tmux => Box::new(Tmux::start(place, kind, arguments)),
        })
    }

    /// Types.
    pub(super) fn keys(&self, keys: &str) {
        self.0.keys(keys);
    }

    /// Types a line, and waits until it stands there as it was typed: what comes too early is
    /// echoed by the system, and not by the editor.
    pub(super) fn line(&self, line: &str) {
        self.keys(line);
        let end: String =
            line.chars().rev().take(20).collect::<Vec<_>>().into_iter().rev().collect();
        self.sees(&end);
        self.keys(ENTER);
    }

    /// The screen as it is, without empty lines at its end.
    pub(super) fn screen(&self) -> String {
        let contents = self.0.contents();
        let lines: Vec<&str> = contents.lines().map(str::trim_end).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Gives the screen another size, as a user does who pulls at the window's edge.
    pub(super) fn resize(&self, rows: u16, columns: u16) {
        self.0.resize(rows, columns);
    }

    /// Everything that was written, escapes and all.
    pub(super) fn written(&self) -> String {
        String::from_utf8_lossy(&self.0.written()).into_owned()
    }

    /// Waits until the screen is as it should be.
    pub(super) fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "{what} does not appear:\n{screen}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the words stand on the screen.
    pub(super) fn sees(&self, words: &str) -> String {
        self.until(words, |screen| screen.contains(words))
    }

    /// Waits for an empty prompt in the last line.
    pub(super) fn prompt(&self) -> String {
        self.until("the prompt", |screen| screen.lines().last() == Some(">"))
    }

    /// Waits for the end, and gives the exit code.
    pub(super) fn ends(mut self) -> (i32, String) {
        let begun = Instant::now();
        loop {
            if let Some(code) = self.0.ended() {
                thread::sleep(Duration::from_millis(50));
                return (code, self.screen());
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end:\n{}", self.screen());
            thread::sleep(Duration::from_millis(10));
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.0.id()
    }
}
