-- Sorted by bytes, as SQLite does: the service has folded the texts already.
ALTER TABLE contact ALTER COLUMN sort_name TYPE text COLLATE "C", ALTER COLUMN sort_last_name TYPE text COLLATE "C",
    ALTER COLUMN id TYPE text COLLATE "C";
ALTER TABLE note ALTER COLUMN note_id TYPE text COLLATE "C";

CREATE TABLE contact_text (
    organization_id TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (organization_id, contact_id),
    FOREIGN KEY (organization_id, contact_id) REFERENCES contact (organization_id, id) ON DELETE CASCADE
);

-- Parts of words are found through trigrams where the extension can be had; without it a search reads the organization's rows.
DO $$
DECLARE
    home text;
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    SELECT n.nspname INTO home FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
    EXECUTE format('CREATE INDEX contact_trigram ON contact_text USING gin (text %I.gin_trgm_ops)', home);
EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN
        RAISE NOTICE 'pg_trgm is not available: searches for contacts use no index';
END
$$;
