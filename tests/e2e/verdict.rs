//! What is wrong with a run: the same rules for every case and driver.

use std::fmt::Write;

use serde_json::Value;

use crate::{
    bed::{self, Bed},
    case::{Case, Format, Manifest},
    driver::Ran,
    golden::{self, Bless},
    schema,
};

/// The exit code that belongs to each outcome.
const EXIT_CODES: [(&str, u8); 12] = [
    ("finished", 0),
    ("failed", 1),
    ("config", 10),
    ("auth", 11),
    ("provider", 12),
    ("budget", 13),
    ("policy", 14),
    ("refused", 15),
    ("loop", 16),
    ("sandbox", 17),
    ("interrupted", 130),
    ("interrupted", 143),
];

/// Everything that is wrong with a run of `case`; golden files are rewritten where `bless` says so.
pub(crate) fn problems(
    case: &Case,
    bed: &Bed,
    ran: &Ran,
    bless: Bless,
) -> Result<Vec<String>, String> {
    let manifest = &case.manifest;
    let mut problems: Vec<String> = Vec::new();
    if !EXIT_CODES.contains(&(manifest.outcome.as_str(), manifest.exit)) {
        problems.push(format!(
            "case.toml: `{}` does not exit with {}",
            manifest.outcome, manifest.exit
        ));
    }
    if ran.exit != manifest.exit {
        problems.push(format!("exit code {}, expected {}", ran.exit, manifest.exit));
    }
    problems.extend(ran.problems.iter().cloned());
    if let Some(unused) = ran.unused.as_ref().filter(|unused| unused.len() != manifest.unused) {
        problems.push(format!(
            "replies that nothing asked for, by their lines: {unused:?}; expected {}",
            manifest.unused
        ));
    }
    let unsaid = manifest.stderr.iter().filter(|text| !ran.stderr.contains(*text));
    problems.extend(unsaid.map(|text| format!("standard error lacks {text:?}")));
    problems.extend(output(manifest, ran));
    problems.extend(unpublished(manifest.format, ran));
    let expected = bed::expected(case).map_err(|error| error.to_string())?;
    problems.extend(bed.problems(&expected).map_err(|error| error.to_string())?);
    if let Some(name) = manifest.format.golden() {
        let seen = normal(manifest.format, bed, ran)?;
        problems.extend(golden::compare(&case.directory.join(name), &seen, bless));
    }
    Ok(problems)
}

/// What the case itself says about the output.
fn output(manifest: &Manifest, ran: &Ran) -> Vec<String> {
    let result = match manifest.format {
        Format::Text => {
            let answer =
                manifest.answer.as_ref().map_or(String::new(), |answer| format!("{answer}\n"));
            let differs = ran.stdout != answer;
            return differs
                .then(|| format!("standard output is {:?}", ran.stdout))
                .into_iter()
                .collect();
        }
        Format::Json => parse(&ran.stdout),
        Format::StreamJson => {
            let mut lines = ran.stdout.lines();
            let first = parse(lines.next().unwrap_or_default());
            let last = parse(lines.next_back().unwrap_or_default());
            if first["type"] != "system" || first["subtype"] != "init" || last["type"] != "result" {
                return vec![format!("no events from `init` to `result`: {:?}", ran.stdout)];
            }
            last
        }
    };
    let answer =
        if manifest.format == Format::Json { &result["response"] } else { &result["result"] };
    let expected = manifest.answer.as_deref().map_or(Value::Null, Value::from);
    let mut problems = Vec::new();
    if result["outcome"] != manifest.outcome.as_str() {
        problems.push(format!("outcome {}, expected \"{}\"", result["outcome"], manifest.outcome));
    }
    if result["exit_code"] != manifest.exit {
        problems.push(format!("the result says exit code {}", result["exit_code"]));
    }
    if *answer != expected {
        problems.push(format!("answer {answer}, expected {expected}"));
    }
    problems
}

/// Where the output is not what the published schema says.
fn unpublished(format: Format, ran: &Ran) -> Vec<String> {
    match format {
        Format::Text => Vec::new(),
        Format::Json => schema::report_problems(&parse(&ran.stdout)),
        Format::StreamJson => {
            let events = ran.stdout.lines().map(parse);
            events.flat_map(|event| schema::event_problems(&event)).collect()
        }
    }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

/// The output with placeholders: events one a line, a single object spread out.
fn normal(format: Format, bed: &Bed, ran: &Ran) -> Result<String, String> {
    let mut normal = bed.normal(ran.places.clone());
    let mut text = String::new();
    if format == Format::Json {
        let object = normal.value(&parse(&ran.stdout));
        let pretty = serde_json::to_string_pretty(&object).map_err(|error| error.to_string())?;
        return Ok(pretty + "\n");
    }
    for line in ran.stdout.lines() {
        let event = serde_json::from_str(line);
        let event: Value = event.map_err(|error| format!("not an event: {line:?}: {error}"))?;
        writeln!(text, "{}", normal.value(&event)).map_err(|error| error.to_string())?;
    }
    Ok(text)
}
