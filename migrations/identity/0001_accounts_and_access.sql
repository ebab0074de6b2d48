-- Who people are, where they belong, what the services of this installation define, how they are signed in, and the keys of programs.
-- Instants are milliseconds since 1970. Lists and objects that are only ever read whole are JSON text.

-- One number that every committed change raises that a running credential may see: hosts that share a database compare it before they
-- trust what they remember.
CREATE TABLE revisions (
    id BIGINT PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO revisions (id, value) VALUES (1, 1);

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    -- The address as it is compared: lower case.
    email_key TEXT NOT NULL UNIQUE,
    email_verified BOOLEAN NOT NULL,
    display_name TEXT NOT NULL,
    given_name TEXT NOT NULL,
    family_name TEXT NOT NULL,
    avatar_url TEXT,
    locale TEXT NOT NULL,
    timezone TEXT NOT NULL,
    status TEXT NOT NULL,
    platform_role TEXT,
    principal_type TEXT NOT NULL,
    principal_services TEXT NOT NULL,
    launcher_eligible BOOLEAN NOT NULL,
    -- argon2id in its own text form; null: this user has no password.
    password_hash TEXT,
    -- Raised with every change of role, context or status: `prv` of the access token.
    revision BIGINT NOT NULL,
    last_login_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    logo_url TEXT,
    security_policy TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE memberships (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    joined_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (organization_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id);

-- The catalog: what the manifests of the services say. `status` is the service's own; `enabled` tells whether a host runs it now.
CREATE TABLE services (
    service_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    complete BOOLEAN NOT NULL,
    contexts TEXT NOT NULL,
    personal_access BOOLEAN NOT NULL,
    origin TEXT NOT NULL,
    manifest TEXT NOT NULL,
    manifest_sha256 TEXT NOT NULL,
    -- CompletenessReport of the last registration.
    report TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE service_permissions (
    service_id TEXT NOT NULL REFERENCES services (service_id),
    permission TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    risk TEXT NOT NULL,
    api_key_exempt BOOLEAN NOT NULL
);
CREATE INDEX service_permissions_by_service ON service_permissions (service_id);

CREATE TABLE role_bundles (
    service_id TEXT NOT NULL REFERENCES services (service_id),
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    roles TEXT NOT NULL,
    permissions TEXT NOT NULL,
    PRIMARY KEY (service_id, id)
);

CREATE TABLE api_key_scopes (
    service_id TEXT NOT NULL REFERENCES services (service_id),
    scope TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    permissions TEXT NOT NULL,
    bindable TEXT NOT NULL,
    PRIMARY KEY (service_id, scope)
);

CREATE TABLE bindable_types (
    service_id TEXT NOT NULL REFERENCES services (service_id),
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    list_url TEXT NOT NULL,
    id_pattern TEXT NOT NULL,
    PRIMARY KEY (service_id, type)
);

-- What an organization changed in a bundle of a manifest: replaces its roles and permissions there.
CREATE TABLE role_bundle_overrides (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    service_id TEXT NOT NULL REFERENCES services (service_id),
    bundle_id TEXT NOT NULL,
    roles TEXT NOT NULL,
    permissions TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, service_id, bundle_id)
);

CREATE TABLE service_access (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    service_id TEXT NOT NULL REFERENCES services (service_id),
    status TEXT NOT NULL,
    plan TEXT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, service_id)
);

CREATE TABLE permission_overrides (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    -- A permission, or a pattern such as `crm.contacts:*`.
    permission TEXT NOT NULL,
    effect TEXT NOT NULL,
    reason TEXT NOT NULL,
    created_by TEXT NOT NULL,
    expires_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX permission_overrides_by_user ON permission_overrides (user_id, organization_id);

-- The browser's sign-in at identity's own origin; the sign-ins of apps that came from it end with it.
CREATE TABLE browser_sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    handle_hash TEXT NOT NULL UNIQUE,
    idle_expires_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT,
    created_at BIGINT NOT NULL
);

-- One sign-in of one app. Its context is the one that counts, whatever an access token says.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    browser_session_id TEXT REFERENCES browser_sessions (id),
    service_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    organization_id TEXT REFERENCES organizations (id),
    ip_prefix TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    amr TEXT NOT NULL,
    acr TEXT NOT NULL,
    auth_time BIGINT NOT NULL,
    -- Until when the last step-up counts.
    elevated_until BIGINT,
    dpop_bound BOOLEAN NOT NULL,
    last_seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT,
    end_reason TEXT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id, ended_at);
CREATE INDEX sessions_by_browser ON sessions (browser_session_id);

-- All refresh handles that one sign-in will ever have, in one row: they are derived from `secret` and the generation.
CREATE TABLE refresh_families (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE REFERENCES sessions (id),
    service_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    mac_key_id TEXT NOT NULL,
    secret TEXT NOT NULL,
    current_gen BIGINT NOT NULL,
    rotated_at BIGINT NOT NULL,
    idle_seconds BIGINT NOT NULL,
    idle_expires_at BIGINT NOT NULL,
    absolute_expires_at BIGINT NOT NULL,
    remembered BOOLEAN NOT NULL,
    dpop_jkt TEXT,
    origin_hash TEXT,
    revoked_at BIGINT,
    revoke_reason TEXT,
    created_at BIGINT NOT NULL
);

-- The context that a user last worked in at a service; null: personal.
CREATE TABLE last_contexts (
    user_id TEXT NOT NULL REFERENCES users (id),
    service_id TEXT NOT NULL,
    organization_id TEXT REFERENCES organizations (id),
    used_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, service_id)
);

-- Private keys are protected as the rest of this database is: by who may read it.
CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY,
    algorithm TEXT NOT NULL,
    -- next (published, not yet used), current (signs), previous (verifies what it signed).
    state TEXT NOT NULL,
    private_key TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE mac_keys (
    id TEXT PRIMARY KEY,
    secret TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    key_id TEXT NOT NULL UNIQUE,
    secret_hash TEXT NOT NULL,
    last4 TEXT NOT NULL,
    name TEXT NOT NULL,
    environment TEXT NOT NULL,
    owner_type TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    created_by TEXT NOT NULL,
    organization_id TEXT REFERENCES organizations (id),
    status TEXT NOT NULL,
    grants TEXT NOT NULL,
    ip_allow_list TEXT NOT NULL,
    rate_limit TEXT,
    expires_at BIGINT,
    rotated_from_id TEXT,
    overlap_ends_at BIGINT,
    revoked_at BIGINT,
    revoke_reason TEXT,
    metadata TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX api_keys_by_owner ON api_keys (owner_id, status);

-- When and how often a key was used; apart from the key, so that counting does not change its version.
CREATE TABLE api_key_uses (
    api_key_id TEXT NOT NULL REFERENCES api_keys (id),
    -- Start of the hour.
    hour BIGINT NOT NULL,
    count BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    last_ip_prefix TEXT NOT NULL,
    last_service TEXT NOT NULL,
    PRIMARY KEY (api_key_id, hour)
);

-- The audit trail: each entry's hash covers the one before it, so that a change or a gap shows.
CREATE TABLE audit_events (
    id TEXT PRIMARY KEY,
    sequence BIGINT NOT NULL UNIQUE,
    at BIGINT NOT NULL,
    type TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    ip TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    target TEXT NOT NULL,
    organization_id TEXT,
    service_id TEXT NOT NULL,
    outcome TEXT NOT NULL,
    details TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX audit_events_by_organization ON audit_events (organization_id, sequence);

CREATE TABLE audit_chain (
    id BIGINT PRIMARY KEY,
    sequence BIGINT NOT NULL,
    hash TEXT NOT NULL
);
INSERT INTO audit_chain (id, sequence, hash) VALUES (1, 0, '');
