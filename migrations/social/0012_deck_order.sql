-- What waits for approval by when it was last new (`freshAt`): without it each page of the deck ranks all of it.
CREATE INDEX content_item_in_deck ON content_item (organization_id, brand_id, (
    CASE WHEN kind = 'suggestion' AND source_observed_at > created_at AND source_observed_at > coalesce(last_edited_at, created_at) THEN source_observed_at
         WHEN last_edited_at > created_at THEN last_edited_at ELSE created_at END)) WHERE queue_state = 'pending';
