-- Checkouts, subscriptions and events of the payment processor. The tables belong to the installation: an owner is a user, an organization or
-- a household, and a checkout has none until it is claimed. Instants are milliseconds since 1970, columns of the processor seconds.

-- One row for each owner: its lock.
CREATE TABLE billing_owner (
    owner_id TEXT NOT NULL PRIMARY KEY,
    changes BIGINT NOT NULL
);

CREATE TABLE checkout (
    id TEXT NOT NULL PRIMARY KEY,
    -- paid or free_workspace.
    kind TEXT NOT NULL,
    -- open, paid, expired or canceled.
    status TEXT NOT NULL,
    processor TEXT NOT NULL,
    package TEXT NOT NULL,
    selected_service_ids TEXT NOT NULL,
    seats BIGINT NOT NULL,
    billing_interval TEXT NOT NULL,
    amount_per_seat BIGINT NOT NULL,
    currency TEXT NOT NULL,
    email TEXT NOT NULL,
    workspace_name TEXT NOT NULL,
    -- Both are empty while the checkout belongs to nobody.
    owner_type TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    created_by TEXT NOT NULL,
    -- SHA-256 of the token with which a visitor claims the checkout; empty if it has an owner.
    claim_token_hash TEXT NOT NULL,
    -- SHA-256 that a repeated request has, too.
    request_key TEXT NOT NULL,
    success_url TEXT NOT NULL,
    cancel_url TEXT NOT NULL,
    -- Empty until the processor's session exists.
    processor_session_id TEXT NOT NULL,
    checkout_url TEXT NOT NULL,
    processor_subscription_id TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    paid_at BIGINT,
    claimed_at BIGINT,
    unclaimed_reported BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL
);
CREATE UNIQUE INDEX checkout_request ON checkout (request_key) WHERE status = 'open';
CREATE INDEX checkout_by_session ON checkout (processor_session_id) WHERE processor_session_id <> '';
CREATE INDEX checkout_by_subscription ON checkout (processor_subscription_id) WHERE processor_subscription_id <> '';
CREATE INDEX checkout_by_owner ON checkout (owner_id, status);
CREATE INDEX checkout_by_time ON checkout (status, expires_at);

CREATE TABLE subscription (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    owner_type TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    package TEXT NOT NULL,
    status TEXT NOT NULL,
    -- current: the one live subscription of the owner. surplus: live beside it, to be canceled. pending: not paid yet. ended.
    standing TEXT NOT NULL,
    processor TEXT NOT NULL,
    processor_subscription_id TEXT NOT NULL,
    processor_status TEXT NOT NULL,
    -- Seconds of the event or of the read state that the row shows.
    processor_version BIGINT NOT NULL,
    customer_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    selected_service_ids TEXT NOT NULL,
    seats BIGINT NOT NULL,
    amount_per_seat BIGINT NOT NULL,
    currency TEXT NOT NULL,
    billing_interval TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    period_start BIGINT,
    period_end BIGINT,
    cancel_at_period_end BOOLEAN NOT NULL,
    past_due_since BIGINT,
    payment_failing BOOLEAN NOT NULL,
    livemode BOOLEAN NOT NULL,
    checkout_id TEXT NOT NULL,
    -- The newest event that the row shows: class, seconds, rank of its type, ID. Then the seconds of the newest read state.
    event_class BIGINT NOT NULL,
    event_seconds BIGINT NOT NULL,
    event_rank BIGINT NOT NULL,
    event_id TEXT NOT NULL,
    read_seconds BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL
);
CREATE UNIQUE INDEX subscription_current ON subscription (owner_id) WHERE standing = 'current' AND owner_id <> '';
CREATE UNIQUE INDEX subscription_processor ON subscription (processor_subscription_id);
CREATE INDEX subscription_by_owner ON subscription (owner_id, standing);

-- The same columns: verification subscriptions of free workspaces, one for each owner.
CREATE TABLE free_workspace_subscription (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    owner_type TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    package TEXT NOT NULL,
    status TEXT NOT NULL,
    standing TEXT NOT NULL,
    processor TEXT NOT NULL,
    processor_subscription_id TEXT NOT NULL,
    processor_status TEXT NOT NULL,
    processor_version BIGINT NOT NULL,
    customer_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    selected_service_ids TEXT NOT NULL,
    seats BIGINT NOT NULL,
    amount_per_seat BIGINT NOT NULL,
    currency TEXT NOT NULL,
    billing_interval TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    period_start BIGINT,
    period_end BIGINT,
    cancel_at_period_end BOOLEAN NOT NULL,
    past_due_since BIGINT,
    payment_failing BOOLEAN NOT NULL,
    livemode BOOLEAN NOT NULL,
    checkout_id TEXT NOT NULL,
    event_class BIGINT NOT NULL,
    event_seconds BIGINT NOT NULL,
    event_rank BIGINT NOT NULL,
    event_id TEXT NOT NULL,
    read_seconds BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL
);
CREATE UNIQUE INDEX free_workspace_current ON free_workspace_subscription (owner_id) WHERE standing = 'current' AND owner_id <> '';
CREATE UNIQUE INDEX free_workspace_processor ON free_workspace_subscription (processor_subscription_id);
CREATE INDEX free_workspace_by_owner ON free_workspace_subscription (owner_id, standing);

CREATE TABLE billing_event (
    id TEXT NOT NULL PRIMARY KEY,
    type TEXT NOT NULL,
    -- The processor's subscription that the event is about, or else its session or object.
    subject TEXT NOT NULL,
    seconds BIGINT NOT NULL,
    -- Order of the types within a second.
    rank BIGINT NOT NULL,
    payload TEXT NOT NULL,
    processed BOOLEAN NOT NULL,
    received_at BIGINT NOT NULL
);
CREATE INDEX billing_event_by_subject ON billing_event (subject, seconds, rank, id);
CREATE INDEX billing_event_by_age ON billing_event (received_at);

-- One row for each subject: the numbers of reads that began and of the newest read that was applied. A slow reader applies nothing older.
CREATE TABLE billing_subject (
    subject TEXT NOT NULL PRIMARY KEY,
    begun BIGINT NOT NULL,
    applied BIGINT NOT NULL
);

-- Purchased changes that the processor has not confirmed: the row from which the idempotency key of the write is derived.
CREATE TABLE billing_change (
    id TEXT NOT NULL PRIMARY KEY,
    subscription_id TEXT NOT NULL,
    verb TEXT NOT NULL,
    request_key TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX billing_change_request ON billing_change (request_key);
