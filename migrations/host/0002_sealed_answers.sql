-- Answers may hold secrets (a new API key), so they are kept sealed: docs/decisions/0007. What was kept in the clear goes.
DROP TABLE portico_idempotency;
CREATE TABLE portico_idempotency (
    id          TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    owner       TEXT NOT NULL,
    expires_at  BIGINT NOT NULL,
    -- Null while the first request runs; expires_at then is the end of its lease.
    answer      BYTEA
);
CREATE INDEX portico_idempotency_expiry ON portico_idempotency (expires_at);
