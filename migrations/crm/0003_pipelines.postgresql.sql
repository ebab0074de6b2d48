-- Pipelines, the cards of contacts on them, and what became of them. Instants are milliseconds since 1970, values minor units of the
-- pipeline's currency.
CREATE TABLE pipeline (
    organization_id TEXT NOT NULL,
    pipeline_id TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    is_default BOOLEAN NOT NULL,
    currency TEXT NOT NULL,
    -- JSON: stages in their order, and the moves that are allowed (null: all).
    stages TEXT NOT NULL,
    transitions TEXT,
    require_lost_reason BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, pipeline_id)
);
-- The rule: at most one default, whoever comes first.
CREATE UNIQUE INDEX pipeline_default ON pipeline (organization_id) WHERE is_default;

CREATE TABLE pipeline_card (
    organization_id TEXT NOT NULL,
    pipeline_id TEXT COLLATE "C" NOT NULL,
    contact_id TEXT COLLATE "C" NOT NULL,
    stage_id TEXT NOT NULL,
    -- An order key, compared by bytes.
    position TEXT COLLATE "C" NOT NULL,
    since BIGINT NOT NULL,
    -- From when on the card is stale, or null; follows from `since` and the stage.
    stale_at BIGINT,
    value BIGINT,
    PRIMARY KEY (organization_id, pipeline_id, contact_id),
    FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipeline (organization_id, pipeline_id),
    FOREIGN KEY (organization_id, contact_id) REFERENCES contact (organization_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX pipeline_card_order ON pipeline_card (organization_id, pipeline_id, stage_id, position);
CREATE INDEX pipeline_card_of ON pipeline_card (organization_id, contact_id);
CREATE INDEX pipeline_card_stale ON pipeline_card (organization_id, stale_at) WHERE stale_at IS NOT NULL;

-- Outlives pipelines and stages, so it refers to none.
CREATE TABLE pipeline_history (
    organization_id TEXT NOT NULL,
    history_id TEXT COLLATE "C" NOT NULL,
    contact_id TEXT COLLATE "C" NOT NULL,
    pipeline_id TEXT COLLATE "C" NOT NULL,
    from_stage_id TEXT,
    to_stage_id TEXT,
    moved_at BIGINT NOT NULL,
    moved_by TEXT NOT NULL,
    note TEXT NOT NULL,
    lost_reason TEXT NOT NULL,
    duration_in_previous_stage_seconds BIGINT,
    source TEXT NOT NULL,
    PRIMARY KEY (organization_id, history_id),
    FOREIGN KEY (organization_id, contact_id) REFERENCES contact (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX pipeline_history_of ON pipeline_history (organization_id, contact_id, moved_at, history_id);

-- Where the contact stands on its boards, as it is answered: kept with the cards, so that a contact is read by one statement.
ALTER TABLE contact ADD COLUMN places TEXT NOT NULL DEFAULT '[]';
