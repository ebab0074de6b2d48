-- The permanent deletion of a contact deletes its copies, which are found by the contact.
CREATE INDEX import_row_by_contact ON import_row (organization_id, contact_id);
CREATE INDEX bulk_contact_by_contact ON bulk_contact (organization_id, contact_id) WHERE previous IS NOT NULL;
