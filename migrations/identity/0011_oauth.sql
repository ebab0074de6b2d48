-- Apps that sign people in with us, and programs that sign in themselves. Columns that hold lists are JSON.
CREATE TABLE oauth_clients (
    client_id TEXT PRIMARY KEY,
    owner_organization_id TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    first_party BOOLEAN NOT NULL,
    service_id TEXT,
    owner_type TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    post_logout_redirect_uris TEXT NOT NULL,
    frontchannel_logout_uri TEXT,
    backchannel_logout_uri TEXT,
    grant_types TEXT NOT NULL,
    scopes TEXT NOT NULL,
    token_endpoint_auth_method TEXT NOT NULL,
    jwks TEXT NOT NULL,
    jwks_uri TEXT,
    require_pkce BOOLEAN NOT NULL,
    require_par BOOLEAN NOT NULL,
    dpop_bound_access_tokens BOOLEAN NOT NULL,
    id_token_signed_response_alg TEXT NOT NULL,
    subject_type TEXT NOT NULL,
    logo_uri TEXT,
    tos_uri TEXT,
    policy_uri TEXT,
    consent TEXT NOT NULL,
    -- Hash of the token with which a client that registered itself manages its registration (RFC 7592).
    registration_token_hash TEXT,
    deleted_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX oauth_clients_by_owner ON oauth_clients (owner_organization_id, client_id);

-- By hash; two live ones while one replaces the other.
CREATE TABLE oauth_client_secrets (
    secret_hash TEXT PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES oauth_clients (client_id),
    expires_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX oauth_client_secrets_by_client ON oauth_client_secrets (client_id);

-- What people have allowed an app to see.
CREATE TABLE oauth_consents (
    user_id TEXT NOT NULL REFERENCES users (id),
    client_id TEXT NOT NULL REFERENCES oauth_clients (client_id),
    scopes TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, client_id)
);

CREATE INDEX sessions_by_client ON sessions (client_id, user_id);
