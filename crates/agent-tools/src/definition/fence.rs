//! Fences in an answer.

/// The code of an answer: what stands in its fences, or all of it where there is none.
///
/// A fence that is never closed ends with the answer. Fences within a longer fence belong to its
/// code.
pub fn code_blocks(answer: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in answer.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let marks = marks(line);
        match open {
            None if !marks.is_empty() => open = Some((marks, at)),
            Some((fence, from))
                if marks.starts_with(fence) && line.trim().trim_start_matches(marks).is_empty() =>
            {
                blocks.push(&answer[from..start]);
                open = None;
            }
            None | Some(_) => {}
        }
    }
    if let Some((_, from)) = open {
        blocks.push(&answer[from..]);
    }
    if blocks.is_empty() { vec![answer] } else { blocks }
}

/// The marks of a fence at the beginning of a line.
fn marks(line: &str) -> &str {
    let line = line.trim_start();
    let end = |mark: char| line.len() - line.trim_start_matches(mark).len();
    match end('`').max(end('~')) {
        length @ 3.. => &line[..length],
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_wherever_they_are() {
        for (answer, blocks) in [
            ("x = 1\n", vec!["x = 1\n"]),
            ("```\nx = 1\n```", vec!["x = 1\n"]),
            ("Here:\n\n```python\nx = 1\n```\n\nand\n~~~\ny\n~~~\n", vec!["x = 1\n", "y\n"]),
            ("```py\nx = 1\n", vec!["x = 1\n"]),
            ("````md\n```sh\nls\n```\n````\n", vec!["```sh\nls\n```\n"]),
            ("  ```js\n  x\n  ```\n", vec!["  x\n"]),
            ("", vec![""]),
        ] {
            assert_eq!(code_blocks(answer), blocks, "{answer:?}");
        }
    }
}
