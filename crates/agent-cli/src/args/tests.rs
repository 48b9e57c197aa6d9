//! What the command line takes and refuses.

use clap::CommandFactory;

use super::*;

fn run(arguments: &[&str]) -> Result<Run, clap::error::ErrorKind> {
    let line = ["agent", "run"].iter().chain(arguments);
    let parsed = Arguments::try_parse_from(line).map_err(|error| error.kind())?;
    let Command::Run(run) = parsed.chosen() else { panic!("`agent run` is one command") };
    Ok(*run)
}

#[test]
fn the_definition_holds_together() {
    Arguments::command().debug_assert();
}

#[test]
fn without_a_command_it_is_the_chat() {
    let chat = |arguments: &[&str]| {
        let line = ["agent"].iter().chain(arguments);
        let parsed = Arguments::try_parse_from(line).map_err(|error| error.kind())?;
        let Command::Chat(chat) = parsed.chosen() else { panic!("it is the chat") };
        Ok::<_, clap::error::ErrorKind>(*chat)
    };
    assert!(chat(&[]).is_ok_and(|chat| chat.request.is_none()));
    assert_eq!(chat(&["-m", "a/b"]).unwrap().options.target.model.as_deref(), Some("a/b"));
    assert_eq!(chat(&["chat", "hello"]).unwrap().request.as_deref(), Some("hello"));
    assert_eq!(
        chat(&["chat", "--read-only"]).unwrap().options.approval(),
        Some(("--read-only", "plan"))
    );
    let plan = chat(&["--read-only"]).unwrap().options.in_mode("edits");
    assert_eq!(plan.approval(), Some(("--approval", "edits")));
    use clap::error::ErrorKind::{ArgumentConflict, InvalidSubcommand, UnknownArgument};
    for (arguments, expected) in [
        (&["rum"][..], InvalidSubcommand),
        (&["-m", "a/b", "run"], ArgumentConflict),
        (&["-c", "-r", "x"], ArgumentConflict),
        (&["chat", "a", "b"], UnknownArgument),
        (&["chat", "--json"], UnknownArgument),
    ] {
        assert_eq!(chat(arguments).map(|_| ()), Err(expected), "{arguments:?}");
    }
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
        Arguments::try_parse_from(["agent", "exec", "t"]).map(Arguments::chosen),
        Ok(Command::Run(_))
    ));
}

#[test]
fn what_is_not_supported_is_an_error_and_never_ignored() {
    use clap::error::ErrorKind::{
        ArgumentConflict, InvalidValue, MissingRequiredArgument, UnknownArgument, ValueValidation,
    };
    for (arguments, expected) in [
        (&["t", "--approval", "never"][..], ValueValidation),
        (&["t", "--approval", "all", "--read-only"], ArgumentConflict),
        (&["t", "--json", "--output-format", "json"], ArgumentConflict),
        (&["t", "--output-format", "xml"], InvalidValue),
        (&["t", "-q", "-v"], ArgumentConflict),
        (&["t", "two"], UnknownArgument),
        (&["t", "--allow-command", "ls; rm"], ValueValidation),
        (&["t", "--sandbox", "none"], InvalidValue),
        (&["t", "--intent", "guess"], ValueValidation),
        (&["t", "--on-failure", "wait"], InvalidValue),
        (&["t", "--continue", "--resume", "id"], ArgumentConflict),
        (&["t", "--protocol", "xml"], InvalidValue),
        (&["t", "--with-tree"], MissingRequiredArgument),
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
