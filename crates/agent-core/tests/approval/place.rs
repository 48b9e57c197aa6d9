//! A workspace with three files, and a place for what is kept.

use std::{fs, path::PathBuf, sync::Arc};

use agent_core::{Agent, Journal, Settings, Silent};
use agent_llm::script::Scripted;
use agent_tools::Workspace;
use serde_json::{Value, json};

pub(crate) struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        for (name, text) in [("a.txt", "one\n"), ("b.txt", "two\n"), ("c.txt", "three\n")] {
            fs::write(dir.path().join("work").join(name), text).unwrap();
        }
        Self { dir }
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.work().join(name)).ok()
    }

    /// The texts of these files, one behind the other.
    pub(crate) fn texts(&self, names: &[&str]) -> String {
        names.iter().filter_map(|name| self.read(name)).collect()
    }

    /// An agent whose model replies with these calls, and then is done.
    pub(crate) fn agent(&self, settings: Settings, replies: &[&[Value]]) -> Agent {
        let workspace = Workspace::open(&self.work()).unwrap();
        let reply =
            |calls: &&[Value]| json!({"purpose": "decide", "calls": calls}).to_string() + "\n";
        let mut script: String = replies.iter().map(reply).collect();
        script += &json!({"purpose": "decide", "text": "done"}).to_string();
        let model = Arc::new(Scripted::open("test", script.as_bytes()).unwrap());
        Agent::new(Arc::new(workspace), model, settings, Arc::new(Silent))
            .journaled(Arc::new(Journal::at(Some(self.state()))))
    }
}
