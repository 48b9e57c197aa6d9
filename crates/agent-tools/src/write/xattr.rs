//! Extended attributes: access lists, labels, and what users attach to a file.

use cap_std::fs::File;
use rustix::buffer::spare_capacity;
use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fsetxattr};
use rustix::io;

/// Gives `new` the attributes of `old`, as many as the system lets it have. Many file systems have
/// none, and some attributes only root may set, so nothing here is an error.
pub(super) fn copy(old: &File, new: &File) {
    let Ok(names) = names(old) else {
        return;
    };
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        if let Ok(value) = value(old, name) {
            let _ = fsetxattr(new, name, &value, XattrFlags::empty());
        }
    }
}

/// The names, each with a NUL behind it.
fn names(file: &File) -> io::Result<Vec<u8>> {
    let mut names = Vec::with_capacity(flistxattr_query(file)?);
    if names.capacity() > 0 {
        flistxattr(file, spare_capacity(&mut names))?;
    }
    Ok(names)
}

fn value(file: &File, name: &[u8]) -> io::Result<Vec<u8>> {
    let mut value = Vec::with_capacity(fgetxattr_query(file, name)?);
    if value.capacity() > 0 {
        fgetxattr(file, name, spare_capacity(&mut value))?;
    }
    Ok(value)
}
