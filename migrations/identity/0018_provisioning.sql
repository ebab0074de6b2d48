-- What directories of organizations say of their people and groups (SCIM). A member without a row here was not made, or changed, by one.

CREATE TABLE scim_users (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    user_name TEXT NOT NULL,
    -- As it is compared: lower case.
    user_name_key TEXT NOT NULL,
    external_id TEXT,
    -- JSON: the other attributes, of this organization alone.
    attributes TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, user_id),
    UNIQUE (organization_id, user_name_key)
);
CREATE INDEX scim_users_by_external_id ON scim_users (organization_id, external_id);
CREATE INDEX scim_users_by_user ON scim_users (user_id);

CREATE TABLE scim_groups (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    display_name TEXT NOT NULL,
    display_name_key TEXT NOT NULL,
    external_id TEXT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (organization_id, display_name_key)
);

CREATE TABLE scim_group_members (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    group_id TEXT NOT NULL REFERENCES scim_groups (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    PRIMARY KEY (organization_id, group_id, user_id)
);
CREATE INDEX scim_group_members_by_user ON scim_group_members (organization_id, user_id);
