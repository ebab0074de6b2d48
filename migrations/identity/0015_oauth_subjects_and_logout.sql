-- Whose redirect addresses a client with pairwise subjects shares its people with (OpenID Connect Core, 8.1).
ALTER TABLE oauth_clients ADD COLUMN sector_identifier_uri TEXT;

-- What the clients of a sector know a person as.
CREATE TABLE oauth_subjects (
    sector TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    subject TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (sector, user_id)
);

-- What the client of a sign-in knows its user as, where that is not the user's id.
ALTER TABLE sessions ADD COLUMN subject TEXT;

-- Sign-ins whose end their client is still to be told of (OpenID Connect Back-Channel Logout).
CREATE TABLE logout_notices (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id),
    client_id TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
