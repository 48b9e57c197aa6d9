-- Sessions. All but the notes is what a list of them shows, and follows from the notes.
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
) STRICT;

CREATE INDEX session_by_workspace ON session (workspace, changed);

-- What sessions hold, in order. Rows are only added.
CREATE TABLE note (
    session INTEGER NOT NULL REFERENCES session (number),
    position INTEGER NOT NULL,
    size INTEGER NOT NULL,
    -- 1 where `body` is a zlib stream, 0 where that would not be smaller.
    deflated INTEGER NOT NULL,
    body BLOB NOT NULL,
    -- A hash over session, position and body: what the disk has garbled is not taken for a session.
    seal BLOB NOT NULL,
    UNIQUE (session, position)
) STRICT;
