-- How the tries of a message went, which only the whole endpoint has told so far. Of older messages, and where the host could not tell, that
-- is still what is known.
ALTER TABLE webhook_deliveries ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhook_deliveries ADD COLUMN tried_at BIGINT;
ALTER TABLE webhook_deliveries ADD COLUMN delivered_at BIGINT;
ALTER TABLE webhook_deliveries ADD COLUMN dropped_at BIGINT;
ALTER TABLE webhook_deliveries ADD COLUMN last_status BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhook_deliveries ADD COLUMN last_error TEXT;
