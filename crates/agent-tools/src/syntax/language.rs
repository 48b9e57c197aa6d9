//! The languages that can be checked.

use std::fmt;

use tree_sitter_language::LanguageFn;

/// A language whose syntax can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Bourne and Bash shell scripts.
    Bash,
    /// C.
    C,
    /// A header, which may be C or C++: it is at fault only if it is neither.
    CHeader,
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// Cascading style sheets.
    Css,
    /// Go.
    Go,
    /// HTML.
    Html,
    /// Java.
    Java,
    /// JavaScript, with or without JSX.
    JavaScript,
    /// JSON.
    Json,
    /// JSON with comments and trailing commas, as many tools read their settings.
    JsonWithComments,
    /// Kotlin.
    Kotlin,
    /// PHP, with the HTML around it.
    Php,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// TOML.
    Toml,
    /// TypeScript with JSX.
    Tsx,
    /// TypeScript.
    TypeScript,
    /// YAML.
    Yaml,
}

impl Language {
    /// Every language, in the order of their names here.
    pub const ALL: [Self; 21] = [
        Self::Bash,
        Self::C,
        Self::CHeader,
        Self::Cpp,
        Self::CSharp,
        Self::Css,
        Self::Go,
        Self::Html,
        Self::Java,
        Self::JavaScript,
        Self::Json,
        Self::JsonWithComments,
        Self::Kotlin,
        Self::Php,
        Self::Python,
        Self::Ruby,
        Self::Rust,
        Self::Toml,
        Self::Tsx,
        Self::TypeScript,
        Self::Yaml,
    ];

    /// The name that people use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "Bash",
            Self::C => "C",
            Self::CHeader => "C or C++ header",
            Self::Cpp => "C++",
            Self::CSharp => "C#",
            Self::Css => "CSS",
            Self::Go => "Go",
            Self::Html => "HTML",
            Self::Java => "Java",
            Self::JavaScript => "JavaScript",
            Self::Json => "JSON",
            Self::JsonWithComments => "JSON with comments",
            Self::Kotlin => "Kotlin",
            Self::Php => "PHP",
            Self::Python => "Python",
            Self::Ruby => "Ruby",
            Self::Rust => "Rust",
            Self::Toml => "TOML",
            Self::Tsx => "TSX",
            Self::TypeScript => "TypeScript",
            Self::Yaml => "YAML",
        }
    }

    /// Whether macros and conditional lines can hide what the compiler sees.
    pub(super) fn is_preprocessed(self) -> bool {
        matches!(self, Self::C | Self::CHeader | Self::Cpp)
    }

    /// The grammar that reads it first. This is the address of a table: nothing is set up.
    pub(super) fn grammar(self) -> LanguageFn {
        match self {
            Self::Bash => tree_sitter_bash::LANGUAGE,
            Self::C | Self::CHeader => tree_sitter_c::LANGUAGE,
            Self::Cpp => tree_sitter_cpp::LANGUAGE,
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE,
            Self::Css => tree_sitter_css::LANGUAGE,
            Self::Go => tree_sitter_go::LANGUAGE,
            Self::Html => tree_sitter_html::LANGUAGE,
            Self::Java => tree_sitter_java::LANGUAGE,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::Json | Self::JsonWithComments => tree_sitter_json::LANGUAGE,
            Self::Kotlin => tree_sitter_kotlin_ng::LANGUAGE,
            Self::Php => tree_sitter_php::LANGUAGE_PHP,
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::Ruby => tree_sitter_ruby::LANGUAGE,
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::Toml => tree_sitter_toml_ng::LANGUAGE,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::Yaml => tree_sitter_yaml::LANGUAGE,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
