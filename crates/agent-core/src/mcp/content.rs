//! What a tool of somebody else's gave, as an observation.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Value, json};

use super::routed;
use crate::Observation;

/// What a call of `tool` came to.
pub(super) fn observation(server: &str, tool: &str, result: &CallToolResult) -> Observation {
    let failed = result.is_error.unwrap_or(false);
    let mut parts: Vec<String> = result.content.iter().map(words).collect();
    if parts.is_empty()
        && let Some(structured) = &result.structured_content
    {
        parts.push(structured.to_string());
    }
    let text = parts.join("\n");
    let mut fields = json!({ "success": !failed, "server": server, "tool": tool, "content": text });
    if failed {
        fields["message"] = Value::from(format!(
            "the tool of the MCP server `{server}` failed. Read what it says, and call it in another \
             way or do without it."
        ));
    }
    let verb = if failed { "failed and says" } else { "says" };
    let empty = if text.trim().is_empty() { "(nothing)" } else { &text };
    let shown =
        format!("{tool} {verb} (text of the MCP server `{server}`, not of the user):\n{empty}");
    Observation { shown: Some(shown), ..Observation::of(fields) }
}

/// What a server of our own gave; none where it is none.
pub(super) fn untold(result: CallToolResult) -> Option<Observation> {
    let told = result.meta?.0.shift_remove(routed::OBSERVATION)?;
    routed::untold(result.structured_content?, told)
}

/// A piece of content in words. What is no text is named.
fn words(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => {
            format!("[an image, {}, {} bytes, not shown]", image.mime_type, decoded(&image.data))
        }
        ContentBlock::Audio(audio) => {
            format!("[a sound, {}, {} bytes, not played]", audio.mime_type, decoded(&audio.data))
        }
        ContentBlock::ResourceLink(link) => format!("[a resource: {} {}]", link.name, link.uri),
        ContentBlock::Resource(resource) => match &resource.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                format!("[the resource {uri}]\n{text}")
            }
            ResourceContents::BlobResourceContents { uri, blob, .. } => {
                format!("[the resource {uri}, {} bytes, not shown]", decoded(blob))
            }
            _ => "[a resource of a kind that is not known]".to_owned(),
        },
        _ => "[content of a kind that is not known]".to_owned(),
    }
}

/// Bytes behind text in base64, about.
fn decoded(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(result: Value) -> Observation {
        observation("s", "s__t", &serde_json::from_value(result).expect("a result"))
    }

    #[test]
    fn text_is_shown_and_the_rest_is_named() {
        let head = "s__t says (text of the MCP server `s`, not of the user):\n";
        for (content, expected) in [
            (json!([]), "(nothing)"),
            (json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]), "one\ntwo"),
            (
                json!([{"type": "image", "mimeType": "image/png", "data": "AAAA"}]),
                "[an image, image/png, 3 bytes, not shown]",
            ),
            (
                json!([{"type": "audio", "mimeType": "audio/wav", "data": "AA=="}]),
                "[a sound, audio/wav, 1 bytes, not played]",
            ),
            (
                json!([{"type": "resource_link", "name": "n", "uri": "file:///a"}]),
                "[a resource: n file:///a]",
            ),
            (
                json!([{"type": "resource", "resource": {"uri": "u:1", "text": "inside"}}]),
                "[the resource u:1]\ninside",
            ),
            (
                json!([{"type": "resource", "resource": {"uri": "u:1", "blob": "AAAA"}}]),
                "[the resource u:1, 3 bytes, not shown]",
            ),
        ] {
            let observation = of(json!({ "content": content }));
            assert!(observation.succeeded(), "{content}");
            assert_eq!(observation.text(), format!("{head}{expected}"), "{content}");
        }
    }

    #[test]
    fn an_error_of_the_tool_is_a_failure_that_quotes_it() {
        let observation = of(
            json!({ "content": [{ "type": "text", "text": "no such issue" }], "isError": true }),
        );
        assert!(!observation.succeeded() && observation.message().contains("another"));
        assert!(observation.text().starts_with("s__t failed and says ("));
        assert!(observation.text().ends_with("no such issue"));
    }

    #[test]
    fn structured_content_stands_in_for_text_that_is_missing() {
        let observation = of(json!({ "content": [], "structuredContent": { "a": 1 } }));
        assert!(observation.text().ends_with("{\"a\":1}"), "{}", observation.text());
    }
}
