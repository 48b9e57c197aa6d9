use serde_json::{Value, json};

use crate::support::{Place, call, finish};

const JSON: [&str; 2] = ["--output-format", "json"];

#[test]
fn answers_are_scored_kept_logged_and_shown() {
    let place = Place::new();
    place.write("home/.config/agent/config.toml", "[evaluator]\nlog = \"log.jsonl\"\n");
    let read = call("read_file", &json!({ "target_file": "a.txt" }));
    place.write("work/a.txt", "one\n");
    let good = place.play(&[read, finish("One.")], &[&JSON[..], &["what is in a.txt?"]].concat());
    let good = good.json();
    assert_eq!(good["evaluation"]["score"], 5);
    assert_eq!(good["evaluation"]["signals"]["calls"], 1);
    let idle = place.play(&[finish("Done.")], &[&JSON[..], &["fix the bug"]].concat()).json();
    assert_eq!(idle["evaluation"]["score"], 3);
    assert_eq!(idle["evaluation"]["reason"], "finished; nothing was changed");

    let shown = place.run(&["eval", "--output-format", "json"]).json();
    assert_eq!((&shown["answers"], &shown["mean"]), (&json!(2), &json!(4.0)));
    let by_intent = json!([
        { "intent": "edit", "answers": 1, "mean": 3.0 },
        { "intent": "read", "answers": 1, "mean": 5.0 },
    ]);
    assert_eq!(shown["by_intent"], by_intent);
    let text = place.run(&["eval"]).stdout;
    for words in
        ["2 answers, 4.0 of 5 on average\n", "by day\n", "by model\n", "edit  3.0  ████████████ "]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    let log = place.read("work/log.jsonl");
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let scores: Vec<&Value> = lines.iter().map(|line| &line["score"]).collect();
    assert_eq!(scores, [5, 3]);
    assert_eq!(place.run(&["eval", "-C", "..", "-q"]).code, Some(2));
    let elsewhere = place.run(&["eval", "-C", ".."]);
    assert!(elsewhere.stderr.contains("no answer was scored"), "{elsewhere:?}");
}

#[test]
fn a_judge_is_asked_beside_and_what_goes_wrong_with_it_changes_nothing() {
    let place = Place::new();
    let judge = |reply: &Value| {
        let path = place.write("judge.jsonl", &format!("{reply}\n"));
        let config = format!("[evaluator]\nmodel = 'replay/{}'\n", path.display());
        place.write("home/.config/agent/config.toml", &config);
    };
    judge(&json!({ "purpose": "judge", "text": "{\"score\": 2, \"reason\": \"Too short.\"}" }));
    let ended = place.play(&[finish("Done.")], &["say it"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Done.\n"));
    judge(&json!({ "purpose": "judge", "text": "ten out of ten" }));
    let ended = place.play(&[finish("Done.")], &["say it"]);
    assert_eq!(ended.code, Some(0));
    assert!(ended.stderr.contains("the judge's reply is no judgement"), "{ended:?}");
    judge(&json!({ "purpose": "judge", "text": "x", "fault": { "stall_ms": 600_000 } }));
    let ended = place.play(&[finish("Done.")], &["say it"]);
    assert!(ended.code == Some(0) && ended.stderr.contains("took too long"), "{ended:?}");

    let kept = place.run(&["eval", "--output-format", "json"]).json();
    let judges: Vec<&Value> =
        kept["evaluations"].as_array().expect("a list").iter().map(|kept| &kept["judge"]).collect();
    assert_eq!(judges[0]["score"], 2);
    assert_eq!(judges[1..], [&Value::Null, &Value::Null]);
    assert!(place.run(&["eval"]).stdout.contains("judge: 2, Too short."));
}
