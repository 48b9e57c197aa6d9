//! A server for one test: it answers with bytes that were written down, as they are.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// One answer; the connection is closed after it.
pub(crate) enum Answer {
    /// All at once.
    Whole(Vec<u8>),
    /// Every byte in a packet of its own.
    Trickle(Vec<u8>),
    /// These bytes, then nothing for as long as the client waits.
    Stall(Vec<u8>),
    /// All at once, and the connection stays open for the next request.
    KeepOpen(Vec<u8>),
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Received {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// Answers the requests that come, in order; further ones find the port closed.
pub(crate) struct Server {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
    /// Says when the client has closed a connection on which an answer stalled.
    closed: Receiver<()>,
}

impl Server {
    pub(crate) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let (closing, closed) = channel();
        let log = Arc::clone(&received);
        thread::spawn(move || serve(&listener, answers, &log, &closing));
        Self { url, received, closed }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Waits until the client closes the connection of a stalled answer. The client's runtime has
    /// to run meanwhile: it is a task of its own that closes the connection.
    pub(crate) async fn wait_for_close(&self) {
        for _ in 0..1000 {
            if self.closed.try_recv().is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the connection stays open");
    }
}

fn serve(
    listener: &TcpListener,
    answers: Vec<Answer>,
    log: &Mutex<Vec<Received>>,
    closing: &Sender<()>,
) {
    let mut open: Option<TcpStream> = None;
    for answer in answers {
        let mut stream = match open.take() {
            Some(stream) => stream,
            None => listener.accept().unwrap().0,
        };
        stream.set_nodelay(true).unwrap();
        let Some(request) = receive(&mut stream) else { return };
        log.lock().unwrap().push(request);
        match answer {
            Answer::Whole(bytes) => stream.write_all(&bytes).unwrap(),
            Answer::Trickle(bytes) => {
                for byte in bytes {
                    stream.write_all(&[byte]).unwrap();
                }
            }
            Answer::Stall(bytes) => {
                stream.write_all(&bytes).unwrap();
                let end = stream.read(&mut [0]);
                assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
                // Nobody may be waiting for it any more.
                let _ = closing.send(());
            }
            Answer::KeepOpen(bytes) => {
                stream.write_all(&bytes).unwrap();
                open = Some(stream);
            }
        }
    }
}

/// Reads one request; `None` where the client closed the connection instead.
fn receive(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).unwrap() == 0 {
            return None;
        }
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap();
    let mut received = Received { head, body: String::new() };
    let length = received.header("content-length").map_or(0, |value| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    received.body = String::from_utf8(body).unwrap();
    Some(received)
}

/// A response with a JSON body.
pub(crate) fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}").into_bytes()
}

/// A response whose body ends with the connection.
pub(crate) fn stream(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{body}")
        .into_bytes()
}

/// A chunked response; without `end` it stops before the last chunk.
pub(crate) fn chunked(pieces: &[&str], end: &str) -> Vec<u8> {
    let mut bytes = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for piece in pieces {
        bytes.extend_from_slice(format!("{:x}\r\n{piece}\r\n", piece.len()).as_bytes());
    }
    bytes.extend_from_slice(end.as_bytes());
    bytes
}
