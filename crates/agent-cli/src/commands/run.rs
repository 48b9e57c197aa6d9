//! `agent run`

use std::{process::ExitCode, sync::Arc};

use agent_core::{
    Agent, Approval, Cancel, Event, EventSink, Intent, Redactor, Report,
    config::{Key, Origin},
    session::Past,
    verify::OnFailure,
};

use super::{recording::Recorder, resume};
use crate::{
    args::{self, OutputFormat},
    diagnostic,
    environment::Environment,
    error::Error,
    evaluation, log,
    report::{self, Request},
    setup::{
        self, Configured, Flags, State,
        mcp::{self, Trusting},
    },
    signals,
    task::{self, Task},
    ui::{self, Detail, JsonLines, Progress, Stdout, Stream, Terminal},
    user_files::AnswerFile,
};

pub(crate) async fn run(arguments: args::Run, environment: Environment) -> Result<ExitCode, Error> {
    let task = arguments.task.clone().unwrap_or_default();
    let mut request = Request { task, ..Request::default() };
    let ended = attempt(&arguments, environment, &mut request).await;
    // Whoever reads JSON is told of the error there too.
    if let Err(error) = &ended {
        match arguments.format() {
            OutputFormat::Text => {}
            OutputFormat::Json => Stdout.json(&report::object(request, error))?,
            OutputFormat::StreamJson => Stdout.json(&report::result_event(error))?,
        }
    }
    ended
}

/// Everything up to the answer. An error here means that no agent has begun.
async fn attempt(
    arguments: &args::Run,
    environment: Environment,
    request: &mut Request,
) -> Result<ExitCode, Error> {
    log::start(arguments.volume, environment)?;
    let cancel = Cancel::new();
    signals::watch(&cancel).map_err(|error| Error::system("listen for signals", &error))?;
    let which = resume::Which {
        directory: arguments.target.directory.as_deref(),
        resume: arguments.resume.as_deref(),
        go_on: arguments.go_on,
    };
    let (workspace, past) = resume::place(which, environment)?;
    request.working_dir = workspace.root().display().to_string();
    let own_model = past.as_ref().and_then(Past::requested).map(|last| last.model.as_str());
    let own_model = own_model.filter(|model| *model != setup::NONE);
    let limits = arguments.limits.values();
    let flags = Flags {
        model: arguments.target.model.as_deref().or(own_model),
        approval: arguments.approval(),
        limits: &limits,
        protocol: arguments.protocol.as_deref(),
        planner: arguments.planner.then_some("on"),
        allow_commands: &arguments.allow_commands,
        sandbox: arguments.sandbox.as_deref(),
        test: arguments.test.as_deref(),
        retries: arguments.retries.as_deref(),
        ..Flags::of(&arguments.target)
    };
    let Configured { config, warnings } = setup::configure(&workspace, flags, environment)?;
    let screen = Screen::new(arguments, environment);
    screen.warn(warnings);
    let task = match (&past, &arguments.task) {
        (Some(past), None) => {
            resume::check_unfinished(past)?;
            None
        }
        (Some(_) | None, task) => {
            let Task { text: task, warnings } =
                task::read(task.as_deref(), environment.input(), &cancel).await?;
            screen.warn(warnings);
            request.task.clone_from(&task);
            Some(task)
        }
    };
    let on_failure = match arguments.on_failure {
        args::Fate::Keep => OnFailure::Keep,
        args::Fate::Undo => OnFailure::Undo,
    };
    let answer_file = arguments.output_file.as_deref().map(AnswerFile::open).transpose()?;
    let commands = setup::commands(&workspace, &config, environment);
    setup::confined(&commands, &config).await?;
    let mut settings = setup::settings(&config);
    settings.intent = arguments.intent;
    // Where nobody has chosen, a person is asked.
    if config.setting(Key::Approval).origin == Origin::Default && environment.has_a_person() {
        settings.approval = Approval::Ask;
    }
    let saved = Arc::new(setup::saved_rules(environment));
    if !arguments.ephemeral {
        settings.rules.extend(setup::saved(&saved, &workspace)?);
    }
    let trusting = if arguments.trust { Trusting::Now } else { Trusting::Before };
    let (declared, untrusted) = mcp::permitted(&config, &workspace, trusting, environment)?;
    screen.warn(untrusted);
    let servers = mcp::servers(declared, &workspace, environment);
    let workspace = Arc::new(workspace);
    let state = State::of(arguments, past.as_ref(), environment)?;
    let recorder = Recorder::open(arguments, &state.sessions, &state.journal)?;
    let unkept = arguments.ephemeral && recorder.is_none();
    let journal = match (settings.approval, arguments.ephemeral) {
        (Approval::Plan, _) => None,
        (Approval::Ask | Approval::Edits | Approval::All, true) => {
            screen.warn(vec![setup::UNRECORDED.to_owned()]);
            recorder.is_some().then(|| Arc::clone(&state.journal))
        }
        (Approval::Ask | Approval::Edits | Approval::All, false) => {
            Some(Arc::clone(&state.journal))
        }
    };
    let ready = async {
        // A run that can't record its changes says so now, and not in the middle of its work.
        let intent = arguments.intent.or_else(|| Intent::of_words(task.as_deref()?));
        let provider = async {
            let provider = setup::provider_for(intent, &config, environment).await?;
            let described =
                setup::described(provider.model(), intent, &config, environment).await?;
            Ok((provider, described))
        };
        let tools = async { Ok(servers.tools(settings.approval).await) };
        tokio::try_join!(provider, setup::prepared(journal.clone()), tools)
    };
    let ((provider, described), settled, (tools, missing)) = tokio::select! {
        biased;
        signal = cancel.cancelled() => return Err(Error::interrupted(signal)),
        ready = ready => ready?,
    };
    screen.warn(settled);
    screen.warn(missing);
    let model = (provider.model(), described.as_ref());
    let settings = setup::for_model(settings, model, &config, environment)?;
    let mut agent =
        Agent::new(Arc::clone(&workspace), provider, settings, Arc::clone(&screen.sink))
            .commanding(Arc::new(commands))
            .testing(setup::tests(&config, on_failure));
    let state_dir = journal.as_ref().and_then(|_| state.directory());
    let own = mcp::own(&config, &workspace, state_dir, environment);
    if let Some(own) = &own {
        agent = agent.routed(own);
    }
    if let Some(journal) = journal {
        agent = agent.journaled(journal);
    }
    agent = agent.with_more_tools(tools).redacting(Redactor::of_variables(environment.variables()));
    if let Some(tty) = environment.terminal() {
        let style = environment.style(Stream::Errors);
        let saved = (!arguments.ephemeral).then_some(saved);
        agent = agent.asking(Arc::new(ui::AskAtTerminal::new(tty, ui::By::Line, style)), saved);
    }
    if !unkept {
        agent = agent.keeping(Arc::clone(&state.sessions));
    }
    if !arguments.ephemeral && !arguments.no_cache {
        agent = agent.caching();
    }
    let report = match (past, task) {
        (Some(past), task) => agent.resume(past, task.as_deref(), &cancel).await,
        (None, task) => agent.run(&task.unwrap_or_default(), &cancel).await,
    };
    servers.end().await;
    if let Some(own) = own {
        own.end().await;
    }
    let recorded = recorder
        .map_or(Ok(()), |recorder| recorder.write(&report.session_id, &workspace, environment));
    let code = deliver(arguments, environment, &screen, (answer_file, recorded), &report);
    let sessions = (!arguments.ephemeral).then_some(state.sessions);
    evaluation::keep(&report, sessions, &workspace, &config, environment).await;
    Ok(code)
}

/// Who is told what happens.
struct Screen {
    sink: Arc<dyn EventSink>,
    terminal: Arc<Terminal>,
    lines: Arc<JsonLines>,
}

impl Screen {
    fn new(arguments: &args::Run, environment: Environment) -> Self {
        let format = arguments.format();
        let detail = match (arguments.volume.quiet, arguments.volume.verbose, format) {
            (true, _, _) => Detail::Quiet,
            (false, 1.., _) => Detail::Everything,
            (false, 0, OutputFormat::Text) => Detail::Steps,
            // A program reads, and finds everything in the JSON.
            (false, 0, OutputFormat::Json | OutputFormat::StreamJson) => Detail::Quiet,
        };
        let reader = environment.reader(Stream::Errors);
        let progress = Progress::new(environment.style(Stream::Errors), detail, reader);
        let terminal = Arc::new(Terminal::new(progress, Stream::Errors));
        let lines = Arc::new(JsonLines::default());
        let sink: Arc<dyn EventSink> = match format {
            OutputFormat::Text | OutputFormat::Json => Arc::clone(&terminal) as _,
            OutputFormat::StreamJson => {
                ui::both(Arc::clone(&lines) as _, Arc::clone(&terminal) as _)
            }
        };
        Self { sink, terminal, lines }
    }

    fn warn(&self, warnings: Vec<String>) {
        for warning in warnings {
            self.sink.emit(&Event::Warning(warning));
        }
    }
}

/// Hands over the answer. The exit code is the run's, unless the answer could not be handed over.
fn deliver(
    arguments: &args::Run,
    environment: Environment,
    screen: &Screen,
    (answer_file, recorded): (Option<AnswerFile>, Result<(), Error>),
    report: &Report,
) -> ExitCode {
    let answer = report.response.as_deref();
    let to_stdout = match arguments.format() {
        OutputFormat::Text => match answer {
            // On one screen the words that came live would stand there twice.
            Some(answer)
                if environment.is_terminal(Stream::Output) && screen.terminal.showed(answer) =>
            {
                Ok(())
            }
            Some(answer) if environment.is_terminal(Stream::Output) => {
                Stdout.text(&ui::harmless(answer))
            }
            Some(answer) => Stdout.text(answer),
            None => Ok(()),
        },
        OutputFormat::Json => Stdout.json(report),
        OutputFormat::StreamJson => screen.lines.failure().map_or(Ok(()), Err),
    };
    let to_file = match (answer_file, answer) {
        (Some(file), Some(answer)) => file.write(answer),
        (Some(_) | None, _) => Ok(()),
    };
    let mut exit_code = report.exit_code;
    if let Some(failure) = &report.error {
        ui::say(&diagnostic::render(failure, environment.style(Stream::Errors)));
    }
    for error in [to_stdout, to_file, recorded].into_iter().filter_map(Result::err) {
        ui::say(&diagnostic::render(&error.failure, environment.style(Stream::Errors)));
        if exit_code == 0 {
            exit_code = error.end.exit_code();
        }
    }
    ExitCode::from(exit_code)
}
