//! `agent cache`

use clap::Subcommand;

use super::Shape;

#[derive(Debug, Subcommand)]
pub(crate) enum Cache {
    /// Show how many answers are kept, and how often one was given again
    Stats {
        /// What goes to standard output
        #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
        output_format: Shape,
    },
    /// Remove every answer
    Clear,
}
