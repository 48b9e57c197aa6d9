//! A coding agent without a user interface.
//!
//! [`Agent`] takes a request in words and drives real tools in a workspace until a model says that
//! it is done; [`Report`] is what it leaves. What happens in between goes to an [`EventSink`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use agent_core::{Agent, Cancel, Outcome, Settings, Silent};
//! use agent_llm::script::Scripted;
//! use agent_tools::Workspace;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = tempfile::tempdir()?;
//! let workspace = Arc::new(Workspace::open(dir.path())?);
//!
//! // Any `agent_llm::Provider` will do; this one's replies are written down.
//! let replies = concat!(
//!     r#"{"purpose": "decide", "calls": [{"name": "create_file", "#,
//!     r#""arguments": {"target_file": "hello.txt", "content": "Hello!"}}]}"#,
//!     "\n",
//!     r#"{"purpose": "decide", "text": "I wrote hello.txt."}"#,
//! );
//! let model = Arc::new(Scripted::open("example", replies.as_bytes())?);
//!
//! let agent = Agent::new(workspace, model, Settings::default(), Arc::new(Silent));
//! let report = agent.run("Write a greeting to hello.txt.", &Cancel::new()).await;
//!
//! assert_eq!(report.outcome, Outcome::Finished);
//! assert_eq!(report.response.as_deref(), Some("I wrote hello.txt."));
//! assert_eq!(report.changes[0].file, "hello.txt");
//! # Ok(())
//! # }
//! ```

/// The page for users of the crates, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/crates.md")]
struct Page;

pub mod approval;
pub mod changes;
pub mod command;
pub mod config;
pub mod evaluator;
pub mod event;
pub mod journal;
pub mod mcp;
pub mod memory;
pub mod policy;
pub mod recording;
pub mod session;
pub mod verify;

mod agent;
mod budget;
mod cancel;
mod conversation;
mod decision;
mod dispatch;
mod edit_agent;
mod effect;
mod failure;
mod guard;
mod history;
mod intent;
mod line_edits;
mod model;
mod outcome;
mod parallel;
mod profile;
mod prompt;
mod protocol;
mod redact;
mod repeats;
mod settings;
mod snapshot;
mod spending;
mod store;
mod syntax;
mod tool;
mod toolbox;
mod tools;
pub mod trust;
mod understand;
mod window;

pub use agent::Agent;
pub use budget::{Budget, Exhausted};
pub use cancel::{Cancel, Signal};
pub use effect::{Effect, EffectKind};
pub use event::{Event, EventSink, Silent};
pub use history::{
    Action, Change, ChangeKind, Report, SCHEMA_VERSION, Spent, Traffic, Undone, new_session_id,
};
pub use intent::Intent;
pub use journal::Journal;
pub use model::{Model, NoReply};
pub use outcome::{Failure, Outcome};
pub use protocol::{Files, Protocol, Shown};
pub use redact::{MARK, Redactor};
pub use session::Sessions;
pub use settings::{Approval, Limits, Settings};
pub use snapshot::{Recorded, Snapshots, watched};
pub use spending::Waiting;
pub use store::StoreError;
pub use tool::{BadParams, Breach, Call, Cx, Observation, Target, Tool};
pub use toolbox::{Toolbox, UnknownTool};
pub use window::{Compaction, Digest};
