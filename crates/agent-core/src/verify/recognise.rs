//! How a project is tested, linted and built, by the files at its root.

use std::io::Read;

use agent_tools::Workspace;

/// The most of a project's file that is read to recognise it.
const MANIFEST: u64 = 256 * 1024;

/// What a project's files tell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recognised {
    /// Runs the tests.
    pub test: Option<String>,
    /// Looks for faults without running anything.
    pub lint: Option<String>,
    /// Builds.
    pub build: Option<String>,
}

impl Recognised {
    fn of(test: &str, lint: &str, build: &str) -> Self {
        let given = |command: &str| (!command.is_empty()).then(|| command.to_owned());
        Self { test: given(test), lint: given(lint), build: given(build) }
    }

    /// Says how what is asked for is done here; nothing where nothing is recognised.
    pub(crate) fn words(&self) -> Option<String> {
        let all =
            [("the tests", &self.test), ("the linter", &self.lint), ("the build", &self.build)];
        let known = all.iter().filter_map(|(what, command)| {
            command.as_ref().map(|command| format!("{what} with `{command}`"))
        });
        let known: Vec<String> = known.collect();
        (!known.is_empty())
            .then(|| format!("(By its files, this project runs {}.)", known.join(", ")))
    }
}

/// What the files at the root of a workspace tell.
pub fn recognised(workspace: &Workspace) -> Recognised {
    let read = |name: &str| {
        let path = workspace.resolve(name).ok()?;
        let mut text = String::new();
        workspace.open_file(&path).ok()?.take(MANIFEST).read_to_string(&mut text).ok()?;
        Some(text)
    };
    recognise(&names(workspace.root()), &read)
}

/// What lies at the root of a workspace.
#[expect(clippy::disallowed_methods, reason = "only the names at the root are wanted")]
fn names(root: &std::path::Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root) else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// What the files named `names` at the root of a project tell; `read` gives a file's text.
pub fn recognise(names: &[String], read: &dyn Fn(&str) -> Option<String>) -> Recognised {
    let has = |name: &str| names.iter().any(|known| known == name);
    let ends = |end: &str| names.iter().any(|known| known.ends_with(end));
    if has("Cargo.toml") {
        return Recognised::of("cargo test", "cargo clippy", "cargo build");
    }
    if has("go.mod") {
        return Recognised::of("go test ./...", "go vet ./...", "go build ./...");
    }
    if has("package.json") {
        return node(&has, &read("package.json").unwrap_or_default());
    }
    if has("build.gradle") || has("build.gradle.kts") {
        let gradle = if has("gradlew") { "./gradlew" } else { "gradle" };
        return Recognised::of(&format!("{gradle} test"), "", &format!("{gradle} assemble"));
    }
    if has("pom.xml") {
        let maven = if has("mvnw") { "./mvnw" } else { "mvn" };
        return Recognised::of(&format!("{maven} -q test"), "", &format!("{maven} -q package"));
    }
    if has("pytest.ini") || has("conftest.py") || has("tox.ini") {
        return python("python3 -m pytest -q", &has, &read);
    }
    if has("pyproject.toml") || has("setup.py") || has("setup.cfg") || has("requirements.txt") {
        let manifests = ["pyproject.toml", "setup.cfg", "requirements.txt"];
        let named = |name: &&str| read(name).is_some_and(|text| text.contains("pytest"));
        let pytest = manifests.iter().any(named);
        let test = if pytest { "python3 -m pytest -q" } else { "python3 -m unittest" };
        return python(test, &has, &read);
    }
    if has(".rspec") || (has("Gemfile") && has("spec")) {
        let prefix = if has("Gemfile") { "bundle exec " } else { "" };
        return Recognised::of(&format!("{prefix}rspec"), "", "");
    }
    if has("phpunit.xml") || has("phpunit.xml.dist") {
        return Recognised::of("vendor/bin/phpunit", "", "");
    }
    if ends(".sln") || ends(".csproj") || ends(".fsproj") {
        return Recognised::of("dotnet test", "", "dotnet build");
    }
    if has("CMakeLists.txt") {
        return Recognised::of("ctest --test-dir build", "", "cmake --build build");
    }
    if let Some(makefile) = ["GNUmakefile", "makefile", "Makefile"].iter().find(|name| has(name)) {
        return make(&read(makefile).unwrap_or_default());
    }
    let tests = names.iter().any(|name| name.starts_with("test_") && name.ends_with(".py"));
    if tests { python("python3 -m unittest", &has, &read) } else { Recognised::default() }
}

fn node(has: &dyn Fn(&str) -> bool, manifest: &str) -> Recognised {
    let manifest: serde_json::Value = serde_json::from_str(manifest).unwrap_or_default();
    let manager = match () {
        () if has("pnpm-lock.yaml") => "pnpm",
        () if has("yarn.lock") => "yarn",
        () => "npm",
    };
    // What `npm init` writes is no test.
    let script = |name: &str| {
        let line = manifest["scripts"][name].as_str()?;
        (!line.contains("no test specified")).then(|| match name {
            "test" => format!("{manager} test"),
            other => format!("{manager} run {other}"),
        })
    };
    Recognised { test: script("test"), lint: script("lint"), build: script("build") }
}

fn python(
    test: &str,
    has: &dyn Fn(&str) -> bool,
    read: &dyn Fn(&str) -> Option<String>,
) -> Recognised {
    let ruff =
        has("ruff.toml") || read("pyproject.toml").is_some_and(|text| text.contains("[tool.ruff"));
    Recognised::of(test, if ruff { "ruff check" } else { "" }, "")
}

fn make(makefile: &str) -> Recognised {
    let target = |name: &str| {
        let defined = |line: &str| {
            line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':'))
        };
        makefile.lines().any(defined)
    };
    let test = ["test", "check"].into_iter().find(|name| target(name));
    Recognised {
        test: test.map(|name| format!("make {name}")),
        lint: target("lint").then(|| "make lint".to_owned()),
        build: Some("make".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recognised_is_said() {
        let said = Recognised::of("cargo test", "", "cargo build").words();
        let expected = "(By its files, this project runs the tests with `cargo test`, the build with `cargo build`.)";
        assert_eq!(said.as_deref(), Some(expected));
        assert_eq!(Recognised::default().words(), None);
    }

    #[test]
    fn a_project_is_recognised_by_its_files() {
        for (files, test, lint, build) in [
            (&[][..], "", "", ""),
            (&[("README.md", "")], "", "", ""),
            (
                &[("Cargo.toml", ""), ("Makefile", "test:\n")],
                "cargo test",
                "cargo clippy",
                "cargo build",
            ),
            (&[("go.mod", "")], "go test ./...", "go vet ./...", "go build ./..."),
            (
                &[("package.json", r#"{"scripts": {"test": "node --test", "lint": "eslint ."}}"#)],
                "npm test",
                "npm run lint",
                "",
            ),
            (
                &[("package.json", r#"{"scripts": {"test": "vitest"}}"#), ("pnpm-lock.yaml", "")],
                "pnpm test",
                "",
                "",
            ),
            (
                &[
                    ("package.json", r#"{"scripts": {"test": "jest", "build": "tsc"}}"#),
                    ("yarn.lock", ""),
                ],
                "yarn test",
                "",
                "yarn run build",
            ),
            (
                &[(
                    "package.json",
                    r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#,
                )],
                "",
                "",
                "",
            ),
            (&[("package.json", "no json")], "", "", ""),
            (
                &[("build.gradle.kts", ""), ("gradlew", "")],
                "./gradlew test",
                "",
                "./gradlew assemble",
            ),
            (&[("build.gradle", "")], "gradle test", "", "gradle assemble"),
            (&[("pom.xml", "")], "mvn -q test", "", "mvn -q package"),
            (&[("pom.xml", ""), ("mvnw", "")], "./mvnw -q test", "", "./mvnw -q package"),
            (&[("pytest.ini", "")], "python3 -m pytest -q", "", ""),
            (
                &[("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]")],
                "python3 -m pytest -q",
                "ruff check",
                "",
            ),
            (&[("pyproject.toml", "[project]")], "python3 -m unittest", "", ""),
            (&[("setup.py", "")], "python3 -m unittest", "", ""),
            (&[("test_a.py", "")], "python3 -m unittest", "", ""),
            (&[(".rspec", "")], "rspec", "", ""),
            (&[("Gemfile", ""), ("spec", "")], "bundle exec rspec", "", ""),
            (&[("phpunit.xml.dist", "")], "vendor/bin/phpunit", "", ""),
            (&[("a.sln", "")], "dotnet test", "", "dotnet build"),
            (&[("a.csproj", "")], "dotnet test", "", "dotnet build"),
            (&[("CMakeLists.txt", "")], "ctest --test-dir build", "", "cmake --build build"),
            (
                &[("Makefile", "all:\n\ntest: all\n\t./t\nlint:\n")],
                "make test",
                "make lint",
                "make",
            ),
            (&[("Makefile", "check :\n")], "make check", "", "make"),
            (&[("makefile", "all:\n\techo test:\n")], "", "", "make"),
        ] {
            let names: Vec<String> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
            let read = |wanted: &str| {
                files.iter().find(|(name, _)| *name == wanted).map(|(_, text)| (*text).to_owned())
            };
            assert_eq!(recognise(&names, &read), Recognised::of(test, lint, build), "{names:?}");
        }
    }
}
