-- What servers of other programs said of themselves when they were last asked.
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

-- Fingerprints of a trusted server's tools, by name, as JSON; nothing before they were first seen.
ALTER TABLE trusted ADD COLUMN tools TEXT;
