//! Every dialect against every fault: what becomes of a call.

mod dialects;
mod errors;
mod replies;

use std::time::Duration;

use agent_llm::{
    Endpoint, ErrorKind, FinishReason, Message, Options, Reply, Request, ServedModel, Timeouts,
    connect,
};

use self::dialects::{ALL, Dialect, End, Said};
use self::errors::documented;
use super::once;
use super::server::{Answer, Server, chunked, response, stream};

/// What came of a call: words, name and arguments of the calls, and why it ended.
type Came = Result<(String, Vec<(String, String)>, FinishReason), ErrorKind>;

/// The cells that were looked at, and those that are not right.
#[derive(Default)]
struct Table {
    cells: usize,
    wrong: Vec<String>,
}

impl Table {
    async fn cell(&mut self, dialect: &Dialect, fault: &str, answer: Answer, expected: Came) {
        let came = came(dialect, answer).await;
        self.cells += 1;
        if came != expected {
            let name = dialect.name;
            self.wrong.push(format!("{name} × {fault}: {came:?}, expected {expected:?}"));
        }
    }
}

async fn came(dialect: &Dialect, answer: Answer) -> Came {
    let idle = match answer {
        Answer::Stall(_) => Duration::from_millis(150),
        Answer::Whole(_) | Answer::Trickle(_) | Answer::KeepOpen(_) => Duration::from_secs(20),
    };
    let server = Server::start(vec![answer]);
    let timeouts = Timeouts { idle, ..once().timeouts };
    let options = Options { openai_api: dialect.api, timeouts, ..once() };
    let model = ServedModel { vendor: dialect.vendor, model: "m".to_owned() };
    let base = Endpoint::new(server.url.clone());
    let provider = connect(&model, &base, &options).unwrap();
    let ask = Message::User("go".to_owned());
    let request = Request::new(dialect.purpose, vec![std::sync::Arc::new(ask)]);
    let reply = Reply::collect(provider.send(request)).await.map_err(|error| error.kind)?;
    let call = |call: &agent_llm::ToolCall| (call.name.clone(), call.arguments.clone());
    Ok((reply.text(), reply.calls().map(call).collect(), reply.finish))
}

fn body(text: &str) -> Answer {
    Answer::Whole(stream(text))
}

fn words(text: &str, finish: FinishReason) -> Came {
    Ok((text.to_owned(), vec![], finish))
}

const CALL: (&str, &str) = ("read", r#"{"path":"a.txt"}"#);

/// A whole reply: words, and a call where the dialect has them.
fn good(dialect: &Dialect) -> (String, Came) {
    let call = dialect.calls().then_some(CALL);
    let end = if dialect.calls() && dialect.has(End::Calls) { End::Calls } else { End::Stop };
    let said = Said { text: "Grüße an alle", call, end };
    let finish = if dialect.calls() { FinishReason::ToolCalls } else { FinishReason::Stop };
    let calls = call.map(|(name, arguments)| (name.to_owned(), arguments.to_owned()));
    let came = Ok((said.text.to_owned(), calls.into_iter().collect(), finish));
    ((dialect.stream)(&said), came)
}

/// Statuses that come without an explanation.
async fn statuses(table: &mut Table, dialect: &Dialect) {
    use ErrorKind::*;
    for (status, kind) in [
        ("302 Found", BadRequest),
        ("400 Bad Request", BadRequest),
        ("401 Unauthorized", Unauthorized),
        ("402 Payment Required", QuotaExceeded),
        ("403 Forbidden", Unauthorized),
        ("404 Not Found", NotFound),
        ("405 Method Not Allowed", BadRequest),
        ("408 Request Timeout", Overloaded),
        ("413 Content Too Large", ContextTooLong),
        ("422 Unprocessable Content", BadRequest),
        ("429 Too Many Requests", RateLimited),
        ("500 Internal Server Error", Overloaded),
        ("502 Bad Gateway", Overloaded),
        ("503 Service Unavailable", Overloaded),
        ("504 Gateway Timeout", Overloaded),
        ("529 Overloaded", Overloaded),
    ] {
        let answer = Answer::Whole(response(status, "", ""));
        table.cell(dialect, status, answer, Err(kind)).await;
    }
}

/// The vendor's own errors: with their status, with status 200, and in the middle of a stream.
async fn errors(table: &mut Table, dialect: &Dialect) {
    for error in documented(dialect.errors) {
        let text = error.body.to_string();
        let answer = Answer::Whole(response(&format!("{} X", error.status), "", &text));
        table.cell(dialect, &error.about, answer, Err(error.kind)).await;

        let what = format!("{} with status 200", error.about);
        table.cell(dialect, &what, body(&text), Err(error.inside())).await;

        let half = Said { text: "half", call: None, end: End::Never };
        let half = (dialect.stream)(&half) + &(dialect.event)(&error.body);
        let what = format!("{} in the middle", error.about);
        table.cell(dialect, &what, body(&half), Err(error.inside())).await;
    }
}

/// Bodies that are no reply.
async fn garbage(table: &mut Table, dialect: &Dialect) {
    use ErrorKind::{BadReply, Cut};
    let lines = matches!(dialect.name, "ollama" | "generate");
    for (text, kind) in [
        ("", Cut),
        (" \n\n", Cut),
        ("{", Cut),
        ("{\"models\":[", Cut),
        ("<html>no</html>", BadReply),
        ("It works!", BadReply),
        ("null\n", BadReply),
        ("[]", BadReply),
        ("[1,2]\n", BadReply),
        ("\"text\"", BadReply),
        ("{\"models\":[]}", BadReply),
        ("{\"detail\":\"x\"}\n", BadReply),
        ("{nonsense}", BadReply),
        ("data: {\"x\":1}\n\n", BadReply),
        ("data: <html>\n\n", BadReply),
        ("data: {\"x\":", if lines { BadReply } else { Cut }),
        ("\u{0}\u{1}\u{2}", BadReply),
    ] {
        table.cell(dialect, &format!("{text:?}"), body(text), Err(kind)).await;
    }
    for other in &ALL {
        if other.vendor == dialect.vendor && other.api == dialect.api {
            continue;
        }
        let what = format!("what {} says", other.name);
        table.cell(dialect, &what, body(&good(other).0), Err(BadReply)).await;
    }
    for (text, expected) in dialect.wrong_types {
        let expected = expected.and_then(|text| words(text, FinishReason::Stop));
        table.cell(dialect, text, body(text), expected).await;
    }
}

/// Ends that do not fit what was said.
async fn ends(table: &mut Table, dialect: &Dialect) {
    use FinishReason::{Length, Stop, ToolCalls};
    let filtered = || Err(ErrorKind::Filtered);
    let texts = [
        (End::Stop, words("Hi", Stop)),
        (End::Calls, words("Hi", Stop)),
        (End::Length, words("Hi", Length)),
        (End::Filter, filtered()),
        (End::Odd, words("Hi", dialect.odd())),
        (End::Never, Err(ErrorKind::Cut)),
    ];
    for (end, expected) in texts.into_iter().filter(|(end, _)| dialect.has(*end)) {
        let text = (dialect.stream)(&Said { text: "Hi", call: None, end });
        table.cell(dialect, &format!("words, {end:?}"), body(&text), expected).await;
    }
    let called = |finish| Ok((String::new(), vec![(CALL.0.to_owned(), CALL.1.to_owned())], finish));
    let calls = [
        (End::Stop, called(ToolCalls)),
        (End::Calls, called(ToolCalls)),
        (End::Length, called(Length)),
        (End::Filter, filtered()),
        (End::Odd, called(dialect.odd())),
        (End::Never, Err(ErrorKind::Cut)),
    ];
    if !dialect.calls() {
        return;
    }
    for (end, expected) in calls.into_iter().filter(|(end, _)| dialect.has(*end)) {
        let text = (dialect.stream)(&Said { text: "", call: Some(CALL), end });
        table.cell(dialect, &format!("a call, {end:?}"), body(&text), expected).await;
    }
    let nothing = (dialect.stream)(&Said { text: "", call: None, end: End::Stop });
    table.cell(dialect, "nothing", body(&nothing), words("", Stop)).await;
}

/// The same reply in other clothes.
async fn clothes(table: &mut Table, dialect: &Dialect) {
    let (text, came) = good(dialect);
    let lines = matches!(dialect.name, "ollama" | "generate");
    let mut dressed = vec![
        ("as it is", text.clone()),
        ("CRLF", text.replace('\n', "\r\n")),
        ("blank lines", format!("\n\n{}", text.replace('\n', "\n\n"))),
        ("no last line feed", text.trim_end().to_owned()),
        ("white space behind it", format!("{text} \n\n")),
    ];
    if lines {
        dressed.push(("a line of another kind", format!("{{\"status\":\"loading\"}}\n{text}")));
    } else {
        dressed.push(("a byte order mark", format!("\u{feff}{text}")));
        dressed.push(("comments", format!(": hi\n\n{}", text.replace("data: ", ": ping\ndata: "))));
        dressed.push(("other fields", text.replace("data: ", "id: 1\nretry: 9\nevent: x\ndata: ")));
        dressed.push(("no space behind the colon", text.replace("data: ", "data:")));
    }
    for (what, text) in &dressed {
        table.cell(dialect, what, body(text), came.clone()).await;
    }
    let whole = Answer::Whole(chunked(&[&text], "0\r\n\r\n"));
    table.cell(dialect, "one chunk", whole, came.clone()).await;
    let unfinished = Answer::Whole(chunked(&[&text], ""));
    table.cell(dialect, "no last chunk", unfinished, came.clone()).await;
    let many: Vec<String> = text.chars().map(String::from).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let many = Answer::Whole(chunked(&many, "0\r\n\r\n"));
    table.cell(dialect, "a chunk for each character", many, came.clone()).await;
    let trickle = Answer::Trickle(stream(&text));
    table.cell(dialect, "a packet for each byte", trickle, came).await;
}

/// Connections that break.
async fn connections(table: &mut Table, dialect: &Dialect) {
    use ErrorKind::{Cut, Network, Silent};
    let said =
        Said { text: "half a reply", call: dialect.calls().then_some(CALL), end: End::Never };
    let text = (dialect.stream)(&said);
    let eighth = |count: usize| text.floor_char_boundary(text.len() * count / 8);
    for count in 1..8 {
        let cut = body(&text[..eighth(count)]);
        table.cell(dialect, &format!("cut after {count}/8"), cut, Err(Cut)).await;
    }
    let half = &text[..eighth(4)];
    let promised = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{half}", text.len());
    for (what, answer, kind) in [
        ("the connection closes without an answer", Answer::Whole(vec![]), Network),
        ("half a status line", Answer::Whole(b"HTTP/1.1 2".to_vec()), Network),
        ("less than was promised", Answer::Whole(promised.into_bytes()), Cut),
        ("cut inside a chunk", Answer::Whole(chunked(&[half], "ff\r\nda")), Cut),
        ("no chunk at all", Answer::Whole(chunked(&[], "")), Cut),
        ("status 204", Answer::Whole(response("204 No Content", "", "")), Cut),
        ("silence", Answer::Stall(vec![]), Silent),
        ("silence after half of it", Answer::Stall(stream(half)), Silent),
    ] {
        table.cell(dialect, what, answer, Err(kind)).await;
    }
}

#[tokio::test]
async fn every_dialect_meets_every_fault() {
    let mut table = Table::default();
    for dialect in &ALL {
        statuses(&mut table, dialect).await;
        errors(&mut table, dialect).await;
        garbage(&mut table, dialect).await;
        ends(&mut table, dialect).await;
        clothes(&mut table, dialect).await;
        connections(&mut table, dialect).await;
    }
    let Table { cells, wrong } = table;
    assert!(wrong.is_empty(), "{} of {cells} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cells >= 700, "{cells} cells");
}
