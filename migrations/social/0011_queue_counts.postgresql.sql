-- How many items of a brand are in each state of the queue: without it a page of the queue counts all of them. Triggers write it, so that
-- items are counted too that a version writes or transfers which does not know the table.
CREATE TABLE queue_count (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    queue_state TEXT NOT NULL,
    items BIGINT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, queue_state)
);

CREATE FUNCTION count_content_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE queue_count SET items = items - 1
            WHERE organization_id = OLD.organization_id AND brand_id = OLD.brand_id AND queue_state = OLD.queue_state;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO queue_count (organization_id, brand_id, queue_state, items) VALUES (NEW.organization_id, NEW.brand_id, NEW.queue_state, 1)
            ON CONFLICT (organization_id, brand_id, queue_state) DO UPDATE SET items = queue_count.items + 1;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER content_item_counted AFTER INSERT OR DELETE ON content_item FOR EACH ROW EXECUTE FUNCTION count_content_item();
CREATE TRIGGER content_item_recounted AFTER UPDATE OF queue_state, organization_id ON content_item FOR EACH ROW
    WHEN (NEW.queue_state <> OLD.queue_state OR NEW.organization_id <> OLD.organization_id) EXECUTE FUNCTION count_content_item();

-- The triggers have locked the table against writers of other hosts, so that nothing is counted twice or not at all.
INSERT INTO queue_count (organization_id, brand_id, queue_state, items)
    SELECT organization_id, brand_id, queue_state, count(*) FROM content_item GROUP BY organization_id, brand_id, queue_state;
