//! Rules for the crates' manifests.

use toml::Table;

/// What every crate takes from the workspace, so that it is decided once.
const INHERITED: [&str; 5] = ["version", "edition", "rust-version", "license", "publish"];

/// What is wrong with a crate's manifest.
pub(super) fn problems(file: &str, text: &str) -> Vec<String> {
    let manifest: Table = match text.parse() {
        Ok(manifest) => manifest,
        Err(error) => return vec![format!("{file}: {error}")],
    };
    let inherits = |table: &str, key: &str| {
        let mut value = manifest.get(table);
        if !key.is_empty() {
            value = value.and_then(|value| value.get(key));
        }
        value.and_then(|value| value.get("workspace")).and_then(toml::Value::as_bool) == Some(true)
    };
    let mut problems = Vec::new();
    if !inherits("lints", "") {
        problems.push(format!("{file}: needs `[lints] workspace = true`"));
    }
    for key in INHERITED.into_iter().filter(|key| !inherits("package", key)) {
        problems.push(format!("{file}: needs `{key}.workspace = true`"));
    }
    for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let Some(dependencies) = manifest.get(kind).and_then(toml::Value::as_table) else {
            continue;
        };
        for name in dependencies.keys() {
            let value = &dependencies[name];
            if value.get("workspace").and_then(toml::Value::as_bool) != Some(true) {
                problems.push(format!(
                    "{file}: `{name}` needs `workspace = true`: versions are the workspace's"
                ));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::problems;

    const PACKAGE: &str = "[package]\nname = \"a\"\nversion.workspace = true\n\
        edition.workspace = true\nrust-version.workspace = true\nlicense.workspace = true\n\
        publish.workspace = true\n";

    #[test]
    fn a_crate_that_inherits_has_no_problem() {
        let text =
            format!("{PACKAGE}[dependencies]\nserde.workspace = true\n[lints]\nworkspace = true\n");
        assert_eq!(problems("a/Cargo.toml", &text), [""; 0]);
    }

    #[test]
    fn lints_and_versions_of_its_own_are_named() {
        let text = format!(
            "{}[dev-dependencies]\nserde = \"1\"\n",
            PACKAGE.replace("edition.workspace = true", "edition = \"2024\"")
        );
        assert_eq!(
            problems("a/Cargo.toml", &text),
            [
                "a/Cargo.toml: needs `[lints] workspace = true`",
                "a/Cargo.toml: needs `edition.workspace = true`",
                "a/Cargo.toml: `serde` needs `workspace = true`: versions are the workspace's",
            ]
        );
    }

    #[test]
    fn a_manifest_that_is_no_toml_is_a_problem_of_its_own() {
        let found = problems("a/Cargo.toml", "[package");
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("a/Cargo.toml: TOML parse error"), "{found:?}");
    }
}
