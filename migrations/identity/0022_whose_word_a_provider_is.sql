-- Rank of who has told a provider where to ask, and as whom: nobody above it is reached by an address that the provider says. Of those of
-- before nobody knows it: they reach by address nobody who has a place in an organization, until that is said again.
ALTER TABLE identity_providers ADD COLUMN set_up_rank BIGINT NOT NULL DEFAULT 0;
