//! The line that is typed: edited at a terminal, or read from a pipe.

use std::{
    io::{self, BufRead},
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
    thread,
};

use agent_core::Redactor;
use agent_tools::{
    Workspace,
    find::{FindLimits, file_search},
};
use rustyline::{
    Cmd, ColorMode, CompletionType, Config, Context, Helper, KeyCode, KeyEvent, Modifiers,
    completion::{Completer, Pair},
    error::ReadlineError,
    highlight::Highlighter,
    hint::Hinter,
    history::FileHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};
use tokio::sync::mpsc;

use super::{Paint, Style};

/// What stands before the cursor.
const PROMPT: &str = "> ";

/// Requests that are remembered.
const REMEMBERED: usize = 1000;

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A line, or several where it said that it goes on.
    Line(String),
    /// Ctrl-C, which has cleared the line.
    Interrupt,
    /// There will be nothing more.
    End,
}

/// Reads what is typed, in a thread of its own.
#[derive(Debug)]
pub(crate) struct Editor {
    ask: mpsc::UnboundedSender<()>,
    typed: mpsc::UnboundedReceiver<Typed>,
    /// Whether a line is being waited for.
    asked: bool,
}

/// What an editor at a terminal knows.
pub(crate) struct Desk {
    pub(crate) workspace: Arc<Workspace>,
    /// The commands that begin with a slash.
    pub(crate) commands: Vec<String>,
    /// Where requests are remembered; none where they are not.
    pub(crate) history: Option<PathBuf>,
    pub(crate) redactor: Redactor,
    pub(crate) style: Style,
}

impl Editor {
    /// Lines as they come on standard input.
    pub(crate) fn lines() -> io::Result<Self> {
        Self::spawn(|| move || whole_line(&mut io::stdin().lock()))
    }

    /// Lines that are edited.
    pub(crate) fn at_terminal(desk: Desk) -> io::Result<Self> {
        Self::spawn(move || {
            let (history, redactor) = (desk.history.clone(), desk.redactor.clone());
            let mut editor = terminal(desk).ok();
            move || match &mut editor {
                Some(editor) => edited(editor, history.as_deref(), &redactor),
                None => whole_line(&mut io::stdin().lock()),
            }
        })
    }

    /// The reader is made in the thread that it stays in.
    fn spawn<R: FnMut() -> Typed>(make: impl FnOnce() -> R + Send + 'static) -> io::Result<Self> {
        let (ask, mut asked) = mpsc::unbounded_channel();
        let (tell, typed) = mpsc::unbounded_channel();
        let work = move || {
            let mut read = make();
            while asked.blocking_recv().is_some() {
                if tell.send(read()).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("editor".to_owned()).spawn(work)?;
        Ok(Self { ask, typed, asked: false })
    }

    /// Waits for what is typed next. Whoever stops waiting and comes back waits for the same line.
    pub(crate) async fn next(&mut self) -> Typed {
        if !self.asked {
            self.asked = self.ask.send(()).is_ok();
        }
        let typed = self.typed.recv().await;
        self.asked = false;
        typed.unwrap_or(Typed::End)
    }
}

/// Whether a line says that it goes on in the next.
fn goes_on(line: &str) -> bool {
    line.ends_with('\\') && !line.ends_with("\\\\")
}

/// The text of lines that go on: without what said so.
fn joined(text: &str) -> String {
    text.replace("\\\n", "\n")
}

fn whole_line(input: &mut impl BufRead) -> Typed {
    let mut text = String::new();
    loop {
        match input.read_line(&mut text) {
            Ok(0) if text.is_empty() => return Typed::End,
            Ok(0) => return Typed::Line(text),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                text = "\u{fffd}".to_owned();
            }
            Err(_) => return Typed::End,
        }
        let line = text.trim_end_matches(['\n', '\r']);
        if !goes_on(line) {
            return Typed::Line(joined(line));
        }
    }
}

type Terminal = rustyline::Editor<Assistant, FileHistory>;

fn terminal(desk: Desk) -> rustyline::Result<Terminal> {
    let colour = match desk.style {
        Style::Coloured => ColorMode::Enabled,
        Style::Plain => ColorMode::Disabled,
    };
    let config = Config::builder()
        .max_history_size(REMEMBERED)?
        .history_ignore_space(true)
        .completion_type(CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .color_mode(colour)
        .build();
    let mut editor = Terminal::with_config(config)?;
    if let Some(path) = &desk.history {
        // The first time there is none.
        let _ = editor.load_history(path);
    }
    let (workspace, commands, style) = (desk.workspace, desk.commands, desk.style);
    editor.set_helper(Some(Assistant { workspace, commands, style }));
    editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::Newline);
    Ok(editor)
}

fn edited(editor: &mut Terminal, history: Option<&std::path::Path>, redactor: &Redactor) -> Typed {
    match editor.readline(PROMPT) {
        Ok(text) => {
            // It goes to a file.
            let kept = redactor.redacted(&text);
            if !text.trim().is_empty() && editor.add_history_entry(kept.as_ref()).unwrap_or(false) {
                // A history that can't be written is missed the next time, and no reason to stop.
                let _ = history.map(|path| editor.append_history(path));
            }
            Typed::Line(joined(&text))
        }
        Err(ReadlineError::Interrupted) => Typed::Interrupt,
        Err(_) => Typed::End,
    }
}

/// Completes and continues lines.
struct Assistant {
    workspace: Arc<Workspace>,
    commands: Vec<String>,
    style: Style,
}

impl Helper for Assistant {}

impl Hinter for Assistant {
    type Hint = String;
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match goes_on(context.input()) {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Highlighter for Assistant {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(
        &'s self,
        prompt: &'p str,
        _default: bool,
    ) -> std::borrow::Cow<'b, str> {
        self.style.paint(Paint::Bold, prompt).into()
    }
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = &line[..position];
        let word = typed.rfind(char::is_whitespace).map_or(0, |space| space + 1);
        let found = match &typed[word..] {
            name if word == 0 && name.starts_with('/') => {
                self.commands.iter().filter(|command| command.starts_with(name)).cloned().collect()
            }
            name if name.starts_with('@') => self.files(&name[1..]),
            _ => Vec::new(),
        };
        let pair = |replacement: String| Pair { display: replacement.clone(), replacement };
        Ok((word, found.into_iter().map(pair).collect()))
    }
}

impl Assistant {
    /// The files that are named like this: those that begin so, or else those that resemble it.
    fn files(&self, name: &str) -> Vec<String> {
        let query = if name.is_empty() { "*" } else { name };
        let limits = FindLimits { files: 30 };
        let found = file_search(&self.workspace, query, limits, &AtomicBool::new(false));
        let files = found.map(|found| found.files).unwrap_or_default();
        let begin: Vec<&String> = files.iter().filter(|file| file.starts_with(name)).collect();
        let chosen = if begin.is_empty() { files.iter().collect() } else { begin };
        chosen.into_iter().map(|file| format!("@{file}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_ends_in_a_backslash_goes_on() {
        for (input, expected) in [
            ("one\ntwo\n", vec!["one", "two"]),
            ("one\\\ntwo\nthree", vec!["one\ntwo", "three"]),
            ("a\\\\\nb\r\n", vec!["a\\\\", "b"]),
            ("\n", vec![""]),
            ("open\\\n", vec!["open\\\n"]),
        ] {
            let mut reader = input.as_bytes();
            let mut lines = Vec::new();
            while let Typed::Line(line) = whole_line(&mut reader) {
                lines.push(line);
            }
            assert_eq!(lines, expected, "{input:?}");
        }
    }

    #[test]
    fn commands_and_files_are_completed() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Arc::new(Workspace::open(dir.path()).unwrap());
        for name in ["src/main.rs", "src/model.rs", "README.md"] {
            let path = workspace.resolve(name).unwrap();
            agent_tools::write::create(&workspace, &path, b"").unwrap();
        }
        let commands = vec!["/help".to_owned(), "/undo".to_owned()];
        let assistant = Assistant { workspace, commands, style: Style::Plain };
        let history = FileHistory::new();
        let complete = |line: &str| {
            let (start, pairs) =
                assistant.complete(line, line.len(), &Context::new(&history)).unwrap();
            (start, pairs.into_iter().map(|pair| pair.replacement).collect::<Vec<_>>())
        };
        for (line, start, expected) in [
            ("/u", 0, vec!["/undo"]),
            ("/", 0, vec!["/help", "/undo"]),
            ("/x", 0, vec![]),
            ("see /u", 4, vec![]),
            ("see @README", 4, vec!["@README.md"]),
            ("see @mdl", 4, vec!["@src/model.rs"]),
            ("@src/m", 0, vec!["@src/main.rs", "@src/model.rs"]),
            ("@no such", 4, vec![]),
            ("plain", 0, vec![]),
        ] {
            let expected = expected.into_iter().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(complete(line), (start, expected), "{line}");
        }
        assert_eq!(complete("@").1.len(), 3);
    }
}
