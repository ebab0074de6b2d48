-- Where somebody can be reached who has lost access to their account; never a way to sign in.
CREATE TABLE recovery_emails (
    user_id TEXT PRIMARY KEY REFERENCES users (id),
    -- The one that counts; null: none has been verified yet.
    email TEXT,
    email_key TEXT,
    verified_at BIGINT,
    -- Waits for its code; the other stays until then.
    pending_email TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX recovery_emails_by_key ON recovery_emails (email_key);

-- What people set for themselves, for all services and for each: JSON texts of objects.
CREATE TABLE preferences (
    user_id TEXT PRIMARY KEY REFERENCES users (id),
    shared TEXT NOT NULL,
    services TEXT NOT NULL,
    version BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
