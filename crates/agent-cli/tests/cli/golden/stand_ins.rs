//! Programs that stand in for those that the gate can't have, and for the model.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

/// The program itself, with a scripted model in the place of any that is named. Each run takes the
/// next script, and the last one again where there are no more.
const AGENT: &str = r#"#!/bin/sh
real='{agent}' scripts='{scripts}'
case "$1" in
run | exec | chat | resume | debug | doctor | '')
    if [ -f "$scripts/1" ]; then
        number=$(($(cat "$scripts/count") + 1))
        case "$1" in debug | doctor) number=$(cat "$scripts/count") ;; esac
        [ "$number" = 0 ] && number=1 && keep=yes
        [ -f "$scripts/$number" ] || number=$((number - 1))
        [ -n "$keep" ] || echo "$number" > "$scripts/count"
        script="replay/$scripts/$number"
        named= has=
        for word; do
            shift
            [ -n "$named" ] && word=$script
            named=
            case "$word" in -m | --model) named=yes has=yes ;; esac
            set -- "$@" "$word"
        done
        [ -n "$has" ] || set -- "$@" --model "$script"
    fi
    ;;
esac
exec "$real" "$@"
"#;

/// `cargo` in a clone: what the README has somebody type is there to be done.
const CARGO: &str = r#"#!/bin/sh
case "$*" in
'run --release -p agent-cli -- '*)
    shift 5
    exec agent "$@"
    ;;
'install --locked --path crates/agent-cli') [ -f '{repository}/crates/agent-cli/Cargo.toml' ] ;;
'xtask ci') [ -f '{repository}/xtask/src/ci.rs' ] ;;
*)
    echo "cargo: nobody expected this: $*" >&2
    exit 1
    ;;
esac
"#;

const OLLAMA: &str = "#!/bin/sh\n[ \"$1\" = pull ] && [ -n \"$2\" ]\n";

/// As much of `jq` as is used: one field of an object, without its quotes.
const JQ: &str = r#"#!/bin/sh
[ "$1" = -r ] && shift
field=${1#.}
grep -o "\"$field\":\(\"[^\"]*\"\|[a-z0-9]*\)" | head -n 1 | sed 's/^[^:]*://; s/^"//; s/"$//'
"#;

/// Puts them into `bin`. `scripts` is where the scripts of a block lie.
pub(super) fn put(bin: &Path, scripts: &Path) {
    let repository = super::file("");
    let repository = repository.canonicalize().expect("the repository");
    for (name, text) in [("agent", AGENT), ("cargo", CARGO), ("ollama", OLLAMA), ("jq", JQ)] {
        let text = text
            .replace("{agent}", env!("CARGO_BIN_EXE_agent"))
            .replace("{scripts}", &scripts.display().to_string())
            .replace("{repository}", &repository.display().to_string());
        let path = bin.join(name);
        fs::write(&path, text).expect("a stand-in");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
    }
}
