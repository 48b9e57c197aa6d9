//! What a provider's failure is to a run: how it ends, under which name, and what to do about it.

use agent_llm::{Error, ErrorKind, Vendor};

use crate::{Failure, Outcome};

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Self {
            code: format!("agent::provider::{}", name(error.kind)),
            message: error.to_string(),
            help: Some(help(error).to_owned()),
        }
    }
}

impl From<&Error> for Outcome {
    fn from(error: &Error) -> Self {
        match error.kind {
            ErrorKind::Unauthorized => Self::Auth,
            ErrorKind::NotFound
            | ErrorKind::RateLimited
            | ErrorKind::QuotaExceeded
            | ErrorKind::Overloaded
            | ErrorKind::ContextTooLong
            | ErrorKind::Filtered
            | ErrorKind::BadRequest
            | ErrorKind::BadReply
            | ErrorKind::Cut
            | ErrorKind::Network
            | ErrorKind::Silent
            | ErrorKind::Script => Self::Provider,
        }
    }
}

fn name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Unauthorized => "unauthorized",
        ErrorKind::NotFound => "not_found",
        ErrorKind::RateLimited => "rate_limited",
        ErrorKind::QuotaExceeded => "quota_exceeded",
        ErrorKind::Overloaded => "overloaded",
        ErrorKind::ContextTooLong => "context_too_long",
        ErrorKind::Filtered => "filtered",
        ErrorKind::BadRequest => "bad_request",
        ErrorKind::BadReply => "bad_reply",
        ErrorKind::Cut | ErrorKind::Network => "network",
        ErrorKind::Silent => "silent",
        ErrorKind::Script => "script",
    }
}

/// Whose API the server speaks, if it is a server.
fn vendor(error: &Error) -> Option<Vendor> {
    Vendor::named(error.provider.split(' ').next()?)
}

fn help(error: &Error) -> &'static str {
    let vendor = vendor(error);
    match error.kind {
        ErrorKind::Unauthorized => wrong_key(vendor),
        ErrorKind::NotFound => match vendor {
            Some(Vendor::Ollama) => {
                "fetch the model with `ollama pull MODEL`, or choose one that is there: `agent models ollama`"
            }
            Some(Vendor::OpenAi) => {
                "check the model's name with `agent models openai`, and the base URL, which ends in /v1"
            }
            Some(Vendor::Anthropic | Vendor::Gemini) | None => {
                "check the model's name with `agent models`, and the base URL, which ends in no version"
            }
        },
        ErrorKind::RateLimited => "wait a while, or choose another model with `-m`",
        ErrorKind::QuotaExceeded => {
            "look at the plan and the credit of your account with the provider"
        }
        ErrorKind::Overloaded => "try again later, or choose another model with `-m`",
        ErrorKind::ContextTooLong => match vendor {
            Some(Vendor::Ollama) => {
                "ask for less at a time, or raise the window: `agent config set ollama.num_ctx 32768`"
            }
            Some(Vendor::OpenAi | Vendor::Anthropic | Vendor::Gemini) | None => {
                "ask for less at a time, or use a model with a larger window; where the server says \
                 how large its window is, `agent config set context_window TOKENS` makes every \
                 request fit"
            }
        },
        ErrorKind::Filtered => {
            "the provider's content filter refused; word the task in another way"
        }
        ErrorKind::BadRequest => {
            "the server does not take such a request, for the reason that it gives; if that is the \
             tool calls, `--protocol json` does without them, else choose another model with `-m`"
        }
        ErrorKind::BadReply => {
            "check that the base URL belongs to a server that speaks this provider's API"
        }
        ErrorKind::Network => unreachable(error, vendor),
        ErrorKind::Cut => "try again; if it is cut off again, look at what the server logs",
        ErrorKind::Silent => {
            "a long prompt takes a slow machine minutes: wait longer with `agent config set \
             http.idle_timeout_seconds 900`, or ask for less with a smaller `context_window`"
        }
        ErrorKind::Script => {
            "the recording does not fit this task: its replies belong to other requests"
        }
    }
}

/// What to do about a key that was refused.
fn wrong_key(vendor: Option<Vendor>) -> &'static str {
    match vendor {
        Some(Vendor::Anthropic) => {
            "check the key: ANTHROPIC_API_KEY, and that it belongs to the server at ANTHROPIC_BASE_URL"
        }
        Some(Vendor::Gemini) => {
            "check the key: GEMINI_API_KEY, and that it belongs to the server at GEMINI_BASE_URL"
        }
        // It takes no key of ours: it is Ollama that is to be signed in.
        Some(Vendor::Ollama) => {
            "models in Ollama's cloud need `ollama signin`; look also at what stands before OLLAMA_HOST"
        }
        Some(Vendor::OpenAi) | None => {
            "check the key: OPENAI_API_KEY for openai/…, and that it belongs to the server at OPENAI_BASE_URL"
        }
    }
}

/// What to do where nobody answers.
fn unreachable(error: &Error, vendor: Option<Vendor>) -> &'static str {
    match vendor {
        Some(Vendor::Ollama) => {
            "start Ollama with `ollama serve`; if it runs on another machine, name it: `export OLLAMA_HOST=HOST:PORT`"
        }
        Some(vendor) if error.provider.contains(vendor.default_base_url()) => {
            "check that this machine is connected, and HTTPS_PROXY if it needs a proxy"
        }
        Some(_) | None => {
            "check that the server is running and can be reached at this address, and the base URL"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kind: ErrorKind, provider: &str) -> (Outcome, Failure) {
        let error = Error::new(kind, provider, "why");
        ((&error).into(), (&error).into())
    }

    #[test]
    fn every_kind_has_a_name_and_a_way_forward_and_only_a_refused_key_is_auth() {
        for kind in ErrorKind::ALL {
            let (outcome, failure) = told(kind, "p");
            let refused = kind == ErrorKind::Unauthorized;
            assert_eq!(outcome.exit_code(), if refused { 11 } else { 12 }, "{kind:?}");
            assert_eq!(failure.message, "p: why");
            assert_eq!(failure.code, format!("agent::provider::{}", name(kind)));
            assert!(failure.help.is_some_and(|help| !help.is_empty()), "{kind:?}");
        }
    }

    #[test]
    fn help_names_what_belongs_to_the_server() {
        use ErrorKind::{ContextTooLong, Network, NotFound, Unauthorized};
        for (kind, provider, expected) in [
            (Unauthorized, "openai (https://api.openai.com/v1)", "OPENAI_API_KEY"),
            (Unauthorized, "anthropic (https://api.anthropic.com)", "ANTHROPIC_API_KEY"),
            (Unauthorized, "gemini (https://h)", "GEMINI_API_KEY"),
            (Unauthorized, "ollama (http://127.0.0.1:11434)", "`ollama signin`"),
            (NotFound, "ollama (http://h)", "`ollama pull MODEL`"),
            (NotFound, "openai (http://h)", "ends in /v1"),
            (NotFound, "gemini (http://h)", "ends in no version"),
            (ContextTooLong, "ollama (http://h)", "ollama.num_ctx"),
            (ContextTooLong, "openai (http://h)", "context_window"),
            (Network, "ollama (http://127.0.0.1:11434)", "`ollama serve`"),
            (Network, "openai (https://api.openai.com/v1)", "HTTPS_PROXY"),
            (Network, "openai (http://127.0.0.1:8080/v1)", "the server is running"),
            (Network, "replay", "the server is running"),
        ] {
            let help = told(kind, provider).1.help.unwrap_or_default();
            assert!(help.contains(expected), "{kind:?} {provider}: {help}");
        }
    }
}
