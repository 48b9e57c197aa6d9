//! The code blocks of a page.

/// A code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The line of the page on which it begins, from 1.
    pub(super) line: usize,
    /// What stands behind the opening fence.
    pub(super) language: String,
    pub(super) text: String,
    /// What the models that it starts say: a script for each, in their order. It stands above the
    /// block, in a comment that begins with `<!-- replies` and has `---` between scripts.
    pub(super) replies: Vec<String>,
}

/// Every block of the page.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut replies = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let indent = line.len() - line.trim_start().len();
            let inside = lines.by_ref().map(|(_, line)| line);
            let inside = inside.take_while(|line| line.trim() != "```");
            let text = inside.map(|line| format!("{}\n", line.get(indent..).unwrap_or_default()));
            blocks.push(Block {
                line: index + 1,
                language: language.trim().to_owned(),
                text: text.collect(),
                replies: std::mem::take(&mut replies),
            });
        } else if line.trim() == "<!-- replies" {
            let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "-->");
            let inside: Vec<&str> = inside.collect();
            replies = inside.split(|line| *line == "---").map(|script| script.join("\n")).collect();
        }
    }
    blocks
}

/// A command of a `console` block with what it is said to print.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Step {
    pub(super) command: String,
    pub(super) output: String,
}

/// The steps of a `console` block: `$ ` begins a command, `> ` goes on with it.
pub(super) fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: format!("{command}\n"), output: String::new() });
            continue;
        }
        let Some(step) = steps.last_mut() else { continue };
        match line.strip_prefix("> ") {
            Some(more) if step.output.is_empty() => step.command += &format!("{more}\n"),
            Some(_) | None => step.output += &format!("{line}\n"),
        }
    }
    steps
}

/// Whether the output is what is shown: `…` stands for anything within a line, and alone in a line
/// for any number of lines.
pub(super) fn is_shown(shown: &str, output: &str) -> bool {
    let shown: Vec<&str> = shown.trim_end().lines().map(str::trim_end).collect();
    let output: Vec<&str> = output.trim_end().lines().map(str::trim_end).collect();
    lines_fit(&shown, &output)
}

fn lines_fit(shown: &[&str], output: &[&str]) -> bool {
    match (shown.split_first(), output.split_first()) {
        (None, None) => true,
        (Some((&"…", rest)), _) => {
            (0..=output.len()).any(|skip| lines_fit(rest, &output[skip..]))
        }
        (Some((line, shown)), Some((seen, output))) => fits(line, seen) && lines_fit(shown, output),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn fits(shown: &str, seen: &str) -> bool {
    match shown.split_once('…') {
        None => shown == seen,
        Some((before, after)) => seen.strip_prefix(before).is_some_and(|rest| {
            let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.into_iter().any(|at| fits(after, &rest[at..]))
        }),
    }
}

#[test]
fn blocks_are_found_with_their_replies() {
    let page = "a\n\n<!-- replies\none\n---\ntwo\n-->\n```sh\nx\n```\n- b\n  ```toml\n  y\n  ```\n";
    let found = blocks(page);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].line, &*found[0].language, &*found[0].text), (8, "sh", "x\n"));
    assert_eq!(found[0].replies, ["one", "two"]);
    assert_eq!((&*found[1].language, &*found[1].text), ("toml", "y\n"));
}

#[test]
fn output_is_compared_with_what_is_shown() {
    for (shown, output, fit) in [
        ("a\nb\n", "a\nb", true),
        ("a\n…\nd\n", "a\nb\nc\nd\n", true),
        ("a\n…\nd\n", "a\nd\n", true),
        ("…", "", true),
        ("in … ms, …", "in 12 ms, ok", true),
        ("in … ms", "in 12 s", false),
        ("a\n", "a\nb\n", false),
        ("", "a\n", false),
    ] {
        assert_eq!(is_shown(shown, output), fit, "{shown:?} {output:?}");
    }
    let found = steps("$ a \\\n> b\nout\n\n$ c\n");
    let step = |command: &str, output: &str| Step {
        command: command.to_owned(),
        output: output.to_owned(),
    };
    assert_eq!(found, [step("a \\\nb\n", "out\n\n"), step("c\n", "")]);
}
