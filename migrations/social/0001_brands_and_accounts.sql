-- Brands, their accounts at networks, and the chain of audit events of each brand. Every table of a brand has organization_id and brand_id: a transfer
-- of the brand changes organization_id in all of them. Instants are milliseconds since 1970, lists and records are JSON.
CREATE TABLE brand (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    slug TEXT NOT NULL,
    description TEXT NOT NULL,
    avatar_media_id TEXT,
    time_zone TEXT NOT NULL,
    language TEXT NOT NULL,
    approval_policy TEXT NOT NULL,
    late_publish_grace_minutes BIGINT NOT NULL,
    deck_half_life_hours BIGINT NOT NULL,
    slot_plan TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX brand_slug ON brand (organization_id, slug);
CREATE UNIQUE INDEX brand_by_id ON brand (id);

-- A writer that makes, renames or receives a brand of an organization locks its row.
CREATE TABLE brand_lock (
    organization_id TEXT NOT NULL PRIMARY KEY,
    changes BIGINT NOT NULL
);

CREATE TABLE integration (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    id TEXT NOT NULL,
    platform TEXT NOT NULL,
    account_type TEXT NOT NULL,
    external_id TEXT NOT NULL,
    display_name TEXT NOT NULL,
    handle TEXT NOT NULL,
    avatar_url TEXT NOT NULL,
    instance_url TEXT NOT NULL,
    connection_state TEXT NOT NULL,
    scopes TEXT NOT NULL,
    -- The tokens of the account as JSON, sealed; the id of the sealing key is in it.
    secrets TEXT NOT NULL,
    token_expires_at BIGINT,
    last_checked_at BIGINT,
    last_error TEXT,
    pages TEXT NOT NULL,
    groups TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, id)
);
CREATE UNIQUE INDEX integration_by_id ON integration (id);
-- One account of a network is connected once to a brand.
CREATE UNIQUE INDEX integration_account ON integration (organization_id, brand_id, platform, instance_url, external_id);

-- The last self-test of each network on this server: the network said who an account is.
CREATE TABLE platform_self_test (
    platform TEXT NOT NULL PRIMARY KEY,
    passed_at BIGINT,
    restricted BOOLEAN NOT NULL
);

-- The end of a brand's chain of events. A writer that records an event locks this row.
CREATE TABLE brand_chain (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    length BIGINT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (organization_id, brand_id)
);

CREATE TABLE audit_event (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    -- The place in the chain, from 1.
    position BIGINT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    -- The organization that owned the brand when the event happened.
    occurred_in TEXT NOT NULL,
    content_id TEXT,
    post_id TEXT,
    integration_id TEXT,
    media_id TEXT,
    actor TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    occurred_at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    changes TEXT NOT NULL,
    reason TEXT,
    data TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, position)
);
CREATE UNIQUE INDEX audit_event_by_id ON audit_event (organization_id, brand_id, id);
CREATE INDEX audit_event_by_time ON audit_event (organization_id, brand_id, occurred_at, id);
CREATE INDEX audit_event_of_content ON audit_event (organization_id, brand_id, content_id, occurred_at);
CREATE INDEX audit_event_of_post ON audit_event (organization_id, brand_id, post_id, occurred_at);
