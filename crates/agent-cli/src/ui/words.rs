//! Calls, results and times in a few words.

use std::time::Duration;

use agent_core::{Action, Report, Spent, Traffic, memory::Remembered};
use agent_llm::Sent;
use serde_json::Value;

/// What a call is about: its main parameters.
pub(crate) fn subject(params: &Value) -> String {
    let text = |name: &str| params.get(name).and_then(Value::as_str);
    let number = |name: &str| params.get(name).and_then(Value::as_u64);
    let main = ["target_file", "path", "relative_workspace_path", "query", "command"]
        .into_iter()
        .find_map(text);
    let mut words = main.map(one_line).unwrap_or_default();
    match (number("start_line"), number("end_line")) {
        (Some(start), Some(end)) => words.push_str(&format!(":{start}-{end}")),
        (Some(start), None) => words.push_str(&format!(":{start}-")),
        (None, Some(end)) => words.push_str(&format!(":1-{end}")),
        (None, None) => {}
    }
    for (name, before) in
        [("include_pattern", " in "), ("exclude_pattern", " not in "), ("glob", " ")]
    {
        if let Some(pattern) = text(name) {
            words.push_str(before);
            words.push_str(&one_line(pattern));
        }
    }
    words
}

/// What an action came to, such as `12 matches` or `+3 -1`; for a failure its message.
pub(crate) fn result(action: &Action) -> String {
    let result = &action.result;
    let text = |name: &str| result.get(name).and_then(Value::as_str);
    if !action.succeeded() {
        return text("message").or_else(|| text("content")).map_or("failed".to_owned(), one_line);
    }
    let more =
        if result.get("truncated") == Some(&Value::Bool(true)) { " (more left out)" } else { "" };
    if let Some(matches) = result.get("matches").and_then(Value::as_array) {
        return format!("{}{more}", plural(matches.len() as u64, "match", "matches"));
    }
    if let Some(tree) = text("tree_visualization") {
        return format!("{}{more}", plural(tree.lines().count() as u64, "line", "lines"));
    }
    if let Some(total) = result.get("total").and_then(Value::as_u64) {
        return plural(total, "file", "files");
    }
    if let Some(diff) = text("diff") {
        let (added, removed) = agent_tools::diff::counts(diff);
        return format!("+{added} -{removed}");
    }
    if let Some(content) = text("content") {
        let shown = content.lines().count() as u64;
        return match result.get("lines").and_then(Value::as_u64) {
            Some(all) if all != shown => format!("{shown} of {}", plural(all, "line", "lines")),
            Some(_) | None => plural(shown, "line", "lines"),
        };
    }
    if let Some(errors) = result.get("errors").and_then(Value::as_array) {
        return match (text("note"), errors.len()) {
            (Some(note), _) => one_line(note),
            (None, 0) => "no syntax errors".to_owned(),
            (None, count) => plural(count as u64, "syntax error", "syntax errors"),
        };
    }
    text("message").map_or("done".to_owned(), one_line)
}

/// The end of a run in one line.
pub(crate) fn summary(report: &Report, elapsed: Duration) -> String {
    let mut files: Vec<&str> = Vec::new();
    for change in &report.changes {
        if !files.contains(&change.file.as_str()) {
            files.push(&change.file);
        }
    }
    let changed = match files.as_slice() {
        [] => "nothing changed".to_owned(),
        files => format!("changed {}", files.join(", ")),
    };
    format!(
        "{} · {} · {} · {} · {changed}",
        if report.from_cache { "from cache" } else { report.outcome.name() },
        plural(u64::from(report.turns), "turn", "turns"),
        tokens(report.usage),
        time(elapsed),
    )
}

/// What was spent: `1,200 tokens in (800 cached), 90 out, $0.0042`.
pub(crate) fn tokens(spent: Spent) -> String {
    let usage = spent.usage;
    let cached = match usage.cached_tokens {
        0 => String::new(),
        cached => format!(" ({} cached)", grouped(cached)),
    };
    let cost = cost(spent.cost);
    let (read, written) = (grouped(usage.input_tokens), grouped(usage.output_tokens));
    format!("{read} tokens in{cached}, {written} out{cost}")
}

/// The same in a few characters: `12.3k tokens, $0.0042`.
pub(crate) fn short_tokens(spent: Spent) -> String {
    let tokens = spent.usage.input_tokens.saturating_add(spent.usage.output_tokens);
    let tokens = match tokens {
        0..1000 => format!("{tokens} tokens"),
        1000..1_000_000 => format!("{:.1}k tokens", tokens as f64 / 1e3),
        _ => format!("{:.1}M tokens", tokens as f64 / 1e6),
    };
    tokens + &cost(spent.cost)
}

fn cost(cost: Option<f64>) -> String {
    match cost {
        None => String::new(),
        Some(cost) if cost < 0.1 => format!(", ${cost:.4}"),
        Some(cost) => format!(", ${cost:.2}"),
    }
}

/// A time in whole seconds, for a clock that runs.
pub(crate) fn seconds(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

/// What a request had in common with the one before: ` · 9,312 bytes sent, 99.9 % of the request
/// before at their start`.
pub(crate) fn sent(sent: &Sent) -> String {
    let traffic = Traffic { bytes: sent.bytes, before: sent.before, shared: sent.shared };
    let same = traffic
        .share()
        .map(|share| format!(", beginning with {} of the request before", percent(share)));
    format!(" · {} bytes sent{}", grouped(sent.bytes), same.unwrap_or_default())
}

/// The same of a whole run; none where nothing was sent.
pub(crate) fn traffic(traffic: Traffic) -> Option<String> {
    let same = traffic
        .share()
        .map(|share| format!("; requests began with {} of the one before", percent(share)));
    let bytes = grouped(traffic.bytes);
    (traffic.bytes > 0).then(|| format!("{bytes} bytes sent{}", same.unwrap_or_default()))
}

/// Rounded down, so that 100 % means all of it.
fn percent(share: f64) -> String {
    format!("{:.1} %", (share * 1000.0).floor() / 10.0)
}

/// How the conversation was shortened.
pub(crate) fn compacted(before: u64, after: u64, left_out: usize) -> String {
    let how = match left_out {
        0 => "old results are shortened".to_owned(),
        count => format!("{} gave way to a digest", plural(count as u64, "message", "messages")),
    };
    format!("… made room: about {} tokens, {} before; {how}", grouped(after), grouped(before))
}

/// How the model decides from here on.
pub(crate) fn protocol_changed(why: &str) -> String {
    format!("switched to JSON decisions, since {why}; `--protocol tools` keeps to tool calls")
}

/// What a model proposes to remember, and what is to be done about it.
pub(crate) fn proposed(one: &Remembered) -> String {
    let Remembered { number, text, .. } = one;
    format!("to remember? {text}  (`agent memory accept {number}`, or /memory accept {number})")
}

/// A time, as precise as it matters.
pub(crate) fn time(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        1..60 => format!("{:.1} s", time.as_secs_f64()),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

/// The first line of a text, cut where it is very long.
pub(crate) fn one_line(text: &str) -> String {
    const LONGEST: usize = 160;
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.len() < text.len() => format!("{line} …"),
        None => line.to_owned(),
    }
}

fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// 1234567 as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use agent_llm::Usage;
    use serde_json::json;

    use super::*;

    fn words(result_: Value) -> String {
        let action = serde_json::from_value::<Value>(result_).unwrap();
        result(&crate::ui::progress::tests::action("t", json!({}), action))
    }

    #[test]
    fn a_call_is_named_by_its_main_parameters() {
        for (params, expected) in [
            (json!({"target_file": "a.rs", "start_line": 1, "end_line": 20}), "a.rs:1-20"),
            (json!({"target_file": "a.rs", "start_line": 5}), "a.rs:5-"),
            (json!({"path": "a.rs", "end_line": 5}), "a.rs:1-5"),
            (json!({"query": "fn \\w+", "include_pattern": "*.rs"}), "fn \\w+ in *.rs"),
            (json!({"relative_workspace_path": "."}), "."),
            (json!({"query": "two\nlines"}), "two …"),
            (json!({}), ""),
            (json!("no object"), ""),
            (json!({"target_file": 3}), ""),
        ] {
            assert_eq!(subject(&params), expected, "{params}");
        }
    }

    #[test]
    fn a_result_is_told_in_a_few_words() {
        for (result, expected) in [
            (json!({"success": true, "matches": [1, 2], "truncated": false}), "2 matches"),
            (
                json!({"success": true, "matches": [1], "truncated": true}),
                "1 match (more left out)",
            ),
            (json!({"success": true, "content": "a\nb\n", "lines": 2}), "2 lines"),
            (json!({"success": true, "content": "a\nb\n", "lines": 900}), "2 of 900 lines"),
            (json!({"success": true, "diff": "@@ -1 +1 @@\n-a\n+b\n+c\n"}), "+2 -1"),
            (json!({"success": true, "tree_visualization": "a\nb"}), "2 lines"),
            (json!({"success": true, "files": [], "total": 1234}), "1,234 files"),
            (json!({"success": true, "message": "deleted a"}), "deleted a"),
            (json!({"success": true, "ok": true, "errors": []}), "no syntax errors"),
            (json!({"success": true, "ok": false, "errors": [1]}), "1 syntax error"),
            (json!({"success": true, "errors": [], "note": "not checked"}), "not checked"),
            (json!({"success": true}), "done"),
            (json!({"success": false, "message": "no such file\nlook"}), "no such file …"),
            (json!({"success": false}), "failed"),
            (json!([]), "failed"),
        ] {
            assert_eq!(words(result.clone()), expected, "{result}");
        }
    }

    #[test]
    fn what_was_spent_shows_what_a_cache_held_and_what_it_cost() {
        let spent = |cached_tokens, cost| {
            let usage =
                Usage { input_tokens: 1200, cached_tokens, output_tokens: 90, ..Usage::default() };
            tokens(Spent { usage, cost })
        };
        assert_eq!(spent(0, None), "1,200 tokens in, 90 out");
        assert_eq!(spent(800, Some(0.00421)), "1,200 tokens in (800 cached), 90 out, $0.0042");
        assert_eq!(spent(0, Some(1.234)), "1,200 tokens in, 90 out, $1.23");
    }

    #[test]
    fn a_screen_is_told_the_same_in_fewer_characters() {
        let spent = |input_tokens, cost| {
            short_tokens(Spent { usage: Usage { input_tokens, ..Usage::default() }, cost })
        };
        assert_eq!(spent(999, None), "999 tokens");
        assert_eq!(spent(12_345, Some(0.0042)), "12.3k tokens, $0.0042");
        assert_eq!(spent(1_234_567, Some(1.5)), "1.2M tokens, $1.50");
        assert_eq!(seconds(Duration::from_millis(59_900)), "59 s");
        assert_eq!(seconds(Duration::from_secs(61)), "1 min 01 s");
    }

    #[test]
    fn what_was_sent_shows_how_much_of_it_was_known() {
        let of = |bytes, before, shared| sent(&Sent { bytes, before, shared });
        assert_eq!(of(5400, 0, 0), " · 5,400 bytes sent");
        let most = " · 6,000 bytes sent, beginning with 99.9 % of the request before";
        assert_eq!(of(6000, 5400, 5399), most);
        let run = |bytes, before, shared| traffic(Traffic { bytes, before, shared });
        let all = "11,400 bytes sent; requests began with 100.0 % of the one before";
        assert_eq!(run(11_400, 5400, 5400).as_deref(), Some(all));
        assert_eq!(run(5400, 0, 0).as_deref(), Some("5,400 bytes sent"));
        assert_eq!(run(0, 0, 0), None);
    }

    #[test]
    fn times_and_numbers_are_short() {
        for (millis, expected) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1250, "1.2 s"),
            (60_000, "1 min 00 s"),
            (3_661_000, "61 min 01 s"),
        ] {
            assert_eq!(time(Duration::from_millis(millis)), expected);
        }
        for (number, expected) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!(one_line(&"ä".repeat(200)).chars().count(), 161);
    }
}
