-- One file for SQLite and PostgreSQL. Where they differ, a file has twins: 0002_search.sqlite.sql and 0002_search.postgresql.sql.
-- What was released is never edited: a change is a new file.
CREATE TABLE note (
    id              TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    title           TEXT NOT NULL,
    text            TEXT NOT NULL,
    author_id       TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    version         BIGINT NOT NULL
);
CREATE INDEX note_by_creation ON note (organization_id, created_at, id);
CREATE INDEX note_by_title ON note (organization_id, title, id);
