//! `agent config`

use std::{path::PathBuf, process::ExitCode};

use agent_core::{
    Redactor,
    config::{self, Config, Origin, Setting},
};
use agent_tools::Workspace;

use crate::{
    args,
    environment::Environment,
    error::Error,
    setup::{self, Flags},
    ui::{self, Stdout},
    user_files,
};

mod policy;

pub(crate) fn run(arguments: args::Config, environment: Environment) -> Result<ExitCode, Error> {
    match arguments {
        args::Config::Show { origin, target } => {
            let workspace = setup::workspace(target.directory.as_deref(), environment)?;
            let configured = setup::configure(&workspace, Flags::of(&target), environment)?;
            for warning in &configured.warnings {
                ui::warn(warning, environment);
            }
            let origins = if origin { Origins::Shown } else { Origins::Hidden };
            Stdout.text(&listing(&configured.config, origins))?;
        }
        args::Config::Policy { tool, params, forget, approval, target } => {
            let workspace = setup::workspace(target.directory.as_deref(), environment)?;
            let approval = approval.as_deref().map(|mode| ("--approval", mode));
            let flags = Flags { approval, ..Flags::of(&target) };
            let configured = setup::configure(&workspace, flags, environment)?;
            for warning in &configured.warnings {
                ui::warn(warning, environment);
            }
            let saved = setup::saved_rules(environment);
            let policy = setup::saved(&saved, &workspace)?
                .into_iter()
                .fold(setup::policy(&configured.config), |policy, rule| policy.with(rule));
            if let Some(number) = forget {
                let given = configured.config.rules().len();
                policy::forget(&saved, &workspace, number.checked_sub(given + 1))?;
                return Ok(ExitCode::SUCCESS);
            }
            Stdout.text(&match tool {
                None => policy::table(&policy),
                Some(tool) => policy::answer(policy, &workspace, &tool, params.as_deref())?,
            })?;
        }
        args::Config::Default => Stdout.text(&config::default_file())?,
        args::Config::Init => {
            let path = config_file(environment)?;
            let shown = path.display().to_string();
            if user_files::read(&path).map_err(|error| setup::unreadable(&shown, &error))?.is_some()
            {
                let help = "`agent config default` prints what would be written";
                return Err(Error::usage("exists", format!("{shown} is there already"), help));
            }
            user_files::replace(&path, &config::default_file())
                .map_err(|error| Error::output(&shown, &error))?;
            Stdout.text(&shown)?;
        }
        args::Config::Trust { target } => {
            let workspace = setup::workspace(target.directory.as_deref(), environment)?;
            let Some(heeded) = setup::trust_file(&workspace, environment)? else {
                let message = format!("there is no {}", setup::WORKSPACE_FILE);
                return Err(Error::usage("no_file", message, "there is nothing to trust here"));
            };
            let seen: String = heeded.iter().map(|said| format!("\n  {said}")).collect();
            let text = format!("trusted, as it stands: {}{seen}\n", setup::WORKSPACE_FILE);
            ui::say(&ui::harmless(&text));
        }
        args::Config::Path { here } => {
            let workspace = here.open(environment)?;
            let path = file(workspace.as_ref(), environment)?;
            Stdout.text(&path.display().to_string())?;
        }
        args::Config::Set { key, value, here } => {
            set(here.open(environment)?.as_ref(), &key, &value, environment)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl args::Here {
    /// The directory, where it is about one.
    fn open(&self, environment: Environment) -> Result<Option<Workspace>, Error> {
        let is_about_one = self.here || self.directory.is_some();
        let open = || setup::workspace(self.directory.as_deref(), environment);
        is_about_one.then(open).transpose()
    }
}

/// Writes a value into the user's file: the one for everything, or the one for a directory.
pub(super) fn set(
    workspace: Option<&Workspace>,
    key: &str,
    value: &str,
    environment: Environment,
) -> Result<(), Error> {
    let path = file(workspace, environment)?;
    let shown = path.display().to_string();
    let text = user_files::read(&path).map_err(|error| setup::unreadable(&shown, &error))?;
    // The name of the file says no more of the directory than its own.
    let head = match (&text, workspace) {
        (None, Some(workspace)) => format!("# For {:?}\n", workspace.root()),
        (Some(_), _) | (None, None) => String::new(),
    };
    let text = head + &config::set(&shown, &text.unwrap_or_default(), key, value)?;
    user_files::replace(&path, &text).map_err(|error| Error::output(&shown, &error))
}

fn file(workspace: Option<&Workspace>, environment: Environment) -> Result<PathBuf, Error> {
    let path = match workspace {
        Some(workspace) => environment.config_file_for(workspace.root()),
        None => environment.config_file(),
    };
    path.ok_or_else(|| {
        let help = "set HOME, or XDG_CONFIG_HOME to an absolute path";
        Error::config("no_home", "there is no place for a configuration file", help)
    })
}

pub(super) fn config_file(environment: Environment) -> Result<PathBuf, Error> {
    file(None, environment)
}

/// What somebody has chosen, each with its origin.
pub(super) fn chosen(config: &Config) -> String {
    let is_chosen = |setting: &&Setting| setting.origin != Origin::Default;
    let lines: Vec<String> = config
        .settings()
        .iter()
        .filter(is_chosen)
        .map(|setting| line(setting, Origins::Shown))
        .collect();
    match lines.is_empty() {
        true => "nothing is set: `agent config show` prints the defaults\n".to_owned(),
        false => lines.join("\n") + "\n",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origins {
    Shown,
    Hidden,
}

/// The settings as a configuration file would give them, the ones without a value as comments.
fn listing(config: &Config, origins: Origins) -> String {
    let lines: Vec<String> =
        config.settings().iter().map(|setting| line(setting, origins)).collect();
    lines.join("\n")
}

fn line(Setting { key, value, origin }: &Setting, origins: Origins) -> String {
    let name = key.spec().name;
    // Addresses may hold passwords.
    let value =
        value.as_ref().map(|value| Redactor::default().redacted(&value.to_string()).into_owned());
    match (value, origins) {
        (None, _) => format!("# {name} is not set"),
        (Some(value), Origins::Hidden) => format!("{name} = {value}"),
        (Some(value), Origins::Shown) => format!("{name} = {value}  # {}", place(origin)),
    }
}

fn place(origin: &Origin) -> String {
    match origin {
        Origin::Default | Origin::File { .. } => origin.to_string(),
        Origin::Environment(name) => format!("environment: {name}"),
        Origin::Flag(name) => format!("flag: {name}"),
    }
}
