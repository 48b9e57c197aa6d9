//! `agent debug`: the first request, as a model would get it; the schema of the output.

use std::{
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
};

use agent_core::{
    Agent, Cancel, Intent, Sessions, Silent,
    event::schema,
    mcp::{Asking, Learning},
    verify::OnFailure,
};
use agent_llm::{DeltaStream, ErrorKind, Message, Part, Provider, Request};
use futures_util::stream;
use serde_json::{Value, json};

use crate::{
    args::{self, DebugCommand, Shape},
    environment::Environment,
    error::Error,
    setup::{self, Configured, Flags, Trusting, mcp},
    ui::{self, Stdout},
};

pub(crate) async fn run(
    arguments: DebugCommand,
    environment: Environment,
) -> Result<ExitCode, Error> {
    match arguments {
        DebugCommand::Prompt(arguments) => prompt(arguments, environment).await,
        DebugCommand::Schema => {
            Stdout.pretty_json(&schema::published())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn prompt(arguments: args::Prompt, environment: Environment) -> Result<ExitCode, Error> {
    let workspace = setup::workspace(arguments.target.directory.as_deref(), environment)?;
    let flags = Flags {
        approval: arguments.approval.as_deref().map(|mode| ("--approval", mode)),
        protocol: arguments.protocol.as_deref(),
        ..Flags::of(&arguments.target)
    };
    let Configured { config, warnings } = setup::configure(&workspace, flags, environment)?;
    for warning in warnings {
        ui::warn(&warning, environment);
    }
    // Without a model there is a prompt all the same.
    let model = match setup::choose(&config, environment).await {
        Ok(model) => model.to_string(),
        Err(error) if error.failure.code == setup::NO_MODEL => {
            ui::warn("no model is set up: this is what any would see", environment);
            setup::NONE.to_owned()
        }
        Err(error) => return Err(error),
    };
    let intent = Intent::of_words(&arguments.task);
    let described = setup::described(&model, intent, &config, environment).await?;
    let about = (model.as_str(), described.as_ref());
    let mut settings = setup::for_model(setup::settings(&config), about, &config, environment)?;
    // What is looked for is the first request of the loop.
    settings.planner = false;
    let known = mcp::known(Learning::Forgotten, environment);
    let (declared, untrusted) = mcp::permitted(&config, &workspace, Trusting::Before, environment)?;
    let servers = mcp::servers(declared, &workspace, known, environment);
    let (tools, missing) = servers.tools(settings.approval, Asking::OnceADay).await;
    for warning in untrusted.iter().chain(&missing) {
        ui::warn(warning, environment);
    }
    let ear = Arc::new(Ear { model, heard: Mutex::new(None) });
    let provider = Arc::clone(&ear);
    let above = setup::above(&workspace, environment);
    let agent = Agent::new(Arc::new(workspace), provider, settings, Arc::new(Silent))
        .testing(setup::tests(&config, OnFailure::Keep))
        .below(above)
        .with_others(tools)
        .redacting(environment.redactor())
        .remembering(Arc::new(Sessions::at(environment.state_dir())));
    // It ends in an error, since nobody answers. Without a journal it can't take anything back.
    agent.run(&arguments.task, &Cancel::new()).await;
    servers.end().await;
    let heard = ear.heard.lock().unwrap_or_else(PoisonError::into_inner).take();
    match heard {
        Some(request) => print(&request, arguments.output_format)?,
        None => ui::say("no model is asked: the program answers this itself\n"),
    }
    Ok(ExitCode::SUCCESS)
}

/// A model that hears the first request and says nothing.
struct Ear {
    model: String,
    heard: Mutex<Option<Request>>,
}

impl Provider for Ear {
    fn model(&self) -> &str {
        &self.model
    }

    fn send(&self, request: Request) -> DeltaStream {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(request);
        let error = agent_llm::Error::new(ErrorKind::BadRequest, &self.model, "nothing is sent");
        Box::pin(stream::iter([Err(error)]))
    }
}

fn print(request: &Request, shape: Shape) -> Result<(), Error> {
    match shape {
        Shape::Json => Stdout.pretty_json(&object(request)),
        Shape::Text => Stdout.text(&ui::harmless(&text(request))),
    }
}

fn object(request: &Request) -> Value {
    let messages: Vec<&Message> = request.messages.iter().map(AsRef::as_ref).collect();
    json!({
        "messages": messages,
        "tools": &*request.tools,
        "tool_choice": request.tool_choice,
        "output": request.output,
        "temperature": request.temperature,
        "max_output_tokens": request.max_output_tokens,
    })
}

fn text(request: &Request) -> String {
    let mut text = String::new();
    for message in &request.messages {
        let (who, words) = match &**message {
            Message::System(words) => ("system", words.clone()),
            Message::User(words) => ("user", words.clone()),
            Message::Assistant(parts) => ("assistant", parts.iter().map(part).collect()),
            Message::Tool(result) => ("tool", result.content.clone()),
        };
        text += &format!("--- {who}\n{}\n\n", words.trim_end());
    }
    for tool in &*request.tools {
        text += &format!("--- tool {}\n{}\n{}\n\n", tool.name, tool.description, tool.parameters);
    }
    if let Some(output) = &request.output {
        text += &format!("--- the reply follows {}\n{}\n", output.name, output.schema);
    }
    text.trim_end().to_owned()
}

fn part(part: &Part) -> String {
    match part {
        Part::Text(words) => words.clone(),
        Part::Call(call) => format!("{}({})\n", call.name, call.arguments),
        Part::Opaque(opaque) => format!("{}\n", opaque.value),
    }
}
