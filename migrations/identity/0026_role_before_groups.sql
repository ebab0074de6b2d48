-- The role that somebody had before a directory's groups gave them another: it comes back when they leave the last of those groups.
ALTER TABLE memberships ADD COLUMN role_before_groups TEXT;
UPDATE memberships SET role_before_groups = 'member'
WHERE EXISTS (SELECT 1 FROM scim_group_members gm JOIN scim_groups g ON g.organization_id = gm.organization_id AND g.id = gm.group_id
    WHERE gm.organization_id = memberships.organization_id AND gm.user_id = memberships.user_id AND g.display_name_key IN ('guest', 'member', 'admin'));
