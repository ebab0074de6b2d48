CREATE TABLE note (
    id              TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    text            TEXT NOT NULL
);
