-- What the networks and the worker keep beside the items. Instants are milliseconds since 1970.

-- This server's registrations at Mastodon servers. No table of a brand: all brands share them.
CREATE TABLE network_application (
    server_url TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    -- Client id and secret as JSON, sealed.
    secrets TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (server_url, redirect_uri)
);

-- The last sign of life of a worker, whatever its host: one row.
CREATE TABLE publishing_heartbeat (
    id BIGINT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
);
