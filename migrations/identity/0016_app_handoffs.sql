-- What was approved of a submitted app, until the developer application hands its manifest over. Not of an organization: operators and the
-- developer application keep it for the workspace.
CREATE TABLE app_handoffs (
    id TEXT PRIMARY KEY,
    submission_id TEXT NOT NULL REFERENCES app_submissions (id),
    workspace_organization_id TEXT NOT NULL REFERENCES organizations (id),
    service_id TEXT NOT NULL,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    scopes TEXT NOT NULL,
    status TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    consumed_at BIGINT,
    -- The code is shown once.
    code_hash TEXT NOT NULL UNIQUE,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX app_handoffs_by_service ON app_handoffs (service_id, status);
