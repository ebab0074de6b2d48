-- Numbers of published items as their networks count them. A null: the network gives none.
CREATE TABLE post_numbers (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    content_id TEXT NOT NULL,
    post_id TEXT NOT NULL,
    target_id TEXT NOT NULL,
    platform TEXT NOT NULL,
    published_at BIGINT NOT NULL,
    likes BIGINT,
    reposts BIGINT,
    replies BIGINT,
    fetched_at BIGINT,
    next_fetch_at BIGINT,
    PRIMARY KEY (organization_id, brand_id, content_id)
);
CREATE INDEX post_numbers_due ON post_numbers (next_fetch_at) WHERE next_fetch_at IS NOT NULL;
CREATE INDEX post_numbers_by_time ON post_numbers (organization_id, brand_id, published_at);
CREATE INDEX content_item_published ON content_item (published_at) WHERE publish_status = 'published';
