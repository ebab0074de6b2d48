-- The handle of a browser is replaced when somebody proves again who they are, or changes context; the one before it is good for a moment
-- more, for the requests that are under way.
ALTER TABLE browser_sessions ADD COLUMN replaced_hash TEXT;
ALTER TABLE browser_sessions ADD COLUMN replaced_at BIGINT;
CREATE INDEX browser_sessions_by_replaced ON browser_sessions (replaced_hash) WHERE replaced_hash IS NOT NULL;
