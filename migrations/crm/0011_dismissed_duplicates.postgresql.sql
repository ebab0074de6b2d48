-- Pairs of contacts of which somebody has said that they are not the same: not suggested again until what they share is something else.
CREATE TABLE contact_distinct (
    organization_id TEXT NOT NULL,
    -- The smaller id first.
    first_id TEXT COLLATE "C" NOT NULL,
    second_id TEXT COLLATE "C" NOT NULL,
    -- SHA-256 of what they shared then.
    shared TEXT NOT NULL,
    dismissed_at BIGINT NOT NULL,
    dismissed_by TEXT NOT NULL,
    PRIMARY KEY (organization_id, first_id, second_id),
    FOREIGN KEY (organization_id, first_id) REFERENCES contact (organization_id, id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, second_id) REFERENCES contact (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_distinct_second ON contact_distinct (organization_id, second_id);
