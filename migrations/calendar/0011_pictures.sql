-- Pictures that hosts have sent. Their bytes are blobs of the host; a row has the blob's key, and is there before the blob is, so that after a
-- crash none is left that nobody knows of.
CREATE TABLE picture (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    host_id TEXT NOT NULL,
    url TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    blob_key TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- When it may be removed: at once (0), or for one that is being written when its writer has surely given up. Null while the host shows it.
    remove_at BIGINT,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX picture_of_address ON picture (id);
CREATE INDEX picture_of_host ON picture (organization_id, host_id);
CREATE INDEX picture_due ON picture (remove_at);
