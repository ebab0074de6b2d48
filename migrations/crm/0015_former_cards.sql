-- JSON: position, time and value of the card before the move, so that an undo restores them. Null without a card, and in older rows.
ALTER TABLE pipeline_history ADD COLUMN former TEXT;
