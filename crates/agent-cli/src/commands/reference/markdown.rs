//! Every command in one page of Markdown.

use clap::{Arg, Command, CommandFactory};

use crate::args::Arguments;

/// What stands at the top.
const HEAD: &str = "\
# Commands

Generated from the table that also makes `--help`, the manual pages and the completions.
";

pub(super) fn whole() -> String {
    let mut command = Arguments::command();
    command.build();
    let mut page = HEAD.to_owned();
    let mut below = Vec::new();
    flatten(&command, &mut below);
    page += "\n| command | |\n| --- | --- |\n";
    for command in &below {
        let name = name(command);
        let anchor = name.replace(' ', "-");
        page += &format!("| [`{name}`](#{anchor}) | {} |\n", cell(&about(command)));
    }
    for command in [&command].into_iter().chain(below) {
        page += &section(command);
    }
    page
}

/// The commands below, in their order, each before its own.
fn flatten<'c>(command: &'c Command, all: &mut Vec<&'c Command>) {
    for below in command.get_subcommands() {
        if !below.is_hide_set() && below.get_name() != "help" {
            all.push(below);
            flatten(below, all);
        }
    }
}

fn section(command: &Command) -> String {
    let mut text = format!("\n## {}\n\n{}\n", name(command), sentence(&about(command)));
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").lines().map(str::trim);
    let usage: Vec<&str> = usage.filter(|line| !line.is_empty()).collect();
    text += &format!("\n```text\n{}\n```\n", usage.join("\n"));
    if let Some(more) = command.get_after_help() {
        text += &format!("\n{}\n", sentence(&one_line(&more.to_string())));
    }
    let aliases: Vec<String> =
        command.get_visible_aliases().map(|alias| format!("`agent {alias}`")).collect();
    if !aliases.is_empty() {
        text += &format!("\nAlso {}.\n", aliases.join(", "));
    }
    let shown =
        |arg: &&Arg| !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version");
    let arguments: Vec<&Arg> = command.get_arguments().filter(shown).collect();
    if !arguments.is_empty() {
        text += "\n| | |\n| --- | --- |\n";
    }
    let (positional, options): (Vec<&Arg>, Vec<&Arg>) =
        arguments.into_iter().partition(|arg| arg.is_positional());
    for arg in positional.into_iter().chain(options) {
        text += &format!("| {} | {} |\n", cell(&written(arg)), cell(&explained(arg)));
    }
    text
}

/// The command's name from the program's own: `agent config show`.
fn name(command: &Command) -> String {
    command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn about(command: &Command) -> String {
    command.get_about().map(|about| one_line(&about.to_string())).unwrap_or_default()
}

/// How the argument is written: `-C`, `--cd DIR`.
fn written(arg: &Arg) -> String {
    let values: Vec<String> =
        arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    let value = values.join(" ");
    if arg.is_positional() {
        return format!("`{value}`");
    }
    let takes = arg.get_action().takes_values();
    let value = if takes { format!(" {value}") } else { String::new() };
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let mut names: Vec<String> = short.into_iter().chain(long).collect();
    if let Some(last) = names.last_mut() {
        last.push_str(&value);
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn explained(arg: &Arg) -> String {
    let mut text = arg.get_help().map(|help| one_line(&help.to_string())).unwrap_or_default();
    let takes = arg.get_action().takes_values();
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| takes && !value.is_hide_set())
        .map(|value| match value.get_help() {
            Some(help) => {
                let help = one_line(&help.to_string());
                format!("`{}` ({})", value.get_name(), lower(&help))
            }
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    if !values.is_empty() {
        text += &format!(": {}", values.join(", "));
    }
    let defaults: Vec<String> = arg
        .get_default_values()
        .iter()
        .filter(|_| takes)
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    if !defaults.is_empty() {
        text += &format!(". Default: {}", defaults.join(", "));
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn sentence(text: &str) -> String {
    if text.ends_with(['.', '`']) || text.is_empty() { text.to_owned() } else { format!("{text}.") }
}

fn lower(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().collect::<String>() + characters.as_str(),
        None => String::new(),
    }
}

/// The text as it may stand in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_option_is_there() {
        let page = whole();
        let mut command = Arguments::command();
        command.build();
        let mut all = vec![&command];
        flatten(&command, &mut all);
        for command in all {
            assert!(page.contains(&format!("\n## {}\n", name(command))), "{}", name(command));
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                if let Some(long) =
                    arg.get_long().filter(|long| !matches!(*long, "help" | "version"))
                {
                    assert!(page.contains(&format!("`--{long}")), "{long}");
                }
            }
        }
    }

    #[test]
    fn an_option_is_told_with_its_values_and_its_default() {
        let page = whole();
        let row = "| `--output-format FORMAT` | What goes to standard output: `text` (the final \
                   answer), `json` (one object: the whole history with the answer), `stream-json` \
                   (one object a line for each event, as it happens). Default: `text` |";
        assert!(page.contains(row), "{page}");
        assert!(page.contains("| `-C`, `--cd DIR` | Work in this directory |"), "{page}");
    }
}
