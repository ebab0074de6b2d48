#!/usr/bin/python3
"""Migrations expand before they contract (docs/compatibility.md, Data): while hosts are upgraded one by one, the previous version still works with the
tables. A migration that removes something explains in a comment why the previous version does not need it: `-- Contracts: …`."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from blackbox import main  # noqa: E402

# Older than the first release: no version before them was ever installed.
DRAFTS = {"host/0002_sealed_answers.sql", "crm/0009_contact_words.postgresql.sql"}

BREAKS = (
    (r"\bDROP\s+TABLE\b", "drops a table"),
    (r"\bDROP\s+COLUMN\b", "drops a column"),
    (r"\bALTER\s+TABLE\b.*\bRENAME\b", "renames"),
    (r"\bSET\s+NOT\s+NULL\b", "refuses rows that the version before writes"),
    (r"\bALTER\s+COLUMN\s+\w+\s+DROP\s+DEFAULT\b", "refuses rows that the version before writes"),
    (r"\bALTER\s+COLUMN\s+\w+\s+TYPE\s+(?!text\s+COLLATE\b)", "changes the type of a column"),
    (r"\bADD\s+(COLUMN\s+)?(?!CONSTRAINT\b)\w+\s+[^,]*\bNOT\s+NULL\b(?![^,]*\bDEFAULT\b)(?<!DEFAULT)", "adds a column that the version before does not fill"),
    (r"\bADD\s+CONSTRAINT\b", "refuses rows that the version before writes"),
)
CONTRACTS = re.compile(r"^-- Contracts: \S", re.MULTILINE)


def statements(text):
    """Without comments and the texts of literals."""
    text = re.sub(r"--[^\n]*", "", text)
    text = re.sub(r"'(?:[^']|'')*'", "''", text)
    return [" ".join(each.split()) for each in text.split(";") if each.strip()]


def added(statement):
    """The parts of an ALTER TABLE: a default of one column is none of another."""
    head = re.match(r"ALTER TABLE (?:IF EXISTS )?\S+ ", statement, re.IGNORECASE)
    if not head:
        return [statement]
    parts, depth, start = [], 0, head.end()
    for place, letter in enumerate(statement):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0 and place > head.end():
            parts.append(statement[start:place])
            start = place + 1
    return [statement[:head.end()] + part.strip() for part in [*parts, statement[start:]]]


def faults(text, known):
    """Statements of a migration that break the version before. `known`: tables of earlier migrations; it may do anything to tables that it makes."""
    found = []
    if CONTRACTS.search(text):
        return found
    own = set(re.findall(r"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)", text, re.IGNORECASE))
    for statement in statements(text):
        unique = re.match(r"CREATE UNIQUE INDEX (?:IF NOT EXISTS )?\w+ ON (\w+)", statement, re.IGNORECASE)
        if unique and unique[1] in known - own:
            found.append(f"refuses rows that the version before writes: {statement}")
        altered = re.match(r"ALTER TABLE (?:IF EXISTS )?(\w+)", statement, re.IGNORECASE)
        if altered and altered[1] in own:
            continue
        for part in added(statement):
            found += [f"{what}: {part}" for pattern, what in BREAKS if re.search(pattern, part, re.IGNORECASE)]
    return found


def tables(text):
    return set(re.findall(r"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)", text, re.IGNORECASE))


class Migrations(unittest.TestCase):
    maxDiff = None

    def test_the_version_before_works_with_the_tables(self):
        found = {}
        for folder in sorted((ROOT / "migrations").iterdir()):
            known = set()
            for file in sorted(folder.glob("*.sql")):
                text = file.read_text(encoding="utf-8")
                name = f"{folder.name}/{file.name}"
                # The first one has no version before it.
                if known and name not in DRAFTS and faults(text, known):
                    found[name] = faults(text, known)
                known |= tables(text)
        self.assertEqual({}, found, "expand first; contract in a later version, with `-- Contracts: why the version before does without it`")

    def test_breaking_statements_are_found(self):
        for text in ("DROP TABLE contact;", "ALTER TABLE contact DROP COLUMN name;", "ALTER TABLE contact RENAME TO person;",
                     "ALTER TABLE contact ADD COLUMN age INTEGER NOT NULL;", "ALTER TABLE contact ALTER COLUMN name SET NOT NULL;",
                     "ALTER TABLE contact ADD COLUMN a TEXT NOT NULL, ADD COLUMN b TEXT DEFAULT 'x';",
                     "ALTER TABLE contact ALTER COLUMN age TYPE BIGINT;", "CREATE UNIQUE INDEX one ON contact (name);"):
            with self.subTest(text):
                self.assertEqual(1, len(faults(text, {"contact"})), text)
                self.assertEqual([], faults("-- Contracts: 0.9 reads person\n" + text, {"contact"}))

    def test_additions_pass(self):
        for text in ("CREATE TABLE person (id TEXT PRIMARY KEY, name TEXT NOT NULL); CREATE UNIQUE INDEX one ON person (name);",
                     "ALTER TABLE contact ADD COLUMN age INTEGER;", "ALTER TABLE contact ADD COLUMN age INTEGER NOT NULL DEFAULT 0;",
                     "DROP INDEX contact_name; CREATE INDEX contact_name ON contact (name, id);", "-- DROP TABLE contact\nSELECT 'DROP TABLE';",
                     "ALTER TABLE contact ALTER COLUMN name TYPE text COLLATE \"C\";"):
            with self.subTest(text):
                self.assertEqual([], faults(text, {"contact"}))


if __name__ == "__main__":
    main()
