-- Calendars elsewhere, when they keep their hosts busy, and the events that were written to them.
CREATE TABLE external_calendar (
    organization_id TEXT NOT NULL,
    host_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    username TEXT NOT NULL,
    password TEXT NOT NULL,
    direction TEXT NOT NULL,
    selected_collections TEXT NOT NULL,
    busy_kinds TEXT NOT NULL,
    write_target TEXT,
    sync_state TEXT NOT NULL,
    last_sync_at BIGINT,
    last_error TEXT,
    next_sync_at BIGINT,
    event_count BIGINT NOT NULL,
    sync_marker TEXT NOT NULL,
    -- When it was read as a whole last, and how often it has failed since.
    read_at BIGINT,
    failures BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, host_id, id)
);
CREATE INDEX external_calendar_due ON external_calendar (next_sync_at);

-- From an instant until before another; of whole dates the beginnings of the first and of the one after the last, as in UTC.
CREATE TABLE external_busy (
    organization_id TEXT NOT NULL,
    host_id TEXT NOT NULL,
    calendar_id TEXT NOT NULL,
    start_at BIGINT NOT NULL,
    end_at BIGINT NOT NULL,
    whole_dates BIGINT NOT NULL,
    PRIMARY KEY (organization_id, host_id, calendar_id, whole_dates, start_at)
);
CREATE INDEX external_busy_by_end ON external_busy (organization_id, host_id, end_at);

-- Where a booking stands elsewhere.
CREATE TABLE external_event (
    organization_id TEXT NOT NULL,
    booking_id TEXT NOT NULL,
    calendar_id TEXT NOT NULL,
    href TEXT NOT NULL,
    etag TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (organization_id, booking_id, calendar_id)
);
