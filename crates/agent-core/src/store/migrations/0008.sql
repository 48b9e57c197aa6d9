-- What is remembered of a workspace because somebody said so.
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

-- The last conversations of each workspace, in short.
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

-- Files as they were last read or left. Without a hash there was none.
CREATE TABLE seen (
    workspace BLOB NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT,
    time INTEGER NOT NULL,
    PRIMARY KEY (workspace, path)
) STRICT, WITHOUT ROWID;
