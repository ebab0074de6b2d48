#!/usr/bin/python3
"""Plugins that misbehave in a real daemon: one that ends it while it serves, one whose dependencies fail."""

import json
import pathlib
import shutil
import signal
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import BUILD, Daemon  # noqa: E402

CRASHES = 3
# A sanitizer takes the signal and ends the process with a status of its own.
SANITIZED = any(name in BUILD.name for name in ("asan", "tsan"))


class Fixtures(unittest.TestCase):
    """A daemon, not yet started, with a fixture as the service `shaky` beside one that is all right."""

    situation = ""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="portico-faults-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.install(self.situation)
        self.install("ok-v1", "steady")
        settings = {"plugins.directories": self.folder, "plugins.allowUnsigned": "shaky,steady"}
        self.daemon = Daemon(settings, more=["shaky", "steady"])
        self.addCleanup(self.daemon.close)

    def install(self, situation, service="shaky"):
        source = next(BUILD.rglob(f"{situation}/{situation}.so"))
        target = self.folder / service
        target.mkdir(exist_ok=True)
        manifest = json.loads((source.parent / "manifest.json").read_text().replace('"ok', f'"{service}'))
        manifest["plugin"]["library"] = "plugin.so"
        (target / "manifest.json").write_text(json.dumps(manifest))
        shutil.copy(source, target / "plugin.so.new")
        (target / "plugin.so.new").rename(target / "plugin.so")

    def status_of(self, service):
        return next(each for each in self.daemon.ctl("services")["services"] if each["service"] == service)


class Quarantine(Fixtures):
    """After the third crash it is quarantined, the others serve on, and an operator lifts it."""

    situation = "serve-crashes"

    def crash(self):
        """Starts the daemon and has a request end it."""
        process = self.daemon.start().process
        self.assertEqual(self.daemon.request("shaky", "GET", "/answer").status, 200)
        with self.assertRaises(ConnectionError):
            self.daemon.request("shaky", "GET", "/crash")
        status = process.wait(60)
        self.assertNotEqual(status, 0)
        if not SANITIZED:
            self.assertEqual(status, -signal.SIGSEGV)
        self.assertIn(f"signal {int(signal.SIGSEGV)} inside the plugin shaky, generation 1", self.daemon.log_tail())
        self.assertRegex(self.daemon.log_tail(), r"address 0x[0-9a-f]+, thread [0-9]+ .*, at shaky\.so\+0x[0-9a-f]+, route GET /crash, request [0-9a-z]+; the process ends")

    def assert_crashes_are_told(self):
        """Each once, though nobody could write it down when it happened."""
        crashes = [each for each in self.daemon.ctl("operations")["operations"] if each["command"] == "crash"]
        self.assertEqual([(each["service"], each["requestedBy"], each["status"]) for each in crashes], [("shaky", "signal 11", "failed")] * CRASHES)
        self.assertRegex(crashes[0]["messages"][0], "^it ended the daemon while it served, generation 1, file [0-9a-f]{64}$")
        self.assertEqual(self.daemon.log.read_text().count("the daemon had ended inside a plugin"), CRASHES)

    def assert_quarantined(self):
        for path in ("/crash", "/answer"):
            answer = self.daemon.request("shaky", "GET", path)
            self.assertEqual((answer.status, answer.json()["code"]), (503, "service_quarantined"), answer.body)
        shaky = self.status_of("shaky")
        self.assertEqual(shaky["status"], "quarantined")
        self.assertIn("it ended the host 3 times within 10 minutes, last by signal 11", shaky["note"])
        self.assertIn("have it tried again by enabling or reloading it", shaky["note"])
        self.assertIn("quarantined", json.dumps(self.daemon.ctl("status")))
        self.assertEqual(self.daemon.request("steady", "GET", "/answer").status, 200)
        self.assertEqual(self.status_of("steady")["status"], "serving")

    def test_third_crash_holds_it_back_until_an_operator_lifts_it(self):
        for _ in range(CRASHES):
            self.crash()
        self.daemon.start()
        self.assert_quarantined()
        self.assert_crashes_are_told()
        # It holds over restarts and over what is not about this service.
        self.daemon.ctl("config", "reload")
        self.daemon.ctl("reload", "--all", check=False)
        self.assert_quarantined()
        self.daemon.restart()
        self.assert_quarantined()
        self.assertEqual(self.daemon.ctl("enable", "shaky")["operations"][0]["status"], "done")
        self.assertEqual(self.daemon.request("shaky", "GET", "/answer").status, 200)
        # Lifted is lifted: it counts from here.
        self.daemon.restart()
        self.assertEqual(self.daemon.request("shaky", "GET", "/answer").status, 200)
        self.daemon.stop()
        self.crash()
        self.daemon.start()
        self.assertEqual(self.status_of("shaky")["status"], "serving")

    def test_another_file_is_tried(self):
        for _ in range(CRASHES):
            self.crash()
        self.daemon.start()
        self.assert_quarantined()
        self.install("ok-v2")
        self.daemon.restart()
        self.assertEqual(self.daemon.request("shaky", "GET", "/answer").status, 200)
        self.assertEqual(self.status_of("shaky")["status"], "serving")

    def test_a_signal_from_outside_is_no_crash_of_a_plugin(self):
        for _ in range(CRASHES + 1):
            process = self.daemon.start().process
            self.assertEqual(self.daemon.request("shaky", "GET", "/answer").status, 200)
            process.send_signal(signal.SIGABRT)
            self.assertNotEqual(process.wait(60), 0)
        self.daemon.start()
        self.assertEqual(self.status_of("shaky")["status"], "serving")


class Health(Fixtures):
    situation = "unhealthy"

    def test_health_of_the_plugin_is_shown_with_its_service(self):
        self.daemon.start()
        answer = self.daemon.request("shaky", "GET", "/health")
        self.assertEqual((answer.status, answer.json()["status"]), (503, "degraded"))
        found = {each["name"]: each for each in answer.json()["dependencies"]}
        self.assertEqual({name: each["status"] for name, each in found.items() if name != "database"}, {"cache": "ok", "disk": "failing", "mail": "failing"})
        self.assertEqual(found["mail"]["detail"], "connection refused")
        self.assertTrue(all(isinstance(each["latencyMs"], int) for each in found.values()))
        self.assertEqual(self.daemon.request("shaky", "GET", "/readyz").json()["failing"], ["mail", "disk"])
        self.assertEqual(self.daemon.request("shaky", "GET", "/answer").status, 200)
        self.assertEqual(self.daemon.request("steady", "GET", "/readyz").status, 200)


if __name__ == "__main__":
    main()
