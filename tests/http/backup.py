#!/usr/bin/python3
"""porticoctl backup and restore on real daemons: made while people write and delete, restored elsewhere, and refused wherever it is not whole."""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main  # noqa: E402
from daemon import BUILD, Daemon, DaemonError, PostgreSQL  # noqa: E402

CTL = str(BUILD / "bin" / "porticoctl")
SECONDS = 60


def ctl(*words):
    """porticoctl without a daemon; the completed process."""
    return subprocess.run([CTL, "--socket", "/nonexistent/control.sock", "--json", *map(str, words)], capture_output=True, text=True, timeout=300)


class OtherUser:
    """What runs as somebody else than root."""

    uid, gid = 12345, 12346
    words = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups"]

    def require(self, test):
        if os.geteuid() != 0:
            test.skipTest("only root makes a backup of somebody else's")
        if subprocess.run([*self.words, "test", "-x", CTL], check=False).returncode != 0:
            test.skipTest(f"no other user may run what is in {BUILD}")

    def own(self, *paths):
        for path in paths:
            os.chown(path, self.uid, self.gid)

    def run(self, daemon):
        command = daemon.command
        daemon.command = lambda: [*self.words, *command()]


OTHER = OtherUser()


def tree(folder):
    """Every file below a folder with its content's hash."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*")) if path.is_file()}


def unlocked(file):
    """Returns true if no process has the lock of a file."""
    with open(file, encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class Case(unittest.TestCase):
    settings = {"limits.rates": "off"}

    def setUp(self):
        self.room = pathlib.Path(tempfile.mkdtemp(prefix="portico-backup-"))
        self.addCleanup(shutil.rmtree, self.room, ignore_errors=True)
        self.daemon = Daemon(self.settings)
        self.addCleanup(self.daemon.close)
        self.daemon.start()
        self.accounts = Accounts(self.daemon)
        self.token = self.accounts.token()

    def call(self, method, path, body=None, headers=None, daemon=None):
        return (daemon or self.daemon).request("crm", method, path, body, self.token, headers)

    def contact(self, name):
        answer = self.call("POST", "/api/contacts", {"firstName": name})
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json()["id"]

    def attach(self, contact, content):
        answer = self.call("POST", f"/api/contacts/{contact}/attachments", content, {"Content-Type": "application/octet-stream", "X-File-Name": "a.bin"})
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json()

    def backup(self, place="backup", *words):
        return pathlib.Path(self.daemon.ctl("backup", str(self.room / place), *words)["backup"])

    def begin_backup(self, place, rate):
        """porticoctl backup in the background, once it copies."""
        process = subprocess.Popen([CTL, "--socket", str(self.daemon.state / "control.sock"), "--json", "backup", "--rate", str(rate), str(self.room / place)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.eventually(lambda: any(self.room.glob(".*.portico-unfinished/data/*.db")), "the backup does not begin")
        self.assertIsNone(process.poll())
        return process

    def eventually(self, holds, what):
        deadline = time.monotonic() + SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.01)

    def refused(self, done, code):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        fault = json.loads(done.stdout)["error"]
        self.assertEqual(fault["code"], code, fault)
        self.assertNotIn("std::", fault["message"])
        return fault["message"]

    def restored(self, backup, *words):
        """Returns a daemon that is not started, with the configuration of the other one and a new state directory that contains the backup."""
        self.daemon.stop()
        state = self.room / f"state-{len(list(self.room.iterdir()))}"
        done = ctl("restore", backup, "--state", state, *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        daemon = Daemon(self.settings, state=state, port=self.daemon.port)
        self.addCleanup(daemon.close)
        return daemon

    def sound(self, state):
        """Checks that every database of a state directory is intact and that every referenced file exists."""
        for file in (state / "data").glob("*.db"):
            with contextlib.closing(sqlite3.connect(file)) as database:
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)], file)
                self.assertEqual(database.execute("PRAGMA foreign_key_check").fetchall(), [], file)


class UnderLoad(Case):
    def test_acknowledged_writes_and_their_files_are_in_the_backup(self):
        acknowledged, attachments, stop, faults = [], [], threading.Event(), []
        big = os.urandom(1 << 20)
        doomed = [(contact, self.attach(contact, big[:-1] + bytes([i]))) for i, contact in enumerate(self.contact(f"Doomed {i}") for i in range(8))]

        def write(name):
            number = 0
            try:
                while not stop.is_set():
                    contact = self.contact(f"{name} {number}")
                    acknowledged.append(contact)
                    # The files are small: callers who upload faster than the backup may copy would prolong it without an end.
                    if number % 5 == 0:
                        attachments.append((contact, self.attach(contact, os.urandom(200))["sha256"]))
                    number += 1
            except Exception as fault:  # noqa: BLE001
                faults.append(fault)

        writers = [threading.Thread(target=write, args=(f"Writer{i}",)) for i in range(2)]
        for writer in writers:
            writer.start()
        self.eventually(lambda: len(acknowledged) > 40, "no writer writes")
        before, attached = list(acknowledged), list(attachments)
        process = self.begin_backup("under-load", 1)
        # Files that the copy of the database refers to go away before they were copied.
        for _, attachment in doomed:
            self.assertEqual(self.call("DELETE", attachment["downloadUrl"]).status, 200)
        held = self.daemon.state / "blobs" / "crm" / "held"
        self.eventually(lambda: sum(path.is_file() for path in held.rglob("*")) == len(doomed) or process.poll() is not None, "the job removes nothing")
        self.assertIsNone(process.poll(), "the backup ended before the files were removed: it proves nothing")
        during = len(acknowledged)
        out, errors = process.communicate(timeout=5 * SECONDS)
        self.assertEqual(process.returncode, 0, out + errors)
        self.assertGreater(len(acknowledged), during, "no writer wrote during the backup")
        stop.set()
        for writer in writers:
            writer.join()
        self.assertEqual(faults, [])
        self.assertEqual([path for path in held.rglob("*") if path.is_file()], [], "removed files stay in the folder of held files")
        backup = pathlib.Path(json.loads(out)["backup"])
        self.assertTrue(any("progress" in json.loads(line) for line in errors.splitlines()))
        self.assertEqual(ctl("backup", "--verify", backup).returncode, 0)

        first = self.call("GET", "/api/contacts?limit=1&sort=createdAt").json()
        daemon = self.restored(backup)
        self.sound(daemon.state)
        daemon.start()
        # The token of before is good, and so is the cursor.
        page = self.call("GET", f"/api/contacts?limit=1&sort=createdAt&cursor={first['nextCursor']}", daemon=daemon)
        self.assertEqual(page.status, 200, page.body)
        for contact in before:
            self.assertEqual(self.call("GET", f"/api/contacts/{contact}", daemon=daemon).status, 200, contact)
        readable = 0
        for contact, sha256 in attached + [(contact, attachment["sha256"]) for contact, attachment in doomed]:
            listed = {each["sha256"]: each for each in self.call("GET", f"/api/contacts/{contact}/attachments", daemon=daemon).json()["items"]}
            answer = self.call("GET", listed[sha256]["downloadUrl"], daemon=daemon)
            self.assertEqual((answer.status, hashlib.sha256(answer.body).hexdigest()), (200, sha256))
            readable += 1
        self.assertEqual(readable, len(attached) + len(doomed))
        # No row without its file, whoever wrote it and when.
        with contextlib.closing(sqlite3.connect(daemon.state / "data" / "crm.db")) as database:
            keys = {key for (key,) in database.execute("SELECT blob_key FROM attachment")}
        self.assertLessEqual(keys, {path.name for path in (daemon.state / "blobs").rglob("*")})

    def test_it_is_written_down_who_made_one(self):
        self.backup()
        operation = next(each for each in self.daemon.ctl("operations")["operations"] if each["command"] == "backup")
        self.assertEqual((operation["status"], "uid" in operation["requestedBy"]), ("done", True), operation)
        self.assertIn(str(self.room / "backup"), operation["messages"][0])
        self.assertIn("backup made", self.daemon.log.read_text())


class Form(Case):
    def test_files_are_private_and_sha256sum_can_check_them(self):
        self.attach(self.contact("Ada"), b"notes")
        self.daemon.ctl("disable", "crm")
        self.daemon.ctl("enable", "crm")
        backup = self.backup()
        for path in [backup, *backup.rglob("*")]:
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o700 if path.is_dir() else 0o600, path)
        self.assertEqual(subprocess.run(["sha256sum", "-c", "--quiet", "files.sha256"], cwd=backup, capture_output=True).returncode, 0)
        manifest = json.loads((backup / "manifest.json").read_text())
        self.assertEqual((manifest["format"], manifest["engine"], manifest["files"]), (1, "sqlite", len(tree(backup)) - 2))
        levels = {each["name"]: each["migrations"] for each in manifest["databases"]}
        self.assertEqual(set(levels), {"calendar", "crm", "host", "identity", "launchpad", "social"})
        self.assertGreaterEqual(levels["crm"]["crm"], 1)
        self.assertEqual((backup / "secrets" / "cursor-key").read_bytes(), (self.daemon.state / "secrets" / "cursor-key").read_bytes())
        self.assertEqual((backup / "conf.d" / "services.properties").read_bytes(), (self.daemon.state / "conf.d" / "services.properties").read_bytes())

    def test_a_folder_that_is_there_gets_names_with_the_time(self):
        (self.room / "all").mkdir()
        backup = self.backup("all")
        self.assertEqual(backup.parent, self.room / "all")
        self.assertRegex(backup.name, r"^portico-\d{8}T\d{6}Z$")
        (self.room / "file").write_text("precious")
        self.refused(self.daemon.ctl("backup", str(self.room / "file"), check=False), "exists")
        self.refused(self.daemon.ctl("backup", str(self.room / "no" / "where"), check=False), "no_folder")
        self.assertEqual((self.room / "file").read_text(), "precious")

    def test_no_backup_is_put_into_another(self):
        first = self.backup()
        before = tree(first)
        for name in ("backup", "backup/"):
            self.refused(self.daemon.ctl("backup", f"{self.room}/{name}", check=False), "exists")
        self.assertEqual(tree(first), before)
        self.assertEqual(ctl("backup", "--verify", first).returncode, 0)

    def test_folders_that_cannot_be_read_make_it_fail(self):
        # The folder of blobs, which has the lock of the hold.
        self.attach(self.contact("Ada"), b"notes")
        secrets = self.daemon.state / "secrets"
        kept = secrets.rename(self.room / "kept")
        secrets.write_text("")
        self.assertIn("secrets: Not a directory", self.refused(self.daemon.ctl("backup", str(self.room / "backup"), check=False), "io_failed"))
        self.assertEqual([path.name for path in self.room.iterdir()], ["kept"])
        self.eventually(lambda: unlocked(self.daemon.state / "blobs" / "hold.lock"), "the failed backup holds the blobs")
        secrets.unlink()
        kept.rename(secrets)
        self.backup()

    def test_plan_has_the_blobs_of_services_only(self):
        # A file system that is mounted at blobs has such a folder.
        (self.daemon.state / "blobs/lost+found").mkdir(parents=True)
        plan = self.ask("backup.begin")
        self.ask("backup.end", token=plan["token"])
        services = [each["service"] for each in self.daemon.ctl("services")["services"]]
        self.assertFalse((self.daemon.state / "blobs" / services[0]).exists(), "each service has blobs: it proves nothing")
        self.assertEqual([each["service"] for each in plan["blobs"]], sorted(services))

    def ask(self, command, **arguments):
        """Returns the result of a command of the control socket."""
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(str(self.daemon.state / "control.sock"))
            control.sendall(json.dumps({"command": command, "arguments": arguments}).encode() + b"\n")
            with control.makefile() as lines:
                return json.loads(lines.readline())["result"]

    def test_without_a_daemon_it_says_so(self):
        done = ctl("backup", self.room / "backup")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertEqual(list(self.room.iterdir()), [])


class Damage(Case):
    def setUp(self):
        super().setUp()
        self.attach(self.contact("Ada"), os.urandom(100_000))
        self.made = self.backup()

    def assert_refused(self, backup, code, found):
        before = tree(backup)
        self.assertIn(found, self.refused(ctl("backup", "--verify", backup), code))
        state = self.room / "state"
        self.assertIn(found, self.refused(ctl("restore", backup, "--state", state), code))
        self.assertFalse((state / "data").exists())
        self.assertEqual(tree(backup), before)

    def copy(self):
        copy = self.room / f"copy-{len(list(self.room.iterdir()))}"
        shutil.copytree(self.made, copy)
        return copy

    def test_every_changed_file_is_found(self):
        names = [name for name in tree(self.made) if name != "manifest.json"]
        self.assertTrue(any(name.startswith("blobs/") for name in names))
        for name in names:
            for change in ("flip", "cut", "remove"):
                copy = self.copy()
                content = (copy / name).read_bytes()
                if not content:
                    continue
                middle = len(content) // 2
                if change == "remove":
                    (copy / name).unlink()
                else:
                    (copy / name).write_bytes(content[:middle] + (bytes([content[middle] ^ 1]) + content[middle + 1:] if change == "flip" else b""))
                self.assert_refused(copy, "damaged", name)
                shutil.rmtree(copy)

    def test_added_files_and_lists_that_leave_it_are_refused(self):
        copy = self.copy()
        (copy / "data" / "evil.db").write_bytes(b"")
        self.assert_refused(copy, "damaged", "evil.db")
        for path in ("../outside", "/etc/passwd", "data/../../outside"):
            copy = self.copy()
            line = f"{'0' * 64}  {path}\n"
            (copy / "files.sha256").write_text(line)
            manifest = json.loads((copy / "manifest.json").read_text())
            manifest.update(filesSha256=hashlib.sha256(line.encode()).hexdigest(), files=1)
            (copy / "manifest.json").write_text(json.dumps(manifest))
            self.assert_refused(copy, "damaged", path)

    def test_manifests(self):
        manifest = json.loads((self.made / "manifest.json").read_text())
        for change, code, found in (({"version": "99.0.0"}, "newer_version", "99.0.0"), ({"format": 2}, "newer_format", "format 2"),
                                    ({"files": 1}, "damaged", "expected 1"), ({"databases": 7}, "damaged", "manifest.json")):
            copy = self.copy()
            (copy / "manifest.json").write_text(json.dumps(manifest | change))
            self.assert_refused(copy, code, found)
        for text in ("", "{", "[]", "{}", '{"format":1}'):
            copy = self.copy()
            (copy / "manifest.json").write_text(text)
            self.assert_refused(copy, "damaged", "manifest.json")
        copy = self.copy()
        (copy / "manifest.json").unlink()
        self.assert_refused(copy, "not_a_backup", "manifest.json")
        self.refused(ctl("restore", self.room / "nothing", "--state", self.room / "state"), "not_a_backup")

    def test_a_database_that_is_not_sound_is_found(self):
        copy = self.copy()
        with contextlib.closing(sqlite3.connect(copy / "data" / "crm.db", isolation_level=None)) as database:
            database.execute("PRAGMA journal_mode=DELETE")
            database.execute("PRAGMA foreign_keys=OFF")
            database.execute("DELETE FROM contact")
        lines = [f"{hash_}  {name}" for name, hash_ in tree(copy).items() if name not in ("manifest.json", "files.sha256")]
        (copy / "files.sha256").write_text("\n".join(lines) + "\n")
        manifest = json.loads((copy / "manifest.json").read_text())
        manifest["filesSha256"] = hashlib.sha256((copy / "files.sha256").read_bytes()).hexdigest()
        (copy / "manifest.json").write_text(json.dumps(manifest))
        self.assert_refused(copy, "damaged", "crm.db is not a sound database: a row of")


class Interrupted(Case):
    def setUp(self):
        super().setUp()
        contact = self.contact("Ada")
        for _ in range(4):
            self.attach(contact, os.urandom(1 << 20))

    def unfinished(self):
        return list(self.room.glob(".*.portico-unfinished"))

    def test_sigterm_leaves_nothing_and_sigkill_nothing_that_passes_for_one(self):
        process = self.begin_backup("a", 1)
        message = self.refused(self.daemon.ctl("backup", str(self.room / "b"), check=False), "busy")
        self.assertIn("uid", message)
        process.send_signal(signal.SIGTERM)
        out, errors = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, json.loads(out)["error"]["code"]), (1, "interrupted"), errors)
        self.assertEqual(list(self.room.iterdir()), [])
        failed = next(each for each in self.daemon.ctl("operations")["operations"] if each["command"] == "backup")
        self.assertEqual(failed["status"], "failed")

        process = self.begin_backup("a", 1)
        process.kill()
        process.wait()
        self.assertFalse((self.room / "a").exists())
        for leftover in self.unfinished():
            self.refused(ctl("backup", "--verify", leftover), "not_a_backup")
            self.refused(ctl("restore", leftover, "--state", self.room / "state"), "not_a_backup")
        # A dead backup blocks no other one, and its leftovers are removed.
        self.backup("b")
        self.assertEqual(self.unfinished(), [])

    def test_a_restart_of_the_daemon_makes_it_fail(self):
        process = self.begin_backup("a", 2)
        self.daemon.restart()
        out, errors = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, json.loads(out)["error"]["code"]), (1, "lost"), errors)
        self.assertEqual(list(self.room.iterdir()), [])

    def test_a_full_disk_leaves_nothing(self):
        small = self.room / "small"
        small.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", small], capture_output=True).returncode != 0:
            self.skipTest("cannot mount a small file system")
        self.addCleanup(subprocess.run, ["umount", small], check=True)
        self.refused(self.daemon.ctl("backup", str(small / "backup"), check=False), "disk_full")
        self.assertEqual(list(small.iterdir()), [])
        self.assertEqual(self.call("GET", "/api/contacts").status, 200)
        backup = self.backup()
        self.refused(ctl("restore", backup, "--state", small / "state"), "disk_full")
        self.assertEqual([path.name for path in (small / "state").iterdir()], ["porticod.lock"])


class Restore(Case):
    def setUp(self):
        super().setUp()
        self.attach(self.contact("Ada"), os.urandom(50_000))
        self.made = self.backup()

    def test_a_running_daemon_is_left_alone(self):
        before = self.daemon.ctl("status")["pid"]
        message = self.refused(ctl("restore", self.made, "--force", "--state", self.daemon.state), "running")
        self.assertIn(f"pid {before}", message)
        self.assertEqual(self.call("GET", "/api/contacts").status, 200)

    def test_a_state_that_is_there_is_moved_aside_and_not_lost(self):
        later = self.contact("Later")
        self.daemon.stop()
        state = self.daemon.state
        before = {part: tree(state / part) for part in ("data", "blobs", "secrets")}
        message = self.refused(ctl("restore", self.made, "--state", state), "not_empty")
        self.assertIn(str(state / "data"), message)
        self.assertEqual(before, {part: tree(state / part) for part in ("data", "blobs", "secrets")})

        asides = []
        for _ in range(2):
            done = ctl("restore", self.made, "--force", "--state", state)
            self.assertEqual(done.returncode, 0, done.stderr)
            asides.append(pathlib.Path(json.loads(done.stdout)["aside"]))
        self.assertEqual(before, {part: tree(asides[0] / part) for part in before})
        self.assertEqual(tree(asides[1] / "blobs"), tree(state / "blobs"))
        self.assertNotEqual(*asides)
        self.daemon.start()
        self.assertEqual(self.call("GET", f"/api/contacts/{later}").status, 404)
        self.assertEqual(len(self.call("GET", "/api/contacts").json()["items"]), 1)

    def test_it_belongs_to_the_owner_of_the_state_directory(self):
        if os.geteuid() != 0:
            self.skipTest("only root gives files away")
        state = self.room / "owned"
        state.mkdir()
        os.chown(state, 12345, 12346)
        # What its owner cannot reach is not his state.
        self.assertIn("as user 12345", self.refused(ctl("restore", self.made, "--state", state), "io_failed"))
        self.room.chmod(0o711)
        done = ctl("restore", self.made, "--state", state)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for path in state.rglob("*"):
            found = path.stat()
            self.assertEqual((found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)), (12345, 12346, 0o700 if path.is_dir() else 0o600), path)

    def test_databases_that_are_elsewhere_go_back_there(self):
        elsewhere = self.room / "databases"
        with Daemon(self.settings | {"database.url": f"sqlite:{elsewhere}"}) as daemon:
            accounts = Accounts(daemon)
            daemon.ctl("backup", str(self.room / "other"))
            daemon.stop()
            self.refused(ctl("restore", self.room / "other", "--state", daemon.state), "not_empty")
            self.assertEqual(ctl("restore", "--force", self.room / "other", "--state", daemon.state).returncode, 0)
            self.assertEqual(len(list(self.room.glob("databases.before-restore-*/crm.db"))), 1)
            daemon.start()
            self.assertTrue(accounts.token())

    def test_killed_at_any_time_it_leaves_the_old_state_or_goes_on(self):
        self.daemon.stop()
        state = self.daemon.state
        command = [CTL, "restore", "--force", "--state", str(state), str(self.made)]
        begun = time.monotonic()
        subprocess.run(command, check=True, capture_output=True)
        whole = time.monotonic() - begun
        for number in range(6):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(whole * number / 6)
            process.kill()
            process.wait()
            if (state / "restore.pending").exists():
                with self.assertRaises(DaemonError):
                    self.daemon.start()
                self.assertEqual(subprocess.run(command, capture_output=True).returncode, 0)
            self.assertTrue((state / "data" / "crm.db").exists())
            self.sound(state)
        subprocess.run(command, check=True, capture_output=True)
        self.assertFalse((state / "restoring").exists())
        self.daemon.start()
        self.assertEqual(len(self.call("GET", "/api/contacts").json()["items"]), 1)

    def test_a_restore_that_was_cut_off_keeps_the_daemon_from_starting(self):
        daemon = self.restored(self.made)
        (daemon.state / "restore.pending").write_text(json.dumps({"list": "another", "aside": "", "swaps": []}))
        with self.assertRaises(DaemonError) as refused:
            daemon.start()
        self.assertIn("Run the same porticoctl restore again", str(refused.exception))
        self.refused(ctl("restore", self.made, "--force", "--state", daemon.state), "pending")


class AnotherUser(Case):
    """Root makes the backup of a daemon that is not root's."""

    def setUp(self):
        OTHER.require(self)

    def test_root_is_not_led_to_what_the_daemon_may_not_read(self):
        room = pathlib.Path(tempfile.mkdtemp(prefix="portico-backup-"))
        self.addCleanup(shutil.rmtree, room, ignore_errors=True)
        room.chmod(0o711)
        self.room, state, precious = room, room / "state", room / "precious"
        state.mkdir()
        OTHER.own(state)
        precious.mkdir(0o700)
        (precious / "shadow").write_text("precious")
        self.daemon = Daemon(self.settings, state=state)
        self.addCleanup(self.daemon.close)
        OTHER.run(self.daemon)
        self.daemon.start()
        self.token = Accounts(self.daemon).token()
        self.attach(self.contact("Ada"), b"content")
        (state / "blobs/lost+found").mkdir(0o700)
        made = self.backup()
        self.assertEqual(ctl("backup", "--verify", made).returncode, 0)
        self.assertTrue(list(made.glob("blobs/crm/**/*")))
        for path in made.rglob("*"):
            self.assertEqual(path.stat().st_uid, 0, path)

        blobs = state / "blobs/crm/data"
        blobs.rename(blobs.with_name("kept"))
        blobs.symlink_to(precious)
        self.assertIn("Permission denied", self.refused(self.daemon.ctl("backup", str(room / "led"), check=False), "io_failed"))
        blobs.unlink()
        blobs.with_name("kept").rename(blobs)
        (blobs / "0").symlink_to(precious / "shadow")
        self.assertIn(f"{blobs / '0'} is neither a file nor a folder", self.refused(self.daemon.ctl("backup", str(room / "led"), check=False), "io_failed"))
        self.assertEqual({path.name for path in room.iterdir()}, {"state", "precious", "backup"})


class OnPostgres(unittest.TestCase):
    """The same commands where the data is in PostgreSQL: pg_dump and psql do the work there."""

    refused, eventually = Case.refused, Case.eventually

    def forged(self, backup, room):
        """A backup that is whole, with a command for psql and not for the database in it."""
        forged = room / "forged"
        shutil.copytree(backup, forged)
        dump, sums, manifest = forged / "data/postgresql.sql", forged / "files.sha256", forged / "manifest.json"
        own = re.search(rb"^.restrict (\w+)$", dump.read_bytes(), re.M)
        leave = b"\\unrestrict " + own.group(1) + b"\n" if own else b""
        dump.write_bytes(dump.read_bytes().replace(b"\nCREATE TABLE ", b"\n" + leave + b"\\! touch " + str(room / "touched").encode() + b"\nCREATE TABLE ", 1))
        sums.write_text(re.sub(r"^\w{64}(?=  data/postgresql)", hashlib.sha256(dump.read_bytes()).hexdigest(), sums.read_text(), flags=re.M))
        told = json.loads(manifest.read_text())
        manifest.write_text(json.dumps({**told, "filesSha256": hashlib.sha256(sums.read_bytes()).hexdigest()}))
        self.assertEqual(ctl("backup", "--verify", forged).returncode, 0)
        return forged

    def test_backup_and_restore(self):
        room = pathlib.Path(tempfile.mkdtemp(prefix="portico-backup-"))
        self.addCleanup(shutil.rmtree, room, ignore_errors=True)
        with PostgreSQL() as server, server.daemon({"limits.rates": "off"}) as daemon:
            token = Accounts(daemon).token()
            ask = lambda method, path, body=None, headers=None: daemon.request("crm", method, path, body, token, headers)  # noqa: E731
            contact = ask("POST", "/api/contacts", {"firstName": "Ada"}).json()["id"]
            content = os.urandom(100_000)
            attachment = ask("POST", f"/api/contacts/{contact}/attachments", content, {"Content-Type": "application/octet-stream", "X-File-Name": "a"}).json()
            backup = pathlib.Path(daemon.ctl("backup", str(room / "backup"))["backup"])
            manifest = json.loads((backup / "manifest.json").read_text())
            self.assertEqual((manifest["engine"], [each["name"] for each in manifest["databases"]]), ("postgresql", ["calendar", "crm", "host", "identity", "launchpad", "social"]))
            for path in backup.rglob("*"):
                self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o700 if path.is_dir() else 0o600, path)
            self.assertNotIn(server.password, (backup / "manifest.json").read_text())
            self.assertEqual(ctl("backup", "--verify", backup).returncode, 0)

            later = ask("POST", "/api/contacts", {"firstName": "Later"}).json()["id"]
            self.assertEqual(ask("DELETE", attachment["downloadUrl"]).status, 200)
            secret = room / "password"
            secret.write_text(server.password + "\n")
            words = ("restore", backup, "--state", daemon.state, "--password-file", secret)
            unnamed = ctl(*words, "--force")
            self.assertEqual(unnamed.returncode, 2, unnamed.stdout + unnamed.stderr)
            self.assertIn("--password-file needs --postgresql too: the password goes to no server that only the backup names", unnamed.stderr)
            words = (*words[:-2], "--postgresql", manifest["databasePlace"], *words[-2:])
            self.refused(ctl(*words, "--force"), "running")
            daemon.stop()
            self.assertIn("crm, host, identity", self.refused(ctl(*words), "not_empty"))
            wrong = room / "wrong"
            wrong.write_text("wrong\n")
            self.assertIn("password authentication failed", self.refused(ctl(*words[:-1], wrong, "--force"), "postgresql_failed"))
            forged = self.forged(backup, room)
            self.refused(ctl("restore", forged, *words[2:], "--force"), "postgresql_failed")
            self.assertFalse((room / "touched").exists(), "a dump had a program started")
            # A service that the backup lacks. As with SQLite, its records do not stay while its files are moved aside.
            server.sql("CREATE SCHEMA later; CREATE TABLE later.portico_migration ();")
            done = ctl(*words, "--force")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            aside = json.loads(done.stdout)["asideSchemas"]
            self.assertEqual([name.split("_before_restore_")[0] for name in aside], sorted(["later", *(each["name"] for each in manifest["databases"])]))
            self.assertEqual(self.schemas_aside(server), aside)
            # A restore that was interrupted after the load is continued without --force, loads nothing, and names the same schemas.
            pending = daemon.state / "restore.pending"
            pending.write_text(json.dumps({"list": manifest["filesSha256"], "aside": "", "schemas": aside, "swaps": []}))
            done = json.loads(ctl(*words).stdout)
            self.assertEqual((done["continued"], done["asideSchemas"]), (True, aside))
            self.assertEqual(self.schemas_aside(server), aside)
            self.assertFalse(pending.exists())

            daemon.start()
            self.assertEqual(ask("GET", f"/api/contacts/{contact}").status, 200)
            self.assertEqual(ask("GET", f"/api/contacts/{later}").status, 404)
            answer = ask("GET", attachment["downloadUrl"])
            self.assertEqual((answer.status, answer.body), (200, content))
            self.assertEqual(ask("GET", "/api/contacts?q=ada").json()["items"][0]["id"], contact)
            # Again, over what was restored.
            daemon.stop()
            self.assertEqual(ctl(*words, "--force").returncode, 0)
            daemon.start()
            self.assertEqual(ask("GET", f"/api/contacts/{contact}").status, 200)

    def schemas_aside(self, server):
        return server.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE '%\\_before\\_restore\\_%' ORDER BY 1;")

    def test_a_program_of_postgresql_ends_with_a_killed_porticoctl(self):
        """A load that goes through afterwards would leave the database without its files."""
        room = pathlib.Path(tempfile.mkdtemp(prefix="portico-backup-"))
        self.addCleanup(shutil.rmtree, room, ignore_errors=True)

        def ended(process):
            try:
                return "\nState:\tZ" in (process / "status").read_text()
            except OSError:
                return True

        with PostgreSQL() as server, server.daemon({"limits.rates": "off"}) as daemon, server.psql() as holder:
            print("BEGIN; LOCK TABLE crm.portico_migration; SELECT 'locked';", file=holder.stdin, flush=True)
            self.assertEqual(holder.stdout.readline(), "locked\n")
            backup = subprocess.Popen([CTL, "--socket", str(daemon.state / "control.sock"), "backup", str(room / "backup")],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(backup.kill)
            dump = self.child(backup, "pg_dump")
            backup.kill()
            backup.wait()
            self.eventually(lambda: ended(dump), "pg_dump goes through")

            print("ROLLBACK;", file=holder.stdin, flush=True)
            made = pathlib.Path(daemon.ctl("backup", str(room / "made"))["backup"])
            self.assertGreater((made / "data/postgresql.sql").stat().st_size, 1 << 17, "the dump fits into a pipe: it proves nothing")
            daemon.stop()
            print("BEGIN; ALTER SCHEMA crm RENAME TO held; SELECT 'locked';", file=holder.stdin, flush=True)
            self.assertEqual(holder.stdout.readline(), "locked\n")
            secret = room / "password"
            secret.write_text(server.password + "\n")
            restore = subprocess.Popen([CTL, "restore", "--force", "--state", str(daemon.state), "--postgresql", server.url, "--password-file", str(secret), str(made)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(restore.kill)
            loads = lambda: server.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'ALTER SCHEMA%';")  # noqa: E731
            self.eventually(lambda: restore.poll() is not None or loads(), "the load does not begin")
            self.assertIsNone(restore.poll(), "it has ended")
            restore.kill()
            restore.wait()
            self.eventually(lambda: unlocked(daemon.state / "porticod.lock"), "a process of the killed restore keeps the state locked")

    def child(self, process, name):
        """What the kernel tells of the program of that name that a process has started."""
        deadline = time.monotonic() + SECONDS
        while True:
            self.assertIsNone(process.poll(), "it has ended")
            for pid in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                with contextlib.suppress(OSError):
                    if pathlib.Path(f"/proc/{pid}/comm").read_text() == f"{name}\n":
                        return pathlib.Path(f"/proc/{pid}")
            self.assertLess(time.monotonic(), deadline, f"{name} does not begin")
            time.sleep(0.01)

    def test_root_asks_the_database_as_the_user_of_the_daemon(self):
        """What the daemon calls its database may be anything: the programs of PostgreSQL see nothing of root's."""
        OTHER.require(self)
        room = pathlib.Path(tempfile.mkdtemp(prefix="portico-backup-"))
        self.addCleanup(shutil.rmtree, room, ignore_errors=True)
        room.chmod(0o711)
        with PostgreSQL() as server, server.daemon({"limits.rates": "off"}) as daemon:
            secret = room / "password"
            secret.write_text(server.password + "\n")
            daemon.settings["database.passwordFile"] = secret
            OTHER.own(secret, daemon.state, *daemon.state.rglob("*"))
            OTHER.run(daemon)
            daemon.restart()
            Accounts(daemon)
            words = [CTL, "--socket", str(daemon.state / "control.sock"), "--json", "backup", str(room / "backup")]
            with server.psql() as holder:
                # The dump waits for this, so that it can be looked at.
                print("BEGIN; LOCK TABLE crm.portico_migration; SELECT 'locked';", file=holder.stdin, flush=True)
                self.assertEqual(holder.stdout.readline(), "locked\n")
                environment = {**os.environ, "HOME": "/root", "PGPASSFILE": "/root/.pgpass"}
                backup = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
                self.addCleanup(backup.communicate)
                self.addCleanup(backup.kill)
                dump = self.child(backup, "pg_dump")
                identity = re.findall(r"^([UG]id|Groups):\s+(.*\S)", (dump / "status").read_text(), re.M)
                self.assertEqual([(key, set(value.split())) for key, value in identity], [("Uid", {"12345"}), ("Gid", {"12346"}), ("Groups", {"12346"})])
                names = {variable.split("=")[0] for variable in (dump / "environ").read_text().split("\0")}
                self.assertEqual(names & {"HOME", "PGPASSFILE"}, set())
                holder.stdin.close()
                out, errors = backup.communicate(timeout=300)
            self.assertEqual(backup.returncode, 0, out + errors)
            self.assertEqual(ctl("backup", "--verify", room / "backup").returncode, 0)
            self.assertIn("PostgreSQL database dump complete", (room / "backup/data/postgresql.sql").read_text())


if __name__ == "__main__":
    main()
