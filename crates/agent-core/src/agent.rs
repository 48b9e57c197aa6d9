//! An agent, and what it does with a request.

use std::sync::Arc;

use agent_llm::Provider;
use agent_tools::Workspace;

use crate::{Cancel, Event, EventSink, Journal, Model, Report, Settings, Toolbox};

use run::Run;

mod act;
mod report;
mod run;

/// A model with tools in a workspace, ready for a request.
pub struct Agent {
    workspace: Arc<Workspace>,
    model: Arc<Model>,
    toolbox: Toolbox,
    settings: Settings,
    sink: Arc<dyn EventSink>,
    journal: Option<Arc<Journal>>,
}

impl Agent {
    /// An agent that works in `workspace` and reports to `sink`.
    pub fn new(
        workspace: Arc<Workspace>,
        provider: Arc<dyn Provider>,
        settings: Settings,
        sink: Arc<dyn EventSink>,
    ) -> Self {
        let model = Arc::new(Model::new(provider, Arc::clone(&sink), settings.temperature));
        let toolbox = Toolbox::offered(settings.approval);
        Self { workspace, model, toolbox, settings, sink, journal: None }
    }

    /// The same agent, writing every change down in `journal` before it is made.
    pub fn journaled(self, journal: Arc<Journal>) -> Self {
        Self { journal: Some(journal), ..self }
    }

    /// Works on `task` until the model finishes or something stops it. The report says which.
    pub async fn run(&self, task: &str, cancel: &Cancel) -> Report {
        let mut run = Run::new(self, task, cancel);
        self.sink.emit(&Event::Started {
            session_id: run.cx.session_id.clone(),
            model: self.model.name().to_owned(),
            tools: self.toolbox.specs().iter().map(|spec| spec.name.clone()).collect(),
            working_dir: self.workspace.root().display().to_string(),
        });
        let end = run.steps().await;
        let report = run.report(task, end);
        self.sink.emit(&Event::Finished(Box::new(report.clone())));
        report
    }
}
