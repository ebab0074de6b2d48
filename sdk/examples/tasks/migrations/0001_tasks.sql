CREATE TABLE task (
    id              TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    title           TEXT NOT NULL,
    state           TEXT NOT NULL,
    labels          TEXT NOT NULL,
    due             BIGINT,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    version         BIGINT NOT NULL
);
CREATE INDEX task_by_organization ON task (organization_id, id);
