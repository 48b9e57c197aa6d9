//! Which language a file is in, by its name and its first line.

use super::Language;

impl Language {
    /// The language of a file: by its whole name, by its extension, then by the interpreter that
    /// its first line names.
    ///
    /// Templates of a language (`page.html.erb`, `view.blade.php`) are not that language.
    pub fn of(path: &str, first_line: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
        if let Some(language) = of_name(&name) {
            return Some(language);
        }
        match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => of_extension(stem, extension),
            _ => of_shebang(first_line),
        }
    }
}

fn of_name(name: &str) -> Option<Language> {
    let language = match name {
        "rakefile" | "gemfile" | "vagrantfile" | "guardfile" | "capfile" | "podfile"
        | "brewfile" | "config.ru" => Language::Ruby,
        "cargo.lock" | "poetry.lock" | "uv.lock" | "pipfile" => Language::Toml,
        "composer.lock" | "pipfile.lock" | ".watchmanconfig" => Language::Json,
        ".babelrc" | ".eslintrc" | ".jshintrc" | ".swcrc" | "devcontainer.json" => {
            Language::JsonWithComments
        }
        ".bashrc" | ".bash_profile" | ".bash_aliases" | ".bash_logout" | ".profile"
        | "pkgbuild" => Language::Bash,
        ".clang-format" | ".clang-tidy" | ".clangd" => Language::Yaml,
        "sconstruct" | "sconscript" | "wscript" => Language::Python,
        _ if is_settings_with_comments(name) => Language::JsonWithComments,
        _ => return None,
    };
    Some(language)
}

/// `tsconfig.base.json` and its like: JSON by name that its tool reads with comments.
fn is_settings_with_comments(name: &str) -> bool {
    const STEMS: [&str; 7] =
        ["tsconfig", "jsconfig", ".eslintrc", "tslint", "settings", "launch", "tasks"];
    name.strip_suffix(".json").is_some_and(|stem| {
        STEMS.iter().any(|known| {
            stem.strip_prefix(known)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
        })
    })
}

fn of_extension(stem: &str, extension: &str) -> Option<Language> {
    let language = match extension {
        "sh" | "bash" | "ksh" | "bats" | "ebuild" => Language::Bash,
        "c" => Language::C,
        "h" => Language::CHeader,
        "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "ipp" | "tpp" | "cppm" => {
            Language::Cpp
        }
        "cs" | "csx" => Language::CSharp,
        "css" => Language::Css,
        "go" => Language::Go,
        "html" | "htm" | "xhtml" => Language::Html,
        "java" => Language::Java,
        "js" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
        "json" | "webmanifest" | "ipynb" | "geojson" | "har" => Language::Json,
        "jsonc" | "code-workspace" | "code-snippets" => Language::JsonWithComments,
        "kt" | "kts" => Language::Kotlin,
        "php" if !stem.ends_with(".blade") => Language::Php,
        "phtml" => Language::Php,
        "py" | "pyi" | "pyw" => Language::Python,
        "rb" | "rake" | "gemspec" | "ru" | "podspec" => Language::Ruby,
        "rs" => Language::Rust,
        "toml" => Language::Toml,
        "tsx" => Language::Tsx,
        "ts" | "mts" | "cts" => Language::TypeScript,
        "yaml" | "yml" => Language::Yaml,
        _ => return None,
    };
    Some(language)
}

/// The interpreter's name without its version: `#!/usr/bin/env -S python3.12 -u` is `python`.
fn of_shebang(first_line: &str) -> Option<Language> {
    let command = first_line.trim_start_matches('\u{feff}').strip_prefix("#!")?;
    let mut words = command.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "sh" | "bash" | "dash" | "ash" | "ksh" => Some(Language::Bash),
        "python" | "pypy" => Some(Language::Python),
        "ruby" | "jruby" => Some(Language::Ruby),
        "node" | "nodejs" => Some(Language::JavaScript),
        "deno" | "bun" | "ts-node" | "tsx" => Some(Language::TypeScript),
        "php" => Some(Language::Php),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, first_line: &str, expected: Option<Language>) {
        assert_eq!(Language::of(path, first_line), expected, "{path} {first_line}");
    }

    #[test]
    fn extensions_and_names_decide() {
        check("src/main.rs", "", Some(Language::Rust));
        check("SRC/MAIN.RS", "", Some(Language::Rust));
        check("a\\b\\c.tsx", "", Some(Language::Tsx));
        check("types.d.ts", "", Some(Language::TypeScript));
        check("include/x.h", "", Some(Language::CHeader));
        check("Cargo.lock", "", Some(Language::Toml));
        check("Rakefile", "", Some(Language::Ruby));
        check(".bashrc", "", Some(Language::Bash));
        check("package.json", "", Some(Language::Json));
    }

    #[test]
    fn settings_that_take_comments_are_known() {
        for name in ["tsconfig.json", "tsconfig.base.json", ".vscode/settings.json", "x.jsonc"] {
            check(name, "", Some(Language::JsonWithComments));
        }
        check("tsconfigs.json", "", Some(Language::Json));
    }

    #[test]
    fn the_first_line_decides_where_there_is_no_extension() {
        check("bin/run", "#!/bin/sh", Some(Language::Bash));
        check("bin/run", "#!/usr/bin/env python3.12", Some(Language::Python));
        check("bin/run", "#! /usr/bin/env -S A=1 node --no-warnings", Some(Language::JavaScript));
        check("bin/run.pl", "#!/bin/sh", None);
        check("bin/run", "#!/usr/bin/perl", None);
        check("bin/run", "#!", None);
        check("bin/run", "#!/usr/bin/env", None);
        check("bin/run", "", None);
    }

    #[test]
    fn other_files_have_no_language() {
        for path in ["", "/", ".", "..", "README.md", "view.blade.php", "page.html.erb", ".rs"] {
            check(path, "", None);
        }
    }
}
