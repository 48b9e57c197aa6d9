//! The layers, held against `cargo metadata`.

use std::path::Path;

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

use crate::{Failure, text};

/// One crate of ours: the crates of ours that it may use, and the crates of others whose use would
/// pull the work of an outer layer inwards.
struct Layer {
    name: &'static str,
    ours: &'static [&'static str],
    never: &'static [&'static str],
}

const LAYERS: [Layer; 5] = [
    Layer {
        name: "agent-tools",
        ours: &[],
        never: &[
            "async-stream",
            "clap",
            "futures",
            "futures-util",
            "hyper",
            "jiff",
            "miette",
            "process-wrap",
            "reqwest",
            "rusqlite",
            "tokio",
            "tokio-util",
            "uuid",
        ],
    },
    Layer {
        name: "agent-llm",
        ours: &[],
        never: &["cap-std", "clap", "ignore", "miette", "process-wrap", "rusqlite", "tempfile"],
    },
    Layer {
        name: "agent-core",
        ours: &["agent-llm", "agent-tools"],
        never: &["cap-std", "clap", "hyper", "indicatif", "miette", "reqwest", "rustyline"],
    },
    Layer {
        name: "agent-cli",
        ours: &["agent-core", "agent-llm", "agent-tools"],
        // It serves HTTP, and asks nothing over it.
        never: &["cap-std", "reqwest", "rusqlite"],
    },
    Layer { name: "xtask", ours: &[], never: &["tokio", "reqwest"] },
];

/// A crate of the workspace with the names of what it depends on.
struct Crate {
    name: String,
    /// In code that ships: normal and build dependencies.
    shipped: Vec<String>,
    /// In tests only.
    tests: Vec<String>,
}

impl Crate {
    fn new(package: &Package) -> Self {
        let named = |wanted: fn(DependencyKind) -> bool| {
            let kept = package.dependencies.iter().filter(|dependency| wanted(dependency.kind));
            kept.map(|dependency| dependency.name.clone()).collect()
        };
        Self {
            name: package.name.to_string(),
            shipped: named(|kind| kind != DependencyKind::Development),
            tests: named(|kind| kind == DependencyKind::Development),
        }
    }
}

/// Where the workspace at `root` breaks its layers.
pub(super) fn problems(root: &Path) -> Result<Vec<String>, Failure> {
    // Direct dependencies decide: code can name nothing else. They need no download, too.
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .exec()
        .map_err(text)?;
    let crates: Vec<Crate> = metadata.packages.iter().map(Crate::new).collect();
    Ok(broken(&crates))
}

fn broken(crates: &[Crate]) -> Vec<String> {
    let mut problems = Vec::new();
    for Crate { name, shipped, tests } in crates {
        let Some(layer) = LAYERS.iter().find(|layer| layer.name == name) else {
            problems.push(format!("{name}: a crate without a row in the table of layers"));
            continue;
        };
        let is_ours = |used: &&String| LAYERS.iter().any(|layer| layer.name == **used);
        for used in shipped.iter().chain(tests).filter(is_ours) {
            if !layer.ours.contains(&used.as_str()) {
                problems.push(format!("{name}: its layer may not use {used}"));
            }
        }
        for used in shipped.iter().filter(|used| layer.never.contains(&used.as_str())) {
            problems.push(format!("{name}: {used} belongs to another layer"));
        }
    }
    for layer in LAYERS.iter().filter(|layer| !crates.iter().any(|one| one.name == layer.name)) {
        problems.push(format!("{}: has a row in the table of layers and is not there", layer.name));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Vec<Crate> {
        let names = LAYERS.iter().map(|layer| Crate {
            name: layer.name.to_owned(),
            shipped: layer.ours.iter().map(|name| (*name).to_owned()).collect(),
            tests: Vec::new(),
        });
        names.collect()
    }

    #[test]
    fn the_table_itself_is_in_order() {
        assert_eq!(broken(&workspace()), [""; 0]);
    }

    #[test]
    fn a_dependency_outwards_is_named_also_in_tests() {
        let mut crates = workspace();
        crates[0].shipped.push("agent-llm".to_owned());
        crates[1].tests.push("agent-core".to_owned());
        assert_eq!(
            broken(&crates),
            [
                "agent-tools: its layer may not use agent-llm",
                "agent-llm: its layer may not use agent-core",
            ]
        );
    }

    #[test]
    fn a_foreign_crate_of_another_layer_is_named_unless_only_tests_use_it() {
        let mut crates = workspace();
        crates[0].shipped.push("tokio".to_owned());
        crates[2].shipped.push("clap".to_owned());
        crates[1].tests.push("tempfile".to_owned());
        assert_eq!(
            broken(&crates),
            [
                "agent-tools: tokio belongs to another layer",
                "agent-core: clap belongs to another layer",
            ]
        );
    }

    #[test]
    fn crates_without_a_row_and_rows_without_a_crate_are_named() {
        let mut crates = workspace();
        crates[4].name = "extra".to_owned();
        assert_eq!(
            broken(&crates),
            [
                "extra: a crate without a row in the table of layers",
                "xtask: has a row in the table of layers and is not there",
            ]
        );
    }
}
