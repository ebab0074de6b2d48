-- The figures of each day are counted from the index: it has all timestamps that are counted.
DROP INDEX content_item_by_update;
CREATE INDEX content_item_by_update ON content_item (organization_id, brand_id, updated_at, platform, created_at, submitted_at, approved_at, rejected_at,
    scheduled_at, last_rescheduled_at, published_at, failed_at, cancelled_at);
