-- Whose account a secret concerns that is found by an address, so that all of one account can be taken back.
ALTER TABLE one_time_tokens ADD COLUMN user_id TEXT;
CREATE INDEX one_time_tokens_by_user ON one_time_tokens (user_id, purpose);
-- Of changes of an address that wait only the JSON says it: they have to be asked for again.
DELETE FROM one_time_tokens WHERE purpose = 'email_change';
