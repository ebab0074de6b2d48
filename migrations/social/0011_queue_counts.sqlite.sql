-- How many items of a brand are in each state of the queue: without it a page of the queue counts all of them. Triggers write it, so that
-- items are counted too that a version writes or transfers which does not know the table.
CREATE TABLE queue_count (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    queue_state TEXT NOT NULL,
    items BIGINT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, queue_state)
);
INSERT INTO queue_count (organization_id, brand_id, queue_state, items)
    SELECT organization_id, brand_id, queue_state, count(*) FROM content_item GROUP BY organization_id, brand_id, queue_state;

CREATE TRIGGER content_item_counted AFTER INSERT ON content_item BEGIN
    INSERT INTO queue_count (organization_id, brand_id, queue_state, items) VALUES (new.organization_id, new.brand_id, new.queue_state, 1)
        ON CONFLICT (organization_id, brand_id, queue_state) DO UPDATE SET items = items + 1;
END;
CREATE TRIGGER content_item_recounted AFTER UPDATE OF queue_state, organization_id ON content_item
    WHEN new.queue_state <> old.queue_state OR new.organization_id <> old.organization_id BEGIN
    UPDATE queue_count SET items = items - 1
        WHERE organization_id = old.organization_id AND brand_id = old.brand_id AND queue_state = old.queue_state;
    INSERT INTO queue_count (organization_id, brand_id, queue_state, items) VALUES (new.organization_id, new.brand_id, new.queue_state, 1)
        ON CONFLICT (organization_id, brand_id, queue_state) DO UPDATE SET items = items + 1;
END;
CREATE TRIGGER content_item_uncounted AFTER DELETE ON content_item BEGIN
    UPDATE queue_count SET items = items - 1
        WHERE organization_id = old.organization_id AND brand_id = old.brand_id AND queue_state = old.queue_state;
END;
