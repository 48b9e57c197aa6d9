"""What the generator knows of languages: names, comments, definitions."""

import os
import re

EXT_LANG = {
    "py": "python", "rb": "ruby", "rs": "rust", "go": "go", "js": "javascript",
    "mjs": "javascript", "cjs": "javascript", "jsx": "javascript",
    "ts": "typescript", "tsx": "typescript", "c": "c", "h": "c", "cc": "cpp",
    "cpp": "cpp", "hpp": "cpp", "cxx": "cpp", "java": "java", "lua": "lua",
    "php": "php", "html": "html", "htm": "html", "vue": "html", "css": "css",
    "scss": "css", "yml": "yaml", "yaml": "yaml", "toml": "toml",
    "sh": "shell", "bash": "shell", "sql": "sql", "md": "markdown",
    "cmake": "cmake", "scm": "scheme", "erb": "html",
}

# Languages of which many edits are taken; of the others a few.
MAJOR = {"python", "rust", "go", "javascript", "typescript", "ruby", "c", "cpp",
         "java", "lua", "php"}
# Files that people do not write.
SKIP_PATH = re.compile(
    r"(^|/)(node_modules|vendor|third_party|dist|\.venv|__snapshots__)/"
    r"|\.min\.|\.lock$|package-lock|bundled|\.snap$|-lock\.", re.I)

_COMMENT = {
    "#": ("# ", ""), "//": ("// ", ""), "--": ("-- ", ""),
    "<!--": ("<!-- ", " -->"), "/*": ("/* ", " */"), ";": (";; ", ""),
}

LANG_COMMENT = {
    "python": "#", "ruby": "#", "rust": "//", "go": "//", "javascript": "//",
    "typescript": "//", "c": "//", "cpp": "//", "java": "//", "lua": "--",
    "php": "//", "html": "<!--", "css": "/*", "yaml": "#", "toml": "#",
    "shell": "#", "sql": "--", "markdown": "<!--", "cmake": "#",
    "scheme": ";",
}

def language_of(path):
    """The language of a file by its name, or None."""
    name = os.path.basename(path)
    if name == "CMakeLists.txt":
        return "cmake"
    return EXT_LANG.get(name.rsplit(".", 1)[-1].lower()) if "." in name else None


def comment(lang, words):
    """A one-line comment of the language."""
    before, after = _COMMENT[LANG_COMMENT[lang]]
    return before + words + after


_NOTDEF = r"(?!\s*(?:if|for|while|switch|catch|return|else|do|new|throw|elif|case|await|foreach|match)\b)"
_CLIKE = re.compile(
    r"^\s*(?:(?:template\s*<|(?:static|inline|constexpr|virtual|explicit|extern|typedef)\s+)*"
    r"(?:class|struct|enum|union|namespace)\s+\w+[^;]*$|" + _NOTDEF +
    r"[A-Za-z_~][\w\s\*&:<>,~]*\([^;{}]*(?:\)[^;]*\{?\s*$|[,(]\s*$))")
# The first line of a definition.
DEF = {
    "python": re.compile(r"^\s*(?:async\s+def|def|class)\s"),
    "ruby": re.compile(r"^\s*(?:def|class|module|describe|it|test|context)\s"),
    "rust": re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:default\s+|const\s+|async\s+|unsafe\s+|extern\s+(?:\"[^\"]*\"\s+)?)*(?:fn|impl|struct|enum|trait|mod|union|macro_rules!)\b"),
    "go": re.compile(r"^(?:func|type)\s"),
    "javascript": re.compile(
        r"^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function|class|interface|enum|namespace)\b"
        r"|^\s*(?:export\s+)?(?:const|let|var)\s+[\w$]+.*(?:=>|function\b.*)\s*\{\s*$"
        r"|^\s*[\w$.]+\s*=\s*(?:async\s+)?function\b"
        r"|^\s*(?:describe|it|test|beforeEach|afterEach)(?:\.\w+)?\(.*\{\s*$"
        r"|^\s*" + _NOTDEF + r"(?:(?:static|async|get|set|public|private|protected|readonly)\s+)*[\w$]+\s*\([^;]*\)[^;]*\{\s*$"),
    "c": _CLIKE, "cpp": _CLIKE,
    "java": re.compile(
        r"^\s*(?:(?:public|private|protected|static|final|abstract|synchronized|default)\s+)*"
        r"(?:(?:class|interface|enum|record|@interface)\s+\w+|" + _NOTDEF +
        r"(?:<[^>]*>\s*)?[\w<>\[\], ?.]+\s+\w+\s*\([^;]*$|(?:public|private|protected)\s+\w+\s*\([^;]*$)"),
    "lua": re.compile(r"^\s*(?:local\s+)?function\b|=\s*function\s*\("),
    "php": re.compile(r"^\s*(?:(?:public|private|protected|static|final|abstract)\s+)*(?:function|class|interface|trait|enum)\b"),
    "css": re.compile(r"^[^{}]*\{\s*$"),
    "yaml": re.compile(r"^\s*(?:- )?[\w\"'./-]+:\s*$"),
    "toml": re.compile(r"^\["),
    "shell": re.compile(r"^\s*(?:function\s+)?\w+\s*\(\)\s*\{?"),
    "html": re.compile(r"^\s*<(?:div|section|script|style|template|table|ul|nav|form|body|head)\b[^/]*>\s*$"),
}
DEF["typescript"] = DEF["javascript"]
# A line that brings in names.
IMPORT = {
    "python": re.compile(r"^\s*(?:import|from)\s+\S"),
    "ruby": re.compile(r"^\s*require(?:_relative)?\b"),
    "rust": re.compile(r"^\s*(?:pub\s+)?(?:use|extern crate|mod\s+\w+;)"),
    "go": re.compile(r"^\s*(?:[\w.]+\s+)?\"[\w./-]+\"\s*$|^import\b"),
    "javascript": re.compile(r"^\s*import\b|require\("),
    "c": re.compile(r"^\s*#\s*include\b"), "java": re.compile(r"^\s*import\s"),
    "lua": re.compile(r"\brequire\b"), "php": re.compile(r"^\s*use\s"),
    "css": re.compile(r"^\s*@import"),
}
IMPORT["typescript"] = IMPORT["javascript"]
IMPORT["cpp"] = IMPORT["c"]
# What stands above a definition: attributes and comments.
DECOR = re.compile(r"^\s*(?:@|#\[|//|#|/\*|\*|--|\"\"\"|///)")
# A line that closes, or goes on with, what an earlier one opened.
CLOSER = re.compile(r"^\s*(?:[\])}]|end\b|else\b|elif\b|except\b|finally\b|rescue\b|ensure\b|catch\b|</)")
BRACED = {"rust", "go", "javascript", "typescript", "c", "cpp", "java", "php", "css"}
