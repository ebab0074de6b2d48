#!/usr/bin/python3
"""Tiles of the launchpad with the real daemon: apps of the host called without a socket, an external app that hangs, sends wrong data or records its
requests, rights that change between two batches, two hosts on one Redis, and a thousand streams across a reload."""

import contextlib
import json
import pathlib
import resource
import secrets
import socket
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main, on_both_engines  # noqa: E402
from daemon import Daemon, PostgreSQL  # noqa: E402
from redis import Redis  # noqa: E402
from social_networks import Quiet, Server  # noqa: E402

SECONDS = 120
LOCAL = ("calendar", "crm", "social")
STREAMS = 1000
OPENED_AT_ONCE = 100


class App(Server):
    """An app elsewhere, in the place of `social`, that answers as its habit says."""

    def __init__(self):
        self.habit, self.tokens, self.go = "responds", [], threading.Event()

        class Handler(Quiet):
            def do_GET(handler):
                self.tokens.append(handler.headers["Authorization"].removeprefix("Bearer "))
                if self.habit == "hangs":
                    self.go.wait(SECONDS)
                if self.habit == "redirects":
                    return handler.say(302, Location="http://127.0.0.1:1/")
                query = dict(part.split("=", 1) for part in handler.path.partition("?")[2].split("&"))
                organization = "org_other" if self.habit == "lies" else query.get("organizationId")
                widget = {"schemaVersion": 1, "service_id": "social", "widgetId": query["widgetId"], "status": "ok", "title": "Elsewhere",
                          "generatedAt": "2026-11-28T08:00:00.000Z", "context": {"kind": query["context"], "organizationId": organization}}  # fmt: skip
                size = 65_537 if self.habit == "sends too much" else 0
                handler.say(200, json.dumps(widget).encode().ljust(size), Content_Type="application/json")

        super().__init__(Handler)


class Client:
    def ask(self, method, path, body=None, token=None, status=200, service="launchpad"):
        answer = self.daemon.request(service, method, path, body, token)
        self.assertEqual(answer.status, status, (method, path, answer.body))
        return answer.json() if answer.body else None

    def batch(self, token, *services, refresh=False):
        body = {"widgets": [{"service_id": each} for each in services], "refresh": refresh}
        return {each["service_id"]: each for each in self.ask("POST", "/api/widgets", body, token)["widgets"]}

    def warm(self, *services):
        """Returns once these apps of the host answer another person in time: for its first tile an app may need longer than a page waits."""
        deadline = time.monotonic() + SECONDS
        token = self.accounts.token(role="member", service="launchpad")
        while late := [each for each in self.batch(token, *services).values() if each["error"] and each["error"]["code"] in ("timeout", "circuit_open")]:
            self.assertLess(time.monotonic(), deadline, late)

    def demote(self, daemon, email, password):
        """Makes a member a guest, as the owner; returns the person's new token."""
        me = self.ask("GET", "/api/auth/me", token=daemon.login(email, password, "launchpad"))
        organization, user = me["activeContext"]["organizationId"], me["user"]["id"]
        owner = self.accounts.token(service="identity")
        answer = daemon.request("identity", "PATCH", f"/api/organizations/{organization}/members/{user}", {"role": "guest"}, owner)
        self.assertEqual(answer.status, 200, answer.body)
        return self.daemon.login(email, password, "launchpad")


class Dashboards:
    """Open dashboards: connections that each follow the changes of tiles."""

    def __init__(self, daemon, token):
        self.request = (f"GET /api/widgets/stream HTTP/1.1\r\nHost: 127.0.0.1:{daemon.ports['launchpad']}\r\n"
                        f"Authorization: Bearer {token}\r\n\r\n").encode()  # fmt: skip
        self.port = daemon.ports["launchpad"]
        self.open()

    def open(self):
        self.streams, statuses = [], []
        while len(self.streams) < STREAMS:
            some = [socket.create_connection(("127.0.0.1", self.port), SECONDS) for _ in range(OPENED_AT_ONCE)]
            for each in some:
                each.sendall(self.request)
            statuses += [int(self.read(each, b"\r\n\r\n").split()[1]) for each in some]
            self.streams += some
        self.statuses = statuses

    @staticmethod
    def read(stream, until):
        """What comes up to a text."""
        text = b""
        while until not in text and (part := stream.recv(4096)):
            text += part
        return text

    def close(self):
        for each in self.streams:
            each.close()


@on_both_engines
class Local(Client):
    settings = {"limits.rates": "off", "limits.streamsPerCaller": 0}

    def test_a_thousand_streams_come_back_after_a_reload(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 3 * STREAMS)), hard))
        token = self.accounts.token(service="launchpad")
        statuses, over = [], threading.Event()

        def keep_asking():
            while not over.is_set():
                statuses.append(self.daemon.request("launchpad", "GET", "/api/workspace/context", token=token).status)

        dashboards = Dashboards(self.daemon, token)
        self.assertEqual(set(dashboards.statuses), {200})
        visitors = [threading.Thread(target=keep_asking) for _ in range(4)]
        for each in visitors:
            each.start()
        try:
            self.daemon.ctl("reload", "launchpad")
            # Each ends in order, so a browser opens it again.
            for each in dashboards.streams:
                self.assertTrue(dashboards.read(each, b"\r\n0\r\n\r\n").endswith(b"\r\n0\r\n\r\n"))
            dashboards.close()
            dashboards.open()
        finally:
            over.set()
            for each in visitors:
                each.join()
        self.assertEqual(set(dashboards.statuses), {200})
        self.assertEqual(set(statuses), {200})
        self.assertEqual(self.daemon.request("crm", "POST", "/api/contacts", {"firstName": "Ada"}, self.accounts.token()).status, 201)
        for each in dashboards.streams:
            self.assertIn(b"event: widget", dashboards.read(each, b'"service_id":"crm"'))
        dashboards.close()

    def test_apps_of_the_host_answer_without_a_socket(self):
        self.warm(*LOCAL)
        token = self.accounts.token(service="launchpad")
        tiles = self.batch(token)
        self.assertLessEqual(set(LOCAL), set(tiles))
        for service in LOCAL:
            self.assertIsNone(tiles[service]["error"], tiles[service])
            self.assertEqual(tiles[service]["source"], "native")
            self.assertEqual(tiles[service]["widget"]["service_id"], service)
        again = self.batch(token, *LOCAL)
        self.assertEqual({each["source"] for each in again.values()}, {"cache"})
        offers = self.ask("GET", "/api/widgets/catalog", token=token)["items"]
        self.assertLessEqual({(service, "overview") for service in LOCAL}, {(each["service_id"], each["widgetId"]) for each in offers})
        self.assertEqual(self.ask("GET", "/api/widget", token=token)["service_id"], "launchpad")
        self.ask("POST", "/api/widgets", {"widgets": [{"service_id": "crm"}] * 41}, token, 400)

    def test_a_demotion_between_two_batches_shows_no_old_data(self):
        email = "demoted@acme.example"
        password = self.daemon.user(email, "acme", "member")["password"]
        token = self.daemon.login(email, password, "launchpad")
        self.warm("crm")
        self.assertEqual(self.batch(token, "crm")["crm"]["source"], "native")
        tile = self.batch(self.demote(self.daemon, email, password), "crm")["crm"]
        self.assertNotIn(tile["source"], ("cache", "stale"), tile)
        self.assertFalse(tile["widget"]["metrics"] and tile["source"] == "cache")


class TwoHosts(Client, unittest.TestCase):
    """Two hosts on one PostgreSQL and one Redis."""

    def test_hosts_share_tiles_and_changes_of_rights(self):
        with contextlib.ExitStack() as stack:
            shared = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
            key = shared / "cursor-key"
            key.write_text(secrets.token_urlsafe(32) + "\n")
            redis, database = stack.enter_context(Redis()), stack.enter_context(PostgreSQL())
            settings = {"limits.rates": "off", "http.cursorKeyFile": key, **redis.settings(shared),
                        **{f"services.{each}.origins": f"https://{each}.example.org" for each in ("identity", "launchpad", "admin", *LOCAL)}}  # fmt: skip
            first, second = (stack.enter_context(database.daemon(settings)) for _ in range(2))
            self.accounts = Accounts(first)
            email = "demoted@acme.example"
            password = first.user(email, "acme", "member")["password"]
            self.daemon = first
            self.warm(*LOCAL)
            token = first.login(email, password, "launchpad")
            self.assertEqual({each["source"] for each in self.batch(token, *LOCAL).values()}, {"native"})
            self.daemon = second
            self.assertEqual({each["source"] for each in self.batch(token, *LOCAL).values()}, {"cache"})
            # The person loses rights on one host: the other shows nothing that was cached before.
            token = self.demote(first, email, password)
            for tile in self.batch(token, *LOCAL).values():
                self.assertNotIn(tile["source"], ("cache", "stale"), tile)


class Elsewhere(Client, unittest.TestCase):
    """`social` is replaced by an app on loopback."""

    def test_only_the_tile_of_a_bad_app_degrades(self):
        with App() as app:
            settings = {"limits.rates": "off", "outbound.allowedNetworks": "127.0.0.0/8", "launchpad.widgetHostOverrides": f"social={app.url}/api/widget"}
            with Daemon(settings) as self.daemon:
                self.accounts = accounts = Accounts(self.daemon)
                self.warm("calendar", "crm")
                for habit, error in (("redirects", "http_302"), ("lies", "bad_payload"), ("sends too much", "too_large"), ("hangs", "timeout")):
                    with self.subTest(habit=habit):
                        app.habit = habit
                        tiles = self.batch(accounts.token(service="launchpad"), *LOCAL)
                        self.assertEqual(tiles["social"]["error"]["code"], error, tiles["social"])
                        self.assertEqual(tiles["social"]["source"], "metadata")
                        for service in ("calendar", "crm"):
                            self.assertIsNone(tiles[service]["error"], tiles[service])
                app.habit = "responds"
                app.go.set()
                token = accounts.token(service="launchpad")
                tile = self.batch(token, "social")["social"]
                self.assertEqual((tile["source"], tile["widget"]["title"]), ("native", "Elsewhere"), tile)
                app.habit = "redirects"
                self.assertEqual(self.batch(token, "social")["social"]["source"], "cache")
                stale = self.batch(token, "social", refresh=True)["social"]
                self.assertEqual((stale["source"], stale["stale"], stale["error"]["code"]), ("stale", True, "http_302"), stale)
                self.its_token_opens_nothing_else(app.tokens[-1])

    def its_token_opens_nothing_else(self, token):
        """The app has seen a token for `social`, which serves there and for the widget only."""
        self.assertEqual(self.daemon.request("social", "GET", "/api/widget", token=token).status, 200)
        answer = self.daemon.request("social", "GET", "/api/posts", token=token)
        self.assertEqual((answer.status, answer.json()["code"]), (403, "insufficient_scope"), answer.body)
        self.assertEqual(self.daemon.request("crm", "GET", "/api/widget", token=token).status, 401)

    def test_private_addresses_need_the_operator(self):
        with App() as app, Daemon({"limits.rates": "off", "launchpad.widgetHostOverrides": f"social={app.url}/api/widget"}) as self.daemon:
            tile = self.batch(Accounts(self.daemon).token(service="launchpad"), "social")["social"]
            self.assertEqual(tile["error"]["code"], "connect_failed")
            self.assertEqual(app.tokens, [])


if __name__ == "__main__":
    main()
