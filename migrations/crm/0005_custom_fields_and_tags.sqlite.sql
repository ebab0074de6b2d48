-- Members that organizations add to their contacts. Their values stand in the documents of the contacts.
CREATE TABLE custom_field (
    organization_id TEXT NOT NULL,
    custom_field_id TEXT NOT NULL,
    field_key TEXT NOT NULL,
    label TEXT NOT NULL,
    type TEXT NOT NULL,
    options TEXT NOT NULL,
    required BOOLEAN NOT NULL,
    position BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    -- The field is gone, but contacts may still have values of it, which a job takes away: until then nobody gets the key.
    removed_at BIGINT,
    PRIMARY KEY (organization_id, custom_field_id)
);
CREATE UNIQUE INDEX custom_field_key ON custom_field (organization_id, field_key);

-- For counting tags without the deleted contacts, which are few.
CREATE INDEX contact_deleted_of ON contact (organization_id, id) WHERE deleted_at IS NOT NULL;
