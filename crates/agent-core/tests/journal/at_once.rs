use std::thread;

use agent_tools::Workspace;

use crate::place::Place;

#[test]
fn eight_agents_change_files_of_their_own() {
    let place = Place::new();
    for agent in 0..8 {
        place.write(&format!("f{agent}"), "0");
    }
    let before = place.tree();
    thread::scope(|scope| {
        for agent in 0..8 {
            let place = &place;
            scope.spawn(move || {
                for round in 1..=5 {
                    let (name, content) = (format!("f{agent}"), format!("{agent} {round}"));
                    place.change(&[(&name, Some(content.as_bytes()))]).unwrap();
                }
            });
        }
    });
    for agent in 0..8 {
        assert_eq!(place.read(&format!("f{agent}")), format!("{agent} 5"));
    }
    assert_eq!(place.undo(1000).unwrap().len(), 40);
    assert_eq!(place.tree(), before);
}

#[test]
fn of_two_agents_that_change_one_file_none_loses_what_the_other_wrote() {
    let place = Place::new();
    place.write("count", "0");
    let refused: usize = thread::scope(|scope| {
        let agents: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let (mut done, mut refused) = (0, 0);
                    while done < 20 {
                        let change = place.to("count", None);
                        let agent_tools::write::Entry::File { content, .. } = &change.before else {
                            panic!("the file is always there")
                        };
                        let count: u32 = String::from_utf8_lossy(content).parse().unwrap();
                        let next = (count + 1).to_string().into_bytes();
                        let after =
                            agent_tools::write::Entry::File { content: next.into(), mode: None };
                        let change = agent_core::changes::FileChange { after, ..change };
                        match place.carry_out("one", &[change]) {
                            Ok(_) => done += 1,
                            Err(error) => {
                                let error = error.to_string();
                                assert!(error.contains("has changed since it was read"), "{error}");
                                refused += 1;
                            }
                        }
                    }
                    refused
                })
            })
            .collect();
        agents.into_iter().map(|agent| agent.join().unwrap()).sum()
    });
    assert_eq!(place.read("count"), "40", "{refused} were refused");
    assert_eq!(place.undo(1000).unwrap().len(), 40);
    assert_eq!(place.read("count"), "0");
}

#[test]
fn eight_agents_start_at_the_same_moment_where_there_is_no_record_yet() {
    for _ in 0..20 {
        let place = Place::new();
        let start = std::sync::Barrier::new(8);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    place.journal().prepare().unwrap();
                });
            }
        });
    }
}

#[test]
fn each_workspace_has_changes_of_its_own() {
    let (place, other) = (Place::new(), Place::new());
    place.change(&[("a", Some(b"x"))]).unwrap();
    let elsewhere = Workspace::open(other.ws.root()).unwrap();
    assert_eq!(place.journal().records(elsewhere.root()).unwrap(), []);
    assert_eq!(place.journal().records(place.ws.root()).unwrap().len(), 1);
}
