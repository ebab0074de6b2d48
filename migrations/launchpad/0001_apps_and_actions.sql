-- Apps of organizations and people, their launches, and the queue of decisions. organization_id is the organization, or the person (usr_…) in
-- personal context. Instants are milliseconds since 1970, lists and records are JSON.

-- What somebody has installed or removed. An empty user_id means the organization as a whole.
CREATE TABLE install (
    organization_id TEXT NOT NULL,
    service_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    -- installed, or removed: a removed app is not installed by default either.
    state TEXT NOT NULL,
    installed_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, service_id, user_id)
);

CREATE TABLE install_request (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    service_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- pending, approved, rejected or expired.
    status TEXT NOT NULL,
    action_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX install_request_pending ON install_request (organization_id, service_id, user_id) WHERE status = 'pending';

CREATE TABLE assignment (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    service_id TEXT NOT NULL,
    subject_type TEXT NOT NULL,
    -- Empty for everyone.
    subject_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    status TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX assignment_rule ON assignment (organization_id, service_id, subject_type, subject_id);

CREATE TABLE launch (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    service_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    target TEXT NOT NULL,
    -- Identity's id of the handoff, never its code; empty for an app without a callback.
    handoff_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    exchanged BOOLEAN NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX launch_by_service ON launch (organization_id, service_id, at);
CREATE INDEX launch_by_user ON launch (organization_id, user_id, at);
CREATE INDEX launch_by_handoff ON launch (handoff_id) WHERE handoff_id <> '';

CREATE TABLE action (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    severity TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    source TEXT NOT NULL,
    assignee_type TEXT NOT NULL,
    assignee_id TEXT NOT NULL,
    status TEXT NOT NULL,
    decisions TEXT NOT NULL,
    href TEXT NOT NULL,
    due_at BIGINT,
    snoozed_until BIGINT,
    -- When the system expires it.
    expires_at BIGINT,
    dedupe_key TEXT NOT NULL,
    callback_url TEXT NOT NULL,
    callback_secret TEXT NOT NULL,
    resolution TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX action_cause ON action (organization_id, dedupe_key) WHERE status IN ('open', 'snoozed');
CREATE INDEX action_by_status ON action (organization_id, status, id);
CREATE INDEX action_by_id ON action (id);
CREATE INDEX action_to_expire ON action (expires_at) WHERE expires_at IS NOT NULL AND status IN ('open', 'snoozed');

CREATE TABLE action_event (
    organization_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    at BIGINT NOT NULL,
    what TEXT NOT NULL,
    by_id TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (organization_id, action_id, position)
);

-- Number of open and snoozed actions of an organization. Who opens or closes one locks the row.
CREATE TABLE action_count (
    organization_id TEXT NOT NULL PRIMARY KEY,
    open BIGINT NOT NULL
);

CREATE TABLE notification (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    href TEXT NOT NULL,
    severity TEXT NOT NULL,
    source TEXT NOT NULL,
    dedupe_key TEXT NOT NULL,
    read_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX notification_once ON notification (organization_id, user_id, dedupe_key);
CREATE INDEX notification_by_user ON notification (organization_id, user_id, id);
CREATE INDEX notification_by_age ON notification (created_at);
