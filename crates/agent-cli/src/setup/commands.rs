//! How commands are run, and what they may reach.

use std::path::PathBuf;

use agent_core::{
    Outcome,
    command::{
        Commands, Runner, passed_on,
        sandbox::{Mode, Network, Policy, Sandbox},
    },
    config::{Config, Key},
    verify::{OnFailure, Tests},
};
use agent_tools::Workspace;

use crate::{
    environment::Environment,
    error::{End, Error},
};

/// How commands are run in `workspace`.
pub(crate) fn commands(
    workspace: &Workspace,
    config: &Config,
    environment: Environment,
) -> Commands {
    let mode = match config.text(Key::SandboxMode) {
        Some("strict") => Mode::Strict,
        Some("off") => Mode::Off,
        // The key takes no other word.
        Some(_) | None => Mode::Auto,
    };
    let network = match config.text(Key::SandboxNetwork) {
        Some("allow") => Network::Allowed,
        Some(_) | None => Network::Denied,
    };
    let configuration = environment.config_file();
    let configuration = configuration.as_deref().and_then(std::path::Path::parent);
    let own: Vec<PathBuf> =
        environment.state_dir().into_iter().chain(configuration.map(PathBuf::from)).collect();
    // Where builds are told to put what they make.
    let target = environment.variable("CARGO_TARGET_DIR").map(PathBuf::from);
    let target: Vec<PathBuf> = target.into_iter().filter(|path| path.is_absolute()).collect();
    let policy = Policy::of_workspace(workspace.root(), &target, &own, network);
    let sandbox = Sandbox::new(mode, policy);
    let runner = Runner { sandbox, ..unconfined_runner(environment) };
    Commands { runner, ..Commands::default() }
}

/// What is tested after edits.
pub(crate) fn tests(config: &Config, on_failure: OnFailure) -> Tests {
    let retries = config.count(Key::TestRetries).and_then(|count| u32::try_from(count).ok());
    Tests {
        command: config.text(Key::TestCommand).map(str::to_owned),
        retries: retries.unwrap_or(Tests::default().retries),
        on_failure,
    }
}

/// A runner of this program's own commands.
pub(crate) fn unconfined_runner(environment: Environment) -> Runner {
    Runner {
        environment: passed_on(environment.variables()),
        supervisor: environment.own_program(),
        sandbox: Sandbox::default(),
    }
}

/// Makes sure that commands are confined where nothing else will do.
pub(crate) async fn confined(commands: &Commands, config: &Config) -> Result<(), Error> {
    if config.text(Key::SandboxMode) != Some("strict") {
        return Ok(());
    }
    commands.runner.confined().await.map(drop).map_err(|reason| {
        Error::of(
            End::Run(Outcome::Sandbox),
            "agent::sandbox::unavailable",
            &format!("commands can't be confined here: {reason}"),
            "install bubblewrap, or use a kernel with Landlock (Linux 5.13); `--sandbox auto` goes \
             on without",
        )
    })
}
