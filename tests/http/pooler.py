#!/usr/bin/python3
"""PgBouncer in front of PostgreSQL: a start that cannot work is refused whole and names the pooler; in session mode the daemon serves, in
transaction mode too where it is told so."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import BUILD, Daemon, DaemonError, PostgreSQL  # noqa: E402
from pooler import pooler  # noqa: E402

# What the settings of one service would break in another, in names of tests.
CONTRACTS = {
    "crm_tests": ("ContactTest", "ContactListTest", "ContactChangeTest", "NoteTest", "TagTest", "PipelineMoveTest", "ExportTest"),
    "identity_tests": ("LoginTest", "SessionsTest", "KeysTest", "OrganizationTest", "MembershipTest", "AccessVersionTest"),
}


class PoolerTest(unittest.TestCase):
    # Tests run by name: the refusals come first, while the database has no schema yet.

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(PostgreSQL())

    def refusal(self, url):
        with self.assertRaises(DaemonError) as failed:
            with Daemon(database=url, password=self.server.password):
                pass
        return str(failed.exception)

    def test_a_pooler_that_shares_sessions_is_refused(self):
        for mode, more in (("transaction", ""), ("transaction", "server_reset_query_always = 1"), ("statement", "")):
            with pooler(self.server, mode, more) as url:
                # The first time as the second, when a half start would have left something behind.
                for _ in range(2):
                    text = self.refusal(url)
                    self.assertIn("database.pooler = transaction", text, (mode, more))
                    self.assertIn("pool_mode = session", text)
                    self.assertIn("database.url", text)
        schemas = self.server.sql("SELECT nspname FROM pg_namespace WHERE nspname IN ('identity', 'crm', 'calendar', 'host');")
        self.assertEqual([], schemas)

    def test_one_that_lends_sessions_serves(self):
        with pooler(self.server, "session") as url:
            with Daemon(database=url, password=self.server.password) as daemon:
                password = daemon.user("owner@acme.example", "acme", "owner")["password"]
                token = daemon.login("owner@acme.example", password)
                made = daemon.request("crm", "POST", "/api/contacts", {"firstName": "Ada"}, token)
                self.assertEqual(201, made.status, made.body)

    def shared(self, url, **settings):
        """A daemon behind a pooler in transaction mode."""
        return Daemon({"database.pooler": "transaction", "database.connections": 4, **settings}, url, self.server.password)

    def settings_of(self, url):
        """What a session that the pooler lends next is set to."""
        names = ("search_path", "statement_timeout", "lock_timeout", "default_transaction_read_only", "transaction_read_only")
        words = [word for name in names for word in ("-c", f"SHOW {name}")]
        done = subprocess.run(["psql", "-XAtq", url, *words, "-c", "SELECT count(*) FROM pg_prepared_statements"],
                              env={**os.environ, "PGPASSWORD": self.server.password}, capture_output=True, text=True, check=True)
        return done.stdout.split("\n")[:-1]

    def test_one_that_lends_transactions_serves_where_it_is_named(self):
        # Fewer sessions than connections: each of them serves every schema. A unit of work within another needs a second one.
        with pooler(self.server, "transaction", sessions=20) as url, self.shared(url) as daemon:
            password = daemon.user("pooled@acme.example", "pooled", "owner")["password"]
            token = daemon.login("pooled@acme.example", password)

            def life(number):
                path = "/api/contacts"
                made = daemon.request("crm", "POST", path, {"firstName": f"Ada {number}"}, token)
                self.assertEqual(201, made.status, made.body)
                path += f"/{made.json()['id']}"
                read = daemon.request("crm", "GET", path, token=token)
                self.assertEqual(f"Ada {number}", read.json()["firstName"])
                changed = daemon.request("crm", "PUT", path, {"jobTitle": "CTO"}, token, {"If-Match": read.headers["ETag"]})
                self.assertEqual(200, changed.status, changed.body)

            with concurrent.futures.ThreadPoolExecutor(6) as pool:
                list(pool.map(life, range(40)))
            listed = daemon.request("crm", "GET", "/api/contacts?limit=100", token=token)
            self.assertEqual(40, len(listed.json()["items"]))
            # No session of the server keeps what a service set.
            for _ in range(4):
                self.assertEqual(['"$user", public', "0", "0", "off", "off", "0"], self.settings_of(url))
            refused = daemon.ctl("backup", str(daemon.state / "backup"), check=False)
            self.assertIn("database.directUrl", refused.stderr + refused.stdout)

    def test_hosts_behind_it_notify_each_other_by_the_direct_address(self):
        with pooler(self.server, "transaction", sessions=20) as url, self.shared(url, **{"database.directUrl": self.server.url}) as daemon:
            listening = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%LISTEN portico_work%' AND pid <> pg_backend_pid()"
            # The host opens this connection beside its start.
            deadline = time.monotonic() + 60
            while (found := self.server.sql(listening + ";")) != ["1"]:
                self.assertLess(time.monotonic(), deadline, found)
                time.sleep(0.05)
            backup = daemon.ctl("backup", str(daemon.state / "backup"), check=False)
            self.assertEqual(0, backup.returncode, backup.stderr)

    def test_contracts_of_crm_and_identity(self):
        with pooler(self.server, "transaction", sessions=20) as url:
            variables = {**os.environ, "PORTICO_TEST_DATABASE": url.replace("postgres@", f"postgres:{self.server.password}@", 1),
                         "PORTICO_TEST_POOLER": "transaction"}
            for program, tests in CONTRACTS.items():
                with self.subTest(program):
                    done = subprocess.run([BUILD / "bin" / program, *tests], env=variables, capture_output=True, text=True)
                    self.assertEqual(0, done.returncode, done.stdout[-4000:] + done.stderr[-4000:])
                    self.assertRegex(done.stdout, r"\d{2,} passed, 0 failed")
            self.assertEqual([], self.server.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'test\\_%';"))


if __name__ == "__main__":
    main()
