//! What the commands of the chat do.

use agent_core::{journal::Direction, verify::recognise};

use super::{
    Chat,
    said::{COMMANDS, Slash},
};
use crate::{
    args::{self, Shape},
    commands::{changes, config, memory, resume, revert, sessions},
    error::Error,
    ui::{self, Paint, Stdout, Stream},
};

/// The column in which the help says what a command does, and the least that it has for that.
const MEANING: usize = 17;
const NARROWEST: usize = 20;

/// What comes behind a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Line,
    Leave,
}

impl Chat {
    pub(super) async fn obey(&mut self, slash: Slash) -> Result<Next, Error> {
        match slash {
            Slash::Help => self.help()?,
            Slash::Undo(count) => self.revert(Direction::Undo, count)?,
            Slash::Redo(count) => self.revert(Direction::Redo, count)?,
            Slash::Diff(id) => {
                let directory = Some(self.conversation.workspace().root().to_owned());
                changes::diff(&args::Diff { id, directory }, self.environment)?;
            }
            Slash::Changes => {
                changes::list(&args::Changes { place: self.place() }, self.environment)?;
            }
            Slash::Test => return self.test().await,
            Slash::Model(None) => self.front.note(&self.conversation.about()),
            Slash::Model(Some(name)) => {
                let warnings = self.conversation.switch(&name).await?;
                self.front.warn(warnings);
                self.changed();
            }
            Slash::Approval(None) => self.front.note(&self.conversation.about()),
            Slash::Approval(Some(mode)) => {
                let warnings = self.conversation.permit(mode).await?;
                self.front.warn(warnings);
                self.changed();
            }
            Slash::Cost => {
                let spent = ui::tokens(self.conversation.spent());
                self.front.note(&format!("{spent} in this chat"));
            }
            Slash::Memory(command) => {
                let workspace = self.conversation.workspace();
                memory::carry_out(&command, workspace, Shape::Text, self.environment)?;
            }
            Slash::Config(None) => Stdout.text(&self.conversation.chosen())?,
            Slash::Config(Some((key, value))) => {
                let workspace = self.conversation.workspace();
                config::set(Some(workspace), &key, &value, self.environment)?;
                let warnings = self.conversation.configured().await?;
                self.front.warn(warnings);
                self.changed();
            }
            Slash::Sessions => {
                let list = args::Scope {
                    directory: Some(self.conversation.workspace().root().to_owned()),
                    all: false,
                    output_format: Shape::Text,
                };
                sessions::run(&args::Sessions { command: None, list }, self.environment)?;
            }
            Slash::Resume(id) => self.resume(id.as_deref())?,
            Slash::Clear => {
                self.conversation.begin_anew();
                self.front.note("a new session: the model knows nothing of what was said before");
            }
            Slash::Quit => return Ok(Next::Leave),
        }
        Ok(Next::Line)
    }

    fn help(&self) -> Result<(), Error> {
        let style = self.environment.style(Stream::Output);
        let width = ui::screen_width();
        // Where there is no room beside a command, what it does stands below it.
        let (indent, gap) = match width > MEANING + NARROWEST {
            true => (MEANING + 1, " "),
            false => (2, "\n  "),
        };
        let row = |usage: &str, does: &str| {
            let usage = style.paint(Paint::Bold, &format!("{usage:<MEANING$}"));
            let does = ui::laid_out(does, width.saturating_sub(indent));
            let does = does.replace('\n', &format!("\n{:indent$}", ""));
            format!("{usage}{gap}{does}\n")
        };
        let rows = COMMANDS.iter().map(|entry| {
            let usage = format!("{} {}", entry.name, entry.argument);
            row(usage.trim_end(), entry.does)
        });
        let rows: String = rows.chain([row("!CMD", "as /run CMD")]).collect();
        let keys = "@PATH names a file; Tab completes it. A line that ends in \\ goes on in the next, \
                    and Alt-Enter begins one. Up and Down, Ctrl-R: what was typed before. Ctrl-C \
                    clears the line, ends what the model does, and twice the program.";
        Stdout.text(&format!("{rows}\n{}\n", ui::prose(keys, Stream::Output, self.environment)))
    }

    fn place(&self) -> args::Place {
        let directory = Some(self.conversation.workspace().root().to_owned());
        args::Place { directory, output_format: Shape::Text }
    }

    fn revert(&self, direction: Direction, count: usize) -> Result<(), Error> {
        let arguments = args::Revert { count, force: false, place: self.place() };
        revert::run(direction, &arguments, self.environment).map(|_| ())
    }

    /// Runs the tests that are configured, or else those that the project's files tell of.
    async fn test(&mut self) -> Result<Next, Error> {
        let named = self.conversation.test().map(str::to_owned);
        match named.or_else(|| recognise::recognised(self.conversation.workspace()).test) {
            Some(command) => {
                self.front.note(&format!("$ {command}"));
                self.shell(&command).await
            }
            None => {
                let help = "name them: `agent config set test.command \"CMD\"`, or `/run CMD`";
                Err(Error::usage("test", "this project's tests are not known", help))
            }
        }
    }

    fn resume(&mut self, id: Option<&str>) -> Result<(), Error> {
        let root = self.conversation.workspace().root().to_owned();
        let which = resume::Which { directory: Some(&root), resume: id, go_on: true };
        let (_, past) = resume::place(which, self.environment)?;
        if let Some(past) = past {
            let told = format!("going on with {}: {}", &past.summary.id, past.summary.task);
            self.conversation.go_on_with(past);
            self.front.note(&told);
        }
        Ok(())
    }

    fn changed(&self) {
        self.front.tested_by(&self.conversation);
        self.front.note(&self.conversation.about());
    }
}
