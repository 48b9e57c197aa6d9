CREATE TABLE blob (
    id INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    -- 1 where `content` is a zlib stream, 0 where that would not be smaller.
    deflated INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;

CREATE TABLE change (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace BLOB NOT NULL,
    session TEXT NOT NULL,
    tool TEXT NOT NULL,
    -- Milliseconds since 1970.
    time INTEGER NOT NULL,
    -- The change that this one takes back.
    reverts INTEGER,
    -- 0 pending, 1 done, 2 void, 3 left alone.
    state INTEGER NOT NULL,
    -- A hash over the row and its files: what the disk has garbled must never steer a write.
    seal TEXT NOT NULL
) STRICT;

CREATE INDEX change_by_workspace ON change (workspace);

CREATE INDEX change_pending ON change (state) WHERE state = 0;

CREATE TABLE file (
    change INTEGER NOT NULL REFERENCES change (id),
    position INTEGER NOT NULL,
    path BLOB NOT NULL,
    before_kind INTEGER NOT NULL,
    before_sha256 TEXT,
    before_mode INTEGER,
    after_kind INTEGER NOT NULL,
    after_sha256 TEXT,
    after_mode INTEGER,
    -- Directories above the path that come or go with it.
    directories INTEGER NOT NULL,
    added INTEGER,
    removed INTEGER, attributes TEXT,
    PRIMARY KEY (change, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    workspace BLOB NOT NULL,
    -- Milliseconds since 1970: of the first note, and of the last.
    begun INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    -- The first request's words, cut short, and the last request's model.
    task TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    actions INTEGER NOT NULL,
    -- How the last request ended; nothing while it has not.
    outcome TEXT
, notes INTEGER) STRICT;

CREATE INDEX session_by_workspace ON session (workspace, changed);

CREATE TABLE note (
    session INTEGER NOT NULL REFERENCES session (number),
    position INTEGER NOT NULL,
    size INTEGER NOT NULL,
    -- 1 where `body` is a zlib stream, 0 where that would not be smaller.
    deflated INTEGER NOT NULL,
    body BLOB NOT NULL,
    -- A hash over session, position and body: what the disk has garbled is not taken for a session.
    seal BLOB NOT NULL, file TEXT,
    UNIQUE (session, position)
) STRICT;

CREATE TABLE rule (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace BLOB NOT NULL,
    effect TEXT,
    path TEXT,
    command TEXT
) STRICT;

CREATE TABLE trusted (
    hash TEXT PRIMARY KEY,
    what TEXT NOT NULL,
    time INTEGER NOT NULL
, tools TEXT) STRICT;

CREATE TABLE evaluation (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace BLOB NOT NULL,
    session TEXT NOT NULL,
    -- Milliseconds since 1970.
    time INTEGER NOT NULL,
    model TEXT NOT NULL,
    score INTEGER NOT NULL,
    reason TEXT NOT NULL,
    -- What was counted, as JSON.
    signals TEXT NOT NULL,
    -- What a model thinks of it, as JSON; nothing where none was asked.
    judge TEXT
) STRICT;

CREATE INDEX evaluation_by_workspace ON evaluation (workspace, number);

CREATE TABLE cached (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace BLOB NOT NULL,
    model TEXT NOT NULL,
    -- A hash of the instructions and the tools.
    prompt TEXT NOT NULL,
    -- The request, normalised.
    request TEXT NOT NULL,
    answer TEXT NOT NULL,
    -- What it was made from, as JSON.
    sources TEXT NOT NULL,
    -- Milliseconds since 1970.
    time INTEGER NOT NULL,
    -- The later it was used, the higher.
    used INTEGER NOT NULL,
    hits INTEGER NOT NULL DEFAULT 0,
    UNIQUE (workspace, model, prompt, request)
) STRICT;

CREATE INDEX cached_by_use ON cached (used);

CREATE TABLE server (
    -- Of its configuration in one workspace.
    hash TEXT PRIMARY KEY,
    -- How it is spoken to: modern or legacy.
    era TEXT,
    -- Its tools, as JSON.
    tools TEXT,
    -- When it told of them, in milliseconds since 1970.
    time INTEGER
) STRICT;

CREATE TABLE remembered (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace BLOB NOT NULL,
    text TEXT NOT NULL,
    -- 0 the user said it, 1 a model proposes it, 2 the user has accepted that.
    standing INTEGER NOT NULL,
    -- The session that it was proposed in.
    session TEXT,
    -- Milliseconds since 1970.
    time INTEGER NOT NULL,
    UNIQUE (workspace, text)
) STRICT;

CREATE TABLE earlier (
    session TEXT NOT NULL PRIMARY KEY,
    workspace BLOB NOT NULL,
    time INTEGER NOT NULL,
    request TEXT NOT NULL,
    outcome TEXT NOT NULL,
    -- What was read and changed, as JSON.
    files TEXT NOT NULL,
    summary TEXT NOT NULL
) STRICT;

CREATE INDEX earlier_by_workspace ON earlier (workspace, time);

CREATE TABLE seen (
    workspace BLOB NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT,
    time INTEGER NOT NULL,
    PRIMARY KEY (workspace, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE part (
    whole TEXT NOT NULL,
    position INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (whole, position)
) STRICT, WITHOUT ROWID;
