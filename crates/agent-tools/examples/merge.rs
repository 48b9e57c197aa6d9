//! Merges sketches: one JSON object a line in, one out.
//!
//! In: `{"id", "path", "original", "sketch"}`; out: `{"id", "status", "content"}`, where the status
//! is `applied`, or `{"id", "status", "reason"}`, where it is `declined`.

use std::error::Error;
use std::io::{self, BufRead, BufReader, BufWriter, Write};

use agent_tools::sketch;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    // A request is a whole file; with room for one, it is read and answered in one go.
    let mut input = BufReader::with_capacity(1 << 20, io::stdin());
    let mut output = BufWriter::with_capacity(1 << 20, io::stdout());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let request: Value = serde_json::from_str(&line)?;
        let text = |key: &str| request[key].as_str().unwrap_or_default();
        let answer = match sketch::merge_text(text("original"), text("sketch"), text("path")) {
            Ok(content) => json!({"id": request["id"], "status": "applied", "content": content}),
            Err(decline) => {
                json!({"id": request["id"], "status": "declined", "reason": decline.to_string()})
            }
        };
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}
