#!/usr/bin/python3
"""CRM's contract suite on ten databases, each with the rows of some organizations, behind a router by organization (organization_router.py). It shows that
no statement and no constraint of CRM needs rows of two organizations."""

import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sql_texts  # noqa: E402
from blackbox import main  # noqa: E402
from daemon import BUILD, ROOT, PostgreSQL  # noqa: E402
from organization_router import OrganizationRouter  # noqa: E402

# PORTICO_PROOFS=long runs all suites, which takes several minutes.
PARTS = () if os.environ.get("PORTICO_PROOFS") == "long" else (
    "ContactTest", "ContactListTest", "ContactChangeTest", "NoteTest", "TagTest", "PipelineTest", "MergeTest", "ExportTest", "PersonRecordsTest")
DATABASES = [f"organizations{number}" for number in range(10)]


class Trusting(PostgreSQL):
    """A server without passwords, for the router, and without fsync: no test reads data after a crash of the machine."""

    def __init__(self):
        super().__init__("-c fsync=off -c max_connections=500")

    def _make_cluster(self, _):
        self._run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "--no-sync")


class TenDatabases(unittest.TestCase):
    def setUp(self):
        server = self.enterContext(Trusting())
        server.sql("".join(f"CREATE DATABASE {name};\n" for name in DATABASES))
        self.tables = sql_texts.tenant_tables(sorted(ROOT.glob("migrations/crm/*.sql")))
        self.router = self.enterContext(OrganizationRouter(server, DATABASES, self.tables))

    def test_contract_suite_of_crm(self):
        done = subprocess.run([BUILD / "bin/crm_tests", *PARTS], env={**os.environ, "PORTICO_TEST_DATABASE": self.router.url}, capture_output=True, text=True)
        self.assertEqual([], self.router.refused)
        self.assertEqual(0, done.returncode, done.stdout[-1000:] + done.stderr[-6000:])
        self.assertRegex(done.stdout, r"\d{3,} passed, 0 failed")
        # Each database has organizations, and no transaction of a request needs two of them.
        self.assertEqual(set(range(len(DATABASES))), set(self.router.used))
        self.assertLessEqual(self.router.across, 1)
        # Citus rejects locks of rows of several organizations.
        self.assertEqual([], [each for each in self.router.everywhere if "FOR UPDATE" in each])

    def test_rows_of_two_organizations_are_not_joined(self):
        """Shows that the router refuses such statements. A router that refuses none would pass the suite of CRM."""
        for statement in ("SELECT 1 FROM contact a JOIN contact b ON b.id = a.id WHERE a.organization_id = 'org_a' AND b.organization_id = 'org_b'",
                          "SELECT 1 FROM contact a JOIN note n ON n.contact_id = a.id WHERE a.organization_id = 'org_a'",
                          "DELETE FROM contact WHERE organization_id IN (SELECT organization_id FROM portico_job)",
                          "UPDATE note SET body = '' WHERE organization_id = 'org_a' OR organization_id = 'org_b'"):
            done = subprocess.run(["psql", "-XAtq", self.router.url, "-c", statement], capture_output=True, text=True)
            self.assertNotEqual(0, done.returncode, statement)
            self.assertEqual(1, len(self.router.refused), (statement, done.stderr))
            self.router.refused.clear()


if __name__ == "__main__":
    main()
