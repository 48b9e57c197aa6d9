-- What the user trusts that others have written: a hash of all that it executes.
CREATE TABLE trusted (
    hash TEXT PRIMARY KEY,
    what TEXT NOT NULL,
    time INTEGER NOT NULL
) STRICT;
