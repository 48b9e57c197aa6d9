//! TLS as this library speaks it: rustls, with the cryptography of ring.
//!
//! The configuration is made here and handed to the client, since the library that reqwest would
//! choose by itself takes longer to compile than everything else a client needs, and since asking
//! rustls for a default would be state of the whole process.

use std::sync::Arc;

use rustls::{
    ClientConfig, Error, RootCertStore, client::danger::ServerCertVerifier, crypto::ring,
};
use rustls_platform_verifier::Verifier;

/// Whom a client believes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// The certificates that the system holds.
    System,
    /// Nobody: no certificate will be looked at, so none is read.
    Nobody,
}

/// A client's configuration; an error where the system's certificates can't be read.
pub(super) fn config(trust: Trust) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions()?;
    Ok(match trust {
        Trust::Nobody => builder.with_root_certificates(RootCertStore::empty()),
        Trust::System => {
            let verifier: Arc<dyn ServerCertVerifier> = Arc::new(Verifier::new(provider)?);
            builder.dangerous().with_custom_certificate_verifier(verifier)
        }
    }
    .with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_spoken_and_no_certificate_of_a_client_is_shown() {
        let config = config(Trust::Nobody).unwrap();
        assert!(!config.client_auth_cert_resolver.has_certs());
        let provider = config.crypto_provider();
        let versions = [&rustls::version::TLS12, &rustls::version::TLS13];
        for version in versions {
            let spoken = |suite: &rustls::SupportedCipherSuite| suite.version() == version;
            assert!(provider.cipher_suites.iter().any(spoken), "{version:?}");
        }
    }
}
