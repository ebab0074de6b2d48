#!/usr/bin/python3
"""PostgreSQL's primary is lost permanently and its standby takes over while clients write. No acknowledged change is lost, and nothing has to be
restarted."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import Daemon, DaemonError, PostgreSQL, Standby  # noqa: E402
from faultcase import FREE, Case  # noqa: E402
from ledger import Ledger  # noqa: E402


class Failover(Case):
    """As Patroni does it, seen from here."""

    def test_it_goes_on_where_writes_go(self):
        primary = self.enter(PostgreSQL())
        standby = self.enter(Standby(primary))
        url = f"postgresql://postgres@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/postgres?target_session_attrs=read-write"
        self.begin(Daemon(FREE, database=url, password=primary.password))
        process = self.daemon.process
        with Ledger(self.daemon, self.token) as ledger:
            ledger.wait_for(more=100)
            ledger.outage = True
            primary.stop("immediate")
            ledger.wait_for(refused=30)
            self.assertEqual(self.call("GET", "/readyz")[0], 503)
            self.assertEqual(self.call("GET", "/healthz")[0], 200)
            standby.promote()
            ledger.wait_for(more=100)
            ledger.outage = False
            ledger.wait_for(more=100)
        self.assertIs(self.daemon.process, process)
        ledger.verify(self)
        self.assertEqual(self.call("GET", "/readyz")[0], 200)

    def test_a_server_that_only_reads_is_left_for_the_one_that_writes(self):
        """A proxy or an address that has moved may lead to a standby first."""
        primary = self.enter(PostgreSQL())
        standby = self.enter(Standby(primary))
        self.begin(primary.daemon(FREE))
        self.daemon.stop()
        self.daemon.settings["database.url"] = standby.url
        with self.assertRaisesRegex(DaemonError, "The database cannot be used: .*this server only reads"):
            self.daemon.start()
        primary.stop()
        standby.promote()
        self.daemon.start()
        self.contact()


if __name__ == "__main__":
    main()
