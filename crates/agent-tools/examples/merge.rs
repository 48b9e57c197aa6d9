//! Merges sketches: one JSON object a line in, one out.
//!
//! In: `{"id", "path", "original", "sketch"}`; out: `{"id", "status": "applied" | "declined", "content", "reason"}`.

use std::error::Error;
use std::io::{self, BufRead, Write};

use agent_tools::sketch;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let text = |key: &str| request[key].as_str().unwrap_or_default();
        let answer = match sketch::merge_text(text("original"), text("sketch"), text("path")) {
            Ok(content) => json!({"id": request["id"], "status": "applied", "content": content}),
            Err(decline) => {
                json!({"id": request["id"], "status": "declined", "reason": format!("{:?}", decline.reason)})
            }
        };
        serde_json::to_writer(&mut out, &answer)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}
