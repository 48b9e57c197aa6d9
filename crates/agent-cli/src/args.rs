//! The command line as it was typed: text with types, nothing looked up yet.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A coding agent: says what it does, and does it in real files.
#[derive(Debug, Parser)]
#[command(name = "agent", version, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Do one task, without asking anything
    #[command(visible_alias = "exec")]
    Run(Run),
    /// Watch a whole job: no network and no key, a recorded model, the real tools
    Demo(Demo),
    /// Call one tool directly and print its result as JSON
    Tool(Tool),
    /// Take back the last changes in this directory, whichever session made them
    Undo(Revert),
    /// Make changes again that were taken back
    Redo(Revert),
    /// List the recorded changes in this directory, the latest first
    Changes(Changes),
    /// Show a recorded change as a unified diff
    Diff(Diff),
    /// List the models of every configured provider
    Models(Models),
    /// Show or change the configuration
    #[command(subcommand)]
    Config(Config),
}

/// What to work on, and with which model.
#[derive(Debug, Default, Args)]
pub(crate) struct Target {
    /// Work in this directory
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// The model: openai/NAME, ollama/NAME or replay/PATH
    #[arg(short, long, value_name = "PROVIDER/MODEL")]
    pub(crate) model: Option<String>,
    /// Address of the model's server; for openai it ends in /v1
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The task in words; `-` or nothing reads it from standard input
    pub(crate) task: Option<String>,
    #[command(flatten)]
    pub(crate) target: Target,
    /// What goes to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: OutputFormat,
    /// Short for --output-format stream-json
    #[arg(long, conflicts_with = "output_format")]
    json: bool,
    /// Write the final answer to this file too
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// What is done without asking: edits, all, or nothing (plan)
    #[arg(long, value_name = "MODE", value_parser = approval)]
    pub(crate) approval: Option<String>,
    /// Change nothing: short for --approval plan
    #[arg(long, conflicts_with = "approval")]
    read_only: bool,
    /// Keep no record: what this run changes can't be undone
    #[arg(long)]
    pub(crate) ephemeral: bool,
    /// Decision steps after which the run ends; 25 unless configured
    #[arg(long, value_name = "N")]
    pub(crate) max_turns: Option<String>,
    #[command(flatten)]
    pub(crate) volume: Volume,
}

impl Run {
    pub(crate) fn format(&self) -> OutputFormat {
        if self.json { OutputFormat::StreamJson } else { self.output_format }
    }

    /// The approval mode, with the flag that gave it.
    pub(crate) fn approval(&self) -> Option<(&'static str, &str)> {
        match &self.approval {
            Some(mode) => Some(("--approval", mode)),
            None => self.read_only.then_some(("--read-only", "plan")),
        }
    }
}

fn approval(mode: &str) -> Result<String, String> {
    match mode {
        "edits" | "all" | "plan" => Ok(mode.to_owned()),
        "ask" => Err("asking is not supported by this version; choose edits, all or plan".into()),
        _ => Err("choose edits, all or plan".into()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The final answer
    #[default]
    Text,
    /// One object: the whole history with the answer
    Json,
    /// One object a line for each event, as it happens
    StreamJson,
}

/// How much is said on standard error.
#[derive(Debug, Default, Clone, Copy, Args)]
pub(crate) struct Volume {
    /// Say more on standard error; twice and three times for the program's own log
    #[arg(short, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Say nothing on standard error but warnings and errors
    #[arg(short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Work in this new or empty directory and leave it there
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Tool {
    /// The tool's name
    #[arg(required_unless_present_any = ["jsonl", "list"])]
    pub(crate) name: Option<String>,
    /// Its parameters as a JSON object; `-` reads them from standard input
    #[arg(value_name = "JSON")]
    pub(crate) params: Option<String>,
    /// Answer calls given on standard input, one a line: {"id": 1, "tool": NAME, "params": {}}
    #[arg(long, conflicts_with_all = ["name", "params", "list"])]
    pub(crate) jsonl: bool,
    /// Keep no record: what is changed can't be undone
    #[arg(long)]
    pub(crate) ephemeral: bool,
    /// Print the schemas of all tools
    #[arg(long, conflicts_with_all = ["name", "params"])]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) target: Target,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 done; 1 there was nothing to do, or a file can't be written; \
    10 the record of changes can't be used; 15 refused, because somebody else has changed a file \
    since: nothing is done then."
)]
pub(crate) struct Revert {
    /// How many changes; all there are where there are fewer
    #[arg(default_value = "1", value_name = "N", value_parser = count)]
    pub(crate) count: usize,
    /// Overwrite files that somebody else has changed since; what they hold is kept in the record
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give a whole number from 1".to_owned()),
        Ok(count) => Ok(count),
    }
}

/// Which directory's changes, and how they are told.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The changes of this directory
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// What goes to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: Shape,
}

/// Text or JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Shape {
    /// For people
    #[default]
    Text,
    /// One object
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct Changes {
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The change's number, as `agent changes` shows it; without it the whole last session
    pub(crate) id: Option<i64>,
    /// The changes of this directory
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Models {
    /// Ask this provider alone: openai or ollama
    pub(crate) provider: Option<String>,
    #[command(flatten)]
    pub(crate) target: Target,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Print every setting
    Show {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
        #[command(flatten)]
        target: Target,
    },
    /// Print the path of the user's configuration file
    Path,
    /// Write a value into the user's configuration file
    Set {
        /// A key, as `agent config show` prints it
        key: String,
        /// Its value
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn run(arguments: &[&str]) -> Result<Run, clap::error::ErrorKind> {
        let line = ["agent", "run"].iter().chain(arguments);
        let parsed = Arguments::try_parse_from(line).map_err(|error| error.kind())?;
        let Command::Run(run) = parsed.command else { panic!("`agent run` is one command") };
        Ok(run)
    }

    #[test]
    fn the_definition_holds_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn shorthands_mean_their_long_forms() {
        assert_eq!(run(&["t"]).unwrap().format(), OutputFormat::Text);
        assert_eq!(run(&["t", "--json"]).unwrap().format(), OutputFormat::StreamJson);
        assert_eq!(run(&["t", "--output-format=json"]).unwrap().format(), OutputFormat::Json);
        assert_eq!(run(&["t"]).unwrap().approval(), None);
        assert_eq!(run(&["t", "--read-only"]).unwrap().approval(), Some(("--read-only", "plan")));
        assert_eq!(run(&["--approval", "all"]).unwrap().approval(), Some(("--approval", "all")));
        assert_eq!(run(&["-vv"]).unwrap().volume.verbose, 2);
        assert_eq!(run(&["-"]).unwrap().task.as_deref(), Some("-"));
        assert!(matches!(
            Arguments::try_parse_from(["agent", "exec", "t"]).map(|parsed| parsed.command),
            Ok(Command::Run(_))
        ));
    }

    #[test]
    fn what_is_not_supported_is_an_error_and_never_ignored() {
        use clap::error::ErrorKind::{
            ArgumentConflict, InvalidValue, UnknownArgument, ValueValidation,
        };
        for (arguments, expected) in [
            (&["t", "--approval", "ask"][..], ValueValidation),
            (&["t", "--approval", "never"], ValueValidation),
            (&["t", "--approval", "all", "--read-only"], ArgumentConflict),
            (&["t", "--json", "--output-format", "json"], ArgumentConflict),
            (&["t", "--output-format", "xml"], InvalidValue),
            (&["t", "-q", "-v"], ArgumentConflict),
            (&["t", "two"], UnknownArgument),
            (&["t", "--allow-command", "ls"], UnknownArgument),
            (&["t", "--sandbox", "strict"], UnknownArgument),
            (&["t", "--test", "make"], UnknownArgument),
            (&["t", "--retries", "3"], UnknownArgument),
            (&["t", "--max-tool-calls", "3"], UnknownArgument),
            (&["t", "--max-tokens", "3"], UnknownArgument),
            (&["t", "--max-cost", "1"], UnknownArgument),
            (&["t", "--time-limit", "3"], UnknownArgument),
            (&["t", "--continue"], UnknownArgument),
            (&["t", "--resume", "id"], UnknownArgument),
            (&["t", "--no-cache"], UnknownArgument),
            (&["t", "--planner"], UnknownArgument),
            (&["t", "--protocol", "json"], UnknownArgument),
            (&["t", "--record", "f"], UnknownArgument),
            (&["t", "--trust"], UnknownArgument),
        ] {
            assert_eq!(run(arguments).map(|_| ()), Err(expected), "{arguments:?}");
        }
    }

    #[test]
    fn a_tool_needs_a_name_unless_a_mode_says_otherwise() {
        let tool = |arguments: &[&str]| {
            let line = ["agent", "tool"].iter().chain(arguments);
            Arguments::try_parse_from(line).is_ok()
        };
        for (arguments, good) in [
            (&["list_dir"][..], true),
            (&["list_dir", "{}"], true),
            (&["--list"], true),
            (&["--jsonl"], true),
            (&[], false),
            (&["--list", "--jsonl"], false),
            (&["--jsonl", "list_dir"], false),
            (&["list_dir", "{}", "{}"], false),
        ] {
            assert_eq!(tool(arguments), good, "{arguments:?}");
        }
    }
}
