//! Tools of other programs, over MCP.
//!
//! [`Declared`] is what a configuration says of a server, [`crate::trust`] whether it may be started
//! at all, [`Servers`] what a run has of them. A server is a process of its own that is started when it
//! is first needed, spoken to through its standard input and output, and ended with everything that
//! it has started. Nothing that it does or says can end a run: it is slow within its time-outs,
//! long-winded within bounds, and where it crashes it is started once more.
//!
//! What a server says of itself is text of somebody else's. Its tools are offered under its name,
//! marked as such, and every call is judged by the policy as an effect that nobody can foresee,
//! unless the user has said that the server's own annotations can be believed.

mod content;
mod declared;
mod error;
mod routed;
mod server;
mod servers;
mod session;
mod tool;
mod watch;

pub(crate) use declared::Others;
pub use declared::{Declared, Era, Hints};
pub use error::{Fate, ServerError};
pub use routed::{OBSERVATION, Own, SESSION, told};
pub use server::{Server, Surroundings};
pub use servers::{Offer, Servers};
pub use tool::tool_name;
