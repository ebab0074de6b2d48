#!/usr/bin/python3
"""PostgreSQL under Patroni. Its leader is killed, returns as a follower and is promoted by hand, or is frozen, while clients write. No acknowledged change is
lost, errors are clear, and the same daemon recovers, with both servers in database.url or with HAProxy in front."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import Daemon  # noqa: E402
from faultcase import FREE, Case  # noqa: E402
from ledger import Ledger  # noqa: E402
from patronicluster import HaProxy, PatroniCluster  # noqa: E402


class Patroni(Case):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(PatroniCluster())

    def serve(self, url, **settings):
        self.begin(Daemon({**FREE, **settings}, database=url, password=self.cluster.password))
        self.process = self.daemon.process

    def assert_same_daemon_is_ready(self):
        self.assertIs(self.daemon.process, self.process)
        self.assertIsNone(self.process.poll())
        self.assertEqual(self.call("GET", "/readyz")[0], 200)
        self.assertEqual({each["status"] for each in self.daemon.ctl("services")["services"]}, {"serving"})

    def assert_only_read(self, node):
        """A standby, and no session of the daemon has stayed with it."""
        self.assertEqual(node.sql("SELECT pg_is_in_recovery()"), ["t"])
        self.assertEqual(node.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portico'"), ["0"])

    def kill(self, leader, ledger):
        """Returns the new leader."""
        ledger.wait_for(more=100)
        ledger.outage = True
        leader.kill()
        # The lease of the dead leader is valid for some seconds, so no other node can take over yet.
        ledger.wait_for(refused=20)
        self.assert_refused(*self.call("GET", "/api/contacts"))
        status, _, body = self.call("GET", "/readyz")
        self.assertEqual((status, b'"database"' in body), (503, True), body)
        self.assertEqual(self.call("GET", "/healthz")[0], 200)
        taken = self.cluster.follower(leader)
        self.go_on(ledger)
        return taken

    def switch_over(self, leader, candidate, ledger):
        ledger.wait_for(more=100)
        ledger.outage = True
        self.cluster.switch_over(leader, candidate)
        self.go_on(ledger)

    @staticmethod
    def go_on(ledger):
        ledger.wait_for(more=100)
        ledger.outage = False
        ledger.wait_for(more=100)

    def test_it_follows_the_leader(self):
        self.serve(self.cluster.make("followed"))
        first = self.cluster.leader()
        with Ledger(self.daemon, self.token, writers=2, file_bytes=10_000) as ledger:
            second = self.kill(first, ledger)
            first.start()
            self.cluster.wait_in_sync(first)
            self.assert_only_read(first)
            self.switch_over(second, first, ledger)
            self.cluster.wait_in_sync(second)
        # Asked of the leader that was killed: it has been given all that was acknowledged while it was away.
        ledger.verify(self)
        self.assert_only_read(second)
        self.assert_same_daemon_is_ready()

    def test_it_gives_up_a_frozen_leader(self):
        """A frozen server keeps its sessions open without ever responding. Runs last, because the cluster is one node short afterwards."""
        self.serve(self.cluster.make("frozen"), **{"database.statementSeconds": 3})
        leader = self.cluster.leader()
        with Ledger(self.daemon, self.token, writers=2, file_bytes=10_000) as ledger:
            ledger.wait_for(more=100)
            ledger.outage = True
            leader.freeze()
            ledger.wait_for(refused=1)
            self.cluster.follower(leader)
            # While one of the writers goes on, the other may still wait for its session to be given up: the outage ends for each by itself.
            ledger.wait_for(more=200)
        # It stays frozen: a Patroni that is woken goes on with what it knew of etcd, and may never follow anybody again.
        ledger.verify(self)
        self.eventually(lambda: self.call("GET", "/readyz")[0] == 200, "it is not ready")
        self.assert_same_daemon_is_ready()

    def test_a_proxy_follows_the_leader(self):
        """One address that leads to whoever leads, in place of both in database.url."""
        self.cluster.make("proxied")
        proxy = self.enter(HaProxy(self.cluster))
        self.serve(f"postgresql://postgres@127.0.0.1:{proxy.port}/proxied")
        leader = self.cluster.leader()
        candidate = next(node for node in self.cluster.nodes if node is not leader)
        with Ledger(self.daemon, self.token, writers=2, file_bytes=10_000) as ledger:
            self.switch_over(leader, candidate, ledger)
            self.cluster.wait_in_sync(leader)
        ledger.verify(self)
        self.assert_only_read(leader)
        self.assert_same_daemon_is_ready()


if __name__ == "__main__":
    main()
