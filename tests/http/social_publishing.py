#!/usr/bin/python3
"""Posts from a team to real networks through a proxy that breaks exchanges, while the daemon is killed: each post is out exactly once, as it was written.

    PORTICO_KILLS=200 PORTICO_POSTS=500 social_publishing.py      the long form (default: 4 kills, 24 posts, on SQLite and PostgreSQL)
"""

import base64
import concurrent.futures
import contextlib
import datetime
import hashlib
import html
import http.client
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main  # noqa: E402
from daemon import ROOT, Daemon, PostgreSQL  # noqa: E402
from model_server import Models  # noqa: E402
from npm import installed  # noqa: E402
from social_networks import FaultProxy, Pds, Quiet, Receiver, Sandbox, Server, png  # noqa: E402
from wallclock import WallClock  # noqa: E402

KILLS = int(os.environ.get("PORTICO_KILLS", "4"))
POSTS = int(os.environ.get("PORTICO_POSTS", "24"))
SECONDS = 240


def later(seconds):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def letters(text):
    return "".join(character for character in html.unescape(re.sub(r"<[^>]*>", "", text)) if character.isalnum())


class Team:
    """A brand with its accounts, as a person of the team uses it."""

    def __init__(self, daemon, accounts):
        self.daemon, self.accounts = daemon, accounts
        self.sign_in()
        self.brand = self.call("POST", "/api/brands", {"name": "Acme"}, 201)["brandId"]

    def sign_in(self):
        self.token = self.accounts.token(service="social")

    def call(self, method, path, body=None, status=200):
        answer = self.daemon.request("social", method, path, body, self.token, {"X-Brand-ID": self.brand} if hasattr(self, "brand") and "/brands" not in path else None)
        if answer.status != status:
            raise AssertionError(f"{method} {path} answered {answer.status}: {answer.body!r}\n{self.daemon.log_tail(5)}")
        return answer.json() if answer.body else None

    def connect(self, platform, **members):
        return self.call("POST", f"/api/integrations/{platform}/connect", {"brandId": self.brand, "returnUrl": self.origin + "/", **members})

    @property
    def origin(self):
        return f"http://social.localhost:{self.daemon.port}"

    def connect_mastodon(self, instance):
        """The code flow, as a browser goes through it."""
        body = json.dumps({"brandId": self.brand, "returnUrl": self.origin + "/", "instanceUrl": instance}).encode()
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "X-Brand-ID": self.brand}
        connection = self.daemon.connect("social")
        connection.request("POST", "/api/integrations/mastodon/connect", body, sent)
        answer = connection.getresponse()
        start, cookie = json.loads(answer.read()), answer.headers.get("Set-Cookie", "").partition(";")[0]
        connection.close()
        if answer.status != 200:
            raise AssertionError(start)
        place = urllib.parse.urlsplit(start["authorizationUrl"])
        browser = http.client.HTTPConnection(place.hostname, place.port)
        browser.request("GET", f"{place.path}?{place.query}")
        page = browser.getresponse().read().decode()
        if "Sandbox" not in page:
            raise AssertionError(page)
        fields = {name: html.unescape(value) for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', page)}
        browser.request("POST", place.path, urllib.parse.urlencode({**fields, "decision": "allow"}), {"Content-Type": "application/x-www-form-urlencoded"})
        back = browser.getresponse()
        back.read()
        callback = urllib.parse.urlsplit(back.headers["Location"])
        browser.close()
        connection = self.daemon.connect("social")
        connection.request("GET", f"{callback.path}?{callback.query}", headers={"Cookie": cookie})
        ended = connection.getresponse()
        ended.read()
        connection.close()
        if ended.status not in (302, 303) or "connected=1" not in ended.headers["Location"]:
            raise AssertionError((ended.status, ended.headers["Location"]))
        return next(each for each in self.call("GET", "/api/integrations")["items"] if each["platform"] == "mastodon")

    def post(self, text, accounts, **members):
        return self.call("POST", "/api/posts", {"text": text, "targets": [{"integrationId": each} for each in accounts], **members}, 201)

    def read(self, post):
        return self.call("GET", f"/api/posts/{post['postId']}?include=items")

    def wait(self, posts, states=("published",), seconds=SECONDS, meanwhile=lambda: None):
        """Waits until every item of the posts is in one of the states; returns the items. Calls `meanwhile` between two looks."""
        deadline = time.monotonic() + seconds
        while True:
            items = [item for post in posts for item in self.read(post)["items"]]
            waiting = [item for item in items if item["publishStatus"] not in states]
            if not waiting:
                return items
            if time.monotonic() > deadline:
                shown = [{key: item.get(key) for key in ("platform", "publishStatus", "blockedReason", "failure", "attempts")} for item in waiting[:5]]
                raise AssertionError(f"{len(waiting)} items wait: {shown}\n{self.daemon.log_tail(20)}")
            meanwhile()
            time.sleep(0.5)  # between two looks


class Case(unittest.TestCase):
    def enter(self, context):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        return stack.enter_context(context)

    def room(self):
        return pathlib.Path(self.enter(tempfile.TemporaryDirectory(prefix="portico-social-")))

    @staticmethod
    def settings(room):
        keys = room / "keys"
        keys.touch(mode=0o600)
        keys.write_text("one " + base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=") + "\n")
        return {"limits.rates": "off", "outbound.allowedNetworks": "127.0.0.0/8", "social.sealingKeys": keys}

    def begin(self, on, networks=True, more=None, environment=None):
        room = self.room()
        settings = self.settings(room) | (more or {})
        self.sandbox, self.receiver = self.enter(Sandbox()), self.enter(Receiver())
        if networks:
            self.pds = self.enter(Pds(room))
            settings |= {"social.bluesky.plcUrl": self.pds.plc, "social.bluesky.resolverUrl": self.pds.url}
        start = Daemon if on == "sqlite" else self.enter(PostgreSQL()).daemon
        daemon = start(settings, environment=environment)
        self.daemon = self.enter(daemon)
        self.team = Team(self.daemon, Accounts(self.daemon))


class Jumping(Case):
    """Leases and pauses between attempts take minutes: the clock of the daemon jumps while no write arrives at the proxies."""

    JUMP = 30

    def begin_jumping(self, on):
        self.clock, self.proxies, self.ids = WallClock(self.room()), {}, []
        self.seen, self.idle, self.passed = 0, 0, 0
        self.begin(on, environment=self.clock.environment)
        self.signed_in = time.monotonic()

    def sign_in(self):
        """An access token expires after ten minutes of the daemon's clock."""
        self.team.sign_in()
        self.signed_in = time.monotonic() + self.passed

    def pass_time(self):
        """Moves the clock when no write has arrived since the last two calls."""
        writes = sum(proxy.writes for proxy in self.proxies.values())
        self.idle = self.idle + 1 if writes == self.seen else 0
        self.seen = writes
        if self.idle < 2:
            return
        self.idle, self.passed = 0, self.passed + self.JUMP
        self.clock.jump(self.passed)
        if time.monotonic() + self.passed > self.signed_in + 300:
            self.sign_in()
        # A new item lets the worker look at the clock.
        self.team.post("Tomorrow", self.ids, scheduledFor=later(self.passed + 86_400))


class AsWritten(Case):
    """What the composer shows is what the networks have."""

    def test_bluesky_has_the_posts_as_they_were_written(self):
        self.begin("sqlite")
        anna, bob = self.pds.account("anna"), self.pds.account("bob")
        account = self.team.connect("bluesky", instanceUrl=self.pds.url, identifier=anna["handle"], appPassword=anna["password"])["integration"]
        self.assertEqual((account["externalId"], account["handle"]), (anna["did"], "anna.test"))
        family = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
        texts = {
            "emoji": f"{family} joined, and a flag \U0001f1e9\U0001f1ea",
            "rtl": "שלום עולם #תגית و مرحبا",
            "full": "x" * 280 + " " + family * 3 + "y" * 16,
            "marks": f"Ä {family} @bob.test @nobody.test https://example.org/a/very/long/path/indeed?x=1 (https://example.org) #Tag #日本",
            "threadStart": "Part 1 https://example.org/1",
        }
        posts = {name: self.team.post(text, [account["integrationId"]], scheduledFor=later(2), settings={"languages": ["de", "en"], "labels": ["nudity"]},
                                      **({"thread": [{"text": f"Part {number} #part"} for number in range(2, 12)]} if name == "threadStart" else {}))
                 for name, text in texts.items()}
        tried = self.daemon.request("social", "POST", "/api/posts?dryRun=true", {"text": "x" * 301, "targets": [{"integrationId": account["integrationId"]}]}, self.team.token,
                                    {"X-Brand-ID": self.team.brand}).json()
        self.assertEqual((tried["valid"], tried["targets"][0]["length"], tried["targets"][0]["errors"][0]["code"]), (False, 301, "text_too_long"), tried)
        items = {name: self.team.wait([post])[0] for name, post in posts.items()}
        read = {each["uri"]: each for each in self.pds.read(anna)}
        self.assertEqual(len(read), 4 + 11)
        out = {name: read[item["result"]["platformPostId"]] for name, item in items.items()}
        self.assertEqual((out["emoji"]["text"], out["rtl"]["text"], out["full"]["text"]), (texts["emoji"], texts["rtl"], texts["full"]))
        self.assertEqual(out["full"]["graphemes"], 300)
        self.assertEqual(out["rtl"]["marks"], [{"text": "#תגית", "tag": "תגית"}])
        self.assertEqual(out["marks"]["marks"], [
            {"text": "@bob.test", "mention": bob["did"]},
            {"text": "example.org/a/very/long/...", "link": "https://example.org/a/very/long/path/indeed?x=1"},
            {"text": "example.org", "link": "https://example.org"},
            {"text": "#Tag", "tag": "Tag"}, {"text": "#日本", "tag": "日本"}])
        self.assertEqual((out["emoji"]["langs"], out["emoji"]["labels"]["values"]), (["de", "en"], [{"val": "nudity"}]))
        parts = [read[part["platformPostId"]] for part in items["threadStart"]["result"]["parts"]]
        self.assertEqual([part["text"] for part in parts], ["Part 1 example.org/1", *(f"Part {number} #part" for number in range(2, 12))])
        for before, after in zip(parts, parts[1:]):
            self.assertEqual(after["reply"], {"root": {"uri": parts[0]["uri"], "cid": parts[0]["cid"]}, "parent": {"uri": before["uri"], "cid": before["cid"]}})

    def test_mastodon_is_connected_by_its_code_flow(self):
        self.begin("sqlite", networks=False)
        account = self.team.connect_mastodon(self.sandbox.url)
        post = self.team.post("Hello @anna@example.social https://example.org/a #tag", [account["integrationId"]], scheduledFor=later(1),
                              settings={"visibility": "unlisted", "contentWarning": "Careful", "sensitive": True, "languages": ["de-AT"]},
                              thread=[{"text": "And one more"}])
        item = self.team.wait([post])[0]
        first, second = self.sandbox.statuses
        self.assertEqual((first["text"], first["visibility"], first["spoiler_text"], first["sensitive"], first["language"]),
                         ("Hello @anna@example.social https://example.org/a #tag", "unlisted", "Careful", True, "de"))
        self.assertEqual((second["in_reply_to_id"], item["result"]["platformPostId"], item["result"]["platformUrl"]), (first["id"], first["id"], first["url"]))


class SignIn(Case):
    """Bluesky by OAuth: the person signs in at a real server, which reads the documents of this client."""

    ORIGIN = "https://social.portico-test.org"

    def connect(self, **members):
        """Begins; returns the answer and the browser's cookie."""
        connection = self.daemon.connect("social")
        body = json.dumps({"brandId": self.team.brand, "returnUrl": "/done", **members})
        connection.request("POST", "/api/integrations/bluesky/connect", body, {"Authorization": f"Bearer {self.team.token}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        start = json.loads(answer.read())
        self.assertEqual(answer.status, 200, f"{start}\n{self.daemon.log_tail(5)}")
        connection.close()
        return start, answer.headers["Set-Cookie"].partition(";")[0]

    def come_back(self, url, cookie, **changed):
        """The browser follows the way back; returns status and Location."""
        place = urllib.parse.urlsplit(url)
        query = dict(urllib.parse.parse_qsl(place.query)) | changed
        connection = self.daemon.connect("social")
        connection.request("GET", f"{place.path}?{urllib.parse.urlencode(query)}", headers={"Cookie": cookie})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status, answer.headers.get("Location")

    def test_a_person_signs_in_and_tokens_are_renewed(self):
        room = self.room()
        daemon = Daemon(self.settings(room) | {"services.social.origins": self.ORIGIN, "server.trustedProxies": "127.0.0.1"})
        self.pds = self.enter(Pds(room, (self.ORIGIN, f"http://127.0.0.1:{daemon.ports['social']}"), token_seconds=5))
        daemon.settings |= {"social.bluesky.plcUrl": self.pds.plc, "social.bluesky.resolverUrl": self.pds.url}
        self.daemon = self.enter(daemon)
        self.team = Team(self.daemon, Accounts(self.daemon))
        anna, bob = self.pds.account("anna"), self.pds.account("bob")

        start, cookie = self.connect(identifier="anna.test")
        self.assertNotIn("anna", start["authorizationUrl"], "the request is pushed, not in the address")
        back = self.pds.allow(start["authorizationUrl"], anna)
        self.assertEqual(back.partition("?")[0], self.ORIGIN + "/api/integrations/bluesky/callback")
        # Neither another state, nor another browser, nor another platform gets in.
        for query, browser in (({"state": "forged"}, cookie), ({}, "social_connect=other"), ({}, "")):
            self.assertEqual(self.come_back(back, browser, **query)[0], 400)
        self.assertEqual(self.come_back(back.replace("/bluesky/", "/mastodon/"), cookie)[0], 400)
        self.assertEqual(self.come_back(back, cookie), (302, "/done?connected=1"))
        self.assertEqual(self.come_back(back, cookie)[0], 400, "a replayed state")
        account = self.team.call("GET", "/api/integrations")["items"][0]
        self.assertEqual((account["externalId"], account["handle"], account["connectionState"]), (anna["did"], "anna.test", "connected"))

        # A code of another server, and another account than the one that was named.
        start, cookie = self.connect(identifier="anna.test")
        self.assertEqual(self.come_back(self.pds.allow(start["authorizationUrl"], anna), cookie, iss="https://evil.example"), (302, "/done?error=issuer_mismatch"))
        start, cookie = self.connect(identifier="anna.test")
        self.assertEqual(self.come_back(self.pds.allow(start["authorizationUrl"], bob), cookie), (302, "/done?error=other_account"))

        # Each access token lives five seconds, and each refresh token serves once.
        posts = [self.team.post(f"Post {number}", [account["integrationId"]], scheduledFor=later(1 + 6 * number)) for number in range(3)]
        self.team.wait(posts)
        self.assertEqual(sorted(each["text"] for each in self.pds.posts(anna["did"]).values()), ["Post 0", "Post 1", "Post 2"])
        renewed = self.team.call("GET", "/api/content-ops/events?kind=integration.token_refreshed")["items"]
        self.assertGreaterEqual(len(renewed), 2)
        self.team.call("DELETE", f"/api/integrations/{account['integrationId']}", status=204)
        log = self.daemon.log.read_text(errors="replace")
        self.assertNotIn("PRIVATE KEY", log)


class FromTrends(Case):
    def begin_with_models(self):
        """Starts a daemon with a server of models, which npm's `openai` has called before."""
        self.models, room = self.enter(Models()), self.room()
        self.models.texts.append('{"topics":[]}')
        self.models.faults.extend((None, None, None, 429))
        folder = installed(ROOT / "tests/support/models", "models")
        seen = subprocess.run(["node", "check.mjs", self.models.url, self.models.key], cwd=folder, capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(seen.stdout), {
            "pictures": ["PNG", "PNG"], "unknown": "BadRequestError 400 unknown_parameter", "text": '{"topics":[]}',
            "stranger": "AuthenticationError 401 invalid_api_key", "limited": "RateLimitError 429 rate_limit_exceeded"}, seen.stderr)
        self.models.asked.clear()
        key = room / "models-key"
        key.touch(mode=0o600)
        key.write_text(self.models.key + "\n")
        self.begin("sqlite", networks=False, more={"social.ai.provider": "openai", "social.ai.url": self.models.url, "social.ai.keyFile": key,
                                                   "social.ai.textModel": "writer-1"})

    def ask_for_pictures(self):
        """Each fault of the server is an answer of its own, and none leaves a file."""
        def draw(count):
            return self.daemon.request("social", "POST", "/api/ai/generate-image", {"brandId": self.team.brand, "prompt": "A mill", "count": count}, self.team.token)

        made = draw(2)
        self.assertEqual((made.status, [each["width"] for each in made.json()["images"]], made.json()["gatewayRequestId"]), (200, [1024, 1024], "req_1"), made.body)
        self.assertEqual(self.models.asked, [("/v1/images/generations", {"model": "gpt-image-1", "prompt": "A mill", "n": 2, "size": "1024x1024"})])
        for fault in ("html", "text", "large", "cut", 500, 401):
            self.models.faults.append(fault)
            answer = draw(1)
            self.assertEqual((answer.status, answer.json()["code"]), (502, "gateway_error"), (fault, answer.body))
        self.models.faults.append(429)
        answer = draw(1)
        self.assertEqual((answer.status, answer.headers["Retry-After"], answer.json()["details"]["scope"]), (429, "17", "gateway"), answer.body)
        self.assertEqual(len(self.models.asked), 8, "a call was repeated")
        self.assertEqual(len(self.team.call("GET", "/api/media")["items"]), 2)
        for place in (self.daemon.log.read_bytes(), *(file.read_bytes() for file in self.daemon.state.rglob("social.db*"))):
            self.assertNotIn(self.models.key.encode(), place)

    def test_a_post_goes_from_trend_to_published(self):
        self.begin_with_models()
        self.ask_for_pictures()
        account = self.team.connect_mastodon(self.sandbox.url)["integrationId"]
        for kind, path in (("rss", "/feed.xml"), ("mastodon_trends", "/")):
            self.team.call("POST", "/api/trend-sources", {"kind": kind, "name": kind, "url": self.sandbox.url + path}, 201)
        deadline = time.monotonic() + 60
        while len(trends := self.team.call("GET", "/api/trends")["items"]) < 6:
            self.assertLess(time.monotonic(), deadline, self.team.call("GET", "/api/trend-sources"))
            time.sleep(0.2)  # between two looks
        story = next(each for each in trends if each["title"] == "Punched cards are back")
        seed = self.team.call("POST", "/api/seeds/share", {"sourceItemId": story["sourceItemId"], "note": "For Monday"}, 201)
        ask = {"items": [{"sourceItemId": seed["sourceItemId"]}], "platforms": ["mastodon", "bluesky"]}
        # A model that fails, and one that answers.
        self.models.faults.append("large")
        made = self.team.call("POST", "/api/content-strategy/suggestions/generate-from-trends", ask, 201)
        self.assertEqual((made["generator"], made["warnings"][0]["code"]), ("template", "model_failed"))
        self.models.texts.append(json.dumps({"topics": [{"number": 0, "texts": ["Cards with <b>holes</b>"]}]}))
        written = self.team.call("POST", "/api/content-strategy/suggestions/generate-from-trends", ask | {"platforms": ["mastodon"]}, 201)
        self.assertEqual(written["suggestions"][0]["text"], f"Cards with holes\n\n{self.sandbox.url}/story/1")
        self.assertEqual([path for path, _ in self.models.asked[-2:]], ["/v1/chat/completions"] * 2)
        suggestion = next(each for each in made["suggestions"] if each["platform"] == "mastodon")
        approved = self.team.call("POST", f"/api/content-ops/items/{suggestion['contentId']}/approve",
                                  {"revision": suggestion["revision"], "integrationId": account, "scheduledFor": later(1)})
        self.team.wait([{"postId": approved["postId"]}])
        self.assertEqual([status["text"] for status in self.sandbox.statuses], [f"Punched cards are back\n\n{self.sandbox.url}/story/1"])
        self.assertEqual(self.team.call("GET", "/api/seeds")["items"][0]["useCount"], 2)
        numbers = self.team.call("GET", f"/api/posts/{approved['postId']}/metrics")["targets"][0]
        self.assertEqual((numbers["likes"], numbers["reposts"], numbers["replies"]), (0, 0, 0))


CARD = """<!doctype html><title>Story</title><meta property="og:description" content="What happened"><meta property="og:image" content="/card.png">"""


class Site(Server):
    """A page with a picture, for link cards."""

    def __init__(self):
        class Handler(Quiet):
            def do_GET(handler):
                if handler.path == "/card.png":
                    return handler.say(200, png(200), Content_Type="image/png")
                return handler.say(200, CARD.encode(), Content_Type="text/html; charset=utf-8")

        super().__init__(Handler)


def photo(width, height):
    """Noise, which no format makes small."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    row = 1 + 3 * width
    pixels = bytearray(random.Random(height).randbytes(row * height))
    pixels[::row] = bytes(height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(bytes(pixels), 0)) + chunk(b"IEND", b"")


class Files(Jumping):
    """Pictures with their descriptions, and link cards."""

    def upload(self, data, content_type, alt):
        ticket = self.team.call("POST", "/api/media/upload", {"fileName": "file", "contentType": content_type, "size": len(data), "altText": alt})
        place = urllib.parse.urlsplit(ticket["uploadUrl"])
        connection = self.daemon.connect("social")
        connection.request("PUT", f"{place.path}?{place.query}", data, ticket["headers"])
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200, answer.read())
        connection.close()
        return self.team.call("POST", ticket["completeUrl"], {})["mediaId"]

    def test_pictures_and_cards_are_as_they_were_written(self):
        self.begin("sqlite")
        site, anna = self.enter(Site()), self.pds.account("anna")
        bluesky = self.team.connect("bluesky", instanceUrl=self.pds.url, identifier=anna["handle"], appPassword=anna["password"])["integration"]
        mastodon = self.team.connect_mastodon(self.sandbox.url)
        ids = [self.upload(png(20 + number), "image/png", f"Picture {number}") for number in range(4)]
        own = self.team.post("Four pictures", [bluesky["integrationId"], mastodon["integrationId"]], mediaIds=ids, scheduledFor=later(2))
        card = self.team.post("A card", [bluesky["integrationId"]], linkUrl=site.url + "/story", scheduledFor=later(2))
        items = self.team.wait([own, card])
        read = {each["uri"]: each for each in self.pds.read(anna)}
        out = {item["postId"]: read[item["result"]["platformPostId"]] for item in items if item["platform"] == "bluesky"}
        embed = out[own["postId"]]["embed"]
        self.assertEqual(embed["$type"], "app.bsky.embed.images")
        self.assertEqual([(each["alt"], each["aspectRatio"]["width"]) for each in embed["images"]], [(f"Picture {number}", 20 + number) for number in range(4)])
        for image in embed["images"]:
            self.assertNotIn(b"SECRET-GPS", self.pds.blob(anna["did"], image["image"]["ref"]["$link"]))
        external = out[card["postId"]]["embed"]["external"]
        self.assertEqual((external["uri"], external["title"], external["description"], external["thumb"]["mimeType"]),
                         (site.url + "/story", "Story", "What happened", "image/png"))
        status = next(each for each in self.sandbox.statuses if each["text"] == "Four pictures")
        self.assertEqual([each["description"] for each in status["media_attachments"]], [f"Picture {number}" for number in range(4)])

    def test_a_crash_repeats_no_finished_upload(self):
        self.begin_jumping("sqlite")
        anna = self.pds.account("anna")
        proxies = self.proxies = {"bluesky": self.enter(FaultProxy(self.pds.url)), "mastodon": self.enter(FaultProxy(self.sandbox.url))}
        proxies["bluesky"].hold, proxies["mastodon"].hold = "/com.atproto.repo.putRecord", "/api/v1/statuses"
        ids = self.ids = [self.team.connect("bluesky", instanceUrl=proxies["bluesky"].url, identifier=anna["handle"], appPassword=anna["password"])["integration"]["integrationId"],
               self.team.connect_mastodon(proxies["mastodon"].url)["integrationId"]]
        files = [self.upload(png(20 + number), "image/png", "") for number in range(3)]
        post = self.team.post("Three pictures", ids, mediaIds=files, scheduledFor=later(2))
        for proxy in proxies.values():
            self.assertTrue(proxy.held.wait(60), self.daemon.log_tail(10))
        self.daemon.kill()
        for proxy in proxies.values():
            proxy.released.set()
        self.daemon.start()
        self.team.sign_in()
        self.team.wait([post], meanwhile=self.pass_time)
        self.assertEqual((proxies["bluesky"].posted["/xrpc/com.atproto.repo.uploadBlob"], proxies["mastodon"].posted["/api/v2/media"]), (3, 3))
        self.assertEqual((len(self.pds.posts(anna["did"])), len(self.sandbox.statuses)), (1, 1))

    def test_large_pictures_arrive_smaller(self):
        """Originals of 20 MB are more than the network takes: it gets copies, and pages get thumbnails."""
        self.begin("sqlite")
        anna = self.pds.account("anna")
        bluesky = self.team.connect("bluesky", instanceUrl=self.pds.url, identifier=anna["handle"], appPassword=anna["password"])["integration"]
        ids = [self.upload(photo(2580, 2580 + number), "image/png", f"Photo {number}") for number in range(4)]
        self.assertGreater(self.team.call("GET", f"/api/media/{ids[0]}")["size"], 19_000_000)
        post = self.team.post("Four photos", [bluesky["integrationId"]], mediaIds=ids, scheduledFor=later(2))
        [item] = self.team.wait([post])
        record = next(each for each in self.pds.read(anna) if each["uri"] == item["result"]["platformPostId"])
        images = record["embed"]["images"]
        self.assertEqual([each["alt"] for each in images], [f"Photo {number}" for number in range(4)])
        for image in images:
            sent = self.pds.blob(anna["did"], image["image"]["ref"]["$link"])
            self.assertEqual((sent[:3], image["image"]["mimeType"]), (b"\xff\xd8\xff", "image/jpeg"))
            self.assertLessEqual(len(sent), 2_000_000)
            self.assertGreater(image["aspectRatio"]["width"], 500)
        deadline = time.monotonic() + SECONDS
        while not (shown := self.team.call("GET", f"/api/media/{ids[3]}")["thumbnailUrl"]):
            self.assertLess(time.monotonic(), deadline, self.daemon.log_tail(10))
            time.sleep(0.2)
        place = urllib.parse.urlsplit(shown)
        thumbnail = self.daemon.request("social", "GET", f"{place.path}?{place.query}")
        self.assertEqual((thumbnail.status, thumbnail.body[:3]), (200, b"\xff\xd8\xff"))
        self.assertLessEqual(len(thumbnail.body), 200_000)


def box(name, data):
    return struct.pack(">I", len(data) + 8) + name + data


def mp4_head(frame_bytes):
    """A video up to its frames, of which there are so many bytes."""
    track = box(b"trak", box(b"tkhd", bytes(76) + struct.pack(">II", 640 << 16, 360 << 16)))
    about = box(b"moov", box(b"mvhd", bytes(12) + struct.pack(">II", 1000, 2000) + bytes(80)) + track)
    return box(b"ftyp", b"isom\0\0\0\0isommp41") + about + struct.pack(">I", frame_bytes + 8) + b"mdat"


def memory_kb(pid, what):
    return int(re.search(what + r":\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


class Large(Files):
    test_pictures_and_cards_are_as_they_were_written = test_a_crash_repeats_no_finished_upload = test_large_pictures_arrive_smaller = None

    def test_a_video_of_300_megabytes_needs_no_memory(self):
        size = 300_000_000
        self.begin("sqlite", networks=False)
        self.sandbox.server.sandbox.video_size_limit = 320_000_000
        arrived, handler = [], self.sandbox.server.RequestHandlerClass
        keep = handler.upload

        def upload(each, fields):
            arrived.append((len(fields["file"]), hashlib.sha256(fields["file"]).hexdigest(), fields["description"]))
            return keep(each, fields)

        handler.upload = upload
        account = self.team.connect_mastodon(self.sandbox.url)["integrationId"]
        # What publishing a file needs in any case is there before the measuring.
        self.team.wait([self.team.post("Small", [account], mediaIds=[self.upload(png(20), "image/png", "")], scheduledFor=later(1))])
        head = mp4_head(size)
        data = head + os.urandom(1_000_000) * (size // 1_000_000)
        before = memory_kb(self.daemon.pid, "VmRSS")
        pathlib.Path(f"/proc/{self.daemon.pid}/clear_refs").write_text("5")  # VmHWM begins anew
        media = self.upload(data, "video/mp4", "A long film")
        digest = hashlib.sha256(data).hexdigest()
        del data
        self.team.wait([self.team.post("Film", [account], mediaIds=[media], scheduledFor=later(1))])
        more = memory_kb(self.daemon.pid, "VmHWM") - before
        print(f"a video of {size} bytes: {more} KiB more at most", file=sys.stderr)
        self.assertEqual(arrived[1], (len(head) + size, digest, "A long film"))
        self.assertLess(more, 16 * 1024)


class Broken(Jumping):
    """A proxy that breaks a fifth of the writes, and a daemon that is killed at random points."""

    def everything_is_out_once(self, on, kills, count):
        self.begin_jumping(on)
        anna = self.pds.account("anna")
        proxies = self.proxies = {name: self.enter(FaultProxy(url, seed=number, once=POSTS < 100)) for number, (name, url) in enumerate(
            {"bluesky": self.pds.url, "mastodon": self.sandbox.url, "webhook": self.receiver.url}.items())}
        accounts = [self.team.connect("bluesky", instanceUrl=proxies["bluesky"].url, identifier=anna["handle"], appPassword=anna["password"])["integration"],
                    self.team.connect_mastodon(proxies["mastodon"].url), self.team.connect("webhook", url=proxies["webhook"].url + "/in")["integration"]]
        ids = self.ids = [each["integrationId"] for each in accounts]
        for proxy in proxies.values():
            proxy.percent = 20
        posts = [self.team.post(f"Post {number} on {on}", ids, scheduledFor=later(3 + 0.1 * number)) for number in range(count // 3)]
        chance = random.Random(count)
        for _ in range(kills):
            goal = sum(proxy.writes for proxy in proxies.values()) + chance.randrange(1, 8)
            deadline = time.monotonic() + 20
            look = time.monotonic()
            while sum(proxy.writes for proxy in proxies.values()) < goal and time.monotonic() < deadline:
                time.sleep(0.005)
                if time.monotonic() > look + 0.5:
                    look = time.monotonic()
                    self.pass_time()
            time.sleep(chance.random() * 0.05)
            self.daemon.kill()
            self.daemon.start()
        for proxy in proxies.values():
            proxy.percent = 0
        self.team.sign_in()
        items = self.team.wait(posts, seconds=SECONDS + kills * 5, meanwhile=self.pass_time)
        self.assertEqual(len(items), len(posts) * 3)
        expected = sorted(f"Post {number} on {on}" for number in range(count // 3))
        self.assertEqual(sorted(record["text"] for record in self.pds.posts(anna["did"]).values()), expected)
        self.assertEqual(sorted(status["text"] for status in self.sandbox.statuses), expected)
        self.assertEqual(len(self.receiver.received), len(expected))
        for arrived in self.receiver.received.values():
            self.assertEqual(len({body for body, _ in arrived}), 1, "a repetition sent other bytes")
        self.assertEqual(sorted(json.loads(arrived[0][0])["data"]["text"] for arrived in self.receiver.received.values()), expected)
        log = self.daemon.log.read_text(errors="replace")
        for secret in (anna["password"], *self.sandbox.server.sandbox.tokens):
            self.assertNotIn(secret, log)

    def apart(self, on, kills):
        """Runs as a case of its own: its servers end here."""
        case = Broken("test_each_post_is_out_once_on_both_databases")
        try:
            case.everything_is_out_once(on, kills, POSTS)
        finally:
            case.doCleanups()

    def test_each_post_is_out_once_on_both_databases(self):
        """At the same time: most of it is waiting for the next attempt."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            runs = {on: pool.submit(self.apart, on, kills) for on, kills in (("sqlite", KILLS - KILLS // 2), ("postgresql", KILLS // 2))}
            for on, run in runs.items():
                with self.subTest(on):
                    run.result()


if __name__ == "__main__":
    main()
