#!/usr/bin/python3
"""Disks and databases that fail around a daemon. Every acknowledged change stays, errors are clear and never a 500, reads work where possible, and the daemon
recovers without a restart."""

import contextlib
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import BUILD, Daemon, DaemonError, PostgreSQL  # noqa: E402
from faultcase import FREE, Case  # noqa: E402
from ledger import Ledger  # noqa: E402

MEBIBYTE = 1024 * 1024


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

    def refused_upload(self, disk, contact, size):
        """Returns the first rejected write. Rejected requests before it may have freed some space."""
        for _ in range(100):
            self.fill(disk)
            answer = self.upload(contact, b"x" * size)
            if answer[0] != 201:
                return answer
        self.fail("everything is taken")

    def assert_uploads_refused(self, disk, contact):
        # One is taken from memory; one waits in a file before its handler runs.
        for size in (1_000, 300_000):
            status, headers, body = self.refused_upload(disk, contact, size)
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
            self.assert_uploads_refused(disk, contact)
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

    def test_a_service_that_does_not_fit_starts_when_there_is_room(self):
        disk = self.mount(self.size)
        self.begin(Daemon(FREE, state=disk / "state"))
        contact = self.contact()
        self.daemon.stop()
        filler = self.fill(disk)
        # There is no room for all copies: that of crm does not fit beside that of identity.
        size = {service: (BUILD / f"lib/portico/plugins/{service}/{service}.so").stat().st_size for service in ("identity", "crm")}
        os.truncate(filler, filler.stat().st_size - size["identity"] - size["crm"] // 2)
        self.daemon.start()
        self.assertEqual(self.service()["status"], "waiting")
        self.assertRegex(self.service()["note"], "waits for room on the disk, next try in [0-9]+ s: cannot copy .*crm.so: No space left on device")
        self.assertEqual(self.call("GET", f"/api/contacts/{contact}")[0], 503)
        filler.unlink()
        for service in ("identity", "crm"):
            self.eventually(lambda service=service: self.service(service)["status"] == "serving", f"{service} does not start")
        self.assertEqual(self.call("GET", f"/api/contacts/{contact}")[0], 200)

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


class FileSizeLimit(Case):
    """A limit on the size of files, which the kernel tells by a signal as well."""

    def test_writes_are_refused_and_the_daemon_lives(self):
        self.begin(Daemon(FREE))
        contact = self.contact()
        process = self.daemon.ctl("status")["pid"]
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(process, resource.RLIMIT_FSIZE, (1024, resource.RLIM_INFINITY))
        self.assert_refused(*self.call("POST", "/api/contacts", {"firstName": "Grace"}))
        self.assertEqual(self.call("GET", f"/api/contacts/{contact}")[0], 200)
        resource.prlimit(process, resource.RLIMIT_FSIZE, unlimited)
        self.contact()
        self.assertEqual(self.daemon.ctl("status")["pid"], process)


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
                # What cannot be started now leaves what runs.
                self.assertEqual(self.daemon.ctl("reload", "crm", check=False).returncode, 1)
                self.assertEqual(self.service()["status"], "serving")
                server.start()
                ledger.wait_for(more=100)
                ledger.outage = False
                self.assertEqual(self.call("GET", "/readyz")[0], 200)
            ledger.wait_for(more=100)
        ledger.verify(self)


class Waiting(Case):
    """A service that could not start without its database starts when the database is available, without a command."""

    def assert_waits(self):
        found = {}

        def waits():
            found.update(self.service())
            return found["status"] == "waiting"

        # It is starting while it is tried.
        self.eventually(waits, "crm does not wait")
        self.assertRegex(found["note"], "^waits for the database, next try in [0-9]+ s: ")
        self.assertIn(found["retrySeconds"], range(16))
        status = next(each for each in self.daemon.ctl("status")["services"] if each["service"] == "crm")
        self.assertIn(status["status"], ("waiting", "starting"))
        self.assert_refused(*self.call("GET", "/api/contacts"))
        self.assertEqual(self.call("GET", "/readyz")[::2], (503, b'{"status":"not_ready","failing":["service"]}'))

    def assert_starts(self):
        self.eventually(lambda: self.service()["status"] == "serving", "crm is not started")
        self.assertEqual((self.service()["note"], self.service()["retrySeconds"]), ("", None))
        done = {}

        def written_down():
            done.update(self.daemon.ctl("operations", "--service", "crm")["operations"][0])
            return done["command"] == "retry"

        self.eventually(written_down, "nobody is told that crm was started")
        self.assertEqual((done["status"], done["requestedBy"]), ("done", "the host"))
        self.assertIn("it had waited for the database", done["messages"][0])
        self.contact()

    def test_enabled_while_postgresql_is_stopped(self):
        server = self.enter(PostgreSQL())
        self.begin(server.daemon(FREE))
        self.daemon.ctl("disable", "crm")
        server.stop("fast")
        for command in ("enable", "reload"):
            refused = self.daemon.ctl(command, "crm", check=False)
            self.assertEqual(refused.returncode, 1, refused.stdout)
            self.assertIn("it waits for the database, and is retried automatically", refused.stdout + refused.stderr)
        self.assert_waits()
        server.start()
        self.assert_starts()

    def test_disabled_while_it_waits(self):
        server = self.enter(PostgreSQL())
        self.begin(server.daemon(FREE))
        self.daemon.ctl("disable", "crm")
        server.stop("fast")
        self.assertEqual(self.daemon.ctl("enable", "crm", check=False).returncode, 1)
        self.daemon.ctl("disable", "crm")
        self.assertEqual((self.service()["status"], self.service()["retrySeconds"]), ("disabled", None))
        server.start()
        self.daemon.ctl("enable", "crm")
        self.contact()

    def test_started_while_the_lock_of_sqlite_is_held(self):
        self.begin(Daemon({**FREE, "database.lockMilliseconds": 200, "database.waitMilliseconds": 200}))
        self.daemon.stop()
        with contextlib.closing(sqlite3.connect(next(self.daemon.state.rglob("crm.db")), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            self.daemon.start()
            self.assert_waits()
            # Other hosts may serve it, so a failed start on this host revokes no access.
            self.sign_in()
        self.assert_starts()


class ReadOnly(Case):
    """The file system of the databases takes no more writes, as one that was remounted after an error."""

    def files(self):
        """The databases, then their folder. Not the index of a write-ahead log, which is memory that processes share and no file but in name."""
        files = [file for file in self.daemon.state.rglob("*.db*") if not file.name.endswith("-shm")]
        return [*files, files[0].parent]

    def freeze(self, files):
        done = subprocess.run(["chattr", "+i", *map(str, files)], capture_output=True, text=True)
        self.addCleanup(self.thaw, files)
        if done.returncode != 0:
            self.skipTest(f"files cannot be made immutable here: {done.stderr.strip()}")

    @staticmethod
    def thaw(files):
        subprocess.run(["chattr", "-i", *(str(each) for each in reversed(files) if each.exists())], capture_output=True)

    def daemon_on_disk(self):
        """Its state is beside the build: files in memory take writes through open descriptors although they are immutable."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="portico-faults-", dir=BUILD))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return Daemon(FREE, state=folder / "state")

    def test_reads_go_on_and_writes_come_back(self):
        self.begin(self.daemon_on_disk())
        contact = self.contact()
        with Ledger(self.daemon, self.token) as ledger:
            ledger.wait_for(more=100)
            ledger.outage = True
            files = self.files()
            self.freeze(files)
            ledger.wait_for(refused=100)
            for _ in range(20):
                self.assertEqual(self.call("GET", f"/api/contacts/{contact}")[0], 200)
                self.assertEqual(self.call("GET", "/api/contacts?limit=5&q=ada")[0], 200)
            self.assertEqual(self.daemon.request("crm", "GET", "/healthz").status, 200)
            self.thaw(files)
            ledger.wait_for(more=100)
            ledger.outage = False
            ledger.wait_for(more=100)
        self.sign_in()
        ledger.verify(self)
        self.daemon.restart()
        ledger.verify(self)

    def test_a_start_says_what_is_wrong(self):
        self.begin(self.daemon_on_disk())
        self.daemon.stop()
        files = self.files()
        self.freeze(files)
        with self.assertRaisesRegex(DaemonError, f"(?s)ended with 1 .*database file.*{files[-1]}/.*write to it and to its directory"):
            self.daemon.start()
        self.thaw(files)
        self.daemon.start()
        self.contact()


class Exhausted(Case):
    """All that may use the database are held up from outside."""

    def assert_others_serve(self):
        self.assertEqual(self.call("GET", "/healthz")[0], 200)
        token = self.accounts.token(service="identity")
        self.assertEqual(self.daemon.request("identity", "GET", "/api/auth/me", token=token).status, 200)

    def test_connections_to_postgresql(self):
        server = self.enter(PostgreSQL())
        limits = {"database.connections": 2, "database.waitMilliseconds": 800, "database.lockMilliseconds": 60_000, "database.statementSeconds": 120}
        self.begin(server.daemon({**FREE, **limits}))
        contact = self.contact()
        answers = []

        def write():
            answers.append(self.call("PUT", f"/api/contacts/{contact}", {"jobTitle": "held"})[0])

        holder = server.psql()
        holder.stdin.write("BEGIN; LOCK TABLE crm.contact IN ACCESS EXCLUSIVE MODE; SELECT 'held';\n")
        self.assertEqual(holder.stdout.readline(), "held\n")
        threads = [threading.Thread(target=write) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock';"
            self.eventually(lambda: server.sql(waiting) == ["2"], "the sessions are not held")
            for _ in range(5):
                self.assert_refused(*self.call("GET", f"/api/contacts/{contact}"))
                self.assert_refused(*self.call("POST", "/api/contacts", {"firstName": "Ada"}))
                self.assert_others_serve()
            status, _, body = self.call("GET", "/readyz")
            self.assertEqual((status, b'"database"' in body), (503, True), body)
            self.assertEqual(answers, [])
        finally:
            holder.communicate("ROLLBACK;\n")
            for thread in threads:
                thread.join()
        self.assertEqual(answers, [200, 200])
        self.assertEqual(self.call("GET", "/readyz")[0], 200)
        self.contact()

    def test_the_lock_of_sqlite(self):
        self.begin(Daemon({**FREE, "database.lockMilliseconds": 200, "database.waitMilliseconds": 200}))
        contact = self.contact()
        with contextlib.closing(sqlite3.connect(next(self.daemon.state.rglob("crm.db")), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            for _ in range(5):
                self.assert_refused(*self.call("POST", "/api/contacts", {"firstName": "Ada"}))
                self.assertEqual(self.call("GET", f"/api/contacts/{contact}")[0], 200)
                self.assert_others_serve()
            other.execute("ROLLBACK")
        self.contact()


if __name__ == "__main__":
    main()
