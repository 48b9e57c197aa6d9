//! `agent config`

use clap::Subcommand;

use super::Target;

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Print every setting
    Show {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
        #[command(flatten)]
        target: Target,
    },
    /// Print the path of the user's configuration file
    Path,
    /// Write a value into the user's configuration file
    Set {
        /// A key, as `agent config show` prints it
        key: String,
        /// Its value
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
}
