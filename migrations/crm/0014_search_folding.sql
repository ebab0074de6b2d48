-- How the stored text of a contact was folded. 0 is from before apostrophes and hyphens were folded: a job writes those texts anew while the
-- service is at work.
ALTER TABLE contact_text ADD COLUMN folding INTEGER NOT NULL DEFAULT 0;
CREATE INDEX contact_text_outdated ON contact_text (row_id) WHERE folding < 1;
