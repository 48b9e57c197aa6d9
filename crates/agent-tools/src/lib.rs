//! agent-tools
