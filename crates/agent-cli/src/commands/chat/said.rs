//! What a line means: a request, a command of the chat, or one for the shell.

use agent_core::Approval;

use crate::args::MemoryCommand;

/// A line that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    Nothing,
    /// Goes to the model.
    Request(String),
    /// Goes to the shell.
    Shell(String),
    /// For the chat itself.
    Slash(Slash),
}

/// What `/profile` asks: a request that the program answers itself.
const PROFILE: &str = "show your profile";

/// A command that begins with a slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slash {
    Help,
    Undo(usize),
    Redo(usize),
    Diff(Option<i64>),
    Changes,
    Test,
    Model(Option<String>),
    Approval(Option<Approval>),
    Cost,
    Memory(MemoryCommand),
    Config(Option<(String, String)>),
    Sessions,
    Resume(Option<String>),
    Clear,
    Quit,
}

/// A command, what can stand behind it, and what it does.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) argument: &'static str,
    pub(super) does: &'static str,
}

/// Every command, in the order in which `/help` lists them.
pub(super) const COMMANDS: [Entry; 17] = [
    entry("/help", "", "show this list"),
    entry("/undo", "[N]", "take back the last N changes in this directory"),
    entry("/redo", "[N]", "make changes again that were taken back"),
    entry("/diff", "[ID]", "show what the last session changed, or one change"),
    entry("/changes", "", "list the recorded changes, the latest first"),
    entry("/run", "CMD", "run a command; the model sees its output with the next request"),
    entry("/test", "", "run the project's tests, likewise"),
    entry("/profile", "", "what the agent is, can do and may do here"),
    entry("/model", "[NAME]", "show the model, or go on with another: PROVIDER/MODEL"),
    entry("/approval", "[MODE]", "what is done without asking: ask, edits, all, plan"),
    entry("/cost", "", "tokens and money so far"),
    entry(
        "/memory",
        "[CMD]",
        "what is remembered: show, list, session, add TEXT, accept N, remove N",
    ),
    entry("/config", "[KEY VALUE]", "what is set, or set it for you in this directory"),
    entry("/sessions", "", "list the sessions in this directory"),
    entry("/resume", "[ID]", "go on with a past session; without ID with the last"),
    entry("/clear", "", "begin a new session"),
    entry("/quit", "", "leave; so does Ctrl-D"),
];

const fn entry(name: &'static str, argument: &'static str, does: &'static str) -> Entry {
    Entry { name, argument, does }
}

/// Why a line is not understood, with what to do instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misunderstood {
    pub(super) message: String,
    pub(super) help: String,
}

impl Said {
    /// What `line` means.
    pub(super) fn parse(line: &str) -> Result<Self, Misunderstood> {
        let line = line.trim();
        if line.is_empty() {
            return Ok(Self::Nothing);
        }
        if let Some(command) = line.strip_prefix('!') {
            return shell("!", command);
        }
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        // `/etc/hosts is wrong` is a request.
        let slash = name.strip_prefix('/').is_some_and(|name| !name.contains('/'));
        if !slash {
            return Ok(Self::Request(line.to_owned()));
        }
        let rest = rest.trim();
        Ok(Self::Slash(match name {
            "/run" => return shell("/run", rest),
            "/help" | "/?" => Slash::Help,
            "/undo" => Slash::Undo(count(name, rest)?),
            "/redo" => Slash::Redo(count(name, rest)?),
            "/diff" if rest.is_empty() => Slash::Diff(None),
            "/diff" => {
                let id = rest.parse();
                Slash::Diff(Some(id.map_err(|_| wrong(name, rest, "a change's number"))?))
            }
            "/changes" => Slash::Changes,
            "/test" => Slash::Test,
            "/profile" => return Ok(Self::Request(PROFILE.to_owned())),
            "/model" => Slash::Model(given(rest)),
            "/approval" => Slash::Approval(match rest {
                "" => None,
                "ask" => Some(Approval::Ask),
                "edits" => Some(Approval::Edits),
                "all" => Some(Approval::All),
                "plan" => Some(Approval::Plan),
                _ => return Err(wrong(name, rest, "ask, edits, all or plan")),
            }),
            "/cost" => Slash::Cost,
            "/memory" => Slash::Memory(memory(name, rest)?),
            "/config" => Slash::Config(setting(name, rest)?),
            "/sessions" => Slash::Sessions,
            "/resume" => Slash::Resume(given(rest)),
            "/clear" | "/new" => Slash::Clear,
            "/quit" | "/exit" => Slash::Quit,
            _ => return Err(unknown(name)),
        }))
    }
}

fn shell(sign: &str, command: &str) -> Result<Said, Misunderstood> {
    match command.trim() {
        "" => Err(Misunderstood {
            message: format!("`{sign}` has no command behind it"),
            help: "for example `!git status`".to_owned(),
        }),
        command => Ok(Said::Shell(command.to_owned())),
    }
}

fn memory(name: &str, rest: &str) -> Result<MemoryCommand, Misunderstood> {
    let (verb, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let rest = rest.trim();
    let number = || rest.parse::<i64>().map_err(|_| wrong(name, rest, "a number of the list"));
    Ok(match verb {
        "" | "show" => MemoryCommand::Show,
        "list" => MemoryCommand::List,
        "session" => MemoryCommand::Session { id: given(rest) },
        "add" => MemoryCommand::Add { text: vec![rest.to_owned()] },
        "accept" => MemoryCommand::Accept { number: number()? },
        "remove" => MemoryCommand::Remove { number: number()? },
        _ => return Err(wrong(name, verb, "show, list, session, add, accept or remove")),
    })
}

fn setting(name: &str, rest: &str) -> Result<Option<(String, String)>, Misunderstood> {
    match rest.split_once(char::is_whitespace) {
        None if rest.is_empty() => Ok(None),
        None => Err(wrong(name, rest, "a key and its value")),
        Some((key, value)) => Ok(Some((key.to_owned(), value.trim().to_owned()))),
    }
}

fn given(rest: &str) -> Option<String> {
    (!rest.is_empty()).then(|| rest.to_owned())
}

fn count(name: &str, rest: &str) -> Result<usize, Misunderstood> {
    match rest {
        "" => Ok(1),
        _ => match rest.parse() {
            Ok(0) | Err(_) => Err(wrong(name, rest, "a whole number from 1")),
            Ok(count) => Ok(count),
        },
    }
}

fn wrong(name: &str, rest: &str, wanted: &str) -> Misunderstood {
    let message = format!("`{name}` takes {wanted}, and not `{rest}`");
    Misunderstood { message, help: "`/help` lists the commands".to_owned() }
}

fn unknown(name: &str) -> Misunderstood {
    let near = |entry: &&Entry| {
        let begins = entry.name.starts_with(name) && name.len() > 1;
        (begins, strsim::jaro_winkler(name, entry.name))
    };
    let nearest = COMMANDS.iter().max_by(|a, b| {
        let (a, b) = (near(a), near(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let suggestion = nearest.filter(|entry| near(entry).1 > 0.8 || near(entry).0);
    let list = "`/help` lists the commands";
    let help = match suggestion {
        Some(entry) => format!("did you mean `{}`? {list}", entry.name),
        None => format!("{list}; a request that begins with a slash needs a word before it"),
    };
    Misunderstood { message: format!("there is no command `{name}`"), help }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let request = |text: &str| Said::Request(text.to_owned());
        let shell = |text: &str| Said::Shell(text.to_owned());
        for (line, expected) in [
            ("", Said::Nothing),
            ("  \t", Said::Nothing),
            (" fix it ", request("fix it")),
            ("/etc/hosts is wrong", request("/etc/hosts is wrong")),
            ("what is /help?", request("what is /help?")),
            ("!ls -l", shell("ls -l")),
            ("! ls", shell("ls")),
            ("/run cargo test", shell("cargo test")),
            ("/help", Said::Slash(Slash::Help)),
            ("/undo", Said::Slash(Slash::Undo(1))),
            ("/undo 3", Said::Slash(Slash::Undo(3))),
            ("/redo  2 ", Said::Slash(Slash::Redo(2))),
            ("/diff", Said::Slash(Slash::Diff(None))),
            ("/diff 12", Said::Slash(Slash::Diff(Some(12)))),
            ("/changes", Said::Slash(Slash::Changes)),
            ("/test", Said::Slash(Slash::Test)),
            ("/profile", request(PROFILE)),
            ("/model", Said::Slash(Slash::Model(None))),
            ("/model ollama/x", Said::Slash(Slash::Model(Some("ollama/x".to_owned())))),
            ("/approval plan", Said::Slash(Slash::Approval(Some(Approval::Plan)))),
            ("/approval", Said::Slash(Slash::Approval(None))),
            ("/cost", Said::Slash(Slash::Cost)),
            ("/memory", Said::Slash(Slash::Memory(MemoryCommand::Show))),
            (
                "/memory add it is big",
                Said::Slash(Slash::Memory(MemoryCommand::Add {
                    text: vec!["it is big".to_owned()],
                })),
            ),
            ("/memory accept 3", Said::Slash(Slash::Memory(MemoryCommand::Accept { number: 3 }))),
            ("/config", Said::Slash(Slash::Config(None))),
            (
                "/config test.command make check",
                Said::Slash(Slash::Config(Some((
                    "test.command".to_owned(),
                    "make check".to_owned(),
                )))),
            ),
            ("/sessions", Said::Slash(Slash::Sessions)),
            ("/resume", Said::Slash(Slash::Resume(None))),
            ("/resume 0199", Said::Slash(Slash::Resume(Some("0199".to_owned())))),
            ("/clear", Said::Slash(Slash::Clear)),
            ("/exit", Said::Slash(Slash::Quit)),
        ] {
            assert_eq!(Said::parse(line), Ok(expected), "{line:?}");
        }
    }

    #[test]
    fn what_is_not_understood_says_what_would_be() {
        for (line, message, help) in [
            ("/unod", "there is no command `/unod`", "did you mean `/undo`?"),
            ("/sess", "there is no command `/sess`", "did you mean `/sessions`?"),
            ("/hepl x", "there is no command `/hepl`", "did you mean `/help`?"),
            ("/", "there is no command `/`", "`/help` lists"),
            ("/xyzzy", "there is no command `/xyzzy`", "needs a word before it"),
            ("/undo 0", "`/undo` takes a whole number from 1, and not `0`", "`/help`"),
            ("/undo all", "`/undo` takes a whole number from 1, and not `all`", "`/help`"),
            ("/diff x", "`/diff` takes a change's number, and not `x`", "`/help`"),
            ("/approval never", "`/approval` takes ask, edits, all or plan, and not", "`/help`"),
            (
                "/memory eat",
                "`/memory` takes show, list, session, add, accept or remove",
                "`/help`",
            ),
            ("/memory remove x", "`/memory` takes a number of the list, and not `x`", "`/help`"),
            ("/config model", "`/config` takes a key and its value, and not `model`", "`/help`"),
            ("!", "`!` has no command behind it", "!git status"),
            ("/run ", "`/run` has no command behind it", "!git status"),
        ] {
            let wrong = Said::parse(line).expect_err(line);
            assert!(wrong.message.starts_with(message), "{line}: {wrong:?}");
            assert!(wrong.help.contains(help), "{line}: {wrong:?}");
        }
    }

    #[test]
    fn every_command_that_is_listed_is_understood() {
        for entry in COMMANDS {
            let line = format!("{} {}", entry.name, if entry.name == "/run" { "ls" } else { "" });
            assert!(Said::parse(&line).is_ok(), "{line}");
        }
    }
}
