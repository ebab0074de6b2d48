-- Pages of other origins that may show a host's booking pages in a frame.
CREATE TABLE embed_grant (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    host_id TEXT NOT NULL,
    event_type_id TEXT,
    origins TEXT NOT NULL,
    mode TEXT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX embed_grant_of_host ON embed_grant (organization_id, host_id);
