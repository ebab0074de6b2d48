-- The trace of what made a job or an event: a traceparent (W3C Trace Context), and behind a blank the tracestate where there is one.
ALTER TABLE portico_job ADD COLUMN trace TEXT;
ALTER TABLE portico_event ADD COLUMN trace TEXT;

-- When the due time of a job that is tried again was set, so that a clock that was ahead then is seen through.
ALTER TABLE portico_job ADD COLUMN put_off_at BIGINT;
-- When a job failed for good, while the service is still to be told: then it becomes a dead letter.
ALTER TABLE portico_job ADD COLUMN failed_at BIGINT;

-- How the endpoints of a service's own signed deliveries do. Where they are and their secrets are asked of the service at each try.
ALTER TABLE portico_job ADD COLUMN endpoint_id TEXT;
CREATE INDEX portico_job_endpoint ON portico_job (endpoint_id) WHERE endpoint_id IS NOT NULL;
CREATE TABLE portico_endpoint (
    id            TEXT PRIMARY KEY,
    succeeded_at  BIGINT,
    failed_at     BIGINT,
    failing_since BIGINT,
    disabled_at   BIGINT,
    last_status   BIGINT NOT NULL DEFAULT 0,
    last_error    TEXT
);
