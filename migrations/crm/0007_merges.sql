-- What is needed to undo a merge: the contacts as they were and what was moved. Forgotten when it can no longer be undone.
CREATE TABLE contact_merge (
    organization_id TEXT NOT NULL,
    merge_id TEXT NOT NULL,
    target_id TEXT NOT NULL,
    -- The target's version after the merge: another one means that somebody has changed it since.
    target_version BIGINT NOT NULL,
    merged_at BIGINT NOT NULL,
    merged_by TEXT NOT NULL,
    undone_at BIGINT,
    -- JSON.
    record TEXT NOT NULL,
    PRIMARY KEY (organization_id, merge_id)
);
CREATE INDEX contact_merge_into ON contact_merge (organization_id, target_id);
CREATE INDEX contact_merge_age ON contact_merge (merged_at);
