-- Contents of files, each once.
CREATE TABLE blob (
    id INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    -- 1 where `content` is a zlib stream, 0 where that would not be smaller.
    deflated INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;

-- What was done, in order. Rows are only added; a row's state goes from pending to what became of it.
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

-- The files of a change. Kinds are 0 nothing, 1 file, 2 symbolic link.
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
    removed INTEGER,
    PRIMARY KEY (change, position)
) STRICT, WITHOUT ROWID;
