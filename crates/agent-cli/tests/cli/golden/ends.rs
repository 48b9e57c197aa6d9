//! How a process ended, as a paragraph of a table.

use serde_json::{Value, json};

use crate::{schema, support::Ended};

/// What goes to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Object,
    Events,
}

impl Shape {
    /// By the arguments of the run.
    pub(super) fn of(arguments: &[&str]) -> Self {
        match arguments {
            all if all.contains(&"--json") => Self::Events,
            all if all.contains(&"json") => Self::Object,
            _ => Self::Text,
        }
    }
}

/// The paragraph: the exit code, both streams, and of JSON what a script looks at. JSON that is not
/// as the published schema says is a failure.
pub(super) fn paragraph(title: &str, shape: Shape, ended: &Ended, answer: Option<&str>) -> String {
    let code = ended.code.map_or("none: killed".to_owned(), |code| code.to_string());
    let mut text = format!("# {title}\nexit {code}\n");
    let stdout = match shape {
        Shape::Text => ended.stdout.clone(),
        Shape::Object => ended.stdout.lines().map(|line| object(title, line)).collect(),
        Shape::Events => ended.stdout.lines().map(|line| event(title, line)).collect(),
    };
    text += &stream("out", &stdout);
    text += &stream("err", &ended.stderr);
    if let Some(answer) = answer {
        text += &stream("-o ", answer);
    }
    text + "\n"
}

fn stream(name: &str, text: &str) -> String {
    let lines = text.lines().map(|line| format!("{name} | {}\n", untimed(line)));
    let lines: String = lines.collect();
    lines.replace(" | \n", " |\n")
}

fn object(title: &str, line: &str) -> String {
    let object: Value = serde_json::from_str(line).expect("JSON");
    assert_eq!(schema::report_problems(&object), [""; 0], "{title}");
    let short = json!({
        "user_query": object["user_query"],
        "outcome": object["outcome"],
        "exit_code": object["exit_code"],
        "response": object["response"],
        "error": object["error"]["code"],
    });
    format!("{short}\n")
}

fn event(title: &str, line: &str) -> String {
    let event: Value = serde_json::from_str(line).expect("JSON");
    assert_eq!(schema::event_problems(&event), [""; 0], "{title}");
    let kind = event["type"].as_str().unwrap_or_default();
    match kind {
        "result" => {
            let short = json!({
                "outcome": event["outcome"],
                "exit_code": event["exit_code"],
                "result": event["result"],
                "error": event["error"]["code"],
            });
            format!("result {short}\n")
        }
        "warning" => format!("warning {}\n", event["message"]),
        _ => match event["subtype"].as_str() {
            Some(subtype) => format!("{kind}/{subtype}\n"),
            None => format!("{kind}\n"),
        },
    }
}

/// The line without times and estimates, which differ from run to run.
fn untimed(line: &str) -> String {
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let is_unit = |word: &str| matches!(word.trim_end_matches([',', '.', ')']), "ms" | "s" | "min");
    let words: Vec<&str> = line.split(' ').collect();
    let timed = words.iter().enumerate().map(|(index, word)| match words.get(index + 1) {
        Some(unit) if is_number(word) && is_unit(unit) && words.contains(&"·") => "N",
        Some(_) | None if index > 0 && words[index - 1] == "about" && is_number(word) => "N",
        Some(_) | None => word,
    });
    let timed: Vec<&str> = timed.collect();
    timed.join(" ").replace("N ms", "N s")
}
