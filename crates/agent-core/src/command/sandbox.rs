//! What a command may reach: it reads the system, writes the workspace and a temporary directory,
//! and talks to nobody.
//!
//! On Linux [bubblewrap](https://github.com/containers/bubblewrap) does most of it where it is
//! installed and can start, with mounts and namespaces of the command's own. Inside it, or without
//! it, this program runs itself once more, gives up its rights through Landlock and a filter of
//! system calls, and becomes the command. Which of the two works is tried once, with a command
//! that does nothing.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

use super::{NO_PLAN, Runner, scratch::Scratch};

#[cfg(target_os = "linux")]
pub(super) mod bubblewrap;
#[cfg(target_os = "linux")]
pub(super) mod enter;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod landlock;
pub mod seatbelt;

/// Whether commands are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// As well as the system can do it.
    Auto,
    /// They are, or they don't run.
    Strict,
    /// They are not.
    #[default]
    Off,
}

/// Whether commands reach the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// They don't.
    #[default]
    Denied,
    /// They do.
    Allowed,
}

/// What a command may reach.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Policy {
    /// Directories in which it may change everything.
    pub writable: Vec<PathBuf>,
    /// What it must not change though it lies in one of them.
    pub protected: Vec<PathBuf>,
    /// Directories that it must not even read.
    pub hidden: Vec<PathBuf>,
    /// Whether it reaches the network.
    pub network: Network,
}

/// How commands are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mechanism {
    /// By bubblewrap, and within it as without it.
    Bubblewrap,
    /// By Landlock and a filter of system calls.
    Landlock,
}

impl Mechanism {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
        }
    }

    /// What a command can do all the same, in plain words.
    pub fn gaps(self) -> &'static [&'static str] {
        match self {
            Self::Bubblewrap => &[],
            Self::Landlock => &[
                "the mode, owner, times and attributes of this user's files outside",
                "that other processes run is seen, but not what they hold; their priority can be lowered",
                "the names of files that may not be read",
                "what may not be changed inside, such as .git/hooks: it is put back afterwards",
            ],
        }
    }
}

/// What in a workspace decides what is executed later, by whoever opens it: git's hooks and
/// configuration, this program's, and the tasks of editors.
pub(crate) const EXECUTABLE_LATER: [&str; 12] = [
    ".git/hooks",
    ".git/config",
    ".git/info",
    ".agent",
    ".mcp.json",
    ".vscode/tasks.json",
    ".vscode/launch.json",
    ".vscode/settings.json",
    ".vscode/mcp.json",
    ".idea/runConfigurations",
    ".zed",
    ".envrc",
];

impl Policy {
    /// The policy for commands in the workspace at `root`. `hidden` are this program's own
    /// directories; `more` may be written as well.
    pub fn of_workspace(
        root: &Path,
        more: &[PathBuf],
        hidden: &[PathBuf],
        network: Network,
    ) -> Self {
        Self {
            writable: std::iter::once(root.to_owned()).chain(more.iter().cloned()).collect(),
            protected: EXECUTABLE_LATER.iter().map(|name| root.join(name)).collect(),
            hidden: hidden.to_vec(),
            network,
        }
    }

    /// The policy with paths as they are, now that it is needed, and with temporary directories.
    fn made_real(&self, mechanism: Mechanism, scratch: &Path) -> Self {
        let real = |path: &PathBuf| path.canonicalize().ok();
        let hidden: Vec<PathBuf> = self.hidden.iter().filter_map(real).collect();
        let shared = TEMPORARY.iter().map(PathBuf::from).filter(|shared| match mechanism {
            Mechanism::Bubblewrap => true,
            // Rights over a directory would be rights over what is hidden in it.
            Mechanism::Landlock => !hidden.iter().any(|hidden| hidden.starts_with(shared)),
        });
        let writable = self.writable.iter().filter_map(real);
        let writable = shared.chain(std::iter::once(scratch.to_owned())).chain(writable).collect();
        Self { writable, hidden, ..self.clone() }
    }
}

/// Directories for temporary files that all programs share.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// The sandbox of a run.
#[derive(Debug, Default)]
pub struct Sandbox {
    mode: Mode,
    policy: Policy,
    found: OnceCell<Result<Found, String>>,
}

/// What works here.
#[derive(Debug)]
struct Found {
    mechanism: Mechanism,
    policy: Policy,
    /// For temporary files of the run's commands; it goes with the run.
    scratch: Scratch,
}

/// How a command was confined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confined {
    /// It was not to be.
    Not,
    /// It could not be; this stands in the way.
    NotPossible(String),
    /// It was.
    By(Mechanism),
}

impl Confined {
    /// In a few words, with what a command could do all the same.
    pub fn words(&self) -> String {
        match self {
            Self::Not => "off".to_owned(),
            Self::NotPossible(reason) => format!("none: {reason}"),
            Self::By(mechanism) if mechanism.gaps().is_empty() => mechanism.name().to_owned(),
            Self::By(mechanism) => {
                format!("{} (not enforced: {})", mechanism.name(), mechanism.gaps().join("; "))
            }
        }
    }
}

/// How a command is started.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) confined: Confined,
    /// What its supervisor is told.
    pub(super) plan: String,
    /// Variables that lead it to where it may write.
    pub(super) environment: Vec<(&'static str, PathBuf)>,
}

impl Way {
    /// Without a sandbox.
    fn open(confined: Confined) -> Self {
        Self { confined, plan: NO_PLAN.to_owned(), environment: Vec::new() }
    }

    fn through(mechanism: Mechanism, policy: &Policy, scratch: &Path) -> Self {
        let plan = serde_json::json!([mechanism, policy]);
        Self {
            confined: Confined::By(mechanism),
            plan: plan.to_string(),
            environment: vec![
                ("TMPDIR", scratch.to_owned()),
                ("XDG_CACHE_HOME", scratch.join("cache")),
                ("npm_config_cache", scratch.join("npm")),
            ],
        }
    }
}

impl Sandbox {
    /// A sandbox that holds commands to `policy`, as `mode` says.
    pub fn new(mode: Mode, policy: Policy) -> Self {
        Self { mode, policy, found: OnceCell::new() }
    }

    /// Whether commands are to be confined.
    pub(crate) fn is_wanted(&self) -> bool {
        self.mode != Mode::Off
    }

    /// How `runner` starts commands.
    pub(super) async fn way(&self, runner: &Runner) -> Result<Way, String> {
        if self.mode == Mode::Off {
            return Ok(Way::open(Confined::Not));
        }
        match (self.found.get_or_init(|| self.try_out(runner)).await, self.mode) {
            (Ok(Found { mechanism, policy, scratch }), _) => {
                scratch.keep().map_err(|error| format!("no temporary directory: {error}"))?;
                Ok(Way::through(*mechanism, policy, scratch.path()))
            }
            (Err(reason), Mode::Strict) => Err(reason.clone()),
            (Err(reason), Mode::Auto | Mode::Off) => {
                Ok(Way::open(Confined::NotPossible(reason.clone())))
            }
        }
    }

    async fn try_out(&self, runner: &Runner) -> Result<Found, String> {
        if !cfg!(target_os = "linux") {
            return Err("it is there for Linux alone".to_owned());
        }
        if runner.supervisor.is_none() {
            return Err("the program that sets it up is not there".to_owned());
        }
        let scratch = Scratch::new().map_err(|error| format!("no temporary directory: {error}"))?;
        let mut reasons = Vec::new();
        for mechanism in [Mechanism::Bubblewrap, Mechanism::Landlock] {
            let policy = self.policy.made_real(mechanism, scratch.path());
            let way = Way::through(mechanism, &policy, scratch.path());
            match runner.attempt(way).await {
                Ok(()) => return Ok(Found { mechanism, policy, scratch }),
                Err(reason) => reasons.push(format!("{}: {reason}", mechanism.name())),
            }
        }
        Err(reasons.join("; "))
    }
}

/// What a sandbox's words in a command's output look like.
const DENIED: [&str; 12] = [
    "Permission denied",
    "Operation not permitted",
    "Read-only file system",
    "Network is unreachable",
    "Temporary failure in name resolution",
    "Could not resolve host",
    "EACCES",
    "EPERM",
    "EROFS",
    "ENETUNREACH",
    "EAI_AGAIN",
    "PermissionError",
];

/// Lines of a failed command's output that name what the sandbox may have denied.
pub(crate) fn denials(output: &str) -> Vec<&str> {
    let denied = |line: &&str| DENIED.iter().any(|word| line.contains(word));
    let mut lines: Vec<&str> = output.lines().map(str::trim).filter(denied).collect();
    lines.dedup();
    lines.truncate(3);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_have_been_denied_is_named() {
        for (output, expected) in [
            ("", &[][..]),
            ("error: test failed\n", &[]),
            (
                "touch: cannot touch '/etc/x': Permission denied\n",
                &["touch: cannot touch '/etc/x': Permission denied"],
            ),
            ("a\n  chmod: x: Operation not permitted\nb", &["chmod: x: Operation not permitted"]),
            (
                "curl: (6) Could not resolve host: example.com",
                &["curl: (6) Could not resolve host: example.com"],
            ),
            (
                "Error: connect EACCES 1.1.1.1:80\nError: connect EACCES 1.1.1.1:80",
                &["Error: connect EACCES 1.1.1.1:80"],
            ),
        ] {
            assert_eq!(denials(output), expected, "{output}");
        }
    }
}
