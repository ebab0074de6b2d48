-- Videos without a poster, for the job that orders them.
CREATE INDEX media_without_poster ON media (id) WHERE thumbnail_key = '' AND thumbnail_fault IS NULL AND kind = 'video';

-- The queue by the time of creation: without it a page reads the whole queue.
CREATE INDEX content_item_in_queue_by_creation ON content_item (organization_id, brand_id, created_at, id) WHERE queue_state <> '';
