-- Names as people are searched by: without case and accents. NULL: not yet folded, which the plugin does for the names of before.
ALTER TABLE users ADD COLUMN folded_name TEXT;
CREATE INDEX users_to_fold ON users (id) WHERE folded_name IS NULL;
