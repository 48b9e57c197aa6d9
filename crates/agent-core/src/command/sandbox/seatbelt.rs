//! The profile for macOS's `sandbox-exec`, as text.

use std::path::Path;

use super::{Network, Policy};

/// The profile that says what `policy` says.
pub fn profile(policy: &Policy) -> String {
    let mut profile = String::from(
        "(version 1)\n(deny default)\n(allow process*)\n(allow signal (target same-sandbox))\n\
         (allow sysctl-read)\n(allow mach-lookup)\n(allow ipc-posix-sem)\n(allow file-read*)\n\
         (allow file-write-data (literal \"/dev/null\") (literal \"/dev/zero\"))\n",
    );
    let mut rule = |verdict: &str, operation: &str, path: &Path| {
        profile += &format!("({verdict} {operation} (subpath {}))\n", quoted(path));
    };
    // The last rule that matches decides.
    policy.writable.iter().for_each(|path| rule("allow", "file-write*", path));
    policy.protected.iter().for_each(|path| rule("deny", "file-write*", path));
    policy.hidden.iter().for_each(|path| rule("deny", "file-read* file-write*", path));
    if policy.network == Network::Allowed {
        profile += "(allow network*)\n";
    }
    profile
}

/// A path as a string of the profile's language.
fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{path}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_denies_what_is_not_named() {
        let policy = Policy {
            writable: vec!["/w".into(), "/tmp/a \"b\"".into()],
            protected: vec!["/w/.git/hooks".into()],
            hidden: vec!["/private/state".into()],
            network: Network::Denied,
        };
        assert_eq!(
            profile(&policy),
            "(version 1)\n(deny default)\n(allow process*)\n(allow signal (target same-sandbox))\n\
             (allow sysctl-read)\n(allow mach-lookup)\n(allow ipc-posix-sem)\n(allow file-read*)\n\
             (allow file-write-data (literal \"/dev/null\") (literal \"/dev/zero\"))\n\
             (allow file-write* (subpath \"/w\"))\n\
             (allow file-write* (subpath \"/tmp/a \\\"b\\\"\"))\n\
             (deny file-write* (subpath \"/w/.git/hooks\"))\n\
             (deny file-read* file-write* (subpath \"/private/state\"))\n"
        );
        let open = Policy { network: Network::Allowed, ..policy };
        assert!(profile(&open).ends_with("(allow network*)\n"));
    }
}
