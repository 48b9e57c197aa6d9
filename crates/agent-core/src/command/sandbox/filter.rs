//! The filter of system calls: what no build and no test needs, and what Landlock does not see.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use super::{Mechanism, Network, Policy};

/// Calls that reach into other processes or change the system as a whole.
const REFUSED: [i64; 38] = [
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
];

/// Calls that do what other calls do, past any filter. Programs go back to those if these are not
/// there.
const NOT_THERE: [i64; 4] = [
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // What it is asked for stands in memory, which a filter does not see; `clone` says it.
    libc::SYS_clone3,
];

/// Installs the filters in this process and what it becomes.
pub(super) fn install(policy: &Policy, mechanism: Mechanism) -> Result<(), String> {
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.into_iter().map(|call| (call, Vec::new())).collect();
    // Pairs of sockets between a process and its children are made by another call.
    refused.insert(libc::SYS_socket, sockets(policy.network, mechanism)?);
    refused.insert(libc::SYS_clone, vec![name_space_of_users()?]);
    refused.insert(libc::SYS_prlimit64, vec![another_process()?]);
    let not_there = NOT_THERE.into_iter().map(|call| (call, Vec::new())).collect();
    apply(refused, libc::EPERM)?;
    apply(not_there, libc::ENOSYS)
}

/// `clone` with users of its own, and among them rights that were given up.
fn name_space_of_users() -> Result<SeccompRule, String> {
    let flag = u64::from(libc::CLONE_NEWUSER.unsigned_abs());
    let asked = SeccompCmpOp::MaskedEq(flag);
    condition(SeccompCmpArgLen::Qword, asked, flag).and_then(|asked| rule(vec![asked]))
}

/// `prlimit64` for a process that is not said to be the calling one.
fn another_process() -> Result<SeccompRule, String> {
    let another = condition(SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?;
    rule(vec![another])
}

/// About the first argument.
fn condition(
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, String> {
    SeccompCondition::new(0, length, operator, value).map_err(|error| error.to_string())
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, String> {
    SeccompRule::new(conditions).map_err(|error| error.to_string())
}

/// The kinds of sockets that are refused; no rule at all refuses every kind.
fn sockets(network: Network, mechanism: Mechanism) -> Result<Vec<SeccompRule>, String> {
    let family = |family: i32| {
        let family = u64::try_from(family).map_err(|error| error.to_string())?;
        condition(SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)
    };
    match (network, mechanism) {
        (Network::Denied, Mechanism::Landlock) => Ok(Vec::new()),
        // A network of its own reaches nobody, and tests may talk to themselves. A socket in the
        // file system reaches whoever listens there, whatever the network.
        (Network::Denied, Mechanism::Bubblewrap) | (Network::Allowed, _) => {
            let conditions =
                vec![family(libc::AF_INET)?, family(libc::AF_INET6)?, family(libc::AF_NETLINK)?];
            Ok(vec![rule(conditions)?])
        }
    }
}

fn apply(rules: BTreeMap<i64, Vec<SeccompRule>>, error: i32) -> Result<(), String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let arch = std::env::consts::ARCH
        .try_into()
        .map_err(|error: seccompiler::BackendError| words(&error))?;
    let action = SeccompAction::Errno(u32::try_from(error).map_err(|error| words(&error))?);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch)
        .map_err(|error| words(&error))?;
    let program: BpfProgram =
        filter.try_into().map_err(|error: seccompiler::BackendError| words(&error))?;
    seccompiler::apply_filter(&program).map_err(|error| words(&error))
}
