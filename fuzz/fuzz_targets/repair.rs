//! Arguments and replies of any kind: read or refused, never a panic; and what is plain JSON is read
//! as it stands.
#![no_main]

use agent_llm::repair;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mended = repair::json(text);
    if let Ok(value @ serde_json::Value::Object(_)) = serde_json::from_str(text.trim()) {
        let mended = mended.expect("plain JSON is read");
        assert_eq!((mended.value, mended.mends), (value, Vec::new()));
    }
    let _ = repair::calls(text, &|name| name == "read_file");
});
