//! The tools at hand, by name.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use agent_llm::ToolSpec;
use agent_tools::Workspace;
use serde_json::Value;

use crate::{
    Approval, Breach, Cancel, Cx, Observation, Tool,
    approval::{Answered, Desk, Question},
    dispatch::{self, Begun},
    mcp::{self, Catalogue},
    policy::{self, Judgement, Past, Policy},
    tools,
};

/// A fixed set of tools in a fixed order.
pub struct Toolbox {
    tools: HashMap<String, Arc<dyn Tool>>,
    specs: Arc<[ToolSpec]>,
    /// Tools of others that are called by way of one on the list.
    behind: HashMap<String, Arc<dyn Tool>>,
    /// Answers of this run may add to it.
    policy: Mutex<Policy>,
    desk: Option<Desk>,
}

/// There is no such tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no tool `{name}`{}. The tools are: {}", suggestion(.nearest.as_deref()), .known.join(", "))]
pub struct UnknownTool {
    /// The name that was asked for.
    pub name: String,
    /// A known name that is spelled much alike.
    pub nearest: Option<String>,
    /// All known names.
    pub known: Vec<String>,
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; perhaps `{name}` is meant")).unwrap_or_default()
}

impl Toolbox {
    /// What a model is offered under `policy`. `finish` is among the [`Toolbox::specs`]; the
    /// decision loop itself carries it out.
    pub fn offered(policy: Policy) -> Self {
        let mut tools = tools::reading();
        if policy.approval() != Approval::Plan {
            tools.extend(tools::writing());
        }
        let mut toolbox = Self::new(tools, policy);
        toolbox.specs = toolbox.specs.iter().cloned().chain([tools::finish::spec()]).collect();
        toolbox
    }

    /// Every tool that can be called directly, under `policy`, by somebody who knows what they ask
    /// for.
    pub fn direct(policy: Policy) -> Self {
        let tools = [tools::reading(), tools::writing(), tools::by_line(), tools::pure()];
        Self::new(tools.into_iter().flatten().collect(), policy)
    }

    /// The same with more tools behind those that are there, whose names they can't take.
    pub fn with_more(mut self, more: Vec<Arc<dyn Tool>>) -> Self {
        let mut specs = self.specs.to_vec();
        for tool in more {
            let spec = tool.spec();
            if specs.iter().all(|known| known.name != spec.name) {
                self.tools.insert(spec.name.clone(), tool);
                specs.push(spec);
            }
        }
        Self { specs: specs.into(), ..self }
    }

    /// The same with tools of others: each in full while they are few, or else by name.
    pub(crate) fn with_others(self, others: Vec<Arc<dyn Tool>>) -> Self {
        let Catalogue { listed, behind } = Catalogue::of(others);
        self.with_more(listed).with_behind(behind)
    }

    /// The same with tools that are called by way of one on the list.
    pub(crate) fn with_behind(self, behind: Vec<Arc<dyn Tool>>) -> Self {
        let behind = behind.into_iter().map(|tool| (tool.spec().name, tool)).collect();
        Self { behind, ..self }
    }

    /// The tool and the parameters that a call means: those that it names, where it is made by way
    /// of a list of tools.
    pub(crate) fn meant(&self, name: &str, params: &Value) -> (String, Value) {
        let named = mcp::meant(name, params);
        let named =
            named.filter(|(name, params)| self.behind.contains_key(name) && params.is_object());
        named.unwrap_or_else(|| (name.to_owned(), params.clone()))
    }

    /// A tool that can be called, by its own name.
    fn callable(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name).or_else(|| self.behind.get(name))
    }

    fn new(tools: Vec<Arc<dyn Tool>>, policy: Policy) -> Self {
        let specs: Arc<[ToolSpec]> = tools.iter().map(|tool| tool.spec()).collect();
        let tools = specs.iter().map(|spec| spec.name.clone()).zip(tools).collect();
        let behind = HashMap::new();
        Self { tools, specs, behind, policy: Mutex::new(policy), desk: None }
    }

    /// The same tools, with somebody to ask.
    pub(crate) fn asking(self, desk: Desk) -> Self {
        Self { desk: Some(desk), ..self }
    }

    /// The policy as it stands.
    pub(crate) fn policy(&self) -> Policy {
        self.policy.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks somebody, and takes what they permit for longer into the policy.
    pub(crate) async fn ask(&self, question: &Question, cancel: &Cancel) -> Answered {
        let approval = self.policy().approval();
        let Some(desk) = &self.desk else {
            return Answered::No("not done: nobody is there to be asked.".to_owned(), Breach::None);
        };
        let answered = tokio::select! {
            biased;
            _ = cancel.cancelled() => {
                return Answered::No("not done: the run was interrupted".to_owned(), Breach::None);
            }
            answered = desk.ask(question, approval) => answered,
        };
        if let Answered::Yes(Some(rule)) = &answered {
            let mut policy = self.policy.lock().unwrap_or_else(PoisonError::into_inner);
            *policy = policy.with((**rule).clone());
        }
        answered
    }

    /// The same toolbox with each of its tools in the hands of another.
    pub(crate) fn with_tools(self, wrap: impl Fn(Arc<dyn Tool>) -> Arc<dyn Tool>) -> Self {
        let tools = self.tools.into_iter().map(|(name, tool)| (name, wrap(tool))).collect();
        Self { tools, ..self }
    }

    /// The tools in their order, as a model sees them.
    pub fn specs(&self) -> Arc<[ToolSpec]> {
        Arc::clone(&self.specs)
    }

    /// The tool's own name for `name`, which may be an alias.
    ///
    /// # Errors
    ///
    /// [`UnknownTool`], with the nearest name.
    pub fn resolve(&self, name: &str) -> Result<&str, UnknownTool> {
        let wanted = tools::canonical(name);
        if let Some(spec) = self.specs.iter().find(|spec| spec.name == wanted) {
            return Ok(&spec.name);
        }
        if let Some((own, _)) = self.behind.get_key_value(wanted) {
            return Ok(own);
        }
        let known: Vec<String> = self.specs.iter().map(|spec| spec.name.clone()).collect();
        let nearest = tools::nearest(name, &known);
        Err(UnknownTool { name: name.to_owned(), nearest, known })
    }

    /// Whether a call of `name` with `params` would get as far as the policy.
    pub(crate) fn accepts(&self, name: &str, params: &Value) -> bool {
        let (name, params) = self.meant(tools::canonical(name), params);
        name == tools::finish::NAME
            || self.callable(&name).is_some_and(|tool| tool.prepare(&params).is_ok())
    }

    /// What the policy says to a call, without running it.
    ///
    /// # Errors
    ///
    /// The tool is unknown, or the parameters don't fit it: a sentence.
    pub fn judge(
        &self,
        name: &str,
        params: &Value,
        workspace: &Workspace,
    ) -> Result<Judgement, String> {
        let name = self.resolve(name).map_err(|unknown| format!("{unknown}."))?;
        let tool = self.callable(name).ok_or_else(|| format!("`{name}` has no effect."))?;
        let call = tool.prepare(params).map_err(|bad| bad.to_string())?;
        let effects = dispatch::located(workspace, &call.effects);
        Ok(self.policy().judge(name, &effects, Past::default()))
    }

    /// Runs one call through the fixed pipeline: look up, parse, judge, run, bound. `past` is what
    /// was done before in the same request.
    ///
    /// # Errors
    ///
    /// [`UnknownTool`]. Everything else that can go wrong is an observation.
    pub async fn call(
        &self,
        name: &str,
        params: &Value,
        past: Past,
        cx: &Cx,
    ) -> Result<Observation, UnknownTool> {
        Ok(match self.find(name)? {
            Offered::Tool(tool) => {
                dispatch::run(tool.as_ref(), params, self, past, named(cx, name)).await
            }
            Offered::Withheld(reason) => Observation::violation(reason),
        })
    }

    /// The same up to where the call has planned a change that somebody has to allow.
    ///
    /// # Errors
    ///
    /// [`UnknownTool`].
    pub(crate) async fn begin(
        &self,
        name: &str,
        params: &Value,
        past: Past,
        cx: &Cx,
    ) -> Result<Begun, UnknownTool> {
        Ok(match self.find(name)? {
            Offered::Tool(tool) => {
                dispatch::begin(tool.as_ref(), params, self, past, named(cx, name)).await
            }
            Offered::Withheld(reason) => Begun::Over(Observation::violation(reason)),
        })
    }

    fn find(&self, name: &str) -> Result<Offered, UnknownTool> {
        let name = tools::canonical(name);
        if let Some(tool) = self.callable(name) {
            return Ok(Offered::Tool(Arc::clone(tool)));
        }
        // A writing tool that is not on offer is not unknown: it is refused, with the reason.
        match policy::withheld(name, self.policy().approval()) {
            Some(reason) => Ok(Offered::Withheld(reason)),
            None => Err(self.resolve(name).err().unwrap_or_else(|| UnknownTool {
                name: name.to_owned(),
                nearest: None,
                known: Vec::new(),
            })),
        }
    }
}

/// What a name stands for.
enum Offered {
    Tool(Arc<dyn Tool>),
    /// A tool that is not on offer, for this reason.
    Withheld(String),
}

/// What a tool of that name reaches.
fn named(cx: &Cx, name: &str) -> Cx {
    Cx { tool: tools::canonical(name).to_owned(), ..cx.clone() }
}
