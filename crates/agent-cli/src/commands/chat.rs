//! `agent chat`: several requests in one session.

mod conversation;
mod heard;
mod obey;
mod said;

use std::{process::ExitCode, sync::Arc};

use agent_core::{Cancel, Event, EventSink, Failure, Outcome, Report, Signal, approval::Approver};

use super::resume;
use crate::{
    args, diagnostic,
    environment::{Environment, Input},
    error::Error,
    setup::{State, Wiring},
    signals,
    ui::{
        self, By, Desk, Detail, Editor, Live, Modes, Paint, Progress, Stdout, Stream, Surface,
        Terminal, Typed,
    },
};
use conversation::Conversation;
use obey::Next;
use said::{COMMANDS, Said};

pub(crate) async fn run(
    arguments: args::Chat,
    environment: Environment,
) -> Result<ExitCode, Error> {
    let args::Chat { request, options } = arguments;
    let target = signals::Target::new(Cancel::new());
    signals::watch_for(&target).map_err(|error| Error::system("listen for signals", &error))?;
    // The editor has modes of its own, and may be left in the middle of a line.
    let _modes = Modes::save();
    if request.is_none() && environment.input() == Input::Nothing {
        let help = "for one task without a conversation: `agent run \"TASK\"`; a pipe on standard \
                    input is read as one request a line";
        return Err(Error::usage("nobody", "there is nobody to talk with", help));
    }
    let which = resume::Which {
        directory: options.target.directory.as_deref(),
        resume: options.resume.as_deref(),
        go_on: options.go_on,
    };
    let (workspace, past) = resume::place(which, environment)?;
    let front = Front::new(environment);
    let workspace = Arc::new(workspace);
    let wiring = Wiring {
        workspace: Arc::clone(&workspace),
        sink: front.sink(),
        approver: approver(environment),
        state: State::lasting(environment),
        environment,
    };
    let cancel = target.next();
    let opened = tokio::select! {
        biased;
        signal = cancel.cancelled() => return Err(ended(signal)),
        opened = Conversation::open(wiring, options, past) => opened?,
    };
    let (conversation, warnings) = opened;
    front.tested_by(&conversation);
    let editor = match front.is_interactive {
        true => Editor::at_terminal(Desk {
            workspace,
            commands: COMMANDS.iter().map(|entry| entry.name.to_owned()).collect(),
            history: environment.state_dir().map(|directory| directory.join("history")),
            redactor: environment.redactor(),
            style: environment.style(Stream::Output),
        }),
        false => Editor::lines(),
    };
    let editor = editor.map_err(|error| Error::system("read what is typed", &error))?;
    let mut chat = Chat { environment, front, target, conversation, editor, failed: 0 };
    chat.front.greet(&chat.conversation);
    chat.front.warn(warnings);
    let ended = chat.talk(request).await;
    chat.conversation.end().await;
    ended
}

fn approver(environment: Environment) -> Option<Arc<dyn Approver>> {
    let by = if environment.is_dumb() { By::Line } else { By::Key };
    let style = environment.style(Stream::Errors);
    let asking = environment.terminal().map(|tty| ui::AskAtTerminal::new(tty, by, style));
    asking.map(|asking| Arc::new(asking) as _)
}

/// The end by a signal.
fn ended(signal: Signal) -> Error {
    let failure = Failure {
        code: "agent::interrupted".to_owned(),
        message: "interrupted".to_owned(),
        help: Some("`agent chat --continue` goes on with the session".to_owned()),
    };
    Error::of_run(Outcome::Interrupted(signal), failure)
}

/// Who reads and writes, and how.
pub(super) struct Front {
    environment: Environment,
    /// Whether a person types and reads.
    is_interactive: bool,
    /// What happens, on a screen; none where somebody reads it later.
    live: Option<Arc<Live>>,
}

impl Front {
    fn new(environment: Environment) -> Self {
        let is_screen = environment.is_terminal(Stream::Output);
        let is_interactive = is_screen && environment.input() == Input::Terminal;
        let surface = if environment.is_dumb() { Surface::Paper } else { Surface::Screen };
        let style = environment.style(Stream::Output);
        let live = is_screen.then(|| Arc::new(Live::new(style, surface)));
        Self { environment, is_interactive, live }
    }

    fn sink(&self) -> Arc<dyn EventSink> {
        match &self.live {
            Some(live) => Arc::clone(live) as _,
            None => {
                let style = self.environment.style(Stream::Errors);
                let reader = self.environment.reader(Stream::Errors);
                let progress = Progress::new(style, Detail::Steps, reader);
                Arc::new(Terminal::new(progress, Stream::Errors))
            }
        }
    }

    fn tested_by(&self, conversation: &Conversation) {
        if let Some(live) = &self.live {
            live.tested_by(conversation.test().map(str::to_owned));
        }
    }

    fn greet(&self, conversation: &Conversation) {
        if !self.is_interactive {
            if self.environment.input() != Input::Nothing {
                self.note("standard input is no terminal: each of its lines is a request");
            }
            return;
        }
        let style = self.environment.style(Stream::Output);
        let name = style.paint(Paint::Bold, concat!("agent ", env!("CARGO_PKG_VERSION")));
        let about = ui::harmless(&conversation.about()).into_owned();
        let about = style.paint(Paint::Dim, &format!(" · {about}"));
        let help = "/help lists the commands, @ and Tab complete files, Ctrl-D leaves.";
        let help = style.paint(Paint::Dim, help);
        let greeting = format!("{name}{about}\n{help}\n");
        Stream::Output.write(&ui::prose(&greeting, Stream::Output, self.environment));
    }

    fn warn(&self, warnings: Vec<String>) {
        let sink = self.sink();
        for warning in warnings {
            sink.emit(&Event::Warning(warning));
        }
    }

    /// Tells the user something beside the conversation.
    fn note(&self, text: &str) {
        let stream = if self.live.is_some() { Stream::Output } else { Stream::Errors };
        let text = ui::prose(&ui::harmless(text), stream, self.environment);
        let text = self.environment.style(stream).paint(Paint::Dim, &text);
        stream.write(&format!("{text}\n"));
    }

    /// Keeps what is typed too early off the screen, for the next line to take.
    fn hide_typing(&self) -> Option<Modes> {
        if self.is_interactive { Modes::hide_typing() } else { None }
    }

    fn fail(&self, failure: &Failure) {
        ui::say(&diagnostic::render(failure, self.environment.style(Stream::Errors)));
    }

    /// Hands over the answer where nobody watched it come.
    fn answer(&self, report: &Report) -> Result<(), Error> {
        match (&self.live, &report.response) {
            (None, Some(answer)) => Stdout.text(answer),
            (Some(_), _) | (None, None) => Ok(()),
        }
    }
}

struct Chat {
    environment: Environment,
    front: Front,
    target: signals::Target,
    conversation: Conversation,
    editor: Editor,
    /// The exit code of the last request that did not finish.
    failed: u8,
}

impl Chat {
    /// Listens and answers, until there is nobody to talk with.
    async fn talk(&mut self, first: Option<String>) -> Result<ExitCode, Error> {
        let mut next = first.map(Typed::Line);
        let mut interrupted = false;
        loop {
            let typed = match next.take() {
                Some(typed) => typed,
                None => self.typed().await?,
            };
            match typed {
                Typed::End => break,
                Typed::Interrupt if interrupted => break,
                Typed::Interrupt => {
                    interrupted = true;
                    self.front.note("Ctrl-C again leaves, and so does Ctrl-D");
                    continue;
                }
                Typed::Line(line) => match self.line(&line).await? {
                    Next::Line => {}
                    Next::Leave => break,
                },
            }
            interrupted = false;
        }
        // Whoever sits there has seen what failed.
        let code = if self.front.is_interactive { 0 } else { self.failed };
        Ok(ExitCode::from(code))
    }

    async fn typed(&mut self) -> Result<Typed, Error> {
        if self.environment.input() == Input::Nothing {
            return Ok(Typed::End);
        }
        let cancel = self.target.next();
        tokio::select! {
            biased;
            signal = cancel.cancelled() => match (signal, self.front.is_interactive) {
                (Signal::Interrupt, true) => Ok(Typed::Interrupt),
                (Signal::Interrupt, false) | (Signal::Terminate, _) => Err(ended(signal)),
            },
            typed = self.editor.next() => Ok(typed),
        }
    }

    async fn line(&mut self, line: &str) -> Result<Next, Error> {
        let said = match Said::parse(line) {
            Ok(said) => said,
            Err(wrong) => {
                let code = "agent::usage::chat".to_owned();
                self.front.fail(&Failure { code, message: wrong.message, help: Some(wrong.help) });
                self.failed = 2;
                return Ok(Next::Line);
            }
        };
        let result = match said {
            Said::Nothing => Ok(Next::Line),
            Said::Request(text) => self.request(&text).await,
            Said::Shell(command) => self.shell(&command).await,
            Said::Slash(slash) => self.obey(slash).await,
        };
        match result {
            Ok(next) => Ok(next),
            Err(error)
                if error.end == crate::error::End::Run(Outcome::Interrupted(Signal::Terminate)) =>
            {
                Err(error)
            }
            // A command that fails is no reason to end the conversation.
            Err(error) => {
                self.front.fail(&error.failure);
                self.failed = error.end.exit_code();
                Ok(Next::Line)
            }
        }
    }

    async fn request(&mut self, text: &str) -> Result<Next, Error> {
        if !self.front.is_interactive {
            self.front.note(&format!("> {}", self.environment.redactor().redacted(text)));
        }
        let cancel = self.target.next();
        let report = {
            let _hidden = self.front.hide_typing();
            self.conversation.request(text, &cancel).await
        };
        self.front.answer(&report)?;
        if report.exit_code != 0 {
            self.failed = report.exit_code;
        }
        match (report.outcome, &report.error) {
            (Outcome::Interrupted(Signal::Interrupt), _) if self.front.is_interactive => {
                self.front.note("stopped: what was done so far stays, and `/undo` takes it back");
            }
            (Outcome::Interrupted(signal), _) => return Err(ended(signal)),
            (_, Some(failure)) => self.front.fail(failure),
            (_, None) => {}
        }
        Ok(Next::Line)
    }
}
