//! The table of keys: parsing, errors, `agent config show` and the documentation go by it.

use super::{Kind, Value};

/// A key of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// `model`
    Model,
    /// `approval`
    Approval,
    /// `max_turns`
    MaxTurns,
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
}

impl FromWorkspace {
    /// Whether the value counts.
    pub fn permits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Anything, _) => true,
            (Self::NoRecording, Value::Text(model)) => !model.starts_with("replay/"),
            (Self::OnlyPlan, Value::Text(approval)) => approval == "plan",
            (Self::OnlyTighter, Value::Text(mode)) => matches!(mode.as_str(), "strict" | "deny"),
            (Self::NoAddress, _)
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
            Self::OnlyTighter => "loosen the sandbox of commands",
        }
    }
}

const fn count(min: u64, max: u64) -> Kind {
    Kind::Count { min, max }
}

const MIB: u64 = 1024 * 1024;

/// Every key, in the order in which they are shown. The row of a key is its place in [`Key`].
pub static TABLE: [Spec; 21] = [
    Spec {
        key: Key::Model,
        name: "model",
        kind: Kind::Text,
        default: None,
        alias: None,
        from_workspace: FromWorkspace::NoRecording,
        doc: "the model, as PROVIDER/MODEL: openai/…, anthropic/…, gemini/…, ollama/… or replay/PATH",
    },
    Spec {
        key: Key::Approval,
        name: "approval",
        kind: Kind::Choice(&["edits", "all", "plan"]),
        default: Some("edits"),
        alias: None,
        from_workspace: FromWorkspace::OnlyPlan,
        doc: "what is done without asking: edits in the workspace, all that policy allows, or \
              nothing (plan)",
    },
    Spec {
        key: Key::MaxTurns,
        name: "max_turns",
        kind: count(1, 100_000),
        default: Some("25"),
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "decision steps after which a run ends",
    },
    Spec {
        key: Key::Temperature,
        name: "temperature",
        kind: Kind::Number { min: 0.0, max: 2.0 },
        default: None,
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "sampling temperature; the provider's own default where it is not set",
    },
    Spec {
        key: Key::OpenaiBaseUrl,
        name: "openai.base_url",
        kind: Kind::Url,
        default: None,
        alias: Some("OPENAI_BASE_URL"),
        from_workspace: FromWorkspace::NoAddress,
        doc: "address of OpenAI or of a compatible server, ending in /v1",
    },
    Spec {
        key: Key::OpenaiApi,
        name: "openai.api",
        kind: Kind::Choice(&["chat", "responses"]),
        default: Some("chat"),
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "the API that openai/… is spoken to in: chat completions, which every compatible \
              server has, or responses",
    },
    Spec {
        key: Key::AnthropicBaseUrl,
        name: "anthropic.base_url",
        kind: Kind::Url,
        default: None,
        alias: Some("ANTHROPIC_BASE_URL"),
        from_workspace: FromWorkspace::NoAddress,
        doc: "address of Anthropic or of a server that speaks its API",
    },
    Spec {
        key: Key::GeminiBaseUrl,
        name: "gemini.base_url",
        kind: Kind::Url,
        default: None,
        alias: Some("GEMINI_BASE_URL"),
        from_workspace: FromWorkspace::NoAddress,
        doc: "address of Gemini or of a server that speaks its API",
    },
    Spec {
        key: Key::OllamaHost,
        name: "ollama.host",
        kind: Kind::Text,
        default: None,
        alias: Some("OLLAMA_HOST"),
        from_workspace: FromWorkspace::NoAddress,
        doc: "address of the Ollama server; scheme and port may be left out",
    },
    Spec {
        key: Key::OllamaNumCtx,
        name: "ollama.num_ctx",
        kind: count(512, 4_194_304),
        default: Some("16384"),
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "tokens of context that Ollama is asked for: its own default cuts prompts silently",
    },
    Spec {
        key: Key::OllamaKeepAlive,
        name: "ollama.keep_alive",
        kind: Kind::Text,
        default: None,
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "how long Ollama keeps the model loaded, such as \"10m\"",
    },
    Spec {
        key: Key::HttpConnectTimeout,
        name: "http.connect_timeout_seconds",
        kind: count(1, 600),
        default: Some("10"),
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "how long connecting to a provider may take",
    },
    Spec {
        key: Key::HttpIdleTimeout,
        name: "http.idle_timeout_seconds",
        kind: count(1, 86_400),
        default: Some("300"),
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "how long a provider may stay silent in the middle of a reply",
    },
    Spec {
        key: Key::RetryMaxAttempts,
        name: "retry.max_attempts",
        kind: count(1, 20),
        default: Some("4"),
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "how often one model call is tried",
    },
    Spec {
        key: Key::RetryMaxTotal,
        name: "retry.max_total_seconds",
        kind: count(0, 86_400),
        default: Some("120"),
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "how long the waits between the tries of one model call may be in all",
    },
    Spec {
        key: Key::LimitsReadBytes,
        name: "limits.read_bytes",
        kind: count(1024, 16 * MIB),
        default: Some("102400"),
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "bytes of a file that are read without a range of lines",
    },
    Spec {
        key: Key::LimitsEdits,
        name: "limits.edits",
        kind: count(1, 1000),
        default: Some("30"),
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "line edits that a model may list in one go",
    },
    Spec {
        key: Key::LimitsMatches,
        name: "limits.matches",
        kind: count(1, 1000),
        default: Some("50"),
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "matches that one search shows",
    },
    Spec {
        key: Key::LimitsObservationBytes,
        name: "limits.observation_bytes",
        kind: count(1024, 16 * MIB),
        default: Some("163840"),
        alias: None,
        from_workspace: FromWorkspace::Anything,
        doc: "bytes of one tool result that the model sees",
    },
    Spec {
        key: Key::SandboxMode,
        name: "sandbox.mode",
        kind: Kind::Choice(&["auto", "strict", "off"]),
        default: Some("auto"),
        alias: None,
        from_workspace: FromWorkspace::OnlyTighter,
        doc: "whether commands are confined: as well as the system can (auto), or not run at all \
              (strict)",
    },
    Spec {
        key: Key::SandboxNetwork,
        name: "sandbox.network",
        kind: Kind::Choice(&["deny", "allow"]),
        default: Some("deny"),
        alias: None,
        from_workspace: FromWorkspace::OnlyTighter,
        doc: "whether confined commands reach the network",
    },
];

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
    name == super::rules::SECTION || TABLE.iter().any(begins)
}
