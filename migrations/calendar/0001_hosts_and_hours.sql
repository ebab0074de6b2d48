-- Hosts with their schedules and event types. Every key starts with the organization, so that no statement can do without it; instants
-- are milliseconds since 1970, lists and records are JSON.
CREATE TABLE schedule (
    organization_id TEXT NOT NULL,
    host_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    weekly_rules TEXT NOT NULL,
    date_overrides TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, host_id, id)
);
