-- A redirect host alone proves nothing: its sector is now of one owner. The names that people have there stay with the owner of the client
-- that named the host first; the clients of every other owner give new ones.
INSERT INTO oauth_subjects (sector, user_id, subject, created_at)
SELECT s.sector || ' ' || c.owner_organization_id, s.user_id, 'moved ' || s.subject, s.created_at
FROM oauth_subjects s
JOIN oauth_clients c ON c.client_id = (
    SELECT f.client_id FROM oauth_clients f
    WHERE f.subject_type = 'pairwise' AND f.sector_identifier_uri IS NULL
        AND (f.redirect_uris LIKE '["%://' || s.sector || '/%' OR f.redirect_uris LIKE '["%://' || s.sector || ':%'
            OR f.redirect_uris LIKE '["%://' || s.sector || '"%' OR f.redirect_uris LIKE '["%://' || s.sector || '?%')
    ORDER BY f.created_at, f.client_id LIMIT 1)
WHERE NOT EXISTS (
    SELECT 1 FROM oauth_clients u
    WHERE u.subject_type = 'pairwise' AND (u.sector_identifier_uri LIKE 'https://' || s.sector || '/%' OR u.sector_identifier_uri LIKE 'https://' || s.sector || ':%'));
DELETE FROM oauth_subjects WHERE subject IN (SELECT substr(subject, 7) FROM oauth_subjects WHERE subject LIKE 'moved %');
UPDATE oauth_subjects SET subject = substr(subject, 7) WHERE subject LIKE 'moved %';
