-- Background work. A job that nobody runs is due at due_at; while it runs, due_at is the end of the run's lease: so "due" is one comparison, and
-- what a crashed host had taken becomes due by itself. Finished jobs are deleted; dead letters stay, with dead_at.
CREATE TABLE portico_job (
    id               TEXT PRIMARY KEY,
    type             TEXT NOT NULL,
    payload          TEXT NOT NULL,
    due_at           BIGINT NOT NULL,
    lease            TEXT,
    attempt          BIGINT NOT NULL DEFAULT 0,
    max_attempts     BIGINT NOT NULL,
    dedupe_key       TEXT,
    -- The event that a delivery is about: its row is kept until the last delivery is done.
    event_id         TEXT,
    -- Of a periodic job: the wait between its runs.
    interval_seconds BIGINT,
    created_at       BIGINT NOT NULL,
    last_error       TEXT,
    dead_at          BIGINT
);
CREATE INDEX portico_job_due ON portico_job (due_at) WHERE dead_at IS NULL;
CREATE UNIQUE INDEX portico_job_dedupe ON portico_job (dedupe_key) WHERE dedupe_key IS NOT NULL AND dead_at IS NULL;
CREATE INDEX portico_job_event ON portico_job (event_id) WHERE event_id IS NOT NULL;

-- The outbox: written in the transaction of the change that an event tells of, turned into deliveries (jobs) afterwards.
CREATE TABLE portico_event (
    id              TEXT PRIMARY KEY,
    type            TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    data            TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    dispatched_at   BIGINT
);
CREATE INDEX portico_event_waiting ON portico_event (created_at, id) WHERE dispatched_at IS NULL;
CREATE INDEX portico_event_dispatched ON portico_event (dispatched_at) WHERE dispatched_at IS NOT NULL;

-- Services that have listened to events of this one, so that deliveries wait for a subscriber that is down just now.
CREATE TABLE portico_subscriber (
    service_id TEXT NOT NULL,
    pattern    TEXT NOT NULL,
    seen_at    BIGINT NOT NULL,
    PRIMARY KEY (service_id, pattern)
);
