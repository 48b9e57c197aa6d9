use crate::support::Place;

#[test]
fn the_demonstration_goes_from_red_to_green() {
    let place = Place::new();
    let ended = place.run(&["demo", "--dir", "shop"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let position = |words: &str| {
        ended.stdout.find(words).unwrap_or_else(|| panic!("{words:?} is missing: {}", ended.stdout))
    };
    let order = [
        "The model's side is a recording",
        "FAIL  sum_of adds up",
        "→ the test fails",
        "› list_dir",
        "› grep_search",
        "› read_file",
        "› edit_file",
        "+sum_of() {",
        "finished · ",
        "Renamed the function `total` to `sum_of`",
        "→ the test passes",
    ];
    assert!(order.map(position).is_sorted(), "{}", ended.stdout);
    assert!(place.read("work/shop/lib/sum.sh").contains("sum_of() {"));
}

#[test]
fn without_a_directory_it_leaves_nothing_behind() {
    let place = Place::new();
    let before = std::fs::read_dir(place.path(".")).expect("the place").count();
    assert_eq!(place.run(&["demo"]).code, Some(0));
    assert_eq!(std::fs::read_dir(place.path(".")).expect("the place").count(), before);
}

#[test]
fn a_directory_that_holds_something_is_refused_and_stays_as_it_is() {
    let place = Place::new();
    place.write("work/shop/test.sh", "mine\n");
    let ended = place.run(&["demo", "--dir", "shop"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("name a directory that is new or empty"), "{ended:?}");
    assert_eq!(place.read("work/shop/test.sh"), "mine\n");
}

#[test]
fn without_a_shell_it_says_what_it_needs() {
    let place = Place::new();
    let ended = place.agent(&["demo"]).env("PATH", place.path("home")).output().expect("it runs");
    let ended = crate::support::Ended::of(ended);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("agent::demo::no_shell"), "{ended:?}");
}
