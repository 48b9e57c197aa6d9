//! What failed, from the output of test programs.

use super::TestFailure;

/// Lines of a failure's words that are kept.
const LINES: usize = 3;

/// What failed, in the words of the first format that fits.
pub(crate) fn failures(output: &str) -> Vec<TestFailure> {
    let lines: Vec<&str> = output.lines().collect();
    let formats = [rust_compiler, libtest, go, pytest, unittest, tap, node, generic];
    formats
        .into_iter()
        .map(|format| format(&lines))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// `error[E0308]: mismatched types` and ` --> src/lib.rs:3:5`.
fn rust_compiler(lines: &[&str]) -> Vec<TestFailure> {
    let errors = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with("error[E") || line.starts_with("error: "));
    let located = errors.filter_map(|(at, line)| {
        let place =
            lines[at + 1..].iter().take(3).find_map(|line| line.trim().strip_prefix("--> "))?;
        Some(with_place(String::new(), place, &[(*line).to_owned()]))
    });
    located.collect()
}

/// `---- name stdout ----`, then where it panicked, then why.
fn libtest(lines: &[&str]) -> Vec<TestFailure> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let name = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"));
        let Some(name) = name else { continue };
        let rest = &lines[at + 1..];
        let end = rest.iter().position(|line| line.starts_with("---- ") || *line == "failures:");
        let rest = &rest[..end.unwrap_or(rest.len())];
        let panic = rest.iter().position(|line| line.contains(" panicked at "));
        let (place, words) = match panic {
            Some(panic) => {
                let place = rest[panic].rsplit(" panicked at ").next().unwrap_or_default();
                (place.trim_end_matches(':'), &rest[panic + 1..])
            }
            None => ("", rest),
        };
        let words = words.iter().take_while(|line| !line.starts_with("note: run with"));
        found.push(with_place(
            name.to_owned(),
            place,
            &words.map(|line| (*line).to_owned()).collect::<Vec<_>>(),
        ));
    }
    found
}

/// `--- FAIL: TestX (0.00s)` and `    x_test.go:5: words`, or `./x.go:3:5: words`.
fn go(lines: &[&str]) -> Vec<TestFailure> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(name) = line.trim_start().strip_prefix("--- FAIL: ") {
            let name = name.split(" (").next().unwrap_or(name);
            let next = lines.get(at + 1).copied().unwrap_or_default();
            let (place, words) = next.trim().split_once(": ").unwrap_or(("", next.trim()));
            found.push(with_place(name.to_owned(), place, &[words.to_owned()]));
        } else if let Some((place, words)) = line.split_once(": ")
            && place.contains(".go:")
            && place.starts_with("./")
        {
            found.push(with_place(String::new(), place, &[words.to_owned()]));
        }
    }
    found
}

/// `FAILED test_a.py::test_x - assert 1 == 2`, with `test_a.py:5: AssertionError` above.
fn pytest(lines: &[&str]) -> Vec<TestFailure> {
    let summary = lines.iter().filter_map(|line| {
        let rest = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "))?;
        let (name, words) = rest.split_once(" - ").unwrap_or((rest, ""));
        name.contains(".py").then_some((name, words))
    });
    summary
        .map(|(name, words)| {
            let file = name.split("::").next().unwrap_or(name);
            let inner = name.split_once("::").map_or(name, |(_, inner)| inner);
            let header = format!("_ {} _", inner.replace("::", "."));
            let body = lines.iter().position(|line| line.contains(&header)).unwrap_or(0);
            let place = lines[body..]
                .iter()
                .find(|line| line.strip_prefix(file).is_some_and(|rest| rest.starts_with(':')));
            let place = place.and_then(|line| line.split(": ").next()).unwrap_or(file);
            with_place(name.to_owned(), place, &[words.to_owned()])
        })
        .collect()
}

/// `FAIL: test_x (…)`, then a traceback whose last lines say where and why.
fn unittest(lines: &[&str]) -> Vec<TestFailure> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let name = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "));
        let (Some(name), Some(rule)) = (name, lines.get(at + 1)) else { continue };
        if !rule.starts_with("-----") {
            continue;
        }
        let rest = &lines[at + 2..];
        let end =
            rest.iter().position(|line| line.starts_with("=====") || line.starts_with("-----"));
        let rest = &rest[..end.unwrap_or(rest.len())];
        let place = rest.iter().rev().find_map(|line| line.trim().strip_prefix("File \""));
        let place = place.map(|place| {
            place.replace("\", line ", ":").split(", in ").next().unwrap_or_default().to_owned()
        });
        let words =
            rest.iter().rev().find(|line| line.contains("Error") || line.contains("Exception"));
        let words = [words.copied().unwrap_or_default().to_owned()];
        found.push(with_place(name.to_owned(), &place.unwrap_or_default(), &words));
    }
    found
}

/// `not ok 1 - name`, then a block with `location` and `error`.
fn tap(lines: &[&str]) -> Vec<TestFailure> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = line.trim_start().strip_prefix("not ok ") else { continue };
        let name = name.split_once(" - ").map_or(name, |(_, name)| name);
        let indent = line.len() - line.trim_start().len();
        let rest = &lines[at + 1..];
        let end = rest
            .iter()
            .position(|line| line.trim() == "..." || line.trim_start().starts_with("not ok"));
        let rest = &rest[..end.unwrap_or(rest.len().min(30))];
        if rest.iter().any(|line| line.trim() == "failureType: 'subtestsFailed'") {
            continue;
        }
        let field = |key: &str| {
            let at = rest.iter().position(|line| line.trim_start().starts_with(key))?;
            let value = rest[at].trim_start()[key.len()..].trim();
            if value.starts_with('|') {
                let block = rest[at + 1..]
                    .iter()
                    .take_while(|line| line.starts_with(&" ".repeat(indent + 4)));
                return Some(
                    block
                        .map(|line| line.trim())
                        .filter(|line| !line.is_empty())
                        .take(LINES)
                        .collect::<Vec<_>>()
                        .join(" / "),
                );
            }
            Some(value.trim_matches('\'').to_owned())
        };
        let place = field("location:").unwrap_or_default();
        found.push(with_place(name.to_owned(), &place, &[field("error:").unwrap_or_default()]));
    }
    found
}

/// `✖ name (1.2ms)` below `✖ failing tests:`, where node has a terminal's format.
fn node(lines: &[&str]) -> Vec<TestFailure> {
    let Some(start) = lines.iter().position(|line| line.trim() == "✖ failing tests:") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let rest = &lines[start + 1..];
    for (at, line) in rest.iter().enumerate() {
        let Some(name) = line.trim_start().strip_prefix("✖ ") else { continue };
        let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
        let place = at.checked_sub(1).and_then(|above| rest[above].trim().strip_prefix("test at "));
        let words = rest[at + 1..].iter().map(|line| line.trim()).find(|line| !line.is_empty());
        found.push(with_place(
            name.to_owned(),
            place.unwrap_or_default(),
            &[words.unwrap_or_default().to_owned()],
        ));
    }
    found
}

/// Lines that speak of a failure.
fn generic(lines: &[&str]) -> Vec<TestFailure> {
    const WORDS: [&str; 7] = ["FAIL", "not ok", "Error:", "error:", "ERROR", "panic:", "Assertion"];
    let speaks = |line: &&&str| WORDS.iter().any(|word| line.contains(word));
    let found = lines.iter().filter(speaks).map(|line| {
        let place = line.split_whitespace().find(|word| {
            let mut parts = word.split(':');
            let file = parts.next().is_some_and(|file| file.contains('.') || file.contains('/'));
            file && parts.next().is_some_and(|line| line.parse::<u32>().is_ok())
        });
        with_place(String::new(), place.unwrap_or_default(), &[line.trim().to_owned()])
    });
    found.take(5).collect()
}

/// A failure at `file:line:column`, of which all may be missing.
fn with_place(test: String, place: &str, words: &[String]) -> TestFailure {
    let place = place.trim().trim_start_matches("file://");
    let mut numbers = place.splitn(2, ':');
    let file = numbers.next().filter(|file| !file.is_empty()).map(str::to_owned);
    let line = numbers.next().and_then(|rest| rest.split(':').next()?.trim().parse().ok());
    let words: Vec<String> = words
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty())
        .take(LINES)
        .map(str::to_owned)
        .collect();
    TestFailure { test, file, line, message: words.join(" / ") }
}

#[cfg(test)]
mod tests;
