-- Where the words of contacts begin, so that a search gives the best matches first without looking at all of them: what starts with the
-- text that was typed stands together, in the order of the answer. The service writes it with the search text, of which it is a part; rows
-- from before are written by a job.
CREATE TABLE contact_word (
    organization_id TEXT NOT NULL,
    word TEXT COLLATE "C" NOT NULL,
    -- Beginning of the sorted name.
    name TEXT COLLATE "C" NOT NULL,
    row_id BIGINT NOT NULL,
    PRIMARY KEY (organization_id, word, name, row_id)
);
-- Numbers in the order in which contacts came, as the rows of SQLite have them.
ALTER TABLE contact_text ADD COLUMN row_id BIGSERIAL;
ALTER TABLE contact_text ADD COLUMN has_words BOOLEAN NOT NULL DEFAULT FALSE;
CREATE UNIQUE INDEX contact_text_row ON contact_text (organization_id, row_id);
CREATE INDEX contact_text_wordless ON contact_text (row_id) WHERE NOT has_words;
-- Of an owner who has few contacts, a search looks at those.
CREATE INDEX contact_by_owner ON contact (organization_id, owner_user_id) WHERE deleted_at IS NULL AND owner_user_id IS NOT NULL;
