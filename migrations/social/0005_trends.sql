-- Feeds of a brand, what was read of them, and what people kept of that.
CREATE TABLE trend_source (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    last_fetched_at BIGINT,
    last_error TEXT,
    next_fetch_at BIGINT NOT NULL,
    faults BIGINT NOT NULL,
    entity_tag TEXT NOT NULL,
    last_modified TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, id)
);
CREATE INDEX trend_source_due ON trend_source (enabled, next_fetch_at);

CREATE TABLE source_item (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    url TEXT NOT NULL,
    source TEXT NOT NULL,
    source_type TEXT NOT NULL,
    trend_source_id TEXT NOT NULL,
    language TEXT NOT NULL,
    published_at BIGINT,
    observed_at BIGINT NOT NULL,
    measured_at BIGINT NOT NULL,
    metrics TEXT NOT NULL,
    tags TEXT NOT NULL,
    dedupe_key TEXT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, id)
);
CREATE UNIQUE INDEX source_item_once ON source_item (organization_id, brand_id, dedupe_key);
CREATE INDEX source_item_by_time ON source_item (organization_id, brand_id, observed_at);
CREATE INDEX source_item_of_source ON source_item (organization_id, brand_id, trend_source_id);
CREATE INDEX source_item_old ON source_item (observed_at);

CREATE TABLE seed (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    id TEXT NOT NULL,
    source_item_id TEXT NOT NULL,
    title TEXT NOT NULL,
    title_folded TEXT NOT NULL,
    summary TEXT NOT NULL,
    url TEXT NOT NULL,
    source TEXT NOT NULL,
    language TEXT NOT NULL,
    published_at BIGINT,
    observed_at BIGINT NOT NULL,
    metrics TEXT NOT NULL,
    tags TEXT NOT NULL,
    dedupe_key TEXT NOT NULL,
    shared_by TEXT NOT NULL,
    note TEXT NOT NULL,
    use_count BIGINT NOT NULL,
    last_used_at BIGINT,
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, id)
);
CREATE UNIQUE INDEX seed_once ON seed (organization_id, brand_id, dedupe_key);
CREATE INDEX seed_by_time ON seed (organization_id, brand_id, created_at);
