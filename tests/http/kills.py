#!/usr/bin/python3
"""kill -9 at random points while people write, on SQLite and on PostgreSQL: everything that was answered 2xx is there afterwards.

    PORTICO_KILLS=100 kills.py      so many times in all (default: 10)
"""

import contextlib
import os
import pathlib
import random
import sqlite3
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import Daemon, PostgreSQL  # noqa: E402
from faultcase import FREE, Case  # noqa: E402
from ledger import Ledger  # noqa: E402
from wallclock import WallClock  # noqa: E402

KILLS = int(os.environ.get("PORTICO_KILLS", "10"))


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


if __name__ == "__main__":
    main()
