-- Stores which permissions a pattern named when it was granted: a grant does not grow with the catalog. None: no pattern, or one of before.
CREATE TABLE override_grants (
    override_id TEXT PRIMARY KEY REFERENCES permission_overrides (id) ON DELETE CASCADE,
    covered TEXT NOT NULL
);
ALTER TABLE role_bundle_overrides ADD COLUMN covered TEXT NOT NULL DEFAULT '[]';
