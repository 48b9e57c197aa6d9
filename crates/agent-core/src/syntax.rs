//! The syntax gate: an edit that introduces a syntax error is not made.

use agent_tools::syntax::{self, SyntaxError, SyntaxLimits, Verdict};
use serde_json::{Value, json};

/// What a check came to, as a tool's result tells it.
pub(crate) fn described(file: &str, verdict: &Verdict) -> Value {
    let (language, note) = match verdict {
        Verdict::Checked { language, .. } => (Some(language.name()), None),
        Verdict::UnknownLanguage => (None, Some("unknown language: not checked")),
        Verdict::TooLarge { language } => (Some(language.name()), Some("too large: not checked")),
        Verdict::TimedOut { language } => {
            (Some(language.name()), Some("took too long: not checked"))
        }
    };
    let errors = verdict.errors();
    let mut described = json!({
        "ok": errors.is_empty(),
        "errors": errors.iter().map(|error| located(file, error)).collect::<Vec<_>>(),
        "language": language,
    });
    if let Some(first) = errors.first() {
        described["error"] = Value::from(format!("{file}:{first}"));
    }
    if let Some(note) = note {
        described["note"] = Value::from(note);
    }
    described
}

fn located(file: &str, error: &SyntaxError) -> Value {
    json!({
        "file": file,
        "line": error.line,
        "column": error.column,
        "message": error.message,
        "text": error.text_of_line,
    })
}

/// Checks a whole text.
pub(crate) fn check(file: &str, text: &str) -> Value {
    described(file, &syntax::check(file, text, &SyntaxLimits::default()))
}

/// An edit that would introduce syntax errors.
pub(crate) struct Broken {
    /// What is wrong, for the model.
    pub(crate) message: String,
    /// The same for the result.
    pub(crate) syntax: Value,
}

/// Lets an edit pass, and tells what was checked, unless it introduces syntax errors.
pub(crate) fn gate(file: &str, before: &str, after: &str) -> Result<Value, Broken> {
    let verdict = syntax::introduced(file, before, after, &SyntaxLimits::default());
    let syntax = described(file, &verdict);
    if verdict.errors().is_empty() {
        return Ok(syntax);
    }
    let errors: Vec<String> =
        verdict.errors().iter().map(|error| format!("{file}:{error}")).collect();
    let message = format!(
        "the edit would introduce a syntax error, so the file stays as it was (lines are those of \
         the new text):\n{}\nWrite the edit again with correct syntax.",
        errors.join("\n")
    );
    Err(Broken { message, syntax })
}
