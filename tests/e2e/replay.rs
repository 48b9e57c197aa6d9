//! What a case did is recorded and run again: nothing may be different. And where a result in the
//! recording is made another, exactly that has to be found.
#![expect(clippy::disallowed_methods, reason = "the harness changes recordings of its own")]

use std::fs;

use serde_json::{Value, json};

use crate::{bed::Bed, program};

/// What is wrong with running the case again that was run in `bed`.
pub(crate) fn problems(bed: &Bed) -> Result<Vec<String>, String> {
    let listed = program::run(bed, &["sessions", "--output-format", "json"], &[])?;
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap_or_default();
    // A run that never began has none.
    let Some(id) = listed["sessions"][0]["id"].as_str() else { return Ok(Vec::new()) };
    let path = bed.home().join("recording.jsonl");
    let file = path.display().to_string();
    let exported = program::run(bed, &["sessions", "export", id, "--with-tree", "-o", &file], &[])?;
    if exported.exit != 0 {
        return Ok(vec![format!("no recording: {}", exported.stderr)]);
    }
    let mut problems = Vec::new();
    let again = program::run(bed, &["replay", &file], &[])?;
    if again.exit != 0 {
        problems.push(format!("run again: {}", again.stderr));
    }
    let recording = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    if let Some((mutated, step)) = mutated(&recording) {
        fs::write(&path, mutated).map_err(|error| error.to_string())?;
        let again = program::run(bed, &["replay", &file], &[])?;
        let expected = format!("step {step}: the result of");
        if again.exit != 1 || !again.stderr.contains(&expected) {
            problems.push(format!("a changed result: {} {}", again.exit, again.stderr));
        }
    }
    Ok(problems)
}

/// The recording with another result of its last real call, and the step of that call.
fn mutated(recording: &str) -> Option<(String, usize)> {
    let mut lines: Vec<String> = recording.lines().map(str::to_owned).collect();
    let note = |line: &String| serde_json::from_str::<Value>(line).unwrap_or_default();
    let real = |value: &Value| {
        let tool = value["action"]["tool"].as_str().unwrap_or("finish");
        // What policy refused is not asked about again.
        let refused = value["action"]["result"].get("rule").is_some();
        value["note"] == "acted" && !refused && !matches!(tool, "finish" | "run_command")
    };
    let began = |id: &Value| {
        lines.iter().map(note).any(|value| value["note"] == "began" && value["call_id"] == *id)
    };
    let at = lines.iter().rposition(|line| {
        let value = note(line);
        real(&value) && began(&value["call"]["id"])
    })?;
    let decisions = lines[..at]
        .iter()
        .map(note)
        .filter(|value| value["note"] == "replied" && value["line"]["purpose"] == "decide");
    let step = decisions.count();
    let mut value = note(&lines[at]);
    value["action"]["result"]["changed"] = json!(true);
    lines[at] = value.to_string();
    Some((lines.join("\n"), step))
}
