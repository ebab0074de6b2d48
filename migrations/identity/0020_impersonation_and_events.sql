-- Operators who act as somebody else: which sign-ins are such, and what was done by them.
ALTER TABLE sessions ADD COLUMN impersonator_id TEXT;
ALTER TABLE sessions ADD COLUMN impersonator_session_id TEXT;
ALTER TABLE audit_events ADD COLUMN impersonator_id TEXT;

-- Up to where the trail was told to other services as events.
CREATE TABLE told_events (
    id BIGINT PRIMARY KEY,
    sequence BIGINT NOT NULL
);
INSERT INTO told_events (id, sequence) SELECT 1, sequence FROM audit_chain WHERE id = 1;
