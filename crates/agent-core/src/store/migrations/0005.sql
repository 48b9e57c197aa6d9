-- How good answers were.
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
