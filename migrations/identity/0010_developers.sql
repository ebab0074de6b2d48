-- Who wants to build for the platform, and the apps that they want on it. Not of an organization: operators review them.

CREATE TABLE developers (
    id TEXT PRIMARY KEY,
    applicant_name TEXT NOT NULL,
    email TEXT NOT NULL,
    -- The address as it is compared: an address applies once.
    email_key TEXT NOT NULL UNIQUE,
    company TEXT NOT NULL,
    website TEXT NOT NULL,
    use_case TEXT NOT NULL,
    country TEXT NOT NULL,
    expected_users BIGINT,
    status TEXT NOT NULL,
    status_reason TEXT,
    reviewed_by TEXT,
    reviewed_at BIGINT,
    workspace_organization_id TEXT REFERENCES organizations (id),
    submitted_at BIGINT NOT NULL,
    history TEXT NOT NULL,
    -- Of the link in the last mail to the applicant.
    token_hash TEXT NOT NULL,
    locale TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX developers_by_status ON developers (status, id);

CREATE TABLE app_submissions (
    id TEXT PRIMARY KEY,
    developer_email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    app_name TEXT NOT NULL,
    slug TEXT NOT NULL,
    summary TEXT NOT NULL,
    description TEXT NOT NULL,
    homepage_url TEXT NOT NULL,
    repository_url TEXT,
    callback_urls TEXT NOT NULL,
    requested_scopes TEXT NOT NULL,
    surface_kind TEXT NOT NULL,
    contact TEXT NOT NULL,
    status TEXT NOT NULL,
    status_reason TEXT,
    reviewed_by TEXT,
    reviewed_at BIGINT,
    submitted_at BIGINT NOT NULL,
    history TEXT NOT NULL,
    token_hash TEXT NOT NULL,
    locale TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX app_submissions_by_status ON app_submissions (status, id);
CREATE INDEX app_submissions_by_email ON app_submissions (email_key);
