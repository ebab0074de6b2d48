-- Providers elsewhere through which people sign in: the installation's, and those of organizations.
CREATE TABLE identity_providers (
    id TEXT PRIMARY KEY,
    -- The organization, or 'installation'.
    owner_id TEXT NOT NULL,
    organization_id TEXT REFERENCES organizations (id),
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    issuer TEXT NOT NULL,
    client_id TEXT NOT NULL,
    -- Sealed: it is sent with each sign-in. Empty: a public client.
    client_secret TEXT NOT NULL,
    scopes TEXT NOT NULL,
    domains TEXT NOT NULL,
    button TEXT NOT NULL,
    join_mode TEXT NOT NULL,
    join_role TEXT,
    trust_email BOOLEAN NOT NULL,
    acr_map TEXT NOT NULL,
    status TEXT NOT NULL,
    last_used_at BIGINT,
    last_error TEXT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX identity_providers_by_owner ON identity_providers (owner_id, created_at);

-- Accounts at providers that open an account here: one of theirs opens one of ours.
CREATE TABLE linked_accounts (
    user_id TEXT NOT NULL REFERENCES users (id),
    id TEXT NOT NULL UNIQUE,
    provider_id TEXT NOT NULL REFERENCES identity_providers (id),
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    linked_at BIGINT NOT NULL,
    last_used_at BIGINT,
    PRIMARY KEY (user_id, id),
    UNIQUE (issuer, subject)
);
CREATE INDEX linked_accounts_by_provider ON linked_accounts (provider_id);

-- Where a browser's sign-in came from, for the day on which the provider ends it there.
ALTER TABLE browser_sessions ADD COLUMN provider_id TEXT;
ALTER TABLE browser_sessions ADD COLUMN provider_subject TEXT;
ALTER TABLE browser_sessions ADD COLUMN provider_sid TEXT;
CREATE INDEX browser_sessions_by_provider ON browser_sessions (provider_id, provider_subject) WHERE provider_id IS NOT NULL;
