//! Globs that narrow a walk to some files.

use std::path::{Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};

use crate::{Workspace, WorkspacePath};

/// The text of a glob cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the glob `{glob}` is not valid: {problem}; \
     write for example `*.rs` (in any directory), `src/**` (all below src) or `*.{{js,ts}}`"
)]
pub struct GlobError {
    /// The glob as it was given.
    pub glob: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Which files a walk is about: globs as in a `.gitignore` file or after `rg -g`.
///
/// A glob without a slash matches in any directory, one with a slash is taken from the base
/// directory. The name of a directory stands for everything below it.
#[derive(Debug)]
pub(crate) struct Globs {
    /// The directory that the globs are relative to, empty for the root of the workspace.
    base: PathBuf,
    globs: Override,
}

impl Globs {
    /// The files that a glob of `include` matches, all if there is none, without those that a glob
    /// of `exclude` matches. Each may be several globs with commas between them.
    pub(crate) fn new(
        workspace: &Workspace,
        base: &WorkspacePath,
        include: Option<&str>,
        exclude: Option<&str>,
    ) -> Result<Self, GlobError> {
        let absolute = workspace.absolute(base);
        let mut builder = OverrideBuilder::new("");
        let mut add = |given: &str, line: &str| match builder.add(line) {
            Ok(_) => Ok(()),
            Err(error) => Err(GlobError { glob: given.to_owned(), problem: problem_of(error) }),
        };
        for given in include.into_iter().flat_map(split) {
            match given.strip_prefix('!') {
                Some(excluded) => add(given, &format!("!{}", anchor(&absolute, excluded)?))?,
                None => including(&anchor(&absolute, given)?)
                    .iter()
                    .try_for_each(|line| add(given, line))?,
            }
        }
        for given in exclude.into_iter().flat_map(split) {
            // `!x`, as after `rg -g`, can only mean to leave x out here too.
            let excluded = given.strip_prefix('!').unwrap_or(given);
            add(given, &format!("!{}", anchor(&absolute, excluded)?))?;
        }
        let globs = builder.build().map_err(|error| GlobError {
            glob: [include, exclude].into_iter().flatten().collect::<Vec<_>>().join(","),
            problem: problem_of(error),
        })?;
        let base = if base.is_root() { PathBuf::new() } else { base.as_path().to_owned() };
        Ok(Self { base, globs })
    }

    /// Whether the walk is about this file.
    pub(crate) fn select(&self, file: &WorkspacePath) -> bool {
        !self.globs.matched(self.relative(file), false).is_ignore()
    }

    /// Whether files below this directory may be selected.
    pub(crate) fn enter(&self, dir: &WorkspacePath) -> bool {
        !self.globs.matched(self.relative(dir), true).is_ignore()
    }

    fn relative<'p>(&self, path: &'p WorkspacePath) -> &'p Path {
        path.as_path().strip_prefix(&self.base).unwrap_or(path.as_path())
    }
}

/// Splits at the commas that do not stand between braces or brackets.
fn split(globs: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut escaped = false;
    let at_comma = |c: char| {
        let plain = !escaped;
        escaped = plain && c == '\\';
        match c {
            '{' | '[' if plain => depth += 1,
            '}' | ']' if plain => depth = depth.saturating_sub(1),
            _ => {}
        }
        plain && c == ',' && depth == 0
    };
    globs.split(at_comma).map(str::trim).filter(|glob| !glob.is_empty()).collect()
}

/// Turns the ways in which paths are written at the front of a glob into the leading slash that
/// ties a glob to the base directory.
fn anchor(base: &Path, glob: &str) -> Result<String, GlobError> {
    if glob.split('/').any(|part| part == "..") {
        let problem = "`..` leads out of the directory that is searched".to_owned();
        return Err(GlobError { glob: glob.to_owned(), problem });
    }
    let below_base = base.to_str().and_then(|base| glob.strip_prefix(base));
    let anchored = match (below_base, glob.strip_prefix("./")) {
        (Some(rest), _) if rest.is_empty() || rest.starts_with('/') => rest.to_owned(),
        (_, Some(rest)) => format!("/{rest}"),
        // `#` would begin a comment.
        _ if glob.starts_with('#') => format!("\\{glob}"),
        _ => glob.to_owned(),
    };
    let is_base = anchored == "." || anchored.trim_matches('/').is_empty();
    Ok(if is_base { "**".to_owned() } else { anchored })
}

/// The lines that select what `glob` matches, and all below it if that is a directory.
fn including(glob: &str) -> Vec<String> {
    let dir = glob.trim_end_matches('/');
    let anywhere = if dir.contains('/') { "" } else { "**/" };
    let below = format!("{anywhere}{dir}/**");
    let last = dir.rsplit('/').next().unwrap_or(dir);
    if dir.len() < glob.len() {
        vec![below]
    } else if last.contains(['*', '?', '[', '{']) {
        vec![glob.to_owned()]
    } else {
        vec![glob.to_owned(), below]
    }
}

fn problem_of(error: ignore::Error) -> String {
    if let ignore::Error::Glob { err, .. } = error { err } else { error.to_string() }
}
