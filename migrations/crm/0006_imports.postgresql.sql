-- Imports, and what they need until they are done and can no longer be undone. Instants are milliseconds since 1970.
CREATE TABLE import (
    organization_id TEXT NOT NULL,
    import_id TEXT COLLATE "C" NOT NULL,
    status TEXT NOT NULL,
    -- What is done now: `check` (nothing is written but to the tables below), `store`, `revert` (an atomic import that failed while it
    -- stored), `clear` (the report is final, and what was only needed until then goes) or `done`.
    phase TEXT NOT NULL,
    dry_run BOOLEAN NOT NULL,
    file_name TEXT NOT NULL,
    file_bytes BIGINT NOT NULL,
    -- The file, until the import is done.
    blob_key TEXT,
    -- JSON: what was asked for, and how the file is read.
    options TEXT NOT NULL,
    plan TEXT NOT NULL,
    -- Up to where the file has been dealt with: written in the transaction that dealt with it, so that nothing is done twice.
    position_row BIGINT NOT NULL,
    position_line BIGINT NOT NULL,
    position_offset BIGINT NOT NULL,
    total BIGINT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    skipped BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    duplicates_in_file BIGINT NOT NULL,
    error_count BIGINT NOT NULL,
    -- JSON: the first of them.
    errors TEXT NOT NULL,
    created_by TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    finished_at BIGINT,
    undo_until BIGINT,
    undone_at BIGINT,
    undone_deleted BIGINT NOT NULL,
    undone_restored BIGINT NOT NULL,
    -- When the rows of import_row and import_error go.
    forget_at BIGINT,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, import_id)
);
CREATE INDEX import_by_start ON import (organization_id, started_at, import_id);
CREATE INDEX import_unfinished ON import (updated_at) WHERE phase <> 'done';
CREATE INDEX import_to_forget ON import (forget_at) WHERE forget_at IS NOT NULL;

-- Contacts that an import has changed, as they were before. Those that it made need no row until one of its later rows changes them: their
-- ids tell.
CREATE TABLE import_row (
    organization_id TEXT NOT NULL,
    import_id TEXT COLLATE "C" NOT NULL,
    contact_id TEXT COLLATE "C" NOT NULL,
    -- The last row of the file that changed it, and the version that it then had.
    file_row BIGINT NOT NULL,
    version_after BIGINT NOT NULL,
    -- It was put on a board.
    placed BOOLEAN NOT NULL,
    -- The document before the first change; null if this import had made the contact.
    document_before TEXT,
    PRIMARY KEY (organization_id, import_id, contact_id),
    FOREIGN KEY (organization_id, import_id) REFERENCES import (organization_id, import_id) ON DELETE CASCADE
);

-- Rows that did not go in.
CREATE TABLE import_error (
    organization_id TEXT NOT NULL,
    import_id TEXT COLLATE "C" NOT NULL,
    file_row BIGINT NOT NULL,
    -- The first code, and all messages.
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    -- JSON: the cells of the file.
    cells TEXT NOT NULL,
    PRIMARY KEY (organization_id, import_id, file_row),
    FOREIGN KEY (organization_id, import_id) REFERENCES import (organization_id, import_id) ON DELETE CASCADE
);

-- What the rows of a file are known by, as far as the contacts do not tell: of a file that is only checked all keys of the contacts that it
-- would make or change (contact_id), of every file those keys of contacts from before that one of its rows had (contact_id is empty).
CREATE TABLE import_key (
    organization_id TEXT NOT NULL,
    import_id TEXT COLLATE "C" NOT NULL,
    kind TEXT NOT NULL,
    key_text TEXT COLLATE "C" NOT NULL,
    contact_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, import_id, kind, key_text, contact_id),
    FOREIGN KEY (organization_id, import_id) REFERENCES import (organization_id, import_id) ON DELETE CASCADE
);
CREATE INDEX import_key_of ON import_key (organization_id, import_id, contact_id);

-- The contacts that a file which is only checked would make or change, as they would be.
CREATE TABLE import_contact (
    organization_id TEXT NOT NULL,
    import_id TEXT COLLATE "C" NOT NULL,
    contact_id TEXT COLLATE "C" NOT NULL,
    document TEXT NOT NULL,
    -- JSON: bodies of the notes that it would get.
    notes TEXT NOT NULL,
    PRIMARY KEY (organization_id, import_id, contact_id),
    FOREIGN KEY (organization_id, import_id) REFERENCES import (organization_id, import_id) ON DELETE CASCADE
);
