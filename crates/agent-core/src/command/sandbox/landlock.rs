//! Rights over files, given up through Landlock.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::{Mechanism, Network, Policy};

/// The newest version of which every right is known here. On older kernels as many of them are
/// given up as there are.
const VERSION: ABI = ABI::V6;

/// Devices that every program may write to.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Gives up every right that `policy` does not leave.
pub(super) fn restrict(policy: &Policy, mechanism: Mechanism) -> Result<(), String> {
    let status = ruleset(policy, mechanism)
        .and_then(|ruleset| ruleset.restrict_self().map_err(|error| error.to_string()))?;
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err("the kernel has no Landlock".to_owned()),
    }
}

fn ruleset(policy: &Policy, mechanism: Mechanism) -> Result<RulesetCreated, String> {
    let words = |error: landlock::RulesetError| error.to_string();
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(VERSION))
        .map_err(words)?
        .scope(Scope::from_all(VERSION))
        .map_err(words)?;
    if policy.network == Network::Denied && mechanism == Mechanism::Landlock {
        ruleset = ruleset.handle_access(AccessNet::from_all(VERSION)).map_err(words)?;
    }
    let ruleset = ruleset.create().map_err(words)?;
    let hidden: Vec<&Path> = policy.hidden.iter().map(PathBuf::as_path).collect();
    let ruleset = read(ruleset, &hidden)?;
    let ruleset = policy.writable.iter().try_fold(ruleset, |ruleset, path| {
        // No devices are made, not even where everything else is.
        let rights = AccessFs::from_all(VERSION) & !(AccessFs::MakeBlock | AccessFs::MakeChar);
        grant(ruleset, path, rights)
    })?;
    let ruleset = DEVICES.iter().try_fold(ruleset, |ruleset, device| {
        grant(ruleset, Path::new(device), AccessFs::ReadFile | AccessFs::WriteFile)
    })?;
    let shared = Path::new("/dev/shm");
    grant(
        ruleset,
        shared,
        AccessFs::from_all(VERSION) & !(AccessFs::MakeBlock | AccessFs::MakeChar),
    )
}

/// Grants reading of everything but `hidden`. Rights hold for all that lies below, so on the way to
/// what is hidden every neighbour is granted by itself.
fn read(mut ruleset: RulesetCreated, hidden: &[&Path]) -> Result<RulesetCreated, String> {
    let mut open = vec![PathBuf::from("/")];
    while let Some(path) = open.pop() {
        if hidden.contains(&path.as_path()) {
            continue;
        }
        if !hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            ruleset = grant(ruleset, &path, AccessFs::from_read(VERSION))?;
            continue;
        }
        open.extend(entries(&path));
    }
    // What lies there may be listed everywhere.
    if hidden.is_empty() { Ok(ruleset) } else { grant(ruleset, Path::new("/"), AccessFs::ReadDir) }
}

/// The entries of a directory but for links, which lead to what is granted where it is.
#[expect(clippy::disallowed_methods, reason = "these are the system's directories")]
fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()))
        .map(|entry| entry.path())
        .collect()
}

/// Grants `rights` over `path`, where it is there.
fn grant(
    ruleset: RulesetCreated,
    path: &Path,
    rights: impl Into<BitFlags<AccessFs>>,
) -> Result<RulesetCreated, String> {
    let Ok(opened) = PathFd::new(path) else { return Ok(ruleset) };
    let mut rights = rights.into();
    if !path.is_dir() {
        rights &= AccessFs::from_file(VERSION);
    }
    if rights.is_empty() {
        return Ok(ruleset);
    }
    ruleset.add_rule(PathBeneath::new(opened, rights)).map_err(|error| error.to_string())
}
