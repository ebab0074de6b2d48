-- Parts of words are found through trigrams. contact_text gives each contact the integer key that the index needs; the service writes both, as
-- a trigger may not touch a virtual table in a database whose schema is not trusted.
CREATE TABLE contact_text (
    row_id INTEGER PRIMARY KEY,
    organization_id TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    UNIQUE (organization_id, contact_id),
    FOREIGN KEY (organization_id, contact_id) REFERENCES contact (organization_id, id)
);
CREATE VIRTUAL TABLE contact_trigram USING fts5(text, tokenize='trigram case_sensitive 1');
