#!/usr/bin/python3
"""PgBouncer in front of PostgreSQL: a start that cannot work is refused whole and names the pooler; in session mode the daemon serves."""

import contextlib
import pathlib
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import Daemon, DaemonError, PostgreSQL, free_ports  # noqa: E402

CONFIGURATION = """[databases]
postgres = host=127.0.0.1 port={server} dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = {mode}
max_client_conn = 200
default_pool_size = 60
ignore_startup_parameters = extra_float_digits
{more}
"""


@contextlib.contextmanager
def pooler(server, mode, more=""):
    """A PgBouncer in that mode; yields its address."""
    port = free_ports(1)
    folder = server.directory / f"bouncer-{port}"
    folder.mkdir()
    users = folder / "users"
    users.write_text(f'"postgres" "{server.password}"\n')
    configuration = folder / "pgbouncer.ini"
    configuration.write_text(CONFIGURATION.format(server=server.port, port=port, users=users, mode=mode, more=more))
    for path in (folder, users, configuration):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen([*server._as_user, "/usr/sbin/pgbouncer", str(configuration)], stdout=log, stderr=log, cwd="/")
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise DaemonError((folder / "log").read_text()) from None
                time.sleep(0.05)
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        process.terminate()
        process.wait(20)


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
                    self.assertIn("pool_mode = session", text, (mode, more))
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


if __name__ == "__main__":
    main()
