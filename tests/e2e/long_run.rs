//! A run of 100 tool steps over HTTP in every dialect: the conversation grows at its end and nowhere else.
//!
//! Ollama's `/api/generate` is not among them: it completes one prompt, and no conversation goes on
//! from there.

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::{
    bed::Bed,
    driver::{ANTHROPIC, GEMINI, OLLAMA, OPENAI, RESPONSES, Served},
    loopback::{Answer, Asked, Call, Exchange, Loopback, Said},
    program,
    tree::{Entry, Tree},
};

/// No first request is as large: instructions, all tools, and a short task.
const FIRST_REQUEST: usize = 6144;

/// Tool calls until the model finishes.
const STEPS: usize = 100;

/// One trial for each dialect.
pub(crate) fn trials() -> Vec<Trial> {
    [
        ("openai", &OPENAI),
        ("responses", &RESPONSES),
        ("anthropic", &ANTHROPIC),
        ("gemini", &GEMINI),
        ("ollama", &OLLAMA),
    ]
    .map(|(name, served)| Trial::test(format!("{name}::a-hundred-steps"), move || run(served)))
    .into()
}

fn run(served: &Served) -> Result<(), Failed> {
    let text = b"a line of text\n".repeat(20);
    let file = Entry::File { bytes: text, executable: false };
    let bed =
        Bed::with(Tree::from([("a.txt".to_owned(), file)])).map_err(|error| error.to_string())?;
    let mut steps = 0;
    let model = move |_: &Asked| {
        steps += 1;
        Ok(Answer::Whole(if steps <= STEPS { reading(steps) } else { finishing() }))
    };
    let server =
        Loopback::start(served.dialect, Box::new(model)).map_err(|error| error.to_string())?;
    let url = server.base_url();
    let mut variables = vec![(served.address, url.as_str())];
    variables.extend(served.environment);
    // A window that never fills: nothing is to be shortened here.
    variables.extend([("AGENT_CONTEXT_WINDOW", "1000000"), ("AGENT_OLLAMA_NUM_CTX", "1000000")]);
    let arguments = [
        "run",
        "-m",
        served.model,
        "--output-format",
        "json",
        "--max-turns",
        "250",
        "--",
        "Read on.",
    ];
    let ended = program::run(&bed, &arguments, &variables)?;
    let seen = server.stop();

    // The server holds every request against the one before it.
    assert_eq(&seen.problems, &Vec::<String>::new(), &ended.stderr)?;
    assert_eq(&seen.exchanges.len(), &(STEPS + 1), &ended.stderr)?;
    assert_eq(&ended.exit, &0, &ended.stderr)?;
    let report: Value = serde_json::from_str(&ended.stdout).map_err(|error| error.to_string())?;
    check_sizes(&seen.exchanges, &report["sent"])?;
    assert_eq(&report["turns"], &json!(STEPS + 1), "turns")?;
    let ranges = report["history"].as_array().into_iter().flatten().map(|action| {
        let params = &action["params"];
        (action["tool"].clone(), params["start_line"].clone(), action["result"]["success"].clone())
    });
    let step = |step| (json!("read_file"), json!(step % 20 + 1), json!(true));
    let mut expected: Vec<_> = (1..=STEPS).map(step).collect();
    expected.push((json!("finish"), Value::Null, json!(true)));
    assert_eq(&ranges.collect::<Vec<_>>(), &expected, "history")?;
    Ok(())
}

/// Requests are small at the start, and each begins with the one before, as the report says too.
fn check_sizes(exchanges: &[Exchange], sent: &Value) -> Result<(), String> {
    let first = exchanges.first().map_or(0, |exchange| exchange.bytes);
    if first >= FIRST_REQUEST {
        return Err(format!("the first request has {first} bytes"));
    }
    let all: usize = exchanges.iter().map(|exchange| exchange.bytes).sum();
    let before = all - exchanges.last().map_or(0, |exchange| exchange.bytes);
    let shared: usize = exchanges.iter().map(|exchange| exchange.shared).sum();
    assert_eq(&sent["bytes"], &json!(all), "bytes")?;
    let told = sent["shared_bytes"].as_u64().and_then(|told| usize::try_from(told).ok());
    // What is the same by chance behind the last whole message is not counted.
    let told = told.filter(|&told| told <= shared).ok_or("more is told than there is")?;
    if told * 100 < before * 99 {
        return Err(format!("requests begin with {told} of {before} bytes of those before"));
    }
    Ok(())
}

/// No two steps in a row ask for the same: that would be going in circles.
fn reading(step: usize) -> Said {
    let line = step % 20 + 1;
    let arguments = json!({
        "target_file": "a.txt", "start_line": line, "end_line": line, "explanation": "go on",
    });
    call(step, "read_file", &arguments)
}

fn finishing() -> Said {
    call(STEPS + 1, "finish", &json!({ "response": "All read." }))
}

fn call(step: usize, name: &str, arguments: &Value) -> Said {
    let call = Call {
        id: format!("call_{step}"),
        name: name.to_owned(),
        arguments: arguments.to_string(),
    };
    Said { calls: vec![call], usage: [100, 0, 10], ..Said::default() }
}

fn assert_eq<T: PartialEq + std::fmt::Debug>(
    seen: &T,
    expected: &T,
    about: &str,
) -> Result<(), String> {
    if seen == expected { Ok(()) } else { Err(format!("{seen:?}\nexpected {expected:?}\n{about}")) }
}
