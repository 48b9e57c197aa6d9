-- The hash of the text of the file that an action was to change, which is a content like those of
-- changes. Notes that were written before this hold the text themselves.
ALTER TABLE note ADD COLUMN file TEXT;

-- What a file that went or came had beside its content and its mode, as JSON.
ALTER TABLE file ADD COLUMN attributes TEXT;
