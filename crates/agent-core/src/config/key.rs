//! What there is to know about a key: parsing, errors, `agent config show` and the documentation go
//! by it.

use super::{Kind, Value, table::TABLE};

/// A key of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// `model`
    Model,
    /// `approval`
    Approval,
    /// `max_turns`
    MaxTurns,
    /// `max_tool_calls`
    MaxToolCalls,
    /// `max_tokens`
    MaxTokens,
    /// `max_cost`
    MaxCost,
    /// `time_limit_seconds`
    TimeLimit,
    /// `context_window`
    ContextWindow,
    /// `protocol`
    Protocol,
    /// `planner`
    Planner,
    /// `temperature`
    Temperature,
    /// `openai.base_url`
    OpenaiBaseUrl,
    /// `openai.api`
    OpenaiApi,
    /// `anthropic.base_url`
    AnthropicBaseUrl,
    /// `gemini.base_url`
    GeminiBaseUrl,
    /// `ollama.host`
    OllamaHost,
    /// `ollama.num_ctx`
    OllamaNumCtx,
    /// `ollama.keep_alive`
    OllamaKeepAlive,
    /// `http.connect_timeout_seconds`
    HttpConnectTimeout,
    /// `http.idle_timeout_seconds`
    HttpIdleTimeout,
    /// `retry.max_attempts`
    RetryMaxAttempts,
    /// `retry.max_total_seconds`
    RetryMaxTotal,
    /// `limits.read_bytes`
    LimitsReadBytes,
    /// `limits.edits`
    LimitsEdits,
    /// `limits.matches`
    LimitsMatches,
    /// `limits.observation_bytes`
    LimitsObservationBytes,
    /// `sandbox.mode`
    SandboxMode,
    /// `sandbox.network`
    SandboxNetwork,
    /// `price.input`
    PriceInput,
    /// `price.cached_input`
    PriceCachedInput,
    /// `price.cache_write`
    PriceCacheWrite,
    /// `price.output`
    PriceOutput,
    /// `mcp.route`
    McpRoute,
    /// `test.command`
    TestCommand,
    /// `test.retries`
    TestRetries,
    /// `evaluator.log`
    EvaluatorLog,
    /// `evaluator.model`
    EvaluatorModel,
    /// `style`
    Style,
    /// `memory_bytes`
    MemoryBytes,
}

/// What there is to know about a key.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The key.
    pub key: Key,
    /// Its name, with a dot after its section.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds where nothing is given, as text.
    pub default: Option<&'static str>,
    /// The vendor's own variable for the same thing.
    pub alias: Option<&'static str>,
    /// What a file that came with a workspace may do with it.
    pub from_workspace: FromWorkspace,
    /// What it is for, in a sentence without its full stop.
    pub doc: &'static str,
}

/// What a file that came with a workspace, whoever wrote it, may set a key to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromWorkspace {
    /// Anything that the key takes.
    Anything,
    /// Nothing: the key says where the user's keys and files are sent.
    NoAddress,
    /// A model by name, but no recording: its calls would be the file's author's.
    NoRecording,
    /// Only `plan`, which permits less than anything else.
    OnlyPlan,
    /// Only what confines commands more than the user asks for.
    OnlyTighter,
    /// Nothing: the key says what the user is ready to spend.
    NoMoney,
    /// Nothing: the key says what is executed.
    NoCommand,
    /// Nothing: the key names a file that is written.
    NoFile,
    /// Nothing: the words are the user's own.
    NoWords,
}

impl FromWorkspace {
    /// Whether the value counts.
    pub fn permits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Anything, _) => true,
            (Self::NoRecording, Value::Text(model)) => !model.starts_with("replay/"),
            (Self::OnlyPlan, Value::Text(approval)) => approval == "plan",
            (Self::OnlyTighter, Value::Text(mode)) => matches!(mode.as_str(), "strict" | "deny"),
            (
                Self::NoAddress | Self::NoMoney | Self::NoCommand | Self::NoFile | Self::NoWords,
                _,
            )
            | (
                Self::NoRecording | Self::OnlyPlan | Self::OnlyTighter,
                Value::Count(_) | Value::Number(_),
            ) => false,
        }
    }

    /// What the file must not do; reads after "must not".
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Anything => "be wrong",
            Self::NoAddress => "choose where your key and files are sent",
            Self::NoRecording => "bring the model's replies along",
            Self::OnlyPlan => "choose what is done without asking",
            Self::NoCommand => "say what is executed",
            Self::NoFile => "say what is written",
            Self::NoWords => "speak for you",
            Self::OnlyTighter => "loosen the sandbox of commands",
            Self::NoMoney => "decide what you spend",
        }
    }
}

impl Key {
    /// What there is to know about it.
    pub fn spec(self) -> &'static Spec {
        &TABLE[self.row()]
    }

    pub(super) fn row(self) -> usize {
        self as usize
    }
}

impl Spec {
    /// The environment variable that sets it: `AGENT_` and the name, dots as underscores.
    pub fn variable(&self) -> String {
        format!("AGENT_{}", self.name.replace('.', "_").to_ascii_uppercase())
    }
}

/// The key of that name.
pub fn find(name: &str) -> Option<&'static Spec> {
    TABLE.iter().find(|spec| spec.name == name)
}

/// The key whose name is spelled most like `name`, if one is alike at all.
pub fn nearest(name: &str) -> Option<&'static Spec> {
    const ALIKE: f64 = 0.75;
    let unsectioned = |spec: &Spec| spec.name.rsplit('.').next().is_some_and(|last| last == name);
    let likeness = |spec: &'static Spec| (strsim::jaro_winkler(spec.name, name), spec);
    let closest = TABLE.iter().map(likeness).max_by(|(a, _), (b, _)| a.total_cmp(b));
    TABLE
        .iter()
        .find(|spec| unsectioned(spec))
        .or_else(|| closest.filter(|(likeness, _)| *likeness >= ALIKE).map(|(_, spec)| spec))
}

/// Whether `name` is the first part of some keys' names.
pub(super) fn is_section(name: &str) -> bool {
    let begins =
        |spec: &Spec| spec.name.split_once('.').is_some_and(|(section, _)| section == name);
    name == super::rules::SECTION || name == super::servers::SECTION || TABLE.iter().any(begins)
}
