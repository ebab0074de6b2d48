#!/usr/bin/python3
"""Statements of services that join rows of different organizations: none is allowed. tests/support/tenant_joins.txt lists the texts that cannot be told
from the source, and may only become shorter; tests/support/with_postgres.py looks at what PostgreSQL has run."""

import collections
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import shape  # noqa: E402
import sql_texts  # noqa: E402
import tenant_joins  # noqa: E402
from blackbox import main  # noqa: E402

LIST = ROOT / "tests/support/tenant_joins.txt"


def listed():
    """{file: places}."""
    lines = [line.split(None, 2) for line in LIST.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {file: int(places) for file, places, _ in lines}


def found(root):
    """{file: {line: (groups, text)}}."""
    places = collections.defaultdict(dict)
    for service in tenant_joins.services_with_tenants(root):
        tables = sql_texts.tenant_tables(sorted(root.glob(f"migrations/{service}/*.sql")))
        for path in shape.sources(root, f"plugins/{service}"):
            header = path.with_suffix(".h")
            texts = [path.read_text()] + ([header.read_text()] if path.suffix == ".cpp" and header.exists() else [])
            for line, text in sql_texts.Source(*texts).texts():
                groups = tenant_joins.joined_apart(text, tables)
                if groups:
                    places[str(path.relative_to(root))][line] = (groups, text)
    return places


class Tree(unittest.TestCase):
    maxDiff = None

    def test_statements_stay_in_one_organization(self):
        allowed, places = listed(), found(ROOT)
        self.assertEqual(set(), allowed.keys() - places.keys(), f"take these off {LIST.name}: they tie their tables now")
        for file, lines in places.items():
            told = "\n".join(f"{file}:{line}: nothing ties {groups}: {text}" for line, (groups, text) in lines.items())
            self.assertLessEqual(len(lines), allowed.get(file, 0), f"compare {sql_texts.TENANT} of these tables with each other or with one parameter\n{told}")
            self.assertEqual(len(lines), allowed.get(file), f"{file} has fewer places than {LIST.name} says: lower the number")

    def test_there_is_something_to_look_at(self):
        services = tenant_joins.services_with_tenants(ROOT)
        self.assertLessEqual({"calendar", "crm", "launchpad", "social"}, set(services))
        self.assertNotIn("identity", services)
        tables = sql_texts.tenant_tables(ROOT.glob("migrations/crm/*.sql"))
        texts = [text for path in shape.sources(ROOT, "plugins/crm") for _, text in sql_texts.Source(path.read_text()).texts()]
        self.assertGreater(sum(1 for text in texts if len(tenant_joins.Statement(text, tables).mentions) > 1), 20)


class Statements(unittest.TestCase):
    tables = {"note", "contact", "tag"}

    def groups(self, text):
        return tenant_joins.joined_apart(text, self.tables)

    def assert_tied(self, text, mentions):
        self.assertEqual([], self.groups(text))
        self.assertEqual(mentions, len(tenant_joins.Statement(text, self.tables).mentions), text)

    def assert_apart(self, text, *groups):
        self.assertEqual(sorted(map(list, groups)), [sorted(group) for group in self.groups(text)])

    def test_tied_by_their_columns(self):
        self.assert_tied("SELECT 1 FROM note n JOIN contact c ON c.organization_id = n.organization_id AND c.id = n.contact_id", 2)
        self.assert_tied("SELECT 1 FROM note n JOIN contact AS c USING (organization_id, contact_id)", 2)
        self.assert_tied("SELECT 1 FROM note, contact WHERE note.organization_id = contact.organization_id", 2)
        self.assert_apart("SELECT 1 FROM note n JOIN contact c ON c.id = n.contact_id", ["note"], ["contact"])
        self.assert_apart("SELECT 1 FROM note n JOIN contact c ON c.id = n.contact_id WHERE n.organization_id = $1", ["note"], ["contact"])
        self.assert_apart("SELECT 1 FROM note n, contact c WHERE n.organization_id = c.organization AND n.id = c.id", ["note"], ["contact"])
        self.assert_apart("SELECT 1 FROM note n JOIN contact c ON c.id = n.id JOIN tag t ON t.organization_id = c.organization_id", ["note"], ["contact", "tag"])

    def test_tied_by_a_parameter(self):
        text = "SELECT 1 FROM note n JOIN contact c ON c.id = n.contact_id WHERE n.organization_id = $1 AND c.organization_id = $1"
        self.assert_tied(text, 2)
        self.assert_tied(text.replace("n.organization_id = $1", "$1 = n.organization_id"), 2)
        self.assert_tied(text.replace("= $1", "= CAST($1 AS TEXT)"), 2)
        self.assert_tied(text.replace("$1", "'org_1'"), 2)
        self.assert_apart(text.replace("c.organization_id = $1", "c.organization_id = $2"), ["note"], ["contact"])
        self.assert_apart(text.replace("c.organization_id = $1", "c.organization_id <> $1"), ["note"], ["contact"])
        self.assert_apart(text.replace("$1", "§"), ["note"], ["contact"])

    def test_tied_by_a_query_inside(self):
        self.assert_tied("SELECT 1 FROM contact c WHERE EXISTS (SELECT 1 FROM note n WHERE n.organization_id = c.organization_id)", 2)
        self.assert_apart("SELECT 1 FROM contact c WHERE EXISTS (SELECT 1 FROM note n WHERE n.contact_id = c.id)", ["note"], ["contact"])
        self.assert_tied("UPDATE contact SET n = (SELECT count(*) FROM note WHERE organization_id = $1) WHERE organization_id = $1", 2)
        self.assert_apart("UPDATE contact SET n = (SELECT count(*) FROM note WHERE organization_id = $1) WHERE organization_id = $2", ["note"], ["contact"])
        self.assert_tied("SELECT (SELECT count(*) FROM note n WHERE n.organization_id = c.organization_id) FROM contact c", 2)
        self.assert_tied("DELETE FROM note WHERE (organization_id, id) IN (SELECT organization_id, id FROM contact WHERE id = $1)", 2)
        self.assert_apart("DELETE FROM note WHERE (organization_id, id) IN (SELECT id, organization_id FROM contact WHERE id = $1)", ["note"], ["contact"])
        self.assert_apart("DELETE FROM note WHERE id IN (SELECT id FROM contact WHERE organization_id = $1)", ["note"], ["contact"])

    def test_tied_by_a_query_with_a_name(self):
        self.assert_tied("SELECT 1 FROM (SELECT * FROM note WHERE organization_id = $1) n CROSS JOIN contact c WHERE c.organization_id = n.organization_id", 2)
        self.assert_tied("SELECT 1 FROM (SELECT id FROM note WHERE organization_id = $1) n JOIN contact c ON c.organization_id = $1 AND c.id = n.id", 2)
        self.assert_apart("SELECT 1 FROM (SELECT id FROM note WHERE organization_id = $1) n JOIN contact c ON c.id = n.id", ["note"], ["contact"])
        self.assert_tied("WITH some AS (SELECT * FROM note) SELECT 1 FROM contact c JOIN some s ON s.organization_id = c.organization_id", 2)
        self.assert_apart("WITH some AS MATERIALIZED (SELECT * FROM note) SELECT 1 FROM contact c JOIN some s ON s.id = c.id", ["note"], ["contact"])

    def test_tied_by_what_is_stored(self):
        self.assert_tied("INSERT INTO note (id, organization_id) SELECT c.id, c.organization_id FROM contact c", 2)
        self.assert_tied("INSERT INTO note (organization_id, id) SELECT organization_id, id FROM contact WHERE organization_id = $1", 2)
        self.assert_tied("INSERT INTO note (organization_id, id) VALUES ($1, (SELECT id FROM contact WHERE organization_id = $1))", 2)
        self.assert_apart("INSERT INTO note (organization_id, id) SELECT $2, c.id FROM contact c WHERE c.organization_id = $1", ["note"], ["contact"])
        self.assert_apart("INSERT INTO note (organization_id, id) SELECT c.id, c.organization_id FROM contact c", ["note"], ["contact"])

    def test_parts_of_a_union(self):
        text = "SELECT id FROM note WHERE organization_id = $1 UNION ALL SELECT id FROM contact WHERE organization_id = $1"
        self.assert_tied(text, 2)
        self.assert_apart(text[:-1] + "2", ["note"], ["contact"])

    def test_one_table_is_tied(self):
        self.assert_tied("SELECT 1 FROM note WHERE id = $1", 1)


if __name__ == "__main__":
    main()
