//! A server behind TLS: spoken to where its certificate is one that the system trusts, and not at
//! all where it isn't.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    path::Path,
    sync::Arc,
    thread,
};

use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

use crate::support::{Ended, Place};

const BODY: &str = r#"{"data": [{"id": "behind-tls"}]}"#;

/// Certificates for 127.0.0.1, each its own authority, and the key of the first. No other key is kept.
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/tls");

/// A server that shows the first certificate.
fn server() -> String {
    let fixtures = Path::new(FIXTURES);
    let certificate = CertificateDer::from_pem_file(fixtures.join("certificate.pem"));
    let certificate = certificate.expect("the certificate");
    let key = std::fs::read(fixtures.join("key.der")).expect("the key");
    let key = PrivateKeyDer::Pkcs8(key.into());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the versions of TLS")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("the certificate fits its key");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
            let mut stream = StreamOwned::new(connection, stream);
            // A client that doesn't trust the certificate goes away here.
            if stream.read(&mut [0; 4096]).is_ok() {
                let length = BODY.len();
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{BODY}"
                );
            }
        }
    });
    format!("https://{address}/v1")
}

/// Asks the server for its models, where the system trusts one certificate.
fn models(trusted: &str) -> Ended {
    let place = Place::new();
    let mut command = place.agent(&["models", "openai", "--base-url", &server()]);
    command.env("OPENAI_API_KEY", "none").env("SSL_CERT_FILE", Path::new(FIXTURES).join(trusted));
    Ended::of(command.output().expect("the program runs"))
}

#[test]
fn a_certificate_that_the_system_trusts_is_enough() {
    let ended = models("certificate.pem");
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(0), "openai/behind-tls  (would be used)\n"),
        "{ended:?}"
    );
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let ended = models("stranger.pem");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(12), ""), "{ended:?}");
    assert!(ended.stderr.contains("certificate"), "{ended:?}");
}
