//! Files that are not ordinary, by their path in the workspace.

/// Whether git keeps its own data there.
pub(super) fn is_git(path: &str) -> bool {
    parts(path).any(|part| part == ".git")
}

/// Whether this program keeps its state or takes its configuration from there.
pub(super) fn is_own(path: &str) -> bool {
    parts(path).next().is_some_and(|first| first == ".agent" || first == ".mcp.json")
}

/// Whether other programs run what stands there without being told to.
pub(super) fn starts_by_itself(path: &str) -> bool {
    let path: Vec<String> = parts(path).collect();
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    matches!(
        names.as_slice(),
        [.., ".envrc"] | [.., ".vscode", "tasks.json"] | [".husky" | ".githooks", _, ..]
    )
}

/// Whether it holds keys or passwords, by its name.
pub(super) fn is_secret(path: &str) -> bool {
    let directories = [".ssh", ".gnupg"];
    if parts(path).any(|part| directories.contains(&part.as_str())) {
        return true;
    }
    let name = parts(path).next_back().unwrap_or_default();
    let examples = [".example", ".sample", ".template", ".dist", ".defaults"];
    let is_example = examples.iter().any(|ending| name.ends_with(ending));
    let is_env = name == ".env" || name.starts_with(".env.");
    let keys = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
    let names = [".netrc", ".pgpass", ".pypirc", ".git-credentials", ".htpasswd"];
    let endings = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx"];
    let in_home = [".aws/credentials", ".kube/config", ".docker/config.json"];
    (is_env && !is_example)
        || keys.contains(&name.as_str())
        || names.contains(&name.as_str())
        || endings.iter().any(|ending| name.ends_with(ending))
        || in_home.iter().any(|tail| path.to_lowercase().ends_with(tail))
}

/// Whether a tool writes it to pin what it has resolved.
pub(super) fn is_lock(path: &str) -> bool {
    let name = parts(path).next_back().unwrap_or_default();
    matches!(
        name.as_str(),
        "cargo.lock"
            | "package-lock.json"
            | "npm-shrinkwrap.json"
            | "yarn.lock"
            | "pnpm-lock.yaml"
            | "bun.lock"
            | "bun.lockb"
            | "deno.lock"
            | "poetry.lock"
            | "uv.lock"
            | "pdm.lock"
            | "pipfile.lock"
            | "gemfile.lock"
            | "composer.lock"
            | "go.sum"
            | "mix.lock"
            | "flake.lock"
            | "pubspec.lock"
            | "podfile.lock"
            | "packages.lock.json"
            | "gradle.lockfile"
            | ".terraform.lock.hcl"
    )
}

/// Whether it is a test: it stands among tests, or is named as test runners want it.
pub(crate) fn is_test(path: &str) -> bool {
    let mut directories: Vec<String> = parts(path).collect();
    let name = directories.pop().unwrap_or_default();
    let among = ["test", "tests", "__tests__", "__snapshots__", "testdata", "androidtest"];
    if directories.iter().any(|directory| among.contains(&directory.as_str())) {
        return true;
    }
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    if matches!(extension, "bats" | "t") || name == "conftest.py" {
        return true;
    }
    if !CODE.contains(&extension) {
        return false;
    }
    // `test_a.py`, `a_test.go`, `a.test.ts`, `a_spec.rb`, `tests.rs`
    let words: Vec<&str> = stem.split(['_', '-', '.']).collect();
    let (first, last) = (words.first().copied(), words.last().copied());
    let is_ruby = extension == "rb";
    matches!(first, Some("test" | "tests"))
        || matches!(last, Some("test" | "tests" | "unittest"))
        || matches!(last, Some("spec" | "specs")) && (words.len() > 1 || is_ruby)
        || first == Some("spec") && is_ruby
        || is_test_class(path)
}

/// `ATest.java`, `ATests.cs`, `TestA.java`, `ASpec.scala`
fn is_test_class(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let endings = ["Test", "Tests", "TestCase", "Spec", "Specs"];
    let ends = endings.iter().any(|ending| stem.len() > ending.len() && stem.ends_with(ending));
    let begins = stem.strip_prefix("Test").is_some_and(|rest| rest.starts_with(char::is_uppercase));
    ends || begins
}

/// Endings of files in which a name like that makes a test. A `test-plan.md` is none.
const CODE: [&str; 45] = [
    "c", "cc", "cjs", "clj", "cpp", "cs", "cts", "cxx", "dart", "erl", "ex", "exs", "fs", "go",
    "groovy", "h", "hpp", "hs", "java", "jl", "js", "jsx", "kt", "kts", "lua", "m", "mjs", "ml",
    "mm", "mts", "nim", "php", "pl", "py", "r", "rb", "rs", "scala", "sh", "svelte", "swift", "ts",
    "tsx", "vue", "zig",
];

/// The names along the path. Some file systems take no note of case, so nothing here does.
fn parts(path: &str) -> impl DoubleEndedIterator<Item = String> {
    path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_by_where_they_are_and_how_they_are_named() {
        for path in [
            "test_words.py",
            "words_test.py",
            "conftest.py",
            "src/app/tests.py",
            "tests/data/page.html",
            "src/test/java/org/a/Helper.java",
            "app/__tests__/cart.js",
            "__snapshots__/cart.js.snap",
            "cart.test.ts",
            "cart.spec.tsx",
            "cart-test.js",
            "pkg/cart_test.go",
            "pkg/testdata/in.json",
            "src/cart/tests.rs",
            "CartTest.java",
            "CartTests.cs",
            "TestCart.java",
            "CartSpec.scala",
            "spec/cart_spec.rb",
            "spec/spec_helper.rb",
            "CartTest.php",
            "cart_unittest.cc",
            "Tests/CartTests.swift",
            "cart.bats",
            "t\\01-cart.t",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in [
            "words.py",
            "latest.py",
            "contest.py",
            "attest_key.rs",
            "testing.md",
            "test-plan.md",
            "Testament.java",
            "src/spec.rs",
            "spec/openapi.yaml",
            "inspect.go",
            "Makefile",
            "tests",
            "",
        ] {
            assert!(!is_test(path), "{path}");
        }
    }
}
