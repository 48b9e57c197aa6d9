//! The documentation is true: every block of every page is run, read or compiled.
//!
//! A page's blocks run one after the other in one place: a home, and the project of `agent demo` in
//! `~/shop`, which is the working directory. A scripted model stands in for every other one, see
//! [`stand_ins`].

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
};

use serde_json::Value;

use super::{
    block::{self, Block},
    file, stand_ins,
};
use crate::{
    schema,
    support::{Ended, Place},
};

/// A page with the place in which its blocks are run.
struct Page {
    name: String,
    text: String,
    place: Place,
}

#[test]
fn every_block_of_every_page_holds() {
    let mut names = vec!["README.md".to_owned()];
    let docs = fs::read_dir(file("docs")).expect("the documentation");
    names.extend(docs.flatten().map(|entry| format!("docs/{}", entry.file_name().display())));
    // What the program prints is compared with it.
    names.retain(|name| name.ends_with(".md") && name != "docs/cli.md");
    names.sort();
    let problems: Vec<String> = thread::scope(|scope| {
        let pages: Vec<_> =
            names.into_iter().map(|name| scope.spawn(|| Page::open(name).problems())).collect();
        pages.into_iter().flat_map(|page| page.join().expect("a page")).collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// Links to files of the repository, and to sections of pages.
#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    let docs = fs::read_dir(file("docs")).expect("the documentation");
    let mut names: Vec<String> =
        docs.flatten().map(|entry| format!("docs/{}", entry.file_name().display())).collect();
    names.retain(|name| name.ends_with(".md"));
    names.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned));
    for name in names {
        let text = fs::read_to_string(file(&name)).expect("a page");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            let (path, section) = link.split_once('#').unwrap_or((link, ""));
            let here = file(&name);
            let target = match path {
                "" => here,
                _ => here.parent().expect("a directory").join(path),
            };
            let there = match (target.exists(), section) {
                (there, "") => there,
                (_, section) => sections(&target).iter().any(|known| known == section),
            };
            if !there {
                broken.push(format!("{name}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// The names of a page's sections, as links call them.
fn sections(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap_or_default();
    let titles = text.lines().filter(|line| line.starts_with('#'));
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let name = |title: &str| {
        let title = title.trim_start_matches('#').trim().to_lowercase();
        title.chars().filter(kept).collect::<String>().replace(' ', "-")
    };
    titles.map(name).collect()
}

impl Page {
    fn open(name: String) -> Self {
        let place = Place::new();
        let text = fs::read_to_string(file(&name)).expect("a page");
        for directory in ["home/bin", "scripts"] {
            fs::create_dir_all(place.path(directory)).expect("a directory");
        }
        for project in ["lib/sum.sh", "receipt.sh", "average.sh", "test.sh"] {
            let text = fs::read_to_string(file(&format!("fixtures/demo/project/{project}")));
            let text = text.expect("the project");
            place.write(&format!("home/shop/{project}"), &text);
            // What the README begins with is done in a directory of this name.
            if name == "README.md" {
                place.write(&format!("home/shop/your-project/{project}"), &text);
            }
        }
        stand_ins::put(&place.path("home/bin"), &place.path("scripts"));
        Self { name, text, place }
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for block in block::blocks(&self.text) {
            let problem = match block.language.as_str() {
                "console" => self.console(&block),
                "sh" => self.shell(&block),
                "toml" => self.toml(&block),
                "json" => self.json(&block),
                // Shows what is neither typed nor read; tests of documentation compile the other.
                "text" | "rust" | "markdown" => None,
                other => Some(format!("no such kind of block: `{other}`")),
            };
            let place = format!("{}:{}", self.name, block.line);
            problems.extend(problem.map(|problem| format!("{place}: {problem}")));
        }
        problems
    }

    /// Commands with what they print.
    fn console(&self, block: &Block) -> Option<String> {
        const END: char = '\u{1}';
        let steps = block::steps(&block.text);
        let mut script = String::new();
        for step in &steps {
            script += &format!("{}__code=$?; printf '{END}'; (exit $__code)\n", step.command);
        }
        let ended = self.bash(block, &script);
        let outputs: Vec<&str> = ended.stdout.split(END).collect();
        for (step, output) in steps.iter().zip(outputs) {
            if !block::is_shown(&step.output, output) {
                let command = &step.command;
                return Some(format!("`{}` prints\n{output}", command.trim_end()));
            }
        }
        None
    }

    /// Commands that succeed.
    fn shell(&self, block: &Block) -> Option<String> {
        let ended = self.bash(block, &format!("set -e\n{}", block.text));
        (ended.code != Some(0)).then(|| format!("ends with {:?}:\n{}", ended.code, ended.stdout))
    }

    /// Runs a script; standard error goes to standard output.
    fn bash(&self, block: &Block, script: &str) -> Ended {
        let scripts = self.place.path("scripts");
        fs::remove_dir_all(&scripts).expect("the last block's scripts");
        fs::create_dir(&scripts).expect("a directory");
        fs::write(scripts.join("count"), "0\n").expect("a file");
        for (index, text) in block.replies.iter().enumerate() {
            fs::write(scripts.join((index + 1).to_string()), text).expect("a script");
        }
        let home = self.place.path("home");
        let mut command = Command::new("bash");
        command.arg("-c").arg(format!("exec 2>&1\n{script}"));
        command.current_dir(home.join("shop")).env_clear();
        command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", home.join("bin").display()));
        command.env("HOME", &home).env("LANG", "C.UTF-8").env("TMPDIR", self.place.path(""));
        // What a machine can do to confine commands is no part of what is shown.
        command.env("AGENT_SANDBOX_MODE", "off");
        // An empty pipe: whoever reads it finds its end at once.
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let child = command.spawn().expect("bash runs");
        let ended = Ended::of(child.wait_with_output().expect("bash ends"));
        let stdout = ended.stdout.replace(&home.display().to_string(), "~");
        Ended { stdout, ..ended }
    }

    /// A configuration file.
    fn toml(&self, block: &Block) -> Option<String> {
        let place = Place::new();
        place.write("config/agent/config.toml", &block.text);
        let mut command = place.agent(&["config", "show", "--origin"]);
        command.env("XDG_CONFIG_HOME", place.path("config"));
        let ended = Ended::of(command.output().expect("the program runs"));
        let is_read = ended.code == Some(0) && ended.stderr.is_empty();
        (!is_read).then(|| format!("is no configuration:\n{}", ended.stderr))
    }

    /// A declaration of servers, an event or a result.
    fn json(&self, block: &Block) -> Option<String> {
        let value: Value = match serde_json::from_str(&block.text) {
            Ok(value) => value,
            Err(error) => return Some(format!("is no JSON: {error}")),
        };
        let problems = match () {
            () if value["mcpServers"].is_object() => return servers(&block.text, &value),
            () if value["user_query"].is_string() => schema::report_problems(&value),
            () if value["type"].is_string() => schema::event_problems(&value),
            () => Vec::new(),
        };
        (!problems.is_empty()).then(|| problems.join("\n"))
    }
}

/// Every server of a `.mcp.json` is understood.
fn servers(text: &str, value: &Value) -> Option<String> {
    let place = Place::new();
    place.write("work/.mcp.json", text);
    let names = value["mcpServers"].as_object().into_iter().flat_map(|all| all.keys());
    let not_read = |name: &String| {
        let ended = place.run(&["mcp", "get", name]);
        (ended.code != Some(0)).then(|| format!("{name}: {}", ended.stderr))
    };
    names.filter_map(not_read).next()
}
