//! The arguments for bubblewrap.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::{Network, Policy};

/// Where distributions put it. Not looked for elsewhere: a search path may lead to anything.
const PLACES: [&str; 3] = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];

/// The program, where it is installed.
pub(in crate::command) fn program() -> Option<PathBuf> {
    PLACES.iter().map(PathBuf::from).find(|place| place.is_file())
}

/// Its arguments up to the program that it is to run.
pub(in crate::command) fn arguments(policy: &Policy) -> Vec<OsString> {
    let mut arguments: Vec<OsString> =
        ["--die-with-parent", "--unshare-pid", "--unshare-ipc"].map(OsString::from).to_vec();
    if policy.network == Network::Denied {
        arguments.push("--unshare-net".into());
    }
    let mut add = |option: &str, paths: &[&Path]| {
        arguments.push(option.into());
        arguments.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    };
    let root = Path::new("/");
    add("--ro-bind", &[root, root]);
    add("--dev", &[Path::new("/dev")]);
    add("--proc", &[Path::new("/proc")]);
    // What comes later lies on top of what came before.
    for path in &policy.writable {
        add("--bind-try", &[path, path]);
    }
    for path in &policy.hidden {
        if path.is_dir() {
            add("--tmpfs", &[path]);
        }
    }
    for path in &policy.protected {
        add("--ro-bind-try", &[path, path]);
    }
    arguments.push("--".into());
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_protected_lies_on_top_of_what_is_writable() {
        let policy = Policy {
            writable: vec!["/w".into()],
            protected: vec!["/w/.git/hooks".into()],
            hidden: vec!["/usr".into(), "/nowhere".into()],
            network: Network::Denied,
        };
        let words: Vec<String> =
            arguments(&policy).iter().map(|word| word.to_string_lossy().into_owned()).collect();
        assert_eq!(
            words.join(" "),
            "--die-with-parent --unshare-pid --unshare-ipc --unshare-net --ro-bind / / --dev /dev \
             --proc /proc --bind-try /w /w --tmpfs /usr --ro-bind-try /w/.git/hooks /w/.git/hooks --"
        );
        let open = Policy { network: Network::Allowed, ..policy };
        assert!(!arguments(&open).contains(&"--unshare-net".into()));
    }
}
