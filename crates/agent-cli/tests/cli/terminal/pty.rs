//! A terminal of the system's, and a model of its screen.

use std::{
    io::{Read, Write},
    num::NonZero,
    process::Child,
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
};

use pty_process::{
    Size,
    blocking::{Command, Pty as System},
};
use vt100::{Parser, Screen};

use super::driver::{Emulator, Kind};
use crate::support::Place;

/// A terminal in which the program runs.
pub(crate) struct Pty {
    pty: Arc<System>,
    child: Child,
    screen: Arc<Mutex<Parser>>,
    /// Everything that was written.
    written: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Pty {
    pub(crate) fn start(place: &Place, kind: Kind, arguments: &[&str]) -> Self {
        let (pty, pts) = pty_process::blocking::open().expect("a terminal");
        pty.resize(Size::new(kind.rows, kind.columns)).expect("a size");
        let command = Command::new(env!("CARGO_BIN_EXE_agent"))
            .args(arguments)
            .current_dir(place.path("work"))
            .env_clear()
            .envs(kind.environment(place));
        let child = command.spawn(pts).expect("the program runs");
        let pty = Arc::new(pty);
        let size = (NonZero::new(kind.rows), NonZero::new(kind.columns));
        let (rows, columns) = (size.0.expect("rows"), size.1.expect("columns"));
        let screen = Arc::new(Mutex::new(Parser::new(rows, columns, 1000)));
        let written = Arc::new(Mutex::new(Vec::new()));
        let (from, to, all) = (Arc::clone(&pty), Arc::clone(&screen), Arc::clone(&written));
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = (&*from).read(&mut bytes) {
                to.lock().expect("the screen").process(&bytes[..read]);
                all.lock().expect("the bytes").extend_from_slice(&bytes[..read]);
            }
        });
        Self { pty, child, screen, written, reader: Some(reader) }
    }

    /// Waits for the end and what was written until then, and gives the exit code.
    pub(crate) fn end(&mut self) -> i32 {
        let status = self.child.wait().expect("its state");
        if let Some(reader) = self.reader.take() {
            reader.join().expect("what was written");
        }
        status.code().unwrap_or(-1)
    }

    /// The screen with its colours.
    pub(crate) fn snapshot(&self) -> Screen {
        self.screen.lock().expect("the screen").screen().clone()
    }
}

impl Emulator for Pty {
    fn keys(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).expect("the program reads");
    }

    fn contents(&self) -> String {
        self.screen.lock().expect("the screen").screen().contents()
    }

    fn resize(&self, rows: u16, columns: u16) {
        let size = (NonZero::new(rows), NonZero::new(columns));
        let mut screen = self.screen.lock().expect("the screen");
        screen.screen_mut().set_size(size.0.expect("rows"), size.1.expect("columns"));
        self.pty.resize(Size::new(rows, columns)).expect("a size");
    }

    fn written(&self) -> Vec<u8> {
        self.written.lock().expect("the bytes").clone()
    }

    fn ended(&mut self) -> Option<i32> {
        let status = self.child.try_wait().expect("its state")?;
        Some(status.code().unwrap_or(-1))
    }

    fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // One that has ended already can't be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
