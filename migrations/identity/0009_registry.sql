-- A service that runs elsewhere is registered over the API and needs no host that has it enabled.
ALTER TABLE services ADD COLUMN remote BOOLEAN NOT NULL DEFAULT FALSE;
-- The organization whose service it is; null: the platform's own.
ALTER TABLE services ADD COLUMN publisher_id TEXT REFERENCES organizations (id);
-- The manifest as a host handed it over last: what differs from it was changed by hand.
ALTER TABLE services ADD COLUMN published_manifest TEXT NOT NULL DEFAULT '';
UPDATE services SET published_manifest = manifest;

-- What the public page of a service says, where somebody has changed what the manifest has.
CREATE TABLE landing_configs (
    service_id TEXT PRIMARY KEY REFERENCES services (service_id),
    config TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- How far somebody has come with the first steps in a service.
CREATE TABLE service_onboarding (
    service_id TEXT NOT NULL REFERENCES services (service_id),
    -- The organization, or in personal context the person.
    owner_id TEXT NOT NULL,
    status TEXT NOT NULL,
    done TEXT NOT NULL,
    data TEXT NOT NULL,
    completed_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (owner_id, service_id)
);
