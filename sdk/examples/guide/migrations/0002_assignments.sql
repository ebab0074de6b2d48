CREATE TABLE assignment (
    note_id         TEXT PRIMARY KEY REFERENCES note (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    assigned_at     BIGINT NOT NULL
);

-- Events come at least once: which ones were worked on already.
CREATE TABLE handled_event (
    id         TEXT PRIMARY KEY,
    handled_at BIGINT NOT NULL
);
