//! How much of a large directory is drawn.

use agent_tools::tree::{TreeLimits, TreeQuery};

use crate::sample::Sample;

fn at_most(entries: usize, depth: usize) -> TreeQuery {
    TreeQuery { glob: None, limits: TreeLimits { entries, depth } }
}

#[test]
fn the_top_levels_are_drawn_before_what_is_deeper() {
    let sample = Sample::with_content(&["a/b/c/d/e", "a/b/f", "g/h", "g/i", "g/j", "k"], "");
    for (query, expected) in [
        (at_most(3, 9), "./\n├── a/\n│   └── … 1 more\n├── g/\n│   └── … 3 more\n└── k"),
        (
            at_most(6, 9),
            "./\n├── a/\n│   └── b/\n│       └── … 2 more\n\
             ├── g/\n│   ├── h\n│   ├── i\n│   └── … 1 more\n└── k",
        ),
        (
            at_most(9, 9),
            "./\n├── a/\n│   └── b/\n│       ├── c/\n│       │   └── … 1 more\n│       └── f\n\
             ├── g/\n│   ├── h\n│   ├── i\n│   └── j\n└── k",
        ),
        (at_most(2, 9), "./\n├── a/\n│   └── … 1 more\n├── g/\n│   └── … 3 more\n└── … 1 more"),
        (at_most(0, 9), "./\n└── … 3 more"),
        (at_most(99, 0), "./\n└── … 3 more"),
        (at_most(99, 1), "./\n├── a/\n│   └── … 1 more\n├── g/\n│   └── … 3 more\n└── k"),
    ] {
        let tree = sample.tree(".", &query);
        assert_eq!(tree.drawing, expected, "{query:?}");
        assert!(tree.truncated);
    }
    assert!(!sample.tree(".", &at_most(11, 5)).truncated);
    assert!(sample.tree(".", &at_most(11, 4)).truncated);
}

#[test]
fn a_directory_with_very_many_entries_leaves_room_for_its_neighbours() {
    let sample = Sample::new(&[("few/one", ""), ("few/two/three", ""), ("many/", "")]);
    for n in 0..10_000 {
        // The names are made in an order that is not theirs.
        std::fs::write(sample.on_disk(format!("many/f{:04}", n * 37 % 10_000)), "").unwrap();
    }
    let tree = sample.tree(".", &TreeQuery::default());
    let lines: Vec<_> = tree.drawing.lines().collect();
    assert_eq!(
        lines[..6],
        ["./", "├── few/", "│   ├── two/", "│   │   └── … 1 more", "│   └── one", "└── many/"]
    );
    // 500 entries: few, many, two, one, and 496 of the many.
    let many: Vec<_> = (0..496).map(|n| format!("    ├── f{n:04}")).collect();
    assert_eq!(lines[6..6 + 496], many);
    assert_eq!(lines[6 + 496..], ["    └── … 9504 more"]);
    assert_eq!((tree.dirs, tree.files, tree.truncated), (3, 497, true));

    let found =
        sample.tree("many", &TreeQuery { glob: Some("f99*".to_owned()), ..TreeQuery::default() });
    assert_eq!((found.files, found.truncated), (100, false));
}

#[test]
fn a_deep_directory_is_cut_at_the_depth_limit() {
    let deep = "d/".repeat(100);
    let sample = Sample::new(&[(&deep, "")]);
    let tree = sample.tree(".", &TreeQuery::default());
    assert_eq!((tree.dirs, tree.truncated), (16, true));
    assert_eq!(
        tree.drawing.lines().last(),
        Some(format!("{}└── … 1 more", "    ".repeat(16)).as_str())
    );
}
