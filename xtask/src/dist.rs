//! `cargo xtask dist`: the program as others install it, in one file with what belongs to it.
#![expect(
    clippy::disallowed_methods,
    reason = "an archive is made of the project's own files and what was built of them"
)]

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

use crate::{Failure, process::Program, repository, text};

/// The target whose programs need no library of the system.
const STATIC: &str = "x86_64-unknown-linux-musl";

/// What lies beside the program, as it is.
const BESIDE: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Shells, and what their files of completions are called.
const SHELLS: [(&str, &str); 3] =
    [("bash", "agent.bash"), ("zsh", "_agent"), ("fish", "agent.fish")];

/// Builds the archive and says where it lies, how large it is, and what it is not.
pub(crate) fn run() -> Result<(), Failure> {
    let root = repository::root();
    let missing = missing(&root);
    let host = host(&root)?;
    let target = if missing.is_empty() { STATIC } else { &host };
    let arguments = [
        "build",
        "--profile",
        "dist",
        "-p",
        "agent-cli",
        "--bin",
        "agent",
        "--locked",
        "--target",
        target,
    ];
    Program::cargo(&arguments).attached(&root)?;
    let built = repository::target_directory()?;
    let program = built.join(target).join("dist/agent");
    let name = format!("agent-{}-{target}", env!("CARGO_PKG_VERSION"));
    let archive = built.join("dist").join(format!("{name}.tar.gz"));
    fs::create_dir_all(built.join("dist")).map_err(text)?;
    pack(&archive, &name, &files(&root, &program)?)?;
    let bytes = fs::read(&archive).map_err(text)?;
    let sum = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let line = format!("{sum}  {name}.tar.gz\n");
    fs::write(archive.with_extension("gz.sha256"), &line).map_err(text)?;
    let size = |path: &Path| fs::metadata(path).map(|data| data.len() as f64 / 1e6).map_err(text);
    println!("{}  {:.1} MB", archive.display(), size(&archive)?);
    println!("the program in it  {:.1} MB", size(&program)?);
    print!("sha256  {line}");
    if !missing.is_empty() {
        println!("It is not static, and needs the C library of a system like this one. Missing:");
        for what in missing {
            println!("  {what}");
        }
    }
    Ok(())
}

/// What a static program could not be built without.
fn missing(root: &Path) -> Vec<&'static str> {
    let mut missing = Vec::new();
    let arguments = ["--print", "target-libdir", "--target", STATIC];
    let library = Program { name: "rustc", arguments: &arguments, environment: &[] }.output(root);
    if !library.is_ok_and(|path| Path::new(path.trim()).is_dir()) {
        missing.push("the target: rustup target add x86_64-unknown-linux-musl");
    }
    let compiler = Program { name: "musl-gcc", arguments: &["--version"], environment: &[] };
    if compiler.output(root).is_err() {
        missing.push("musl-gcc, for the parts in C: the package musl-tools of Debian and Ubuntu");
    }
    missing
}

/// The target that this machine is.
fn host(root: &Path) -> Result<String, Failure> {
    let told = Program { name: "rustc", arguments: &["-vV"], environment: &[] }.output(root)?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("rustc does not say what this machine is")?.to_owned())
}

/// A file of the archive.
struct Packed {
    path: PathBuf,
    mode: u32,
    bytes: Vec<u8>,
}

/// The program and what belongs to it. Completions and manual are the program's own words.
fn files(root: &Path, program: &Path) -> Result<Vec<Packed>, Failure> {
    let bytes = fs::read(program).map_err(text)?;
    let mut files = vec![Packed { path: "agent".into(), mode: 0o755, bytes }];
    let mut plain =
        |path: &Path, bytes| files.push(Packed { path: path.into(), mode: 0o644, bytes });
    for name in BESIDE {
        plain(Path::new(name), repository::read_bytes(root, name)?);
    }
    let program = program.display().to_string();
    let said = |arguments: &[&str]| {
        Program { name: &program, arguments, environment: &[] }.output(root).map(String::into_bytes)
    };
    for (shell, name) in SHELLS {
        plain(&Path::new("completions").join(name), said(&["completions", shell])?);
    }
    plain(Path::new("man/agent.1"), said(&["man"])?);
    Ok(files)
}

/// Writes the archive; the same files give the same bytes.
fn pack(archive: &Path, name: &str, files: &[Packed]) -> Result<(), Failure> {
    let file = File::create(archive).map_err(text)?;
    let mut builder = tar::Builder::new(GzEncoder::new(file, Compression::best()));
    for Packed { path, mode, bytes } in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(*mode);
        header.set_mtime(0);
        let path = Path::new(name).join(path);
        builder.append_data(&mut header, path, bytes.as_slice()).map_err(text)?;
    }
    builder.into_inner().and_then(GzEncoder::finish).and_then(|mut file| file.flush()).map_err(text)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn an_archive_holds_the_files_below_its_name_and_is_the_same_each_time() {
        let scratch = tempfile::tempdir().unwrap();
        let files = [
            Packed { path: "agent".into(), mode: 0o755, bytes: b"program".to_vec() },
            Packed { path: "man/agent.1".into(), mode: 0o644, bytes: b"manual".to_vec() },
        ];
        let packed = ["one.tar.gz", "two.tar.gz"].map(|name| {
            let path = scratch.path().join(name);
            pack(&path, "agent-1", &files).unwrap();
            fs::read(path).unwrap()
        });
        assert_eq!(packed[0], packed[1]);
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed[0].as_slice()));
        let held = archive.entries().unwrap().map(|entry| {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().display().to_string();
            let mut content = String::new();
            entry.read_to_string(&mut content).unwrap();
            (path, entry.header().mode().unwrap(), content)
        });
        let held: Vec<_> = held.collect();
        assert_eq!(
            held,
            [
                ("agent-1/agent".to_owned(), 0o755, "program".to_owned()),
                ("agent-1/man/agent.1".to_owned(), 0o644, "manual".to_owned()),
            ]
        );
    }

    #[test]
    fn everything_beside_the_program_is_there() {
        for name in BESIDE {
            assert!(repository::root().join(name).is_file(), "{name}");
        }
    }
}
