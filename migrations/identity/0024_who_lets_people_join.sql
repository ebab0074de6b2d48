-- Who has set the role that people join with: once they could not grant it themselves, nobody gets it by them any more.
ALTER TABLE organization_domains ADD COLUMN auto_join_by TEXT REFERENCES users (id);
ALTER TABLE identity_providers ADD COLUMN join_role_by TEXT REFERENCES users (id);
-- When the record that proves a domain was first found to be gone.
ALTER TABLE organization_domains ADD COLUMN missing_since BIGINT;
