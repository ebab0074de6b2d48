#!/usr/bin/python3
"""kill -9 at random points while clients write, on SQLite and PostgreSQL. Everything that was answered with 2xx exists afterwards, and a request that is
repeated with its Idempotency-Key takes effect once.

    PORTICO_KILLS=100 kills.py      so many times in all (default: 10)
"""

import collections
import contextlib
import http.client
import json
import os
import pathlib
import random
import sqlite3
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import Daemon, PostgreSQL  # noqa: E402
from faultcase import FREE, Case  # noqa: E402
from ledger import Client, Ledger  # noqa: E402
from wallclock import WallClock  # noqa: E402

KILLS = int(os.environ.get("PORTICO_KILLS", "10"))
ROUNDS = KILLS // 2
WRITERS = 24
HALF_AN_HOUR = 1800


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
            self.attached(self.contact(), b"the first file that is looked at clears what was not finished")
            self.assertEqual(list(self.daemon.state.rglob("unfinished/*")), [])
            self.assertLessEqual(self.blobs(), self.owned() | self.waiting())
        # Who was killed while it wrote a file has an hour to come back.
        clock = WallClock(self.folder())
        clock.jump(2 * 3600)
        self.daemon.environment = clock.environment
        self.daemon.restart()
        self.eventually(lambda: self.blobs() == self.owned(), "files that belong to nothing are not removed")
        self.sign_in()
        for ledger in everything:
            ledger.verify(self, self.token)
        print(f"{self.id()}: {kills} kills, {sum(each.acknowledged for each in everything)} acknowledged writes", flush=True)


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


class Repeater(threading.Thread):
    """Makes contacts, each with a key of its own, until the daemon dies with one: `lost` is its name."""

    def __init__(self, daemon, token, name):
        super().__init__(daemon=True)
        self.daemon_of_test, self.token, self.prefix = daemon, token, name
        self.made, self.lost, self.wrong = {}, None, None
        self.start()

    def run(self):
        with Client(self.daemon_of_test, self.token) as client:
            for turn in range(100_000):
                name = f"{self.prefix}-{turn}"
                try:
                    status, _, body = make(client, name)
                except (OSError, http.client.HTTPException):
                    self.lost = name
                    return
                if status != 201:
                    self.wrong = (status, body)
                    return
                self.made[name] = json.loads(body)["id"]


def make(client, name):
    return client.call("POST", "/api/contacts", {"firstName": name}, {"Idempotency-Key": f"key-of-{name}"})


class Repeated(Case):
    """Requests with which the daemon was killed, sent again with their keys."""

    def rounds(self):
        clock = WallClock(self.folder())
        self.daemon.environment = clock.environment
        self.daemon.restart()
        self.sign_in()
        lost, answers = [], collections.Counter()
        for number in range(ROUNDS):
            repeaters = [Repeater(self.daemon, self.token, f"R{number}-{each}") for each in range(WRITERS)]
            enough = number + 2
            self.eventually(lambda: all(each.wrong or len(each.made) >= enough for each in repeaters), "all write")
            self.daemon.kill()
            for each in repeaters:
                each.join()
            self.assertEqual([each.wrong for each in repeaters if each.wrong], [])
            # Long after anybody would take the dead one's work over, and within the hour in which its keys are closed.
            clock.jump((number + 1) * HALF_AN_HOUR)
            self.daemon.start()
            self.sign_in()
            with Client(self.daemon, self.token) as client:
                for each in repeaters:
                    lost.append(each.lost)
                    answers[self.repeat(client, each.lost)] += 1
                    last = list(each.made)[-1]
                    status, headers, body = make(client, last)
                    self.assertEqual((status, headers["Idempotency-Replayed"], json.loads(body)["id"]), (201, "true", each.made[last]))
        self.once(lost)
        print(f"{self.id()}: {len(lost)} requests repeated: {dict(answers)}", flush=True)

    def repeat(self, client, name):
        status, headers, body = make(client, name)
        if status == 201:
            return "replayed" if headers["Idempotency-Replayed"] else "carried out"
        self.assertEqual((status, json.loads(body)["code"]), (409, "request_in_progress"))
        self.assertEqual(headers["Retry-After"], "60")
        return "closed"

    def once(self, names):
        """Each is there at most once."""
        found = collections.Counter()
        cursor = ""
        with Client(self.daemon, self.token) as client:
            while cursor is not None:
                status, _, body = client.call("GET", "/api/contacts?limit=200" + (f"&cursor={cursor}" if cursor else ""))
                self.assertEqual(status, 200, body)
                page = json.loads(body)
                found.update(each["firstName"] for each in page["items"])
                cursor = page["nextCursor"]
        self.assertEqual({name for name in names if found[name] > 1}, set())


class RepeatedOnSqlite(Repeated):
    def test_a_key_is_carried_out_once(self):
        self.begin(Daemon(FREE))
        self.rounds()


class RepeatedOnPostgreSQL(Repeated):
    def test_a_key_is_carried_out_once(self):
        self.begin(self.enter(PostgreSQL()).daemon(FREE))
        self.rounds()


if __name__ == "__main__":
    main()
