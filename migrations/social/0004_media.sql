-- Files of brands. Bytes are blobs; a row names a blob before it exists.
CREATE TABLE media (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    file_name TEXT NOT NULL,
    file_name_folded TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT,
    width BIGINT,
    height BIGINT,
    duration_ms BIGINT,
    alt_text TEXT NOT NULL,
    source TEXT NOT NULL,
    reject_reason TEXT,
    created_by TEXT NOT NULL,
    upload_id TEXT NOT NULL,
    upload_expires_at BIGINT,
    original_key TEXT NOT NULL,
    publish_key TEXT NOT NULL,
    uploaded BOOLEAN NOT NULL,
    original_sha256 TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, id)
);
CREATE UNIQUE INDEX media_by_id ON media (id);
CREATE UNIQUE INDEX media_by_upload ON media (upload_id);
CREATE INDEX media_by_time ON media (organization_id, brand_id, created_at, id);
CREATE INDEX media_pending ON media (status, created_at);

-- Blobs of files that were deleted, until they are gone.
CREATE TABLE media_removal (
    blob_key TEXT NOT NULL PRIMARY KEY
);

-- The key that signs addresses of files.
CREATE TABLE media_link_key (
    id TEXT NOT NULL PRIMARY KEY,
    secret TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
