//! `agent run`

use std::{process::ExitCode, sync::Arc};

use agent_core::{
    Cancel, Event, EventSink, Intent, Report, approval::Approver, session::Past, verify::OnFailure,
};

use super::{recording::Recorder, resume};
use crate::{
    args::{self, OutputFormat},
    diagnostic,
    environment::Environment,
    error::Error,
    evaluation, log,
    report::{self, Request},
    setup::{self, Cache, Configured, Flags, State, Trusting, Wanted, Wiring},
    signals,
    task::{self, Task},
    ui::{self, Detail, JsonLines, Progress, Stdout, Stream, Terminal},
    user_files::AnswerFile,
};

pub(crate) async fn run(arguments: args::Run, environment: Environment) -> Result<ExitCode, Error> {
    let task = arguments.task.as_deref().unwrap_or_default();
    let task = environment.redactor().clean(task).into_owned();
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
        trusting: Trusting::of(arguments.trust),
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
            request.task = environment.redactor().clean(&task).into_owned();
            Some(task)
        }
    };
    let on_failure = match arguments.on_failure {
        args::Fate::Keep => OnFailure::Keep,
        args::Fate::Undo => OnFailure::Undo,
    };
    let answer_file = arguments.output_file.as_deref().map(AnswerFile::open).transpose()?;
    let state = State::of(arguments, past.as_ref(), environment)?;
    let recorder = Recorder::open(arguments, &state)?;
    let wiring = Wiring {
        workspace: Arc::new(workspace),
        sink: Arc::clone(&screen.sink),
        approver: approver(environment),
        state,
        environment,
    };
    let wanted = Wanted {
        provider: None,
        intent: arguments.intent,
        first: arguments.intent.or_else(|| Intent::of_words(task.as_deref()?)),
        on_failure,
        trusting: Trusting::of(arguments.trust),
        cache: if arguments.no_cache { Cache::Unused } else { Cache::Used },
    };
    let mut wired = tokio::select! {
        biased;
        signal = cancel.cancelled() => return Err(Error::interrupted(signal)),
        wired = wiring.agent(&config, wanted) => wired?,
    };
    screen.warn(std::mem::take(&mut wired.warnings));
    let agent = &wired.agent;
    let report = match (past, task) {
        (Some(past), task) => agent.resume(past, task.as_deref(), &cancel).await,
        (None, task) => agent.run(&task.unwrap_or_default(), &cancel).await,
    };
    wired.end().await;
    let workspace = &wiring.workspace;
    let recorded = recorder
        .map_or(Ok(()), |recorder| recorder.write(&report.session_id, workspace, environment));
    let code = deliver(arguments, environment, &screen, (answer_file, recorded), &report);
    let sessions = wiring.state.lasting_sessions();
    evaluation::keep(&report, sessions, workspace, &config, environment).await;
    Ok(code)
}

fn approver(environment: Environment) -> Option<Arc<dyn Approver>> {
    let style = environment.style(Stream::Errors);
    let asking = environment.terminal().map(|tty| ui::AskAtTerminal::new(tty, ui::By::Line, style));
    asking.map(|asking| Arc::new(asking) as _)
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
                Stdout.text(&ui::prose(&ui::harmless(answer), Stream::Output, environment))
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
