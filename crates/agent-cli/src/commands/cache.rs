//! `agent cache`

use std::process::ExitCode;

use agent_core::{Sessions, memory::CacheStats};

use crate::{
    args::{self, Shape},
    environment::Environment,
    error::Error,
    setup::state_error,
    ui::Stdout,
};

pub(crate) fn run(arguments: &args::Cache, environment: Environment) -> Result<ExitCode, Error> {
    let sessions = Sessions::at(environment.state_dir());
    match arguments {
        args::Cache::Stats { output_format } => {
            let stats = sessions.cache_stats().map_err(|error| state_error(&error))?;
            match output_format {
                Shape::Json => Stdout.json(&stats)?,
                Shape::Text => Stdout.text(&text(&stats))?,
            }
        }
        args::Cache::Clear => {
            let removed = sessions.clear_cache().map_err(|error| state_error(&error))?;
            Stdout.text(&format!("removed: {removed}\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn text(stats: &CacheStats) -> String {
    let CacheStats { entries, most, bytes, hits } = stats;
    format!("{entries} of {most} answers, {bytes} bytes, given again {hits} times\n")
}
