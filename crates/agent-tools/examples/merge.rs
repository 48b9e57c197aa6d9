//! Merges sketches and patches: one JSON object a line in, one out.
//!
//! In: `{"id", "path", "original", "format", …}`, where the format is `sketch`, with a `sketch`, or
//! `pairs`, `sr`, `v4a` or `udiff`, with a `patch`. Out: `{"id", "status", "content"}`, where the
//! status is `applied`, or `{"id", "status", "reason"}`, where it is `declined`.

use std::error::Error;
use std::io::{self, BufRead, BufReader, BufWriter, Write};

use agent_tools::patch::{self, Patch};
use agent_tools::sketch;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    // A request is a whole file; with room for one, it is read and answered in one go.
    let mut input = BufReader::with_capacity(1 << 20, io::stdin());
    let mut output = BufWriter::with_capacity(1 << 20, io::stdout());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let request: Value = serde_json::from_str(&line)?;
        let answer = match merge(&request) {
            Ok(content) => json!({"id": request["id"], "status": "applied", "content": content}),
            Err(reason) => json!({"id": request["id"], "status": "declined", "reason": reason}),
        };
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

fn merge(request: &Value) -> Result<String, String> {
    let text = |key: &str| request[key].as_str().unwrap_or_default();
    let (path, original, patch) = (text("path"), text("original"), text("patch"));
    let pairs = pairs(&request["patch"]);
    let patch = match text("format") {
        "pairs" => Patch::Pairs(&pairs),
        "sr" => Patch::SearchReplace(patch),
        "v4a" => Patch::V4a(patch),
        "udiff" => Patch::UnifiedDiff(patch),
        _ => {
            return sketch::merge_text(original, text("sketch"), path)
                .map_err(|decline| decline.to_string());
        }
    };
    patch::merge_patch_text(path, original, &patch).map_err(|error| error.to_string())
}

fn pairs(patch: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pairs = patch.as_array().into_iter().flatten();
    pairs.map(|pair| (text(&pair[0]), text(&pair[1]))).collect()
}
