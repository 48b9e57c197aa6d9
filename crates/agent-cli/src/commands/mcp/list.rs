//! `agent mcp list` and `agent mcp get`

use std::process::ExitCode;

use agent_core::mcp::{Declared, Launch, Learning, Offer, Offered, Reach, tokens_by_name};
use agent_llm::ToolSpec;
use serde_json::{Value, json};

use super::Place;
use crate::{
    environment::Environment,
    error::Error,
    setup::{self, mcp},
    ui::{self, Stdout},
};

/// How a list is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Json,
}

impl Form {
    /// What a flag stands for.
    pub(super) fn of(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }
}

/// A server with what it offers, or that it was not asked.
type Listed<'a> = (&'a Declared, Option<Offer>);

pub(super) async fn list(
    place: &Place,
    form: Form,
    environment: Environment,
) -> Result<ExitCode, Error> {
    let listed = listed(place, place.config().servers(), environment).await?;
    if form == Form::Json {
        let servers: Vec<Value> =
            listed.iter().map(|(server, offer)| json_of(&(*server, offer.as_ref()))).collect();
        Stdout.pretty_json(&servers)?;
        return Ok(ExitCode::SUCCESS);
    }
    if listed.is_empty() {
        ui::say("no MCP server is declared: `agent mcp add NAME -- COMMAND` declares one\n");
    }
    let widest = listed.iter().map(|(server, _)| server.name.len()).max().unwrap_or_default();
    for (server, offer) in &listed {
        let line = format!("{:widest$}  {}  {}", server.name, state(offer.as_ref()), server.line());
        Stdout.text(&ui::harmless(&line))?;
    }
    let tools = listed.iter().filter_map(|(_, offer)| offer.as_ref()?.tools.as_ref().ok());
    let specs: Vec<ToolSpec> = tools.flatten().map(|tool| tool.spec.clone()).collect();
    if let Some(tokens) = tokens_by_name(&specs) {
        ui::say(&format!(
            "these are many: models see their names with a line each, about {tokens} tokens in \
             every request, and ask for the rest\n"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn get(
    place: &Place,
    name: &str,
    form: Form,
    environment: Environment,
) -> Result<ExitCode, Error> {
    let server = place.server(name)?;
    let listed = listed(place, std::slice::from_ref(server), environment).await?;
    if form == Form::Json {
        for (server, offer) in &listed {
            let mut object = json_of(&(*server, offer.as_ref()));
            if let Some(Ok(tools)) = offer.as_ref().map(|offer| &offer.tools) {
                object["tools"] = tools.iter().map(in_full).collect();
            }
            Stdout.pretty_json(&object)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("{name}: {}\ndeclared in {}\n", server.line(), server.origin);
    if let names @ [_, ..] = server.reach.given().as_slice() {
        text += &format!("is given {}\n", names.join(", "));
    }
    for (_, offer) in &listed {
        text += &format!("{}\n", state(offer.as_ref()));
        let Some(offer) = offer else { continue };
        for Offered { spec, .. } in offer.tools.iter().flatten() {
            let first = spec.description.lines().next().unwrap_or_default();
            let short: String = first.chars().take(160).collect();
            text += &format!("  {}  {short}\n", spec.name);
        }
        for left_out in &offer.left_out {
            text += &format!("  {left_out}\n");
        }
    }
    Stdout.text(&ui::harmless(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// Starts those that may be started, and asks them.
async fn listed<'a>(
    place: &Place,
    declared: &'a [Declared],
    environment: Environment,
) -> Result<Vec<Listed<'a>>, Error> {
    let trusted = setup::trusted(environment);
    let known = mcp::known(Learning::Kept, environment);
    let mut asked = Vec::new();
    for server in declared {
        if place.permits(&trusted, server)? {
            asked.push(server.clone());
        }
    }
    let servers = mcp::servers(asked, &place.workspace, known, environment);
    let mut offers = servers.offers().await;
    servers.end().await;
    let mut offer_of = |server: &Declared| {
        let at = offers.iter().position(|offer| offer.server == server.name)?;
        Some(offers.swap_remove(at))
    };
    let mut listed: Vec<Listed<'_>> =
        declared.iter().map(|server| (server, offer_of(server))).collect();
    listed.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    Ok(listed)
}

fn state(offer: Option<&Offer>) -> String {
    match offer {
        None => "not trusted, not started".to_owned(),
        Some(Offer { tools: Err(error), .. }) => format!("failed: {error}"),
        Some(Offer { tools: Ok(tools), tokens, .. }) => {
            let noun = if tools.len() == 1 { "tool" } else { "tools" };
            format!("{} {noun}, about {tokens} tokens in every request", tools.len())
        }
    }
}

/// A tool with everything that is known of it.
fn in_full(Offered { name, schema, spec }: &Offered) -> Value {
    json!({
        "name": name,
        "offered_as": spec.name,
        "description": spec.description,
        "schema": schema,
    })
}

fn json_of((server, offer): &(&Declared, Option<&Offer>)) -> Value {
    let mut object = json!({ "name": server.name });
    match &server.reach {
        Reach::Process(Launch { command, args, .. }) => {
            object["command"] = command.as_str().into();
            object["args"] = json!(args);
            object["env"] = json!(server.reach.given());
        }
        Reach::Http(_) => {
            object["url"] = server.line().into();
            object["headers"] = json!(server.reach.given());
        }
    }
    object["declared_in"] = server.origin.to_string().into();
    object["trusted"] = offer.is_some().into();
    match offer {
        None => {}
        Some(Offer { tools: Err(error), .. }) => object["error"] = error.to_string().into(),
        Some(Offer { tools: Ok(tools), tokens, left_out, .. }) => {
            object["tools"] =
                tools.iter().map(|tool| Value::from(tool.spec.name.as_str())).collect();
            object["tokens"] = (*tokens).into();
            object["left_out"] = left_out.iter().map(|text| Value::from(text.as_str())).collect();
        }
    }
    object
}
