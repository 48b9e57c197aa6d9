//! The clients against a server on this machine that speaks HTTP byte for byte.

#![expect(clippy::unwrap_used, reason = "a test fails where it does")]

mod captures;
mod faults;
mod requests;
mod server;
mod table;

use std::sync::Arc;
use std::time::Duration;

use agent_llm::{
    Endpoint, Error, Message, Options, Provider, Purpose, Reply, Request, ServedModel, Timeouts,
    Vendor, check, connect,
};

/// A provider for `url` that is quick to give up waiting.
fn provider(vendor: Vendor, url: &str, options: &Options) -> Arc<dyn Provider> {
    let model = ServedModel { vendor, model: "m".to_owned() };
    connect(&model, &Endpoint::new(url), options).unwrap()
}

/// Options that send every call once.
fn once() -> Options {
    let mut options = Options::default();
    options.retry.max_attempts = 1;
    options.timeouts =
        Timeouts { connect: Duration::from_secs(5), idle: Duration::from_millis(500) };
    options
}

fn ask(text: &str) -> Request {
    Request::new(Purpose::Decide, vec![Arc::new(Message::User(text.to_owned()))])
}

async fn reply(provider: &dyn Provider, request: Request) -> Result<Reply, Error> {
    assert_eq!(check::problems(&request), Vec::<String>::new());
    Reply::collect(provider.send(request)).await
}
