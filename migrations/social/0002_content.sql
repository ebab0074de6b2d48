-- Posts, their items at the networks, the times that the slot plan gave them, and the attempts to publish them. Every table of a brand has
-- organization_id and brand_id: a transfer of the brand changes organization_id in all of them. Instants are milliseconds since 1970, lists
-- and records are JSON. A deleted post and its items stay, with deleted_at, for the figures of each day.
CREATE TABLE post (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    media_ids TEXT NOT NULL,
    thread TEXT NOT NULL,
    link_url TEXT NOT NULL,
    -- Follows from the items.
    status TEXT NOT NULL,
    scheduled_for BIGINT,
    -- scheduled_for, or the year 9999 for a post without a time.
    schedule_order BIGINT NOT NULL,
    time_zone TEXT NOT NULL,
    targets TEXT NOT NULL,
    settings TEXT NOT NULL,
    labels TEXT NOT NULL,
    source TEXT NOT NULL,
    -- Title and text as `fold` writes them.
    search_text TEXT NOT NULL,
    created_by TEXT NOT NULL,
    published_at BIGINT,
    deleted_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, id)
);
CREATE UNIQUE INDEX post_by_id ON post (organization_id, id);
CREATE INDEX post_by_creation ON post (organization_id, brand_id, created_at, id);
CREATE INDEX post_by_schedule ON post (organization_id, brand_id, schedule_order, id);
CREATE INDEX post_by_update ON post (organization_id, brand_id, updated_at, id);

CREATE TABLE content_item (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    post_id TEXT,
    target_id TEXT,
    integration_id TEXT,
    platform TEXT NOT NULL,
    text TEXT NOT NULL,
    media_ids TEXT NOT NULL,
    alt_texts TEXT NOT NULL,
    thread TEXT NOT NULL,
    link_url TEXT NOT NULL,
    settings TEXT NOT NULL,
    -- False for a draft that its network would not take.
    valid BOOLEAN NOT NULL,
    approval_state TEXT NOT NULL,
    -- The policy that holds for the item since its last edit or submit; 0 steps: none is needed.
    approval_steps BIGINT NOT NULL,
    allow_self_approval BOOLEAN NOT NULL,
    approvals TEXT NOT NULL,
    authors TEXT NOT NULL,
    publish_status TEXT NOT NULL,
    blocked_reason TEXT,
    -- `schedule`, `retry` or `publish_now`: why the next attempt is made.
    next_trigger TEXT NOT NULL,
    scheduled_for BIGINT,
    schedule_order BIGINT NOT NULL,
    last_edited_at BIGINT,
    submitted_at BIGINT,
    approved_at BIGINT,
    rejected_at BIGINT,
    scheduled_at BIGINT,
    last_rescheduled_at BIGINT,
    publish_started_at BIGINT,
    published_at BIGINT,
    failed_at BIGINT,
    cancelled_at BIGINT,
    failure TEXT,
    automatic_attempts BIGINT NOT NULL,
    total_attempts BIGINT NOT NULL,
    next_attempt_at BIGINT,
    result TEXT,
    source TEXT NOT NULL,
    -- When the source of a suggestion was seen; counts for the freshness of a suggestion.
    source_observed_at BIGINT,
    generator TEXT NOT NULL,
    expires_at BIGINT,
    revision BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    -- `pending`, `queued`, `publishing`, `retrying`, `verifying`, `failed`, or empty for what waits for nothing.
    queue_state TEXT NOT NULL,
    -- When the worker looks at the item next; null: never.
    due_at BIGINT,
    -- Until when a worker has the item, and which; empty: none.
    leased_until BIGINT,
    leased_by TEXT NOT NULL,
    -- Since when the outcome of an attempt is unknown, and how often its network was asked.
    verifying_since BIGINT,
    looks BIGINT NOT NULL,
    -- The steps of the publication and their results, in the form of the worker; null before the first attempt of a revision.
    progress TEXT,
    deleted_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, id)
);
CREATE UNIQUE INDEX content_item_by_id ON content_item (organization_id, id);
CREATE INDEX content_item_of_post ON content_item (organization_id, brand_id, post_id);
CREATE INDEX content_item_of_account ON content_item (organization_id, brand_id, integration_id, scheduled_for);
CREATE INDEX content_item_by_update ON content_item (organization_id, brand_id, updated_at);
CREATE INDEX content_item_in_queue ON content_item (organization_id, brand_id, schedule_order, id) WHERE queue_state <> '';
CREATE INDEX content_item_by_state ON content_item (organization_id, brand_id, queue_state, schedule_order, id) WHERE queue_state <> '';
CREATE INDEX content_item_due ON content_item (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX content_item_expiring ON content_item (expires_at) WHERE kind = 'suggestion' AND approval_state = 'pending';

-- Times that the slot plan gave out: one item for each account and instant.
CREATE TABLE taken_slot (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    integration_id TEXT NOT NULL,
    starts_at BIGINT NOT NULL,
    content_id TEXT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, integration_id, starts_at)
);
CREATE INDEX taken_slot_of_item ON taken_slot (organization_id, brand_id, content_id);

CREATE TABLE publish_attempt (
    organization_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    id TEXT NOT NULL,
    content_id TEXT NOT NULL,
    post_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    trigger_kind TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    finished_at BIGINT,
    outcome TEXT NOT NULL,
    http_status BIGINT,
    platform_code TEXT NOT NULL,
    message TEXT NOT NULL,
    next_attempt_at BIGINT,
    request_digest TEXT NOT NULL,
    PRIMARY KEY (organization_id, brand_id, content_id, number)
);
CREATE INDEX publish_attempt_of_post ON publish_attempt (organization_id, brand_id, post_id, id);
