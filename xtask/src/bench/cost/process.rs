//! What a process and its children have used, as Linux tells.

use std::{collections::HashMap, fs, time::Duration};

/// Memory and processor time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Used {
    /// The most memory, in bytes, each process by itself.
    pub(super) memory: u64,
    /// In hundredths of a second, which is as fine as the system counts.
    pub(super) processor: Duration,
}

/// What the process and those that it has started have used so far; none where nobody tells.
pub(super) fn used(process: u32) -> Option<Used> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut ticks: HashMap<u32, u64> = HashMap::new();
    for entry in fs::read_dir("/proc").ok()?.filter_map(Result::ok) {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if let Some((parent, used)) =
            fs::read_to_string(entry.path().join("stat")).ok().and_then(|stat| parse(&stat))
        {
            children.entry(parent).or_default().push(id);
            ticks.insert(id, used);
        }
    }
    let (mut memory, mut all, mut left) = (0, 0, vec![process]);
    while let Some(id) = left.pop() {
        all += ticks.get(&id)?;
        memory += peak(id).unwrap_or(0);
        left.extend(children.remove(&id).unwrap_or_default());
    }
    Some(Used { memory, processor: Duration::from_millis(all * 10) })
}

/// A process's parent and its ticks, those of children that have ended among them.
fn parse(stat: &str) -> Option<(u32, u64)> {
    // The name before may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11..15)?.iter().map(|field| field.parse::<u64>());
    Some((fields.get(1)?.parse().ok()?, ticks.sum::<Result<u64, _>>().ok()?))
}

fn peak(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_kernel_is_read_behind_the_name() {
        let stat = "7 (a ) b) S 3 1 1 0 -1 4 0 0 0 0 10 20 3 4 20 0 1 0 5 6 7";
        assert_eq!(parse(stat), Some((3, 37)));
        assert_eq!(parse("7 (a) S 3"), None);
        if cfg!(target_os = "linux") {
            assert!(used(std::process::id()).is_some_and(|used| used.memory > 1 << 20));
        }
    }
}
