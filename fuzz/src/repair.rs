//! Arguments and replies of any kind: read or refused, never a panic; and what is plain JSON is read
//! as it stands.

use agent_llm::repair;

/// Holds them against an input.
pub fn check(text: &str) {
    let mended = repair::json(text);
    if let Ok(value @ serde_json::Value::Object(_)) = serde_json::from_str(text.trim()) {
        let mended = mended.expect("plain JSON is read");
        assert_eq!((mended.value, mended.mends), (value, Vec::new()));
    }
    let _ = repair::calls(text, &|name| name == "read_file");
}
