-- The file of a dry run is kept for a while, so that it can be run again. JSON: the first rows of a dry run, and what is to become of them.
ALTER TABLE import ADD COLUMN sample TEXT NOT NULL DEFAULT '[]';
ALTER TABLE import ADD COLUMN file_until BIGINT;
CREATE INDEX import_file_kept ON import (file_until) WHERE file_until IS NOT NULL;
