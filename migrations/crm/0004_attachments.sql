-- Files of contacts. Their bytes are blobs of the host; a row has the blob's key.
CREATE TABLE attachment (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    file_name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    declared_type TEXT,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    blob_key TEXT NOT NULL,
    description TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, contact_id) REFERENCES contact (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX attachment_of_contact ON attachment (organization_id, contact_id, created_at, id);

-- Blobs that no row of `attachment` has: those that are being written, from before they exist, and those that were deleted. Every blob stands
-- either there or here, so that after a crash none is left that nobody knows of.
CREATE TABLE unowned_blob (
    organization_id TEXT NOT NULL,
    blob_key TEXT NOT NULL,
    -- When it may be removed: at once, or for one that is being written when its writer has surely given up.
    remove_at BIGINT NOT NULL,
    -- Set before the file goes: it cannot become an attachment any more.
    removing BOOLEAN NOT NULL,
    PRIMARY KEY (organization_id, blob_key)
);
CREATE INDEX unowned_blob_due ON unowned_blob (remove_at);
