-- Exports of what is kept of a person, and accounts that are deleted.

-- When an account that waits for its deletion is to go; null: it does not wait.
ALTER TABLE users ADD COLUMN deletion_at BIGINT;

CREATE TABLE data_exports (
    user_id TEXT NOT NULL REFERENCES users (id),
    id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    -- Written down before the file is there, so that none is left behind.
    blob_key TEXT,
    size_bytes BIGINT NOT NULL,
    -- Services that have not answered yet and are away.
    waiting_for TEXT NOT NULL,
    ready_at BIGINT,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);
CREATE UNIQUE INDEX data_exports_running ON data_exports (user_id) WHERE status = 'running';

-- Accounts that are gone; the address is kept until the last service has forgotten them.
CREATE TABLE erasures (
    user_id TEXT PRIMARY KEY REFERENCES users (id),
    email TEXT NOT NULL,
    locale TEXT NOT NULL,
    waiting_for TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    finished_at BIGINT
);

CREATE TABLE erasure_steps (
    user_id TEXT NOT NULL REFERENCES erasures (user_id),
    service_id TEXT NOT NULL,
    done_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, service_id)
);
