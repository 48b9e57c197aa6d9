//! Files that are not ordinary, by their path in the workspace.

/// Whether git keeps its own data there.
pub(super) fn is_git(path: &str) -> bool {
    parts(path).any(|part| part == ".git")
}

/// Whether this program keeps its state or takes its configuration from there.
pub(super) fn is_own(path: &str) -> bool {
    parts(path).next().is_some_and(|first| first == ".agent" || first == ".mcp.json")
}

/// Whether other programs run what stands there without being told to.
pub(super) fn starts_by_itself(path: &str) -> bool {
    let path: Vec<String> = parts(path).collect();
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    matches!(
        names.as_slice(),
        [.., ".envrc"] | [.., ".vscode", "tasks.json"] | [".husky" | ".githooks", _, ..]
    )
}

/// Whether it holds keys or passwords, by its name.
pub(super) fn is_secret(path: &str) -> bool {
    let directories = [".ssh", ".gnupg"];
    if parts(path).any(|part| directories.contains(&part.as_str())) {
        return true;
    }
    let name = parts(path).next_back().unwrap_or_default();
    let examples = [".example", ".sample", ".template", ".dist", ".defaults"];
    let is_example = examples.iter().any(|ending| name.ends_with(ending));
    let is_env = name == ".env" || name.starts_with(".env.");
    let keys = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
    let names = [".netrc", ".pgpass", ".pypirc", ".git-credentials", ".htpasswd"];
    let endings = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx"];
    let in_home = [".aws/credentials", ".kube/config", ".docker/config.json"];
    (is_env && !is_example)
        || keys.contains(&name.as_str())
        || names.contains(&name.as_str())
        || endings.iter().any(|ending| name.ends_with(ending))
        || in_home.iter().any(|tail| path.to_lowercase().ends_with(tail))
}

/// Whether a tool writes it to pin what it has resolved.
pub(super) fn is_lock(path: &str) -> bool {
    let name = parts(path).next_back().unwrap_or_default();
    matches!(
        name.as_str(),
        "cargo.lock"
            | "package-lock.json"
            | "npm-shrinkwrap.json"
            | "yarn.lock"
            | "pnpm-lock.yaml"
            | "bun.lock"
            | "bun.lockb"
            | "deno.lock"
            | "poetry.lock"
            | "uv.lock"
            | "pdm.lock"
            | "pipfile.lock"
            | "gemfile.lock"
            | "composer.lock"
            | "go.sum"
            | "mix.lock"
            | "flake.lock"
            | "pubspec.lock"
            | "podfile.lock"
            | "packages.lock.json"
            | "gradle.lockfile"
            | ".terraform.lock.hcl"
    )
}

/// The names along the path. Some file systems take no note of case, so nothing here does.
fn parts(path: &str) -> impl DoubleEndedIterator<Item = String> {
    path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").map(str::to_lowercase)
}
