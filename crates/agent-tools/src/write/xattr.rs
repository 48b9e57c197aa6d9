//! Extended attributes: access lists, labels, and what users attach to a file.

use cap_std::fs::File;
use rustix::buffer::spare_capacity;
use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fsetxattr};
use rustix::io;

/// The attributes of a file, as many as the system shows. Many file systems have none.
pub(super) fn read(file: &File) -> Vec<(Vec<u8>, Vec<u8>)> {
    let Ok(names) = names(file) else { return Vec::new() };
    let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.filter_map(|name| Some((name.to_vec(), value(file, name).ok()?))).collect()
}

/// Gives a file attributes, as many as the system lets it have. Some only root may set, so nothing
/// here is an error.
pub(super) fn write(file: &File, attributes: &[(Vec<u8>, Vec<u8>)]) {
    for (name, value) in attributes {
        let _ = fsetxattr(file, name.as_slice(), value, XattrFlags::empty());
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
