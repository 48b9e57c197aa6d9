-- What somebody said "always" to when they were asked, in a workspace.
CREATE TABLE rule (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace BLOB NOT NULL,
    effect TEXT,
    path TEXT,
    command TEXT
) STRICT;

-- Files that came with a workspace and that the user has trusted, by their content.
CREATE TABLE trusted (
    workspace BLOB NOT NULL,
    file TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    UNIQUE (workspace, file, sha256)
) STRICT;
