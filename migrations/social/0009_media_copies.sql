-- Smaller copies of pictures, made by the helper: a thumbnail of each file, and what networks take.
ALTER TABLE media ADD COLUMN thumbnail_key TEXT NOT NULL DEFAULT '';
ALTER TABLE media ADD COLUMN thumbnail_type TEXT NOT NULL DEFAULT '';
ALTER TABLE media ADD COLUMN thumbnail_fault TEXT;
CREATE INDEX media_without_thumbnail ON media (id) WHERE thumbnail_key = '' AND thumbnail_fault IS NULL AND kind IN ('image', 'gif');

CREATE TABLE media_copy (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    media_id TEXT NOT NULL,
    variant TEXT NOT NULL,
    blob_key TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    width BIGINT NOT NULL,
    height BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    fault TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, media_id, variant)
);
CREATE INDEX media_copy_by_media ON media_copy (media_id, variant);

-- A blob that is being made is removed after this time, unless a row has come to refer to it.
ALTER TABLE media_removal ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0;
