#!/usr/bin/python3
"""What goes wrong around a daemon: disks, databases, clocks, files, its own end. Everything acknowledged stays, refusals are clear and never a 500,
and it goes on by itself.

    faults.py                             a short run of everything
    PORTICO_KILLS=100 faults.py Killed    kill -9 so many times
"""

import contextlib
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main  # noqa: E402
from daemon import BUILD, Daemon, PostgreSQL  # noqa: E402
from ledger import Client, Ledger  # noqa: E402

MEBIBYTE = 1024 * 1024
KILLS = int(os.environ.get("PORTICO_KILLS", "10"))
SECONDS = 60
FREE = {"limits.rates": "off"}
BLOB = re.compile(r"^[0-9a-f]{16}-[0-9a-f]{32}$")


class Case(unittest.TestCase):
    def enter(self, context):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        return stack.enter_context(context)

    def folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="portico-faults-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def begin(self, daemon):
        """A running daemon with accounts in it."""
        self.daemon = self.enter(daemon)
        self.accounts = Accounts(self.daemon)
        self.sign_in()

    def sign_in(self):
        self.token = self.accounts.token()

    def call(self, method, path, body=None, headers=None, service="crm"):
        with Client(self.daemon, self.token, service) as client:
            return client.call(method, path, body, headers)

    def contact(self):
        status, _, body = self.call("POST", "/api/contacts", {"firstName": "Ada"})
        self.assertEqual(status, 201, body)
        return re.search(rb'"id":"([^"]+)"', body)[1].decode()

    def upload(self, contact, content):
        headers = {"Content-Type": "application/octet-stream", "X-File-Name": "a.bin"}
        return self.call("POST", f"/api/contacts/{contact}/attachments", content, headers)

    def assert_refused(self, status, headers, body):
        """A clear 503 that tells nothing of the inside."""
        self.assertEqual((status, headers["Content-Type"]), (503, "application/problem+json"), body)
        self.assertRegex(headers["Retry-After"] or "", "^[0-9]+$", body)
        for leak in ("SQLSTATE", "INSERT", "SELECT", "std::", "filesystem", str(self.daemon.state)):
            self.assertNotIn(leak, body.decode())

    def eventually(self, holds, what):
        deadline = time.monotonic() + SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, f"{what}\n{self.daemon.log_tail()}")
            time.sleep(0.02)


class FullDisk(Case):
    # The daemon copies the plugins that it loads.
    size = 32 * MEBIBYTE + 3 * sum(each.stat().st_size for each in BUILD.glob("lib/portico/plugins/*/*.so"))

    def mount(self, size, *options):
        folder = self.folder()
        words = ["mount", "-t", "tmpfs", "-o", ",".join([f"size={size}", *options]), "portico-faults", str(folder)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest(f"a small file system cannot be mounted here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", str(folder)])
        return folder

    @staticmethod
    def fill(folder):
        """Takes every block that is left."""
        with open(folder / "filler", "ab", buffering=0) as filler:
            for size in (65536, 4096):
                with contextlib.suppress(OSError):
                    while filler.write(b"x" * size):
                        pass
        return folder / "filler"

    def assert_reads_go_on(self, contact, file, content):
        self.assertEqual(self.call("GET", f"/api/contacts/{contact}")[0], 200)
        self.assertEqual(self.call("GET", "/api/contacts?limit=5&q=ada")[0], 200)
        self.assertEqual(self.call("GET", file)[::2], (200, content))
        self.assertEqual(self.call("GET", "/healthz")[0], 200)

    def attached(self, contact, content):
        status, _, body = self.upload(contact, content)
        self.assertEqual(status, 201, body)
        return re.search(rb'"downloadUrl":"([^"]+)"', body)[1].decode()

    def assert_uploads_refused(self, contact):
        # One is taken from memory; one waits in a file before its handler runs.
        for size in (1_000, 300_000):
            status, headers, body = self.upload(contact, b"x" * size)
            self.assert_refused(status, headers, body)
            self.assertIn(b"no room left", body)

    def test_sqlite_refuses_writes_until_there_is_room(self):
        disk = self.mount(self.size)
        self.begin(Daemon(FREE, state=disk / "state"))
        contact, content = self.contact(), os.urandom(200_000)
        file = self.attached(contact, content)
        with Ledger(self.daemon, self.token) as ledger:
            ledger.wait_for(more=150)
            ledger.outage = True
            filler = self.fill(disk)
            ledger.wait_for(refused=40)
            self.assert_uploads_refused(contact)
            self.assert_reads_go_on(contact, file, content)
            # Nothing of a new build fits beside the old one, which serves on.
            refused = self.daemon.ctl("reload", "crm", check=False)
            self.assertEqual(refused.returncode, 1, refused.stdout)
            self.assert_reads_go_on(contact, file, content)
            filler.unlink()
            ledger.wait_for(more=60)
            ledger.outage = False
            ledger.wait_for(more=60)
        ledger.verify(self)
        self.daemon.ctl("reload", "crm")
        self.sign_in()
        self.daemon.restart()
        ledger.verify(self)

    def test_postgresql_refuses_writes_until_there_is_room(self):
        server = self.enter(PostgreSQL())
        uid, gid = server.directory.stat().st_uid, server.directory.stat().st_gid
        disk = self.mount(48 * MEBIBYTE, f"uid={uid}", f"gid={gid}", "mode=0700")
        # The write-ahead log has room: without, PostgreSQL itself ends.
        server.sql(f"CREATE TABLESPACE small LOCATION '{disk}'; ALTER ROLE postgres SET default_tablespace = small;")
        self.begin(server.daemon(FREE))
        contact, content = self.contact(), os.urandom(200_000)
        file = self.attached(contact, content)
        with Ledger(self.daemon, self.token) as ledger:
            ledger.wait_for(more=150)
            ledger.outage = True
            filler = self.fill(disk)
            ledger.wait_for(refused=40)
            self.assert_reads_go_on(contact, file, content)
            filler.unlink()
            ledger.wait_for(more=60)
            ledger.outage = False
            ledger.wait_for(more=60)
        ledger.verify(self)


class DatabaseGone(Case):
    """PostgreSQL is stopped under load, as by an operator and as by a crash, and started again."""

    def test_it_comes_back_and_nothing_is_lost(self):
        server = self.enter(PostgreSQL())
        self.begin(server.daemon({**FREE, "database.waitMilliseconds": 500}))
        with Ledger(self.daemon, self.token, writers=6) as ledger:
            for mode in ("fast", "immediate"):
                ledger.wait_for(more=100)
                ledger.outage = True
                server.stop(mode)
                ledger.wait_for(refused=50)
                self.assert_refused(*self.call("GET", "/api/contacts"))
                self.assertEqual(self.call("GET", "/healthz")[0], 200)
                for service in ("crm", "identity"):
                    status, _, body = self.call("GET", "/readyz", service=service)
                    self.assertEqual((status, b'"database"' in body), (503, True), body)
                self.assertEqual(self.call("GET", "/health", service="identity")[0], 503)
                self.assertIn(b'"failing"', self.call("GET", "/health")[2])
                server.start()
                ledger.wait_for(more=100)
                ledger.outage = False
                self.assertEqual(self.call("GET", "/readyz")[0], 200)
            ledger.wait_for(more=100)
        ledger.verify(self)


class Killed(Case):
    """kill -9 at random points while people write."""

    def rounds(self, kills):
        everything = []
        for number in range(kills):
            chance = random.Random(number)
            with Ledger(self.daemon, self.token, seed=number) as ledger:
                ledger.wait_for(more=chance.randrange(10, 150))
                time.sleep(chance.random() * 0.03)  # any point of a write
                ledger.kill()
            self.daemon.start()
            self.sign_in()
            ledger.verify(self, self.token)
            everything.append(ledger)
            self.assertEqual(list(self.daemon.state.rglob("unfinished/*")), [])
            self.assertLessEqual(self.blobs(), self.owned() | self.waiting())
        for ledger in everything:
            ledger.verify(self, self.token)
        print(f"{self.id()}: {kills} kills, {sum(each.acknowledged for each in everything)} acknowledged writes", flush=True)

    def blobs(self):
        return {path.name for path in self.daemon.state.rglob("*") if BLOB.match(path.name)}


class KilledOnSqlite(Killed):
    def test_nothing_acknowledged_is_lost(self):
        self.begin(Daemon(FREE))
        self.rounds(KILLS - KILLS // 2)
        self.daemon.stop()
        for file in self.daemon.state.rglob("*.db"):
            self.assertEqual(self.rows(file, "PRAGMA integrity_check"), [("ok",)], file)
            self.assertEqual(self.rows(file, "PRAGMA foreign_key_check"), [], file)

    @staticmethod
    def rows(file, sql):
        with contextlib.closing(sqlite3.connect(file)) as database:
            return database.execute(sql).fetchall()

    def keys(self, sql):
        return {key for (key,) in self.rows(next(self.daemon.state.rglob("crm.db")), sql)}

    def owned(self):
        return self.keys("SELECT blob_key FROM attachment")

    def waiting(self):
        return self.keys("SELECT blob_key FROM unowned_blob")


class KilledOnPostgreSQL(Killed):
    def test_nothing_acknowledged_is_lost(self):
        self.server = self.enter(PostgreSQL())
        self.begin(self.server.daemon(FREE))
        self.rounds(KILLS // 2)

    def owned(self):
        return set(self.server.sql("SELECT blob_key FROM crm.attachment;"))

    def waiting(self):
        return set(self.server.sql("SELECT blob_key FROM crm.unowned_blob;"))


if __name__ == "__main__":
    main()
