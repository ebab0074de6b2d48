-- When a directory last sent the secret of a client as the bearer token of SCIM.
ALTER TABLE oauth_clients ADD COLUMN scim_used_at BIGINT;
