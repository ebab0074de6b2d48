#!/usr/bin/python3
"""Server-sent events through the real daemon: the example's stream of tasks, over reloads, restarts, sign-outs and clients that go."""

import pathlib
import shutil
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import BUILD, Daemon  # noqa: E402
from event_stream import Follower  # noqa: E402

ROUTE = "/api/tasks/events"


class Streams(unittest.TestCase):
    def begin(self, **settings):
        room = pathlib.Path(tempfile.mkdtemp(prefix="portico-streams-"))
        self.addCleanup(shutil.rmtree, room)
        shutil.copytree(BUILD / "examples/tasks", room / "tasks")
        # Whoever waited for a stream to end would wait for longer than anybody here does.
        manifest = room / "tasks" / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"drainSeconds": 30', '"drainSeconds": 3600'))
        self.daemon = Daemon({"plugins.directories": f"{BUILD}/lib/portico/plugins,{room}", "plugins.allowUnsigned": "tasks", "server.drainSeconds": 3600,
                              **settings}, more=("tasks",))
        self.addCleanup(self.daemon.close)
        self.daemon.start()
        self.password = self.daemon.user("ann@acme.example", "acme", "owner")["password"]
        self.token = self.sign_in()

    def sign_in(self):
        return self.daemon.login("ann@acme.example", self.password, "tasks")

    def follow(self, last=None):
        follower = Follower(self.daemon, "tasks", ROUTE, self.token, last)
        self.addCleanup(follower.close)
        return follower

    def make(self, title="Feed the lions"):
        made = self.daemon.request("tasks", "POST", "/api/tasks", {"title": title}, self.token)
        self.assertEqual(made.status, 201, made.body)
        return made.json()["id"]

    def test_follows_over_a_reload_and_misses_nothing(self):
        self.begin(**{"limits.streamsPerCaller": 100})
        followers = [self.follow() for _ in range(50)]
        answer = followers[0].answer
        self.assertEqual((answer.status, answer.getheader("Content-Type")), (200, "text/event-stream"))
        self.assertEqual((answer.getheader("Cache-Control"), answer.getheader("X-Accel-Buffering")), ("no-store", "no"))
        first = self.make()
        for follower in followers:
            self.assertEqual(follower.next(), ("created", {"id": first}))
        # Nobody's stream keeps the old generation.
        self.daemon.ctl("reload", "tasks")
        missed = self.make()
        for follower in followers:
            self.assertIsNone(follower.next())
            self.assertLess(follower.retry, 2000)
        back = [self.follow(follower.last) for follower in followers]
        for follower in back:
            self.assertEqual(follower.next(), ("created", {"id": missed}))
        third = self.make()
        for follower in back:
            self.assertEqual(follower.next(), ("created", {"id": third}))
        for follower in followers + back:
            follower.close()
        document = self.daemon.request("tasks", "GET", "/openapi.json").json()
        self.assertIn("text/event-stream", document["paths"][ROUTE]["get"]["responses"]["200"]["content"])

    def test_a_restart_is_reported(self):
        self.begin()
        follower = self.follow()
        self.make()
        self.assertEqual(follower.next()[0], "created")
        self.assertEqual(self.daemon.stop(), 0)
        self.assertIsNone(follower.next())
        self.daemon.start()
        self.token = self.sign_in()
        again = self.follow(follower.last)
        self.assertEqual(again.next(), ("reset", {}))
        made = self.make()
        self.assertEqual(again.next(), ("created", {"id": made}))

    def test_ends_with_the_session(self):
        self.begin(**{"http.streamCheckSeconds": 1, "http.streamBeatSeconds": 1})
        follower = self.follow()
        out = self.daemon.request("tasks", "POST", "/api/auth/logout", {}, self.token)
        self.assertLess(out.status, 300, out.body)
        self.assertIsNone(follower.next())
        self.assertEqual(self.follow(follower.last).answer.status, 401)

    def test_one_caller_has_so_many(self):
        self.begin(**{"limits.streamsPerCaller": 3})
        open_now = [self.follow() for _ in range(3)]
        self.assertEqual(self.follow().answer.status, 429)
        open_now.pop().close()
        # The place is free once the host has seen that the client is gone.
        deadline = time.monotonic() + 60
        while self.follow().answer.status != 200:
            self.assertLess(time.monotonic(), deadline)
        self.daemon.ctl("disable", "tasks")
        for follower in open_now:
            self.assertIsNone(follower.next())


if __name__ == "__main__":
    main()
