-- Mails about approvals and accounts, by person and organization.
CREATE TABLE notice_choice (
    organization_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    approvals BOOLEAN NOT NULL,
    accounts BOOLEAN NOT NULL,
    last_mail_at BIGINT,
    PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX content_item_pending ON content_item (submitted_at) WHERE queue_state = 'pending';
