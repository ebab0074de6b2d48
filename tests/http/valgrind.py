#!/usr/bin/python3
"""One simple cycle of a daemon under valgrind: start, sign in, write and read, reload both plugins, read again, stop. No errors and no leaks. It finds
problems that the sanitizers miss: in system libraries, and reads of uninitialized memory."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import daemon as support  # noqa: E402
from blackbox import Accounts, main  # noqa: E402

support.READY_SECONDS = support.STOP_SECONDS = 300
VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]


class Watched(support.Daemon):
    def command(self):
        return [*VALGRIND, f"--log-file={self.state / 'valgrind.log'}", *super().command()]


class Valgrind(unittest.TestCase):
    @unittest.skipIf(support.BUILD.name in ("asan", "tsan"), "valgrind and the sanitizers both want to own the memory")
    def test_a_reload_cycle_has_no_error(self):
        daemon = Watched()
        self.addCleanup(daemon.close)
        daemon.start()
        self.cycle(daemon)
        self.assertEqual(0, daemon.stop())
        self.assertEqual("", (daemon.state / "valgrind.log").read_text())

    def cycle(self, daemon):
        token = Accounts(daemon).token()
        made = daemon.request("crm", "POST", "/api/contacts", {"firstName": "Ada"}, token)
        self.assertEqual(201, made.status, made.body)
        for service in ("crm", "identity"):
            daemon.ctl("reload", service)
            for _ in range(3):
                self.assertEqual(200, daemon.request("crm", "GET", "/api/contacts/" + made.json()["id"], token=token).status)
        self.assertEqual(1, len(daemon.request("crm", "GET", "/api/contacts?q=ada", token=token).json()["items"]))


if __name__ == "__main__":
    main()
