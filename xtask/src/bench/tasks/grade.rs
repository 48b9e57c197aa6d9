//! What a task came to, by the files and the answer.

use std::{fs, path::Path, process::Command};

use super::Task;
use crate::{Failure, text};

/// The verdict on a run.
pub(super) struct Grade {
    /// What is missing; empty where it is solved.
    pub(super) problems: Vec<String>,
    /// Something changed that nobody asked for.
    pub(super) unrequested: bool,
}

/// Compares the tree and the answer with what the task asks for.
pub(super) fn grade(task: &Task, tree: &Path, answer: &str) -> Result<Grade, Failure> {
    let mut grade = Grade { problems: Vec::new(), unrequested: false };
    let answer = answer.to_lowercase();
    for fact in &task.answer {
        // Alternatives stand with a bar between them.
        if !fact.split('|').any(|one| answer.contains(&one.to_lowercase())) {
            grade.problems.push(format!("the answer lacks {fact:?}"));
        }
    }
    for (file, texts) in &task.after {
        let is = fs::read_to_string(tree.join(file)).unwrap_or_default();
        if !texts.iter().any(|text| even(text) == even(&is)) {
            grade.problems.push(format!("{file} is not as it should be"));
        }
    }
    for file in task.gone.iter().filter(|file| tree.join(file).exists()) {
        grade.problems.push(format!("{file} is still there"));
    }
    if let Some(check) = &task.check {
        let mut command = Command::new("sh");
        command.args(["-c", check]).current_dir(tree).env("PYTHONDONTWRITEBYTECODE", "1");
        if !command.output().map_err(text)?.status.success() {
            grade.problems.push("the check fails".to_owned());
        }
    }
    for file in files(tree, tree)? {
        let may = task.after.contains_key(&file) || task.may_change.contains(&file);
        let is = fs::read_to_string(tree.join(&file)).unwrap_or_default();
        if !may && task.files.get(&file) != Some(&is) {
            grade.problems.push(format!("{file} was changed, which nobody asked for"));
            grade.unrequested = true;
        }
    }
    for file in task.files.keys().filter(|file| !tree.join(file).exists()) {
        if !task.gone.contains(file) {
            grade.problems.push(format!("{file} is gone, which nobody asked for"));
            grade.unrequested = true;
        }
    }
    Ok(grade)
}

/// A text without what nobody would mind.
fn even(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect()
}

fn files(root: &Path, directory: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(text)? {
        let path = entry.map_err(text)?.path();
        if path.is_dir() {
            found.extend(files(root, &path)?);
        } else if let Ok(relative) = path.strip_prefix(root) {
            found.push(relative.display().to_string());
        }
    }
    Ok(found)
}
