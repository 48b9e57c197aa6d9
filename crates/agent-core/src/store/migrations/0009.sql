-- How many notes a session has, so that one whose last are gone is not taken for a shorter one.
-- Sessions that were written before this don't tell.
ALTER TABLE session ADD COLUMN notes INTEGER;
