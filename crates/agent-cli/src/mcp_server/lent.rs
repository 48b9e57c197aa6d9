//! Which tools are lent, and what hosts are told of them.

use agent_core::{Approval, Toolbox, policy::Policy};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::Value;

use crate::{args::Part, error::Error};

/// The one tool that runs commands.
const RUNS_COMMANDS: &str = "run_command";

/// The tool with which a run ends. A host ends its runs by itself.
const ENDS_A_RUN: &str = "finish";

/// The tools that are lent, always in the same order.
#[derive(Debug, Clone)]
pub(crate) struct Lent {
    pub(super) tools: Vec<Tool>,
}

impl Lent {
    /// What a model would be offered in this mode, or the part of it that was asked for.
    pub(crate) fn of(part: Option<Part>, approval: Approval) -> Result<Self, Error> {
        let wanted = |name: &str| match part {
            None => name != ENDS_A_RUN,
            Some(Part::Exec) => name == RUNS_COMMANDS,
            Some(Part::Fs) => name != ENDS_A_RUN && name != RUNS_COMMANDS,
        };
        let specs = Toolbox::offered(Policy::new(approval, []));
        let specs = specs.specs();
        let tools = specs.iter().filter(|spec| wanted(&spec.name)).map(|spec| {
            let schema = match &spec.parameters {
                Value::Object(schema) => schema.clone(),
                // A tool's schema is an object, which a test makes sure of.
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_) => serde_json::Map::new(),
            };
            Tool::new(spec.name.clone(), spec.description.clone(), schema)
                .with_annotations(annotations(&spec.name))
        });
        let tools: Vec<Tool> = tools.collect();
        if tools.is_empty() {
            let message = "there is nothing to lend: a command may change anything";
            let help = "leave out `exec`, or `--read-only`";
            return Err(Error::usage("nothing_to_lend", message, help));
        }
        Ok(Self { tools })
    }

    /// Whether commands are among it.
    pub(crate) fn runs_commands(&self) -> bool {
        self.has(RUNS_COMMANDS)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }
}

/// What a call may do at most. Nothing is claimed of a tool that is not known here.
fn annotations(name: &str) -> ToolAnnotations {
    let told = ToolAnnotations::new;
    let within = || told().read_only(false).open_world(false);
    match name {
        "list_dir" | "grep_search" | "file_search" | "read_file" | "check_syntax" => {
            told().read_only(true).open_world(false)
        }
        // The second time there is a file already, and nothing is done.
        "create_file" => within().destructive(false).idempotent(true),
        // The second time there is no file any more.
        "delete_file" => within().destructive(true).idempotent(true),
        "apply_patch" | "undo" => within().destructive(true).idempotent(false),
        // An edit may ask the configured model, and a command may do anything.
        _ => told().read_only(false).destructive(true).idempotent(false).open_world(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(part: Option<Part>, approval: Approval) -> Vec<String> {
        let lent = Lent::of(part, approval).expect("something to lend");
        lent.tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    #[test]
    fn each_part_is_lent_in_the_order_in_which_a_model_sees_it() {
        let reading = ["list_dir", "grep_search", "file_search", "read_file", "check_syntax"];
        let writing = ["edit_file", "apply_patch", "create_file", "delete_file", "undo"];
        let fs: Vec<&str> = reading.into_iter().chain(writing).collect();
        let all: Vec<&str> = fs.iter().copied().chain([RUNS_COMMANDS]).collect();
        assert_eq!(names(Some(Part::Fs), Approval::All), fs);
        assert_eq!(names(Some(Part::Exec), Approval::All), [RUNS_COMMANDS]);
        assert_eq!(names(None, Approval::All), all);
        assert_eq!(names(None, Approval::Plan), reading);
        assert_eq!(names(Some(Part::Fs), Approval::Plan), reading);
        let nothing = Lent::of(Some(Part::Exec), Approval::Plan).expect_err("nothing");
        assert_eq!(nothing.failure.code, "agent::usage::nothing_to_lend");
    }

    #[test]
    fn what_is_lent_to_readers_says_that_it_reads_and_nothing_else_does() {
        let reading = names(None, Approval::Plan);
        for tool in Lent::of(None, Approval::All).expect("tools").tools {
            let annotations = tool.annotations.clone().expect("annotations");
            let reads = reading.contains(&tool.name.to_string());
            assert_eq!(annotations.read_only_hint, Some(reads), "{}", tool.name);
            assert_eq!(annotations.destructive_hint.is_some(), !reads, "{}", tool.name);
            assert_eq!(annotations.idempotent_hint.is_some(), !reads, "{}", tool.name);
            assert!(annotations.open_world_hint.is_some(), "{}", tool.name);
            assert_eq!(
                tool.input_schema.get("type"),
                Some(&Value::from("object")),
                "{}",
                tool.name
            );
        }
    }
}
