//! tmux, with a server of its own, as a terminal.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use super::driver::{Emulator, Kind};
use crate::support::Place;

/// What differs from tmux's defaults: the whole screen is the program's, and stays when it ends;
/// what comes behind an escape is not waited for.
const SETTINGS: &str = "\
set -g status off
set -g remain-on-exit on
set -s escape-time 0
set -g default-terminal tmux-256color
";

/// Starts the program once it is watched, and writes down its process and its exit code.
const STARTER: &str = r#"
cd "$1" || exit 1
shift
trap : INT
until [ -e "$0.watched" ]; do sleep 0.01; done
sh -c 'echo $$ > "$0.id"; exec env -i "$@"' "$0" "$@"
echo $? > "$0.code"
"#;

/// How long tmux may take for anything.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether there is a tmux. Where there is none, the test of that name is passed over.
#[expect(clippy::print_stderr, reason = "what is skipped is said")]
pub(super) fn is_installed(test: &str) -> bool {
    let is_there = Command::new("tmux").arg("-V").output().is_ok_and(|it| it.status.success());
    if !is_there {
        eprintln!("skipped, since there is no tmux: {test}");
    }
    is_there
}

/// A window of tmux in which the program runs.
pub(super) struct Tmux {
    /// The script that starts it. What it and tmux write lies beside it.
    starter: PathBuf,
}

impl Tmux {
    pub(super) fn start(place: &Place, kind: Kind, arguments: &[&str]) -> Self {
        // A place may see several, one after the other.
        let name = format!("tmux{}", place.names("").len());
        let this = Self { starter: place.write(&format!("{name}/start"), STARTER) };
        let settings = place.write(&format!("{name}/settings"), SETTINGS).display().to_string();
        let (columns, rows) = (kind.columns.to_string(), kind.rows.to_string());
        let work = place.path("work").display().to_string();
        let starter = this.starter.display().to_string();
        let kind =
            Kind { term: if kind.term == "dumb" { "dumb" } else { "tmux-256color" }, ..kind };
        let variables = kind.environment(place).into_iter();
        let variables: Vec<String> = variables.map(|(name, it)| format!("{name}={it}")).collect();
        let mut words = vec!["-f", &settings, "new-session", "-d", "-x", &columns, "-y", &rows];
        words.extend(["sh", &starter, &work]);
        words.extend(variables.iter().map(String::as_str));
        words.push(env!("CARGO_BIN_EXE_agent"));
        words.extend(arguments);
        this.tmux(&words);
        let written = this.beside("written").display().to_string();
        this.tmux(&["pipe-pane", "-o", &format!("cat > '{written}'")]);
        fs::write(this.beside("watched"), "").expect("a file");
        this
    }

    /// A file that lies beside the starter.
    fn beside(&self, name: &str) -> PathBuf {
        self.starter.with_extension(name)
    }

    fn tmux(&self, words: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.arg("-u").arg("-S").arg(self.beside("socket")).args(words).env_remove("TMUX");
        let output = command.output().expect("tmux runs");
        assert!(output.status.success(), "{words:?}: {output:?}");
        output
    }
}

impl Emulator for Tmux {
    fn keys(&self, keys: &str) {
        let bytes: Vec<String> = keys.bytes().map(|byte| format!("{byte:x}")).collect();
        let mut words = vec!["send-keys", "-H"];
        words.extend(bytes.iter().map(String::as_str));
        self.tmux(&words);
    }

    fn contents(&self) -> String {
        let screen = self.tmux(&["capture-pane", "-p", "-J"]).stdout;
        let screen = String::from_utf8(screen).expect("UTF-8");
        let lines = screen.lines().filter(|line| !line.starts_with("Pane is dead"));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn resize(&self, rows: u16, columns: u16) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    fn written(&self) -> Vec<u8> {
        fs::read(self.beside("written")).unwrap_or_default()
    }

    fn ended(&mut self) -> Option<i32> {
        fs::read_to_string(self.beside("code")).ok()?.trim().parse().ok()
    }

    fn id(&self) -> u32 {
        let begun = Instant::now();
        loop {
            let id = fs::read_to_string(self.beside("id")).unwrap_or_default();
            if let Ok(id) = id.trim().parse() {
                return id;
            }
            assert!(begun.elapsed() < PATIENCE, "the program is not started");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // With the server ends what runs in it.
        let socket = self.beside("socket");
        let _ = Command::new("tmux").arg("-S").arg(socket).arg("kill-server").output();
    }
}
