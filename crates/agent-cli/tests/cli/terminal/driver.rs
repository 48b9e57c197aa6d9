//! A terminal with nobody but a test in front of it.

use std::{
    io::{Read, Write},
    num::NonZero,
    process::Child,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use pty_process::{
    Size,
    blocking::{Command, Pty},
};
use serde_json::Value;
use vt100::{Parser, Screen};

use crate::support::Place;

/// How long anything may take to appear. The machine may be busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a terminal is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) rows: u16,
    pub(crate) columns: u16,
    pub(crate) term: &'static str,
    pub(crate) no_colour: bool,
}

impl Default for Kind {
    fn default() -> Self {
        Self { rows: 50, columns: 80, term: "xterm-256color", no_colour: false }
    }
}

/// A terminal in which the program runs.
pub(crate) struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    screen: Arc<Mutex<Parser>>,
    /// Everything that was written.
    written: Arc<Mutex<Vec<u8>>>,
}

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
        terminal.sees("Ctrl-D leaves.");
        terminal.prompt();
        terminal
    }

    pub(crate) fn start(place: &Place, kind: Kind, arguments: &[&str]) -> Self {
        let (pty, pts) = pty_process::blocking::open().expect("a terminal");
        pty.resize(Size::new(kind.rows, kind.columns)).expect("a size");
        let mut command = Command::new(env!("CARGO_BIN_EXE_agent"))
            .args(arguments)
            .current_dir(place.path("work"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", place.path("home"))
            .env("TMPDIR", place.path(""))
            .env("TERM", kind.term);
        if kind.no_colour {
            command = command.env("NO_COLOR", "1");
        }
        let child = command.spawn(pts).expect("the program runs");
        let pty = Arc::new(pty);
        let size = (NonZero::new(kind.rows), NonZero::new(kind.columns));
        let (rows, columns) = (size.0.expect("rows"), size.1.expect("columns"));
        let screen = Arc::new(Mutex::new(Parser::new(rows, columns, 1000)));
        let written = Arc::new(Mutex::new(Vec::new()));
        let (from, to, all) = (Arc::clone(&pty), Arc::clone(&screen), Arc::clone(&written));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = (&*from).read(&mut bytes) {
                to.lock().expect("the screen").process(&bytes[..read]);
                all.lock().expect("the bytes").extend_from_slice(&bytes[..read]);
            }
        });
        Self { pty, child, screen, written }
    }

    /// Types.
    pub(super) fn keys(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).expect("the program reads");
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
        let contents = self.screen.lock().expect("the screen").screen().contents();
        let lines: Vec<&str> = contents.lines().map(str::trim_end).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Gives the screen another size, as a user does who pulls at the window's edge.
    pub(super) fn resize(&self, rows: u16, columns: u16) {
        let size = (NonZero::new(rows), NonZero::new(columns));
        let mut screen = self.screen.lock().expect("the screen");
        screen.screen_mut().set_size(size.0.expect("rows"), size.1.expect("columns"));
        self.pty.resize(Size::new(rows, columns)).expect("a size");
    }

    /// The screen with its colours.
    pub(crate) fn snapshot(&self) -> Screen {
        self.screen.lock().expect("the screen").screen().clone()
    }

    /// Everything that was written, escapes and all.
    pub(super) fn written(&self) -> String {
        String::from_utf8_lossy(&self.written.lock().expect("the bytes")).into_owned()
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
    pub(crate) fn sees(&self, words: &str) -> String {
        self.until(words, |screen| screen.contains(words))
    }

    /// Waits for an empty prompt in the last line.
    pub(super) fn prompt(&self) -> String {
        self.until("the prompt", |screen| screen.lines().last() == Some(">"))
    }

    /// Waits for the end, and gives the exit code.
    pub(crate) fn ends(mut self) -> (i32, String) {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("its state") {
                thread::sleep(Duration::from_millis(50));
                return (status.code().unwrap_or(-1), self.screen());
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end:\n{}", self.screen());
            thread::sleep(Duration::from_millis(10));
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // One that has ended already can't be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
