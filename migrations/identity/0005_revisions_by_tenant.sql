-- A number for each person and organization that every committed change raises which concerns nobody else; the one in `revisions` is that of
-- what belongs to nobody. A caller depends on three of them, so that changes in one organization let the callers of others alone.
CREATE TABLE tenant_revisions (
    id TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);
