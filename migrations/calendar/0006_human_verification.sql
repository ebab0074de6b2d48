-- Whether guests are asked for what people know before they book.
ALTER TABLE host ADD COLUMN human_verification BOOLEAN NOT NULL DEFAULT FALSE;
