-- Dashboards of people, and the rules of organizations for them. organization_id is the organization, or the person (usr_…) in personal
-- context. Lists are JSON.

CREATE TABLE preference (
    organization_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    view TEXT NOT NULL,
    sidebar_collapsed BOOLEAN NOT NULL,
    default_landing TEXT NOT NULL,
    open_in TEXT NOT NULL,
    reduced_motion BOOLEAN NOT NULL,
    -- NULL: the person has not chosen, so the organization's choice applies.
    pinned TEXT,
    service_order TEXT,
    hidden TEXT NOT NULL,
    folders TEXT NOT NULL,
    widgets TEXT NOT NULL,
    -- Changes of theme, density and locale, which identity stores. They count for the version.
    shared_changes BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX preference_by_user ON preference (user_id);

CREATE TABLE organization_setting (
    organization_id TEXT NOT NULL,
    -- Always launchpad: one row for each organization.
    name TEXT NOT NULL,
    default_order TEXT NOT NULL,
    default_pinned TEXT NOT NULL,
    allow_requests BOOLEAN NOT NULL,
    allow_personal_installs BOOLEAN NOT NULL,
    announcement TEXT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, name)
);
