-- Apps that show codes (RFC 6238). `secret` is sealed; `last_step` is the period of the newest code that was used: none is good twice.
CREATE TABLE totp_factors (
    user_id TEXT NOT NULL REFERENCES users (id),
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    secret TEXT NOT NULL,
    last_step BIGINT NOT NULL,
    last_used_at BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);

-- Codes for who has lost their factors: hashes of 80 random bits, each good once.
CREATE TABLE recovery_codes (
    user_id TEXT NOT NULL REFERENCES users (id),
    code_hash TEXT NOT NULL,
    used_at BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, code_hash)
);

-- WebAuthn credentials. `public_key` in the form of libfido2 for the COSE algorithm.
CREATE TABLE passkeys (
    user_id TEXT NOT NULL REFERENCES users (id),
    id TEXT NOT NULL UNIQUE,
    credential_id TEXT NOT NULL UNIQUE,
    algorithm BIGINT NOT NULL,
    public_key TEXT NOT NULL,
    sign_count BIGINT NOT NULL,
    aaguid TEXT NOT NULL,
    transports TEXT NOT NULL,
    backed_up BOOLEAN NOT NULL,
    name TEXT NOT NULL,
    last_used_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);

-- A password that its user has to change: a hash of its hash, so that any other password is good again.
ALTER TABLE users ADD COLUMN password_expired_for TEXT;
