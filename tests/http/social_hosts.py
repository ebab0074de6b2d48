#!/usr/bin/python3
"""Posts from two daemons on one PostgreSQL and one Redis, one of them killed, and across reloads of the service: each post is published once.

    PORTICO_RELOADS=50 PORTICO_POSTS=300 social_hosts.py      the long form (default: 8 reloads, 30 posts)
"""

import os
import pathlib
import secrets
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main  # noqa: E402
from daemon import PostgreSQL  # noqa: E402
from redis import Redis  # noqa: E402
from social_networks import FaultProxy, Receiver, Sandbox  # noqa: E402
from social_publishing import Case, Team, later  # noqa: E402

RELOADS = int(os.environ.get("PORTICO_RELOADS", "8"))
POSTS = int(os.environ.get("PORTICO_POSTS", "30"))


class Several(Case):
    def connect(self):
        """Accounts at the sandbox and at a webhook, each behind a proxy that counts."""
        self.proxies = [self.enter(FaultProxy(self.sandbox.url)), self.enter(FaultProxy(self.receiver.url))]
        return [self.team.connect_mastodon(self.proxies[0].url)["integrationId"],
                self.team.connect("webhook", url=self.proxies[1].url + "/in")["integration"]["integrationId"]]

    def post_all(self, ids):
        return [self.team.post(f"Post {number}", ids, scheduledFor=later(3 + 0.1 * number)) for number in range(POSTS)]

    def wait_for_writes(self, count):
        deadline = time.monotonic() + 55  # less than a lease: a reload gives back what it cuts
        while sum(proxy.writes for proxy in self.proxies) < count:
            self.assertLess(time.monotonic(), deadline, self.daemon.log_tail(10))
            time.sleep(0.01)  # between two looks

    def all_are_out_once(self, posts):
        items = self.team.wait(posts)
        self.assertEqual(len(items), 2 * POSTS)
        expected = sorted(f"Post {number}" for number in range(POSTS))
        self.assertEqual(sorted(status["text"] for status in self.sandbox.statuses), expected)
        self.assertEqual(len(self.receiver.received), POSTS)
        for arrived in self.receiver.received.values():
            self.assertEqual(len({body for body, _ in arrived}), 1, "a repetition sent other bytes")

    def test_one_of_two_daemons_is_killed(self):
        room = self.room()
        redis, database = self.enter(Redis()), self.enter(PostgreSQL())
        key = room / "cursor-key"
        key.write_text(secrets.token_urlsafe(32) + "\n")
        shared = self.settings(room) | redis.settings(room) | {"http.cursorKeyFile": key, "jobs.leaseSeconds": 5}
        self.sandbox, self.receiver = self.enter(Sandbox()), self.enter(Receiver())
        (room / "blobs").mkdir()
        hosts = []
        for _ in range(2):
            host = database.daemon(shared)
            (host.state / "blobs").symlink_to(room / "blobs")
            hosts.append(self.enter(host))
        self.daemon = hosts[0]
        self.team = Team(self.daemon, Accounts(self.daemon))
        posts = self.post_all(self.connect())
        self.wait_for_writes(POSTS // 2)
        # The killed host may have leases of several items; the other host takes over when they expire.
        hosts[1].kill()
        self.all_are_out_once(posts)

    def test_reloads_publish_nothing_twice(self):
        self.begin("sqlite", networks=False)
        posts = self.post_all(self.connect())
        for turn in range(RELOADS):
            self.wait_for_writes(min(2 * POSTS, 1 + turn * 2 * POSTS // RELOADS))
            self.daemon.ctl("reload", "social")
        self.all_are_out_once(posts)


if __name__ == "__main__":
    main()
