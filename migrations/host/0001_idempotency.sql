-- Answers to requests that carried an Idempotency-Key, kept so that a repetition gets the same one. The id is a digest of caller, service, path
-- and key. status is null while the first request runs; expires_at then is the end of its lease, so that what a crashed host left is taken over.
CREATE TABLE portico_idempotency (
    id            TEXT PRIMARY KEY,
    fingerprint   TEXT NOT NULL,
    owner         TEXT NOT NULL,
    expires_at    BIGINT NOT NULL,
    status        BIGINT,
    content_type  TEXT,
    cache_control TEXT,
    etag          TEXT,
    headers       TEXT,
    -- Base 64 if body_encoded is 1: for bodies that are no text.
    body          TEXT,
    body_encoded  BIGINT
);
CREATE INDEX portico_idempotency_expiry ON portico_idempotency (expires_at);
