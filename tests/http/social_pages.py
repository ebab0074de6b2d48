#!/usr/bin/python3
"""The app of social in a real Chromium before the real daemon: first brand, webhook account, composer, publishing, calendar, approvals; phone width, axe.
In a second browser it uploads to a bucket that pages reach directly."""

import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from chromium import PROGRAM  # noqa: E402
from daemon import BUILD, ROOT, Daemon  # noqa: E402
from npm import copied  # noqa: E402
from s3 import Bucket  # noqa: E402
from social_networks import Sandbox, png  # noqa: E402

# Not where other suites build their apps: they may run at once.
KIT = BUILD / "web-social"


FEED = """<rss version="2.0"><channel><title>Mill news</title><item><title>A mill that calculates</title><link>https://example.org/mill</link>
<description>Visitors watch the store turn.</description><category>Engines</category></item></channel></rss>"""
PAGE = """<!doctype html><title>The engine</title><meta name="description" content="Wheels of brass.">"""


class Receiver(http.server.BaseHTTPRequestHandler):
    """A webhook that accepts each post and names it, a feed and a page."""

    def do_GET(self):
        page = self.path == "/engine"
        body = (PAGE if page else FEED).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if page else "application/rss+xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.dumps({"id": "1", "url": "https://example.org/posts/1"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def install(room):
    """Social with its pages in place of the build's own, and the settings for that."""
    plugins = BUILD / "lib/portico/plugins"
    shutil.copytree(plugins / "social", room / "social", ignore=shutil.ignore_patterns("SHA256SUMS*", "web"))
    shutil.copytree(KIT / "social", room / "social/web")
    keys = room / "keys"
    keys.write_text("k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n")
    keys.chmod(0o600)
    return {"limits.rates": "off", "outbound.allowedNetworks": "127.0.0.0/8", "social.sealingKeys": str(keys), "social.ai.provider": "local", "plugins.directories": f"{plugins},{room}",
            "plugins.override": "social", "plugins.allowUnsigned": "social"}


def documented_rule(origin):
    """The CORS rule that the documentation shows, for another origin."""
    [rule] = re.findall(r'`(\{"AllowedOrigins": .*?\})`', (ROOT / "docs/operating.md").read_text())
    return json.loads(rule) | {"AllowedOrigins": [origin]}


class SocialPagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = subprocess.run([ROOT / "sdk/web/build", "--out", KIT, "social"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)

    def test_is_built_within_its_budgets(self):
        self.assertEqual(0, self.built.returncode, self.built.stdout)

    def test_functions(self):
        folder = KIT / "work/plugins/social/web"
        done = subprocess.run([KIT / "work/node_modules/.bin/vitest", "run"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        self.assertEqual(0, done.returncode, done.stdout)

    def test_in_a_browser(self):
        self.assertEqual(0, self.built.returncode, "the app was not built")
        receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        self.addCleanup(receiver.shutdown)
        with tempfile.TemporaryDirectory() as room, Sandbox() as sandbox, Daemon(install(pathlib.Path(room))) as daemon:
            people = {role: (f"{role}@acme.example", daemon.user(f"{role}@acme.example", "acme", role)["password"]) for role in ("owner", "member")}
            wanted = {
                "program": PROGRAM,
                "origin": f"http://social.localhost:{daemon.port}",
                "service": f"http://127.0.0.1:{daemon.ports['social']}",
                "screens": str(BUILD / "results/screens"),
                "people": people,
                "receiver": f"http://127.0.0.1:{receiver.server_port}/posts",
                "feed": f"http://127.0.0.1:{receiver.server_port}/feed.xml",
                "sandbox": sandbox.url,
            }
            copied(KIT / "work", ROOT / "tests/browser/browser.mjs", ROOT / "tests/browser/social.mjs")
            done = subprocess.run(["node", "social.mjs", json.dumps(wanted)], cwd=KIT / "work", capture_output=True, text=True, timeout=600)
            tail = daemon.log_tail() if done.returncode else ""
            statuses = sandbox.statuses
        self.assertEqual(0, done.returncode, done.stdout + done.stderr + tail)
        # The network has what the composer's settings say.
        [status] = statuses
        self.assertEqual(("unlisted", "Weaving", "de"), (status["visibility"], status["spoiler_text"], status["language"]))
        self.assertTrue(status["text"].startswith("Cards of the loom, for the fediverse"), status["text"])

    def test_uploads_to_a_bucket(self):
        self.assertEqual(0, self.built.returncode, "the app was not built")
        with tempfile.TemporaryDirectory() as folder, Bucket() as bucket:
            room = pathlib.Path(folder)
            store = bucket.settings(room) | {"blobs.s3.publicEndpoint": bucket.endpoint}
            with Daemon(install(room) | store) as daemon:
                origin = f"http://social.localhost:{daemon.port}"
                bucket.cors = [documented_rule(origin)]
                picture = room / "mill.png"
                picture.write_bytes(png(64))
                wanted = {
                    "program": PROGRAM,
                    "origin": origin,
                    "screens": str(BUILD / "results/screens"),
                    "person": ("owner@acme.example", daemon.user("owner@acme.example", "acme", "owner")["password"]),
                    "bucket": bucket.endpoint,
                    "file": str(picture),
                }
                copied(KIT / "work", ROOT / "tests/browser/browser.mjs", ROOT / "tests/browser/social_bucket.mjs")
                done = subprocess.run(["node", "social_bucket.mjs", json.dumps(wanted)], cwd=KIT / "work", capture_output=True, text=True, timeout=600)
                tail = daemon.log_tail() if done.returncode else ""
            asked = [each.split(" ")[0] for each in bucket.requests]
        self.assertEqual(0, done.returncode, done.stdout + done.stderr + tail)
        # The browser asked the bucket before it sent the file there.
        self.assertIn("OPTIONS", asked)
        self.assertIn("PUT", asked[asked.index("OPTIONS"):])


if __name__ == "__main__":
    main()
