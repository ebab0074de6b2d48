-- What was proved when a browser signed in at identity's own origin: what comes from that sign-in proves no more, and no later.
ALTER TABLE browser_sessions ADD COLUMN amr TEXT NOT NULL DEFAULT '["pwd"]';
ALTER TABLE browser_sessions ADD COLUMN acr TEXT NOT NULL DEFAULT 'aal1';
ALTER TABLE browser_sessions ADD COLUMN auth_time BIGINT NOT NULL DEFAULT 0;
UPDATE browser_sessions SET auth_time = created_at;

-- What a client was granted with a sign-in, and the key that its tokens are bound to (RFC 9449).
ALTER TABLE sessions ADD COLUMN scope TEXT NOT NULL DEFAULT 'openid profile';
ALTER TABLE sessions ADD COLUMN dpop_jkt TEXT;
