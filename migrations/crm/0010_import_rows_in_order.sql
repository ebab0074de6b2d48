-- An undo goes back through the rows of a file, the last change first.
CREATE INDEX import_row_by_file_row ON import_row (organization_id, import_id, file_row) WHERE document_before IS NOT NULL;
