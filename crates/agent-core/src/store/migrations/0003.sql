-- What somebody said "always" to when they were asked, in a workspace.
CREATE TABLE rule (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace BLOB NOT NULL,
    effect TEXT,
    path TEXT,
    command TEXT
) STRICT;
