-- Whether the card's contact is deleted, kept with the deletion: what counts cards need not look at their contacts.
ALTER TABLE pipeline_card ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE pipeline_card SET hidden = TRUE WHERE EXISTS (SELECT 1 FROM contact c WHERE c.organization_id = pipeline_card.organization_id
    AND c.id = pipeline_card.contact_id AND c.deleted_at IS NOT NULL);
-- Counts and sums of columns are read from this alone.
CREATE INDEX pipeline_card_sums ON pipeline_card (organization_id, pipeline_id, stage_id, value) WHERE NOT hidden;
DROP INDEX pipeline_card_stale;
CREATE INDEX pipeline_card_stale ON pipeline_card (organization_id, stale_at) WHERE stale_at IS NOT NULL AND NOT hidden;
