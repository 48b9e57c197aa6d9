//! Which variables a command sees: those that builds and tests need, and no secret.

/// Names that are passed on.
const PASSED: [&str; 50] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLUMNS",
    "TMPDIR",
    "TMP",
    "TEMP",
    "CI",
    "NO_COLOR",
    "CC",
    "CXX",
    "CPP",
    "AR",
    "LD",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "MAKEFLAGS",
    "PKG_CONFIG_PATH",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "CPATH",
    "RUSTFLAGS",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "RUSTC_WRAPPER",
    "VIRTUAL_ENV",
    "JAVA_HOME",
    "CLASSPATH",
    "GEM_HOME",
    "GEM_PATH",
    "RUBYLIB",
    "MAVEN_OPTS",
    "NODE_ENV",
    "NODE_PATH",
    "NODE_OPTIONS",
    "COREPACK_HOME",
    "COMPOSER_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SYSTEMROOT",
    "COMSPEC",
    "PATHEXT",
];

/// Beginnings of names that are passed on.
const FAMILIES: [&str; 20] = [
    "LC_",
    "CARGO_",
    "RUSTUP_",
    "GO",
    "CGO_",
    "PYTHON",
    "PYENV_",
    "CONDA_",
    "PIP_",
    "NVM_",
    "FNM_",
    "VOLTA_",
    "PNPM_",
    "NPM_CONFIG_",
    "npm_config_",
    "GRADLE_",
    "RBENV_",
    "BUNDLE_",
    "DOTNET_",
    "CMAKE_",
];

/// Parts of names whose values are secrets, in whatever family.
const SECRET: [&str; 8] =
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "_KEY", "APIKEY", "AUTH"];

/// What every command is told.
const SET: [(&str, &str); 7] = [
    // Nobody is there to type a password in.
    ("GIT_TERMINAL_PROMPT", "0"),
    // To ask git how things are executes nothing that the repository is set up for: neither a
    // pager nor the program that is to know which files have changed.
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    // Python takes a compiled file for current where the source has the same size and was changed
    // in the same second: it would run what an edit has just replaced.
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

/// The variables that a command sees, of those that the process has.
pub fn passed_on(variables: impl IntoIterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut passed: Vec<_> = variables
        .into_iter()
        .filter(|(name, value)| is_wanted(name) && !is_secret(name) && !holds_password(value))
        .collect();
    for (name, value) in SET {
        passed.retain(|(passed, _)| passed != name);
        passed.push((name.to_owned(), value.to_owned()));
    }
    passed.sort();
    passed
}

fn is_wanted(name: &str) -> bool {
    PASSED.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family))
}

fn is_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    SECRET.iter().any(|part| name.contains(part))
}

/// Whether there is an address with a password in it: `https://user:password@host`.
fn holds_password(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let host = rest.split(['/', ' ', ',', '|']).next().unwrap_or_default();
        host.contains('@')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_builds_need_is_passed_on_and_secrets_are_not() {
        for (name, value, passed) in [
            ("PATH", "/bin", true),
            ("LC_ALL", "C", true),
            ("CARGO_HOME", "/c", true),
            ("CARGO_REGISTRY_TOKEN", "x", false),
            ("CARGO_REGISTRIES_OURS_TOKEN", "x", false),
            ("NPM_CONFIG_REGISTRY", "https://r", true),
            ("npm_config_registry", "https://me:pw@r/", false),
            ("NPM_CONFIG__AUTH", "x", false),
            ("npm_config__authToken", "x", false),
            ("GOPATH", "/go", true),
            ("GOOGLE_API_KEY", "x", false),
            ("GOPROXY", "https://u:p@proxy|direct", false),
            ("PIP_INDEX_URL", "https://token@host/simple", false),
            ("OPENAI_API_KEY", "x", false),
            ("ANTHROPIC_API_KEY", "x", false),
            ("AWS_SECRET_ACCESS_KEY", "x", false),
            ("DATABASE_URL", "postgres://x", false),
            ("SSH_AUTH_SOCK", "/tmp/s", false),
            ("HTTPS_PROXY", "http://p", false),
            ("LD_PRELOAD", "/evil.so", false),
            ("AGENT_HOME", "/state", false),
            ("XDG_RUNTIME_DIR", "/run/user/0", false),
        ] {
            let given = vec![(name.to_owned(), value.to_owned())];
            let kept = passed_on(given).iter().any(|(kept, _)| kept == name);
            assert_eq!(kept, passed, "{name}={value}");
        }
    }
}
