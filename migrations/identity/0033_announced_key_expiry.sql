-- Services are told once that a key expires soon.
ALTER TABLE api_keys ADD COLUMN expiry_announced_at BIGINT;
CREATE INDEX expiring_api_keys ON api_keys (expires_at) WHERE expiry_announced_at IS NULL AND expires_at IS NOT NULL;
