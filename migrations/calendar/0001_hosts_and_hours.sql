-- Hosts with their schedules and event types. Keys start with the organization, so that no statement can do without it; instants are
-- milliseconds since 1970, lists and records are JSON.
CREATE TABLE host (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    handle TEXT NOT NULL,
    user_id TEXT NOT NULL,
    display_name TEXT NOT NULL,
    headline TEXT NOT NULL,
    bio TEXT NOT NULL,
    avatar_url TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    locale TEXT NOT NULL,
    week_start BIGINT NOT NULL,
    default_schedule_id TEXT NOT NULL,
    branding TEXT NOT NULL,
    indexable BOOLEAN NOT NULL,
    external_busy_policy TEXT NOT NULL,
    hold_seconds BIGINT NOT NULL,
    daily_limit BIGINT,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX host_of_user ON host (organization_id, user_id);

-- First segments of public pages, over all organizations: one host each. A row with `kept_until` was given up and leads on until then.
CREATE TABLE host_handle (
    handle TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    host_id TEXT NOT NULL,
    kept_until BIGINT
);
CREATE INDEX host_handle_of ON host_handle (organization_id, host_id);

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

CREATE TABLE event_type (
    organization_id TEXT NOT NULL,
    host_id TEXT NOT NULL,
    id TEXT NOT NULL,
    slug TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    duration_minutes BIGINT NOT NULL,
    duration_options TEXT NOT NULL,
    slot_interval_minutes BIGINT,
    buffer_before_minutes BIGINT NOT NULL,
    buffer_after_minutes BIGINT NOT NULL,
    minimum_notice_minutes BIGINT NOT NULL,
    booking_window TEXT NOT NULL,
    daily_limit BIGINT,
    weekly_limit BIGINT,
    seats_per_slot BIGINT NOT NULL,
    schedule_id TEXT,
    meeting_kind TEXT NOT NULL,
    meeting_details TEXT NOT NULL,
    requires_approval BOOLEAN NOT NULL,
    approval_expiry_hours BIGINT NOT NULL,
    questions TEXT NOT NULL,
    allow_additional_guests BIGINT NOT NULL,
    cancel_policy TEXT NOT NULL,
    reschedule_policy TEXT NOT NULL,
    redirect_url TEXT NOT NULL,
    color TEXT NOT NULL,
    visibility TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, host_id, id)
);
CREATE UNIQUE INDEX event_type_slug ON event_type (organization_id, host_id, slug);
