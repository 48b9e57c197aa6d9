use agent_core::journal::RevertError;
use proptest::prelude::*;

use crate::place::{Place, Tree};

/// Something that is done to the files of a workspace.
#[derive(Debug, Clone)]
enum Step {
    /// Each file gets a content, or goes.
    Change(Vec<(usize, Option<Vec<u8>>)>),
    Undo(usize),
    Redo(usize),
}

const NAMES: [&str; 5] = ["a", "b.txt", "d/c", "d/e/f", "d/e/g"];

fn step() -> impl Strategy<Value = Step> {
    let content = proptest::option::weighted(0.7, proptest::collection::vec(any::<u8>(), 0..8));
    let files = proptest::collection::btree_map(0..NAMES.len(), content, 1..4);
    prop_oneof![
        3 => files.prop_map(|files| Step::Change(files.into_iter().collect())),
        2 => (1..4usize).prop_map(Step::Undo),
        2 => (1..4usize).prop_map(Step::Redo),
    ]
}

/// Trees to go back to and to go forth to, the nearest last.
#[derive(Default)]
struct Model {
    back: Vec<Tree>,
    forth: Vec<Tree>,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..Default::default() })]

    #[test]
    fn random_histories_go_back_and_forth_as_a_model_does(
        steps in proptest::collection::vec(step(), 1..14),
    ) {
        let place = Place::new();
        place.write("a", "as it was");
        let start = place.tree();
        let mut model = Model::default();
        for step in steps {
            let now = place.tree();
            match step {
                Step::Change(files) => {
                    let files: Vec<_> = files
                        .iter()
                        .map(|(name, content)| place.to(NAMES[*name], content.as_deref()))
                        // What is gone can't go.
                        .filter(|change| !change.before.has_content_of(&change.after))
                        .collect();
                    if files.is_empty() {
                        continue;
                    }
                    place.carry_out("one", &files).unwrap();
                    model.back.push(now);
                    model.forth.clear();
                }
                Step::Undo(count) => {
                    let done = match place.undo(count) {
                        Ok(done) => done.len(),
                        Err(RevertError::Nothing(_)) => 0,
                        Err(error) => panic!("{error}"),
                    };
                    prop_assert_eq!(done, count.min(model.back.len()));
                    let mut now = now;
                    for _ in 0..done {
                        model.forth.push(now);
                        now = model.back.pop().unwrap();
                    }
                    prop_assert_eq!(place.tree(), now);
                }
                Step::Redo(count) => {
                    let done = match place.redo(count) {
                        Ok(done) => done.len(),
                        Err(RevertError::Nothing(_)) => 0,
                        Err(error) => panic!("{error}"),
                    };
                    prop_assert_eq!(done, count.min(model.forth.len()));
                    let mut now = now;
                    for _ in 0..done {
                        model.back.push(now);
                        now = model.forth.pop().unwrap();
                    }
                    prop_assert_eq!(place.tree(), now);
                }
            }
        }
        if !model.back.is_empty() {
            place.undo(1000).unwrap();
        }
        prop_assert_eq!(place.tree(), start);
    }
}
