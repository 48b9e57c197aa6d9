-- Answers that were given before.
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
