CREATE TABLE topic (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL, name TEXT NOT NULL, archived BOOLEAN NOT NULL,
                    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, version BIGINT NOT NULL);
CREATE UNIQUE INDEX topic_by_name ON topic (organization_id, name);
