-- What visitors have left: waitlist, demos and requests to sales. The rows belong to the installation; organization_id is always
-- 'installation'. Instants are milliseconds since 1970.

CREATE TABLE waitlist_entry (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    name TEXT NOT NULL,
    company TEXT NOT NULL,
    interest TEXT NOT NULL,
    source TEXT NOT NULL,
    locale TEXT NOT NULL,
    -- waiting, invited, joined or removed.
    status TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX waitlist_by_email ON waitlist_entry (organization_id, email_key);
CREATE INDEX waitlist_by_time ON waitlist_entry (organization_id, created_at, id);

CREATE TABLE demo_booking (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    company TEXT NOT NULL,
    team_size BIGINT,
    message TEXT NOT NULL,
    -- enterprise for a request to sales.
    package TEXT,
    -- requested, confirmed, done or canceled.
    status TEXT NOT NULL,
    slot_start BIGINT,
    slot_timezone TEXT NOT NULL,
    -- Of the calendar; empty without a reserved time.
    calendar_booking_id TEXT NOT NULL,
    manage_url TEXT NOT NULL,
    locale TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX demo_by_time ON demo_booking (organization_id, created_at, id);
