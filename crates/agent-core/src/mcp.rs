//! Tools of other programs, over MCP.
//!
//! [`Declared`] is what a configuration says of a server, [`crate::trust`] whether it may be started
//! at all, [`Known`] what it said before, [`Servers`] what a run has of them. A server is a process
//! of its own that is started when it
//! is first needed, spoken to through its standard input and output, and ended with everything that
//! it has started; or it runs somewhere else, and is spoken to over HTTP. Nothing that it does or says can end a run: it is slow within its time-outs,
//! long-winded within bounds, and where it crashes it is started once more.
//!
//! What a server says of itself is text of somebody else's. Its tools are offered under its name,
//! marked as such, and every call is judged by the policy as an effect that nobody can foresee,
//! unless the user has said that the server's own annotations can be believed.

mod catalogue;
mod content;
mod declared;
mod error;
mod http;
mod known;
mod line;
mod process;
mod reach;
mod routed;
mod server;
mod servers;
mod session;
mod tool;
mod watch;

pub use catalogue::tokens_by_name;
pub(crate) use catalogue::{Catalogue, meant, names};
pub(crate) use declared::Others;
pub use declared::{Declared, Era, Hints};
pub use error::{Fate, ServerError};
pub use known::{Known, Learning};
pub use reach::{Launch, Reach, Remote};
pub use routed::{OBSERVATION, Own, SESSION, told};
pub use server::{Server, Surroundings};
pub use servers::{Asking, Offer, Offered, Servers};
pub use tool::tool_name;
