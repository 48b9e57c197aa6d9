//! `agent completions` and `agent man`: the command line, told to shells, to `man`, and as Markdown.

mod markdown;

use std::process::ExitCode;

use clap::CommandFactory;

use crate::{
    args::{self, Arguments},
    error::Error,
    ui::Stdout,
};

pub(crate) fn completions(arguments: &args::Completions) -> Result<ExitCode, Error> {
    Stdout.text(&script(arguments.shell))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(arguments: &args::Man) -> Result<ExitCode, Error> {
    Stdout.text(&match arguments.markdown {
        true => markdown::whole(),
        false => page(&arguments.command)?,
    })?;
    Ok(ExitCode::SUCCESS)
}

fn script(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "agent", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The page of the command with these names, `["config", "show"]` for one below another.
fn page(names: &[String]) -> Result<String, Error> {
    let mut command = Arguments::command();
    command.build();
    let mut found = &command;
    for name in names {
        found = found.find_subcommand(name).ok_or_else(|| {
            let message = format!("there is no command `{}`", names.join(" "));
            Error::usage("command", message, "`agent --help` lists the commands")
        })?;
    }
    // The page's own name has dashes, as those of git's commands do: man pages know no spaces.
    let title = found.get_display_name().unwrap_or("agent").to_owned();
    let mut page = Vec::new();
    clap_mangen::Man::new(found.clone())
        .title(title)
        .render(&mut page)
        .map_err(|error| Error::output("the page", &error))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_shell_is_told_every_command() {
        for shell in clap_complete::Shell::value_variants() {
            let script = script(*shell);
            for command in Arguments::command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
    }

    #[test]
    fn a_page_names_the_flags_of_its_command() {
        let names = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let top = page(&[]).unwrap();
        assert!(top.starts_with(".ie") && top.contains(".TH agent 1"), "{top}");
        let run = page(&names(&["run"])).unwrap();
        assert!(run.contains(".TH agent-run 1"), "{run}");
        assert!(run.contains(r"\-\-max\-turns"), "{run}");
        let show = page(&names(&["config", "show"])).unwrap();
        assert!(show.contains(r"\-\-origin"), "{show}");
        for unknown in [&["rum"][..], &["run", "show"]] {
            let error = page(&names(unknown)).unwrap_err();
            assert_eq!(error.end.exit_code(), 2);
            assert_eq!(
                error.failure.message,
                format!("there is no command `{}`", unknown.join(" "))
            );
        }
    }
}
