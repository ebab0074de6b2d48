-- Grants are changed as other records are: by the version that was seen.
ALTER TABLE embed_grant ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE embed_grant ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
UPDATE embed_grant SET updated_at = coalesce(revoked_at, created_at);
