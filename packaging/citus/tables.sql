-- Prints the statements that spread Portico's tables over a Citus cluster; docs/scaling-out.md explains them. It changes nothing:
--   psql -XAtq -f tables.sql postgresql://portico@coordinator/portico
--
-- A table whose primary key begins with organization_id is distributed by it. A table of a service without it becomes a reference table.
-- What stays on the coordinator: the schemas identity and host, and the tables of the host in each schema (portico_…).
-- Lines that begin with "-- " name what Citus will refuse.
WITH RECURSIVE portico AS (
    SELECT c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS name,
           coalesce((SELECT a.attname = 'organization_id' FROM pg_catalog.pg_index i
                     JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
                     WHERE i.indrelid = c.oid AND i.indisprimary), false) AS distributed
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND c.relname NOT LIKE 'portico\_%' AND n.nspname NOT IN ('identity', 'host') AND n.nspname NOT LIKE '%before_restore%'
      AND EXISTS (SELECT FROM pg_catalog.pg_class m WHERE m.relnamespace = n.oid AND m.relname = 'portico_migration')
), steps (oid, depth) AS (
    -- A table comes after those that its foreign keys lead to.
    SELECT oid, 0 FROM portico
    UNION
    SELECT f.conrelid, s.depth + 1 FROM steps s
    JOIN pg_catalog.pg_constraint f ON f.contype = 'f' AND f.confrelid = s.oid AND f.conrelid <> f.confrelid
    WHERE s.depth < 20
), depths AS (
    SELECT oid, max(depth) AS depth FROM steps GROUP BY oid
), lines AS (
    SELECT 0 AS part, 0 AS depth, p.name,
           format('-- %s: the unique index %s lacks organization_id', p.name, i.indexrelid::regclass::text) AS line
    FROM portico p JOIN pg_catalog.pg_index i ON i.indrelid = p.oid AND i.indisunique
    WHERE p.distributed AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a
                                        WHERE a.attrelid = p.oid AND a.attname = 'organization_id' AND a.attnum = ANY (i.indkey))
    UNION ALL
    SELECT 0, 0, p.name, format('-- %s: the foreign key %s does not begin with organization_id', p.name, f.conname)
    FROM portico p JOIN pg_catalog.pg_constraint f ON f.contype = 'f' AND f.conrelid = p.oid
    JOIN portico target ON target.oid = f.confrelid
    JOIN pg_catalog.pg_attribute own ON own.attrelid = f.conrelid AND own.attnum = f.conkey[1]
    JOIN pg_catalog.pg_attribute other ON other.attrelid = f.confrelid AND other.attnum = f.confkey[1]
    WHERE target.distributed AND NOT (p.distributed AND own.attname = 'organization_id' AND other.attname = 'organization_id')
    UNION ALL
    SELECT CASE WHEN p.distributed THEN 2 ELSE 1 END, d.depth, p.name,
           CASE WHEN p.distributed THEN format('SELECT create_distributed_table(%L, ''organization_id'');', p.name)
                ELSE format('SELECT create_reference_table(%L);', p.name) END
    FROM portico p JOIN depths d ON d.oid = p.oid
)
SELECT line FROM lines ORDER BY part, depth, name, line;
