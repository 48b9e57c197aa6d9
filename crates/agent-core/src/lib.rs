//! agent-core
