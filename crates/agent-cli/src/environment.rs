//! The process's surroundings: variables, working directory, and what its streams are connected
//! to. The only place that looks at them.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use agent_core::Redactor;

use crate::ui::{Reader, Stream, Style};

/// Access to the surroundings. Values are read when they are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Environment;

/// What standard input is connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// A person.
    Terminal,
    /// `/dev/null` or another device that gives no text.
    Nothing,
    /// A file, which ends.
    File,
    /// A pipe or a socket, which may stay silent for ever.
    Pipe,
}

impl Environment {
    /// A variable; one that is no UTF-8 counts as absent.
    #[expect(clippy::disallowed_methods, reason = "this is the environment module")]
    pub(crate) fn variable(self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    /// Every variable that is UTF-8.
    #[expect(clippy::disallowed_methods, reason = "this is the environment module")]
    pub(crate) fn variables(self) -> impl Iterator<Item = (String, String)> {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
    }

    /// This program's own file. On Linux the name that leads to it even where it was replaced by
    /// an update meanwhile.
    pub(crate) fn own_program(self) -> Option<PathBuf> {
        if cfg!(target_os = "linux") {
            return Some(PathBuf::from("/proc/self/exe"));
        }
        std::env::current_exe().ok()
    }

    /// Knows the values of variables that are named like secrets.
    pub(crate) fn redactor(self) -> Redactor {
        Redactor::of_variables(self.variables())
    }

    /// The working directory.
    #[expect(clippy::disallowed_methods, reason = "this is the environment module")]
    pub(crate) fn working_dir(self) -> io::Result<PathBuf> {
        std::env::current_dir()
    }

    /// The user's home directory.
    pub(crate) fn home(self) -> Option<PathBuf> {
        self.variable("HOME").or_else(|| self.variable("USERPROFILE")).map(PathBuf::from)
    }

    /// The user's configuration file, whether or not it is there.
    pub(crate) fn config_file(self) -> Option<PathBuf> {
        let xdg = self.variable("XDG_CONFIG_HOME").map(PathBuf::from);
        // A relative path is to be ignored, says the XDG specification.
        let base =
            xdg.filter(|path| path.is_absolute()).or_else(|| Some(self.home()?.join(".config")))?;
        Some(base.join("agent").join("config.toml"))
    }

    /// The user's configuration file for the workspace of that canonical path.
    pub(crate) fn config_file_for(self, root: &Path) -> Option<PathBuf> {
        let path = root.as_os_str().as_encoded_bytes();
        let hash = agent_tools::sha256(path);
        let name = root.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{name}-{}.toml", hash.get(..12).unwrap_or(&hash));
        Some(self.config_file()?.parent()?.join("workspaces").join(name))
    }

    /// The directory for what is to be kept between runs, whether or not it is there.
    pub(crate) fn state_dir(self) -> Option<PathBuf> {
        if let Some(own) = self.variable("AGENT_HOME") {
            return std::path::absolute(own).ok();
        }
        let xdg = self.variable("XDG_STATE_HOME").map(PathBuf::from);
        let base = xdg
            .filter(|path| path.is_absolute())
            .or_else(|| Some(self.home()?.join(".local").join("state")))?;
        Some(base.join("agent"))
    }

    /// What standard input is connected to.
    pub(crate) fn input(self) -> Input {
        if io::stdin().is_terminal() { Input::Terminal } else { input_kind() }
    }

    /// Whether the stream is a terminal.
    pub(crate) fn is_terminal(self, stream: Stream) -> bool {
        match stream {
            Stream::Output => io::stdout().is_terminal(),
            Stream::Errors => io::stderr().is_terminal(),
        }
    }

    /// Whether a person sits at both ends of the terminal.
    pub(crate) fn has_a_person(self) -> bool {
        self.input() == Input::Terminal && self.is_terminal(Stream::Errors)
    }

    /// The terminal that the program was started from, to ask there whatever the streams are
    /// connected to; none where questions could not be seen.
    #[expect(clippy::disallowed_methods, reason = "the terminal is a device of the user's own")]
    pub(crate) fn terminal(self) -> Option<std::fs::File> {
        if !self.is_terminal(Stream::Errors) {
            return None;
        }
        std::fs::File::open("/dev/tty").ok()
    }

    /// Who reads the stream.
    pub(crate) fn reader(self, stream: Stream) -> Reader {
        if self.is_terminal(stream) { Reader::Live } else { Reader::Later }
    }

    /// How the stream is written.
    pub(crate) fn style(self, stream: Stream) -> Style {
        if self.is_terminal(stream) && self.wants_colour() { Style::Coloured } else { Style::Plain }
    }

    /// Whether a terminal should show colours, by <https://no-color.org>.
    fn wants_colour(self) -> bool {
        self.variable("NO_COLOR").is_none() && !self.is_dumb()
    }

    /// Whether the terminal can only write lines, one below the other.
    pub(crate) fn is_dumb(self) -> bool {
        self.variable("TERM").is_some_and(|terminal| terminal == "dumb")
    }
}

#[cfg(unix)]
fn input_kind() -> Input {
    use std::os::{fd::AsFd, unix::fs::FileTypeExt};

    let metadata = io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .and_then(|descriptor| std::fs::File::from(descriptor).metadata());
    match metadata.map(|metadata| metadata.file_type()) {
        Ok(kind) if kind.is_fifo() || kind.is_socket() => Input::Pipe,
        Ok(kind) if kind.is_file() => Input::File,
        Ok(_) | Err(_) => Input::Nothing,
    }
}

#[cfg(not(unix))]
fn input_kind() -> Input {
    Input::Pipe
}
