//! `agent tool`

use clap::Args;

use super::Target;

#[derive(Debug, Args)]
pub(crate) struct Tool {
    /// The tool's name
    #[arg(required_unless_present_any = ["jsonl", "list"])]
    pub(crate) name: Option<String>,
    /// Its parameters as a JSON object; `-` reads them from standard input
    #[arg(value_name = "JSON")]
    pub(crate) params: Option<String>,
    /// Answer calls given on standard input, one a line: {"id": 1, "tool": NAME, "params": {}}
    #[arg(long, conflicts_with_all = ["name", "params", "list"])]
    pub(crate) jsonl: bool,
    /// Keep no record: what is changed can't be undone
    #[arg(long)]
    pub(crate) ephemeral: bool,
    /// Print the schemas of all tools
    #[arg(long, conflicts_with_all = ["name", "params"])]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) target: Target,
}
