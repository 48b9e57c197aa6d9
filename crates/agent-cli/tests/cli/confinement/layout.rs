//! A workspace full of links, and what lies beside it.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
};

use crate::support::Place;

/// What stands in every file outside.
const SECRET: &str = "OUTSIDE-SECRET\n";

/// Links, with where they lead. `TMP` stands for the directory that holds everything.
const LINKS: [(&str, &str); 31] = [
    ("link-file", "../outside/secret"),
    ("link-dir", "../outside"),
    ("link-new", "../outside/new"),
    ("link-new-dir", "../outside/new/dir"),
    ("link-absolute", "TMP/outside/secret"),
    ("link-absolute-dir", "TMP/outside"),
    ("link-absolute-new", "TMP/outside/new"),
    ("link-absolute-inside", "TMP/work/inside.txt"),
    ("link-parent", ".."),
    ("link-here", "."),
    ("link-root", "/"),
    ("link-etc", "/etc/passwd"),
    ("link-fd", "/proc/self/fd"),
    ("link-cwd", "/proc/self/cwd"),
    ("link-null", "/dev/null"),
    ("link-zero", "/dev/zero"),
    ("link-away-and-back", "../work/inside.txt"),
    ("link-twice", "link-dir"),
    ("link-thrice", "link-twice"),
    ("link-through", "link-parent/outside/secret"),
    ("link-loop", "link-loop"),
    ("link-left", "link-right"),
    ("link-right", "link-left"),
    ("link-inside", "inside.txt"),
    ("link-inside-dir", "dir"),
    ("link-fifo", "fifo"),
    ("link-git", ".git"),
    ("link-hook", ".git/hooks/pre-commit"),
    ("link-later-hook", ".git/hooks/later"),
    ("link\nnew", "../outside/secret"),
    ("dir/link-up", "../../outside/secret"),
];

/// The place with its workspace laid out.
pub(super) struct Layout {
    pub(super) place: Place,
    /// What lay outside at first.
    pub(super) before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Layout {
    pub(super) fn new() -> Self {
        let place = Place::new();
        for file in ["outside/secret", "outside/sub/secret", "workx/secret", "home/.ssh/id_rsa"] {
            place.write(file, SECRET);
        }
        let mut layout = Self { place, before: BTreeMap::new() };
        layout.lay();
        layout.before = layout.outside();
        layout
    }

    /// Lays the workspace out again, as it was at first.
    pub(super) fn lay(&mut self) {
        let work = self.place.path("work");
        for entry in fs::read_dir(&work).expect("the workspace").flatten() {
            let path = entry.path();
            let is_dir = entry.file_type().expect("a type").is_dir();
            if is_dir { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("removed");
        }
        for file in [
            "inside.txt",
            "dir/inside.txt",
            ".git/config",
            ".git/hooks/pre-commit",
            "new\nline.txt",
            "~/inside.txt",
        ] {
            self.place.write(&format!("work/{file}"), "inside\n");
        }
        self.place.write("work/.agent/config.toml", "# inside\n");
        self.place.write("work/.mcp.json", "{\"mcpServers\": {}}\n");
        fs::write(work.join(OsStr::from_bytes(b"inside\xff")), "inside\n").expect("a file");
        for (name, target) in LINKS {
            link(&target.replace("TMP", &self.all()), &work.join(name));
        }
        link("../outside/secret", &work.join(OsStr::from_bytes(b"link\xff")));
        let socket = UnixListener::bind(work.join("socket")).expect("a socket");
        drop(socket);
        let made = std::process::Command::new("mkfifo").arg(work.join("fifo")).status();
        assert!(made.expect("mkfifo").success());
    }

    /// The row's path with the places of this layout.
    pub(super) fn filled_in(&self, written: &str) -> String {
        let text = written.replace("TMP", &self.all());
        // Long ones are written by their lengths: `LONG(300)`.
        let Some((before, rest)) = text.split_once("LONG(") else { return text };
        let (length, after) = rest.split_once(')').expect("a length");
        let unit = if before.ends_with('/') { "../" } else { "x" };
        format!("{before}{}{after}", unit.repeat(length.parse().expect("a number")))
    }

    /// The directory that holds everything.
    fn all(&self) -> String {
        let work = fs::canonicalize(self.place.path("work")).expect("the workspace");
        work.parent().expect("a directory").display().to_string()
    }

    /// Everything outside the workspace but for the program's own state.
    pub(super) fn outside(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.place.path("")];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory).expect("a directory").flatten() {
                let path = entry.path();
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let own = ["work", ".local", "script.jsonl"].contains(&&*name);
                if own || name.starts_with("agent-commands-") {
                    continue;
                }
                if entry.file_type().expect("a type").is_dir() {
                    open.push(path.clone());
                    found.insert(path, Vec::new());
                } else {
                    let content = fs::read(&path).expect("a file");
                    found.insert(path, content);
                }
            }
        }
        found
    }

    /// Whether any file of the program's state holds these bytes.
    pub(super) fn state_holds(&self, bytes: &[u8]) -> bool {
        let mut open = vec![self.place.path("home/.local")];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory).expect("a directory").flatten() {
                if entry.file_type().expect("a type").is_dir() {
                    open.push(entry.path());
                    continue;
                }
                let content = fs::read(entry.path()).expect("a file");
                if content.windows(bytes.len()).any(|window| window == bytes) {
                    return true;
                }
            }
        }
        false
    }
}

pub(super) fn link(target: &str, at: &Path) {
    symlink(target, at).expect("a link");
}
