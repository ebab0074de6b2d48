#!/usr/bin/python3
"""The web kit's auth-client: its units, its size, and what it does in tabs of a real Chromium and in Node against the real daemon."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from chromium import PROGRAM  # noqa: E402
from daemon import BUILD, ROOT, Daemon  # noqa: E402
from npm import installed  # noqa: E402
from wallclock import WallClock  # noqa: E402

KIT = BUILD / "web"
STEPS = """ten tabs sign in with one cookie and read one stream
a token that is over is renewed once for ten tabs
a token is renewed once before it is over
a reload of the page keeps the session without a refresh
a lost network signs nobody out
a server that cannot answer signs nobody out
another role reaches all tabs
a session that somebody else ends is over in all tabs, which are silent then
signing in in one tab lets all go on
signing in as somebody else in one tab changes all
signing out reaches all tabs at once
a POST that is repeated with its key creates once, and a change of an old version is refused
a tab that nobody sees refreshes when a request needs it, and when it is seen
without locks and channels each tab refreshes, and stays signed in
storage that throws is done without
a computer whose clock is wrong by a day refreshes as others do
a silent look at identity happens once
a callback that is mounted twice exchanges once, and takes the code out of the address
who is signed in at identity is signed in here without a page
signing out of the browser signs out at identity, too
a program signs in, and a backend asks whose a token is
"""


class AuthClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = installed(HERE / "tabs", "auth-client-tabs")
        # Types, units, examples, and the limit of the size.
        cls.built = subprocess.run([ROOT / "sdk/web/build", "--out", KIT, "kit"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)

    def test_is_built_and_passes_its_units(self):
        self.assertEqual(0, self.built.returncode, self.built.stdout)

    def test_tabs(self):
        self.assertEqual(0, self.built.returncode, "the kit was not built")
        with tempfile.TemporaryDirectory() as room:
            clock = WallClock(pathlib.Path(room))
            with Daemon({"limits.rates": "off"}, environment=clock.environment) as daemon:
                people = {role: (f"{role}@acme.example", daemon.user(f"{role}@acme.example", "acme", role)["password"]) for role in ("owner", "member")}
                wanted = {
                    "program": PROGRAM,
                    "kit": str(KIT / "auth-client"),
                    "origin": f"http://crm.localhost:{daemon.port}",
                    "authUrl": f"http://identity.localhost:{daemon.port}",
                    # Node knows no names below localhost; the services have ports of their own.
                    "identity": f"http://127.0.0.1:{daemon.ports['identity']}",
                    "service": f"http://127.0.0.1:{daemon.ports['crm']}",
                    "ctl": [str(daemon.build / "bin/porticoctl"), "--socket", str(daemon.state / "control.sock")],
                    "clock": f"{room}/offset",
                    "people": people,
                }
                done = subprocess.run(["node", "flow.mjs", json.dumps(wanted)], cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual((STEPS, 0), (done.stdout, done.returncode), done.stderr)


if __name__ == "__main__":
    main()
