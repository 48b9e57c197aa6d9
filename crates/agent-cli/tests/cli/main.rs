//! The built binary from outside: exit codes, streams, standard input, signals.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "these tests start the program and look at the files that it leaves"
)]

mod at_once;
mod cache;
mod chat;
mod commands;
mod config;
#[cfg(unix)]
mod confinement;
mod demo;
mod edits;
#[cfg(target_os = "linux")]
mod escapes;
mod eval;
#[cfg(unix)]
mod golden;
#[cfg(target_os = "linux")]
mod hostile;
mod inspect;
mod intents;
#[cfg(target_os = "linux")]
mod large;
mod mcp;
mod mcp_client;
mod mcp_http;
mod mcp_killed;
mod mcp_known;
mod memory;
mod models;
mod replay;
mod run;
#[path = "../../../../tests/support/schema.rs"]
mod schema;
mod secrets;
mod sessions;
mod signals;
mod stdin;
mod support;
#[cfg(unix)]
mod terminal;
mod tls;
mod tool;
mod undo;
mod verify;
