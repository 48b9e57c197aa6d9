//! An old result in a few lines: its beginning, its end, and how to see the rest again.

use agent_llm::ToolResult;
use agent_tools::{limit, sha256};

use super::tokens;
use crate::tools;

/// Results up to this many bytes stay as they are: what is shown instead is not much shorter.
const SHORT: usize = 1200;

/// Bytes of the result that are shown.
const SHOWN: usize = 600;

/// Tokens of what stands before them.
const HEAD: u64 = 110;

/// The result as it is shown once it is old, or nothing where it is short already.
pub(crate) fn shortened(result: &ToolResult) -> Option<ToolResult> {
    let text = &result.content;
    if text.len() <= SHORT {
        return None;
    }
    let (bytes, lines) = (text.len(), text.lines().count());
    let again = match tools::canonical(&result.name) {
        "edit_file" | "apply_patch" | "create_file" | "delete_file" | "undo" => {
            "to see what the file holds now, read it".to_owned()
        }
        "run_command" => {
            "to see all of it, run the command again, unless that would do harm".to_owned()
        }
        name => format!("to see all of it, call `{name}` again with the same parameters"),
    };
    let hash = sha256(text.as_bytes());
    let content = format!(
        "(Shortened to make room: {bytes} bytes in {lines} lines, sha256 {hash}; {again}.)\n{}",
        limit::head_tail(text, SHOWN)
    );
    Some(ToolResult { content, ..result.clone() })
}

/// About as many tokens as [`shortened`] leaves of a result, and rather more; none where it stays.
pub(crate) fn shortened_tokens(result: &ToolResult) -> Option<u64> {
    let text = &result.content;
    (text.len() > SHORT).then(|| HEAD + tokens::of_text(&limit::head_tail(text, SHOWN)))
}

#[cfg(test)]
mod tests {
    use agent_llm::Message;

    use super::*;

    fn result(name: &str, content: String) -> ToolResult {
        ToolResult { call_id: "1".to_owned(), name: name.to_owned(), content }
    }

    #[test]
    fn a_long_result_says_what_is_left_out_and_how_to_see_it() {
        let text: String = (1..=500).map(|number| format!("line {number}\n")).collect();
        let short = shortened(&result("read_file", text.clone())).expect("it is long");
        let hash = sha256(text.as_bytes());
        let head = format!(
            "(Shortened to make room: {} bytes in 500 lines, sha256 {hash}; to see all of it, call \
             `read_file` again with the same parameters.)\nline 1\n",
            text.len()
        );
        assert!(short.content.starts_with(&head), "{}", short.content);
        assert!(short.content.ends_with("line 499\nline 500\n"), "{}", short.content);
        assert!(short.content.contains(" left out …\n"), "{}", short.content);
        assert_eq!(shortened(&short), None, "once is enough");
        let expected = shortened_tokens(&result("read_file", text)).expect("it is long");
        let tokens = tokens::of_message(&Message::Tool(short));
        assert!((tokens..tokens + 50).contains(&expected), "{expected} for {tokens}");
    }

    #[test]
    fn what_has_effects_is_not_to_be_called_again() {
        let text = || "x".repeat(5000);
        for (tool, advice) in [
            ("edit_file", "; to see what the file holds now, read it.)"),
            ("run_command", "unless that would do harm.)"),
            ("grep_search", "call `grep_search` again"),
        ] {
            let short = shortened(&result(tool, text())).expect("it is long");
            assert!(short.content.contains(advice), "{}", short.content);
        }
        assert_eq!(shortened(&result("read_file", "x".repeat(SHORT))), None);
    }
}
