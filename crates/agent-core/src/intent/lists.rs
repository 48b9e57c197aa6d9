//! Words and phrases. What is in none of these lists decides nothing.

/// What may stand before the words that matter.
pub(super) const COURTESY: &[&str] = &[
    "please", "pls", "hi", "hey", "hello", "ok", "okay", "so", "now", "just", "then", "first",
    "next", "also", "finally", "kindly", "quickly", "agent", "thanks", "well", "and", "can you",
    "could you", "would you", "will you", "you should", "i want you to", "i'd like you to",
    "i would like you to", "i need you to", "i'd like to", "i would like to", "i want to",
    "we need to", "we should", "you need to", "let's", "lets", "go ahead and", "would you mind",
    "do you mind", "bitte", "kannst du", "könntest du", "können sie", "por favor", "puedes",
    "podrías", "peux-tu", "pouvez-vous", "pourrais-tu", "s'il te plaît",
];

/// What says outright that nothing is to be changed.
pub(super) const UNTOUCHED: &[&str] = &[
    "do not change anything", "don't change anything", "do not edit anything",
    "don't edit anything", "do not modify anything", "don't modify anything",
    "without changing anything", "without changing any files", "don't change any files",
    "do not change any files", "don't touch anything", "don't write anything", "no changes",
    "no edits",
];

/// Questions begin so: whatever is named behind, they are answered.
pub(super) const ASKS: &[&str] = &[
    "what", "what's", "whats", "where", "where's", "which", "who", "who's", "whose", "when",
    "why", "how", "is", "are", "was", "were", "does", "do", "did", "has", "have", "can", "should",
    "in which", "at which", "for what", "to what", "wonder", "i wonder", "was", "wo", "warum",
    "wieso", "wie", "wer", "wann", "welche", "welcher", "welches", "où", "pourquoi", "comment",
    "qu'est-ce", "quel", "quelle", "quels", "quelles", "combien", "qué", "dónde", "cómo", "cuál",
    "cuáles", "quién", "cuántos", "cuántas", "por qué",
];

/// Of these the ones that ask only with a whole sentence behind them.
pub(super) const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "does", "do", "did", "has", "have", "can", "should",
];

/// Requests to look at something begin so.
pub(super) const LOOKS: &[&str] = &[
    "explain", "describe", "summarize", "summarise", "list", "show", "find", "search", "look",
    "read", "tell me", "tell us", "review", "analyze", "analyse", "inspect", "compare", "count",
    "locate", "walk me through", "outline", "identify", "grep", "display", "check", "see",
    "help me understand", "give me an overview", "give me a summary", "give me a list",
    "understand", "know", "print the contents", "i want to know", "i'd like to know",
    "i would like to know", "figure out", "determine", "name", "erkläre", "erklär", "beschreibe",
    "zeige", "zeig", "liste", "finde", "suche", "lies", "nenne", "explique", "décris", "montre",
    "trouve", "cherche", "lis", "résume", "explica", "describe", "muestra", "busca", "encuentra",
    "lee", "resume", "enumera",
];

/// Requests to look that often ask for more than an answer.
pub(super) const DOUBTFUL: &[&str] = &[
    "look into", "check out", "check in", "how about", "what about", "what if", "why not",
    "why don't", "see to", "can i", "should i", "can we", "should we", "are you able", "do it",
    "do that", "do this", "have it", "do what", "do the", "do a", "have the",
];

/// Requests to change something begin so.
pub(super) const EDITS: &[&str] = &[
    "add", "append", "adjust", "adapt", "apply", "bump", "capitalize", "change", "clean",
    "cleanup", "convert", "correct", "create", "deduplicate", "delete", "deprecate", "disable",
    "document", "drop", "edit", "enable", "enhance", "extend", "extract", "fill", "finish", "fix",
    "format", "generate", "handle", "implement", "improve", "include", "inline", "insert",
    "introduce", "make", "merge", "migrate", "modify", "move", "optimise", "optimize", "patch",
    "port", "prepend", "put", "reduce", "refactor", "reformat", "remove", "rename", "reorder",
    "reorganize", "repair", "replace", "resolve", "rewrite", "set", "shorten", "simplify", "sort",
    "speed up", "split", "strip", "support", "swap", "switch", "tidy", "translate", "turn",
    "uncomment", "comment", "update", "upgrade", "use", "wrap", "write", "get rid of", "ändere",
    "füge", "ergänze", "lösche", "entferne", "ersetze", "behebe", "korrigiere", "repariere",
    "erstelle", "schreibe", "benenne", "verschiebe", "implementiere", "verbessere", "ajoute",
    "supprime", "corrige", "modifie", "remplace", "renomme", "crée", "écris", "déplace", "añade",
    "agrega", "elimina", "borra", "arregla", "modifica", "cambia", "reemplaza", "renombra",
    "crea", "escribe", "mueve",
];

/// Of these the ones that are as often something else: they count only where a clause begins.
pub(super) const ALSO_NOUNS: &[&str] = &[
    "set", "use", "format", "document", "comment", "support", "handle", "sort", "split", "switch",
    "patch", "port", "merge", "include", "update", "turn", "put", "finish", "fill", "strip",
    "drop", "wrap", "clean", "make", "apply", "extract", "correct",
];

/// Requests to run something begin so.
pub(super) const RUNS: &[&str] = &[
    "run", "rerun", "re-run", "execute", "compile", "launch", "lint", "typecheck", "build the",
    "build it", "build this", "build everything", "install", "make test", "make check",
    "make build", "make all", "cargo", "npm", "pnpm", "yarn", "npx", "pytest", "gradle", "mvn",
    "do a build", "do a test run", "führe", "starte", "exécute", "lance", "ejecuta", "corre",
];

/// What is asked about where the answer is a run: do the tests pass?
pub(super) const RUNNABLE: &[&str] = &[
    "test", "tests", "suite", "build", "code", "project", "crate", "package", "it", "this",
    "everything",
];
/// What is asked of it.
pub(super) const SUCCEEDS: &[&str] = &[
    "pass", "passes", "passing", "green", "compile", "compiles", "build", "builds", "succeed",
];

/// Requests to take something back begin so.
pub(super) const UNDOES: &[&str] = &[
    "undo", "revert", "roll back", "rollback", "take back", "take that back", "take it back",
    "back out", "deshaz", "annule",
];

/// What a plain request to undo holds besides a number.
pub(super) const UNDONE: &[&str] = &[
    "the", "last", "latest", "previous", "most", "recent", "your", "my", "our", "that", "this",
    "it", "change", "changes", "edit", "edits", "what", "you", "did", "do", "done", "just",
    "made", "have", "of", "again", "please", "step", "steps", "thing", "things", "now", "back",
    "action", "actions", "modification", "modifications", "one", "were", "was", "has", "been",
    "changed", "edited", "session", "run", "in", "el", "último", "cambio", "la", "dernière",
];

/// All of them.
pub(super) const EVERYTHING: &[&str] = &["all", "everything", "every", "alles", "tout", "todo"];

/// Some of them: only who knows what was talked about knows which.
pub(super) const SOME: &[&str] = &["these", "those", "them", "some", "both"];

/// Numbers as words.
pub(super) const NUMBERS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// Whole requests for what the agent can do.
pub(super) const PROFILE: &[&str] = &[
    "profile", "show profile", "show your profile", "show me your profile", "show the profile",
    "your profile", "what can you do", "what can you do for me", "what are you",
    "what are you able to do", "who are you", "what are your capabilities",
    "what are your abilities", "list your capabilities", "show your capabilities",
    "what tools do you have", "which tools do you have", "list your tools", "show your tools",
    "what are your tools", "what tools can you use", "which tools can you use",
    "what model are you", "which model are you", "what model do you use",
    "which model do you use", "which model are you using", "what model are you using",
    "what are your limits", "what are your limitations", "how can you help",
    "how can you help me", "what can this agent do", "what does this agent do",
    "describe yourself", "introduce yourself", "tell me about yourself", "help",
    "how do i use you", "how do you work", "was kannst du", "wer bist du", "que peux-tu faire",
    "qui es-tu", "qué puedes hacer", "quién eres",
];

/// A word behind one of these is a verb: "squash the bug", "squash it".
pub(super) const OBJECTS: &[&str] = &[
    "the", "a", "an", "it", "them", "this", "that", "these", "those", "all", "any", "every", "my",
    "your", "its", "everything", "so", "up", "out", "on", "what", "until",
];
