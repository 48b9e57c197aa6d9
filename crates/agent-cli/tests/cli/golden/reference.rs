//! Files that the program prints.

use super::compare;
use crate::support::Place;

#[test]
fn the_reference_is_what_the_program_prints() {
    for (file, arguments) in [
        ("docs/cli.md", &["man", "--markdown"][..]),
        ("docs/config.toml", &["config", "default"]),
        ("docs/events.schema.json", &["debug", "schema"]),
    ] {
        let ended = Place::new().run(arguments);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        compare(file, &ended.stdout);
    }
}
