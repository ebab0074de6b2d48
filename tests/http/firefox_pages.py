#!/usr/bin/python3
"""A smoke of the pages in Debian's Firefox, driven over WebDriver BiDi: signing in, the list, a field in place, a card of the board, a booking by a guest."""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from daemon import BUILD, ROOT, Daemon  # noqa: E402
from npm import installed  # noqa: E402


class FirefoxPagesTest(unittest.TestCase):
    def test_in_firefox(self):
        program = shutil.which("firefox-esr")
        self.assertTrue(program, "firefox-esr is not installed")
        folder = installed(HERE / "firefox", "firefox")
        screens = BUILD / "results/screens"
        screens.mkdir(parents=True, exist_ok=True)
        with Daemon({"limits.rates": "off"}) as daemon:
            subprocess.run([ROOT / "packaging/demo-data", "--state", daemon.state, "--porticoctl", daemon.build / "bin/porticoctl", "--port", str(daemon.port)], check=True, timeout=600)
            demo = json.loads((daemon.state / "demo.json").read_text())
            made = demo["calendar"]
            wanted = {
                "program": program,
                "crm": demo["origins"]["crm"],
                "calendar": demo["origins"]["calendar"],
                "user": demo["organizations"][0]["users"][0],
                "booking": f"/{made['handle']}/{made['eventType']}",
                "screens": str(screens),
            }
            done = subprocess.run(["node", "flow.mjs", json.dumps(wanted)], cwd=folder, capture_output=True, text=True, timeout=600)
            tail = daemon.log_tail() if done.returncode else ""
        self.assertEqual(0, done.returncode, done.stdout + done.stderr + tail)


if __name__ == "__main__":
    main()
