-- The parts of a large content, in their order, each a content by itself. What two versions of a large
-- file share is kept once, and none of them has to be compressed as a whole.
CREATE TABLE part (
    whole TEXT NOT NULL,
    position INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (whole, position)
) STRICT, WITHOUT ROWID;
