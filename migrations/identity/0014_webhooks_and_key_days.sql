-- Where an organization wants to be told of what happens.
CREATE TABLE webhook_endpoints (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    url TEXT NOT NULL,
    description TEXT NOT NULL,
    types TEXT NOT NULL,
    status TEXT NOT NULL,
    -- Sealed: it is read again at each delivery.
    secret TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX webhook_endpoints_by_organization ON webhook_endpoints (organization_id);

-- Messages of identity itself to these endpoints: written with the change that they tell of, handed to the host a moment later, and kept
-- for a while for who wants to see what was sent.
CREATE TABLE webhook_deliveries (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    endpoint_id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    sent_at BIGINT
);
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, id);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (id) WHERE sent_at IS NULL;

-- How a key was used, by day and service; `hour` rows of api_key_uses tell when and from where last.
CREATE TABLE api_key_days (
    api_key_id TEXT NOT NULL REFERENCES api_keys (id),
    -- Start of the day, UTC.
    day BIGINT NOT NULL,
    service_id TEXT NOT NULL,
    ok BIGINT NOT NULL,
    denied BIGINT NOT NULL,
    rate_limited BIGINT NOT NULL,
    PRIMARY KEY (api_key_id, day, service_id)
);
