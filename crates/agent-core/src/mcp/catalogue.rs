//! Many tools of others: all are named up front with a line each, and told of in full when the
//! model asks.
//!
//! The list of tools is a part of what every request begins with, and stays as it is; what the model
//! asks for stands behind it, as the result of a call.

use std::sync::Arc;

use agent_llm::ToolSpec;
use serde_json::{Value, json};

use crate::{BadParams, Call, Observation, Tool, window};

/// Tokens that the tools of all servers may take in every request before they are only named.
const IN_FULL: u64 = 4000;

/// Characters of the line that stands for a tool.
const LINE: usize = 100;

/// Tools that are told of in one call.
const AT_ONCE: usize = 8;

/// Tells of tools in full.
const TELL: &str = "mcp_tools";

/// Calls one of them.
const CALL: &str = "mcp_call";

/// What a model is offered of servers' tools.
pub(crate) struct Catalogue {
    /// On the list of tools.
    pub(crate) listed: Vec<Arc<dyn Tool>>,
    /// Called by way of that.
    pub(crate) behind: Vec<Arc<dyn Tool>>,
}

impl Catalogue {
    /// The tools themselves while they are few, or else the two that lead to them.
    pub(crate) fn of(tools: Vec<Arc<dyn Tool>>) -> Self {
        let specs: Arc<[ToolSpec]> = tools.iter().map(|tool| tool.spec()).collect();
        if window::tokens_of_tools(&specs) <= IN_FULL {
            return Self { listed: tools, behind: Vec::new() };
        }
        Self { listed: vec![Arc::new(Tell { specs }), Arc::new(CallOne)], behind: tools }
    }
}

/// Tokens that tools take in every request where they are only named; none where they are few.
pub fn tokens_by_name(specs: &[ToolSpec]) -> Option<u64> {
    (window::tokens_of_tools(specs) > IN_FULL).then(|| {
        let tell = Tell { specs: specs.into() };
        window::tokens_of_tools(&[tell.spec(), CallOne.spec()])
    })
}

/// The tool and the parameters of a call by way of the list, where it has that form.
pub(crate) fn meant(name: &str, params: &Value) -> Option<(String, Value)> {
    if name != CALL {
        return None;
    }
    let tool = params.get("tool")?.as_str()?.to_owned();
    let arguments = match params.get("arguments") {
        None | Some(Value::Null) => json!({}),
        // Some models write an object as text.
        Some(Value::String(text)) => serde_json::from_str(text).ok()?,
        Some(arguments) => arguments.clone(),
    };
    Some((tool, arguments))
}

/// The names that stand in the description of the tool that tells of the others.
pub(crate) fn names(spec: &ToolSpec) -> Vec<String> {
    let lines = spec.description.lines().filter(|_| spec.name == TELL);
    let named = lines.filter_map(|line| line.strip_prefix("- ")?.split_once(": "));
    named.map(|(name, _)| name.to_owned()).collect()
}

/// Tells of tools in full.
struct Tell {
    specs: Arc<[ToolSpec]>,
}

impl Tool for Tell {
    fn spec(&self) -> ToolSpec {
        let line = |spec: &ToolSpec| {
            let first = own_words(spec).lines().find(|line| !line.trim().is_empty());
            let short: String = first.unwrap_or_default().trim().chars().take(LINE).collect();
            format!("\n- {}: {short}", spec.name)
        };
        let lines: String = self.specs.iter().map(line).collect();
        ToolSpec {
            name: TELL.to_owned(),
            description: format!(
                "Tells what tools of MCP servers do in full, and which arguments they take. Ask \
                 before you call one with `{CALL}`. These are there (text of their servers, not of \
                 the user):{lines}"
            ),
            parameters: json!({
                "type": "object",
                "properties": { "names": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": format!("At most {AT_ONCE} of the names above"),
                } },
                "required": ["names"],
            }),
        }
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let wrong = |problem: String| BadParams {
            tool: TELL.to_owned(),
            problem,
            takes: format!("`names`, a list of at most {AT_ONCE} names of its own description"),
        };
        let names = params.get("names").and_then(Value::as_array);
        let names = names.ok_or_else(|| wrong("`names` is no list".to_owned()))?;
        if names.is_empty() || names.len() > AT_ONCE {
            return Err(wrong(format!("there are {} names", names.len())));
        }
        let mut told = Vec::new();
        for name in names {
            let known = self.specs.iter().find(|spec| *name == spec.name.as_str());
            told.push(known.cloned().ok_or_else(|| wrong(format!("there is no tool {name}")))?);
        }
        Ok(Call::waiting(Vec::new(), async move |_| in_full(&told)))
    }
}

/// What is told of tools.
fn in_full(specs: &[ToolSpec]) -> Observation {
    let object = |spec: &ToolSpec| json!({ "name": spec.name, "description": spec.description, "parameters": spec.parameters });
    let tools: Vec<Value> = specs.iter().map(object).collect();
    let line = |spec: &ToolSpec| {
        format!("{}: {}\narguments: {}", spec.name, spec.description, spec.parameters)
    };
    let text: Vec<String> = specs.iter().map(line).collect();
    let shown = Some(format!("{}\n\nCall them with `{CALL}`.", text.join("\n\n")));
    Observation { shown, ..Observation::of(json!({ "success": true, "tools": tools })) }
}

/// The description without the mark that stands before it.
fn own_words(spec: &ToolSpec) -> &str {
    let description = spec.description.as_str();
    description.split_once(".) ").map_or(description, |(_, words)| words)
}

/// Stands for a call of a tool that is not listed. One of a tool that is there never gets here.
struct CallOne;

impl Tool for CallOne {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: CALL.to_owned(),
            description: format!("Calls a tool of an MCP server, as `{TELL}` tells of it."),
            parameters: json!({
                "type": "object",
                "properties": {
                    "tool": { "type": "string", "description": "Its name" },
                    "arguments": { "type": "object", "description": "What it takes" },
                },
                "required": ["tool", "arguments"],
            }),
        }
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let problem = match params.get("tool").and_then(Value::as_str) {
            Some(tool) => format!("there is no tool `{tool}`, or its arguments are no object"),
            None => "`tool` names none".to_owned(),
        };
        let takes = format!(
            "`tool`, one of those that `{TELL}` lists, and `arguments`, an object as it tells"
        );
        Err(BadParams { tool: CALL.to_owned(), problem, takes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Approval, Toolbox, policy::Policy};

    struct Named(usize);

    impl Tool for Named {
        fn spec(&self) -> ToolSpec {
            let mark = "(Text of the MCP server `s`, not of the user.)";
            ToolSpec {
                name: format!("s__t{}", self.0),
                description: format!("{mark} Does {}.\nAnd more: {}", self.0, "x".repeat(400)),
                parameters: json!({ "type": "object", "properties": {} }),
            }
        }

        fn prepare(&self, _: &Value) -> Result<Call, BadParams> {
            let number = self.0;
            Ok(Call::waiting(Vec::new(), async move |_| Observation::of(json!({ "n": number }))))
        }
    }

    fn tools(count: usize) -> Vec<Arc<dyn Tool>> {
        (0..count).map(|number| Arc::new(Named(number)) as _).collect()
    }

    #[test]
    fn a_few_are_listed_themselves_and_many_by_name() {
        let few = Catalogue::of(tools(3));
        assert_eq!((few.listed.len(), few.behind.len()), (3, 0));
        let many = Catalogue::of(tools(100));
        let listed: Vec<String> = many.listed.iter().map(|tool| tool.spec().name).collect();
        assert_eq!((listed, many.behind.len()), (vec![TELL.to_owned(), CALL.to_owned()], 100));
        let description = many.listed[0].spec().description;
        assert!(description.contains("\n- s__t7: Does 7.\n- s__t8: "), "{description}");
        let known: Vec<String> = tools(100).iter().map(|tool| tool.spec().name).collect();
        assert_eq!((names(&many.listed[0].spec()), names(&many.listed[1].spec())), (known, vec![]));
        let specs: Vec<ToolSpec> = tools(100).iter().map(|tool| tool.spec()).collect();
        let (full, named) = (window::tokens_of_tools(&specs), tokens_by_name(&specs));
        assert!(named.is_some_and(|named| named * 5 < full), "{named:?} of {full}");
        assert_eq!(tokens_by_name(&specs[..3]), None);
    }

    #[test]
    fn what_is_told_is_what_was_asked_for() {
        let many = Catalogue::of(tools(100));
        let tell = &many.listed[0];
        for (params, problem) in [
            (json!({}), "`names` is no list"),
            (json!({ "names": [] }), "there are 0 names"),
            (json!({ "names": ["s__t1", "s__x"] }), "there is no tool \"s__x\""),
            (json!({ "names": vec!["s__t1"; 9] }), "there are 9 names"),
        ] {
            let wrong = tell.prepare(&params).err().map(|bad| bad.to_string()).unwrap_or_default();
            assert!(wrong.contains(problem), "{wrong}");
        }
        assert!(tell.prepare(&json!({ "names": ["s__t1"] })).is_ok());
        let told = in_full(&[many.behind[1].spec()]);
        assert!(told.text().contains("s__t1: (Text of the MCP server") && told.succeeded());
    }

    #[test]
    fn a_call_by_way_of_the_list_is_one_of_the_tool_itself() {
        let toolbox = Toolbox::offered(Policy::new(Approval::All, [])).with_others(tools(100));
        let call = |params: Value| toolbox.meant(CALL, &params);
        let one = json!({ "a": 1 });
        let meant = ("s__t1".to_owned(), one.clone());
        assert_eq!(call(json!({ "tool": "s__t1", "arguments": one })), meant);
        assert_eq!(call(json!({ "tool": "s__t1", "arguments": "{\"a\": 1}" })), meant);
        assert_eq!(call(json!({ "tool": "s__t1" })), ("s__t1".to_owned(), json!({})));
        for wrong in [json!({ "tool": "s__x" }), json!({}), json!({ "tool": "run_command" })] {
            assert_eq!(call(wrong.clone()), (CALL.to_owned(), wrong));
        }
        let plain = json!({ "tool": "s__t1" });
        assert_eq!(toolbox.meant("read_file", &plain), ("read_file".to_owned(), plain));
    }
}
