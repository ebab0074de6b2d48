#!/usr/bin/python3
"""CRM's pages under failures, in a real Chromium with the real daemon: no user is signed out, no input is lost, concurrent users do not overwrite each other,
and invalid input is reported. PORTICO_PROOFS=long also runs the parts that take minutes."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from chromium import BROWSER, PROGRAM  # noqa: E402
from daemon import BUILD, ROOT, Daemon, free_ports  # noqa: E402
from npm import copied  # noqa: E402
from wallclock import WallClock  # noqa: E402

# Where npm's packages are, once the pages have been built with their service.
WORK = ROOT / "build/web/work"
LONG = os.environ.get("PORTICO_PROOFS") == "long"
STREAMS = {f"limits.streamsPer{each}": 0 for each in ("Caller", "Address", "Origin")}


class WebProofsTest(unittest.TestCase):
    """Each part has a daemon of its own: they move its clock and kill it."""

    def prove(self, part):
        self.assertTrue((WORK / "node_modules").is_dir(), "the pages are not built")
        with tempfile.TemporaryDirectory() as room:
            clock, endpoint = WallClock(pathlib.Path(room)), free_ports(1)
            settings = {"limits.rates": "off", "identity.accessTokenSeconds": 60, "metrics.listen": f"127.0.0.1:{endpoint}", **STREAMS}
            with Daemon(settings, environment=clock.environment) as daemon:
                people = {role: (f"{role}@acme.example", daemon.user(f"{role}@acme.example", "acme", role)["password"]) for role in ("owner", "admin", "member")}
                wanted = {
                    "program": PROGRAM,
                    "browser": BROWSER,
                    "origin": f"http://crm.localhost:{daemon.port}",
                    "service": f"http://127.0.0.1:{daemon.ports['crm']}",
                    "identity": f"http://127.0.0.1:{daemon.ports['identity']}",
                    "metrics": f"http://127.0.0.1:{endpoint}/metrics",
                    "ctl": [str(daemon.build / "bin/porticoctl"), "--socket", str(daemon.state / "control.sock")],
                    "pid": daemon.pid,
                    "command": daemon.command(),
                    "environment": clock.environment,
                    "clock": f"{room}/offset",
                    "corpus": f"{(ROOT / 'tests/crm/corpus').as_uri()}/",
                    "screens": str(BUILD / "results/screens"),
                    "people": people,
                    "long": LONG,
                    "part": part,
                }
                copied(WORK, ROOT / "tests/browser/browser.mjs", *(ROOT / "tests/browser").glob("proofs*.mjs"))
                # The long ones say what they do.
                told = None if LONG else subprocess.PIPE
                done = subprocess.run(["node", "proofs.mjs", json.dumps(wanted)], cwd=WORK, stdout=told, stderr=subprocess.STDOUT, text=True, timeout=3600)
                tail = daemon.log_tail(10) if done.returncode else ""
        self.assertEqual(0, done.returncode, f"{done.stdout or ''}{tail}")

    def test_sessions_survive(self):
        self.prove("session")

    def test_nothing_typed_is_lost(self):
        self.prove("typed")

    def test_two_people_do_not_write_over_each_other(self):
        self.prove("two")

    def test_a_board_is_worked_by_keys_by_touch_and_by_the_accessibility_tree(self):
        self.prove("board")

    def test_bad_input_is_shown_as_what_it_is(self):
        self.prove("input")


if __name__ == "__main__":
    main()
