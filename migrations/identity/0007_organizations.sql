-- Organizations that people manage themselves, and households.

ALTER TABLE organizations ADD COLUMN deletion_at BIGINT;

-- Domains that organizations say are theirs. Of those that have proved it there is one for each domain.
CREATE TABLE organization_domains (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    domain TEXT NOT NULL,
    status TEXT NOT NULL,
    auto_join_role TEXT,
    -- What the TXT record has to say.
    token TEXT NOT NULL,
    verified_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, domain)
);
CREATE UNIQUE INDEX verified_domains ON organization_domains (domain) WHERE status = 'verified';

CREATE TABLE invitations (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    role TEXT NOT NULL,
    service_ids TEXT NOT NULL,
    message TEXT NOT NULL,
    -- SHA-256 of what the mail's link holds.
    token_hash TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    invited_by TEXT NOT NULL REFERENCES users (id),
    expires_at BIGINT NOT NULL,
    -- Who accepted it.
    user_id TEXT REFERENCES users (id),
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX invitations_by_organization ON invitations (organization_id, status);
CREATE UNIQUE INDEX pending_invitations ON invitations (organization_id, email_key) WHERE status = 'pending';

-- Which organization an agent works for, and which of its members answers for it.
CREATE TABLE agents (
    user_id TEXT PRIMARY KEY REFERENCES users (id),
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    owner_user_id TEXT NOT NULL REFERENCES users (id)
);
CREATE INDEX agents_by_organization ON agents (organization_id);

CREATE TABLE households (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    owner_user_id TEXT NOT NULL REFERENCES users (id),
    status TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE household_members (
    household_id TEXT NOT NULL REFERENCES households (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    joined_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (household_id, user_id)
);
CREATE INDEX household_members_by_user ON household_members (user_id);

CREATE TABLE household_invitations (
    id TEXT PRIMARY KEY,
    household_id TEXT NOT NULL REFERENCES households (id),
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    role TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    invited_by TEXT NOT NULL REFERENCES users (id),
    expires_at BIGINT NOT NULL,
    user_id TEXT REFERENCES users (id),
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX household_invitations_by_household ON household_invitations (household_id, status);
CREATE UNIQUE INDEX pending_household_invitations ON household_invitations (household_id, email_key) WHERE status = 'pending';

-- The household that somebody works with in personal context, in all apps.
ALTER TABLE users ADD COLUMN selected_household_id TEXT REFERENCES households (id);
