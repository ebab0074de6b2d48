-- One-time codes that were used, by hash: who comes second is known for that, and what the first got is taken away.
CREATE TABLE used_codes (
    code_hash TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    -- A hash of what the first presented.
    presenter TEXT NOT NULL,
    used_at BIGINT NOT NULL
);
CREATE INDEX used_codes_by_age ON used_codes (used_at);
