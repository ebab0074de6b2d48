-- Contacts, what filters need of their lists, and notes. Every key starts with the organization, so that no statement can do without it.
-- Instants are milliseconds since 1970.
CREATE TABLE contact (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    -- The contact as it is answered: it is read, written and sent whole. The columns after it are what statements look at.
    document TEXT NOT NULL,
    version BIGINT NOT NULL,
    note_count BIGINT NOT NULL,
    attachment_count BIGINT NOT NULL,
    display_name TEXT NOT NULL,
    owner_user_id TEXT,
    source TEXT NOT NULL,
    lifecycle TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT,
    -- Folded by the service (no case, no accents), so that both engines sort and compare alike.
    sort_name TEXT NOT NULL,
    sort_last_name TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    folded_company TEXT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX contact_by_name ON contact (organization_id, sort_name, id) WHERE deleted_at IS NULL;
CREATE INDEX contact_by_last_name ON contact (organization_id, sort_last_name, id) WHERE deleted_at IS NULL;
CREATE INDEX contact_by_creation ON contact (organization_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX contact_by_update ON contact (organization_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX contact_by_folded_name ON contact (organization_id, folded_name, folded_company) WHERE deleted_at IS NULL;
CREATE INDEX contact_deleted ON contact (deleted_at) WHERE deleted_at IS NOT NULL;

-- Addresses as they are compared: lower-case, domain in A-label form.
CREATE TABLE contact_email (
    organization_id TEXT NOT NULL,
    address TEXT NOT NULL,
    domain TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    PRIMARY KEY (organization_id, address, contact_id),
    FOREIGN KEY (organization_id, contact_id) REFERENCES contact (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_email_of ON contact_email (organization_id, contact_id);
CREATE INDEX contact_email_domain ON contact_email (organization_id, domain);

-- E.164 where it is known, else the bare digits.
CREATE TABLE contact_phone (
    organization_id TEXT NOT NULL,
    number TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    PRIMARY KEY (organization_id, number, contact_id),
    FOREIGN KEY (organization_id, contact_id) REFERENCES contact (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_phone_of ON contact_phone (organization_id, contact_id);

CREATE TABLE contact_tag (
    organization_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    PRIMARY KEY (organization_id, tag, contact_id),
    FOREIGN KEY (organization_id, contact_id) REFERENCES contact (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_tag_of ON contact_tag (organization_id, contact_id);

-- The primary key is the rule: one contact for each id of another system. A deleted contact has no rows here until it is restored.
CREATE TABLE contact_external_id (
    organization_id TEXT NOT NULL,
    system TEXT NOT NULL,
    external_id TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    PRIMARY KEY (organization_id, system, external_id),
    FOREIGN KEY (organization_id, contact_id) REFERENCES contact (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_external_id_of ON contact_external_id (organization_id, contact_id);

CREATE TABLE note (
    organization_id TEXT NOT NULL,
    note_id TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    body TEXT NOT NULL,
    format TEXT NOT NULL,
    pinned BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, note_id),
    FOREIGN KEY (organization_id, contact_id) REFERENCES contact (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX note_of_contact ON note (organization_id, contact_id, pinned, created_at, note_id);
