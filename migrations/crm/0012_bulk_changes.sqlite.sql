-- Changes of many contacts at once, made by a job, and what they need until they can no longer be undone. Instants are milliseconds since 1970.
CREATE TABLE bulk (
    organization_id TEXT NOT NULL,
    bulk_id TEXT NOT NULL,
    status TEXT NOT NULL,
    dry_run BOOLEAN NOT NULL,
    -- JSON: what is changed.
    plan TEXT NOT NULL,
    -- How many contacts there are in bulk_contact to begin with.
    selected BIGINT NOT NULL,
    -- The last contact that was dealt with: written in the transaction that dealt with it, so that nothing is done twice.
    position TEXT NOT NULL,
    changed BIGINT NOT NULL,
    unchanged BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    -- JSON: the first of them.
    errors TEXT NOT NULL,
    created_by TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    finished_at BIGINT,
    undo_until BIGINT,
    undone_at BIGINT,
    undone BIGINT NOT NULL,
    -- When the rows of bulk_contact go.
    forget_at BIGINT,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, bulk_id)
);
CREATE INDEX bulk_by_start ON bulk (organization_id, started_at, bulk_id);
CREATE INDEX bulk_to_forget ON bulk (forget_at) WHERE forget_at IS NOT NULL;

-- The contacts, as they were selected.
CREATE TABLE bulk_contact (
    organization_id TEXT NOT NULL,
    bulk_id TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    -- JSON: what it was, once it was changed.
    previous TEXT,
    PRIMARY KEY (organization_id, bulk_id, contact_id),
    FOREIGN KEY (organization_id, bulk_id) REFERENCES bulk (organization_id, bulk_id) ON DELETE CASCADE
);
