-- Secrets that are sent by mail and open one thing once: links and six-digit codes. Only their hashes are kept.
CREATE TABLE one_time_tokens (
    id TEXT PRIMARY KEY,
    -- What it opens: `email_verification`, `password_reset`, …
    purpose TEXT NOT NULL,
    -- Whose it is: the id of a user or another record, or an e-mail address as it is compared.
    subject TEXT NOT NULL,
    -- Null: there is no link, only a code.
    secret_hash TEXT UNIQUE,
    -- Null: there is no code, only a link.
    code_hash TEXT,
    code_tries_left BIGINT NOT NULL,
    code_expires_at BIGINT,
    -- JSON of whoever issued it.
    data TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX one_time_tokens_by_subject ON one_time_tokens (subject, purpose, created_at);
CREATE INDEX one_time_tokens_by_end ON one_time_tokens (expires_at);
