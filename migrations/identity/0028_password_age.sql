-- Stores when a password was chosen. Null: with the account.
ALTER TABLE users ADD COLUMN password_set_at BIGINT;
