#!/usr/bin/python3
"""Whose plugins a real daemon loads: signed, named in the configuration, changed after signing, and in safe mode."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import BUILD, Daemon  # noqa: E402
from faults_test import Fixtures  # noqa: E402

PORTICOCTL = str(BUILD / "bin" / "porticoctl")


def porticoctl(*words, expect=0):
    done = subprocess.run([PORTICOCTL, *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == expect, f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


class Trust(Fixtures):
    """`shaky` is a third-party plugin. The configuration names only plugins that a test names."""

    situation = "ok-v1"

    def setUp(self):
        super().setUp()
        self.keys = self.folder.parent / f"{self.folder.name}-keys"
        self.keys.mkdir()
        self.addCleanup(shutil.rmtree, self.keys, ignore_errors=True)
        self.trusted = self.keys / "trusted-keys.d"
        self.trusted.mkdir()
        self.daemon.settings["plugins.trustedKeys"] = self.trusted
        self.daemon.settings["plugins.allowUnsigned"] = "steady"

    def sign(self):
        key = self.keys / "acme.key"
        if not key.exists():
            porticoctl("plugin", "keygen", key)
        porticoctl("plugin", "sign", "--key", key, self.folder / "shaky")

    def trust(self):
        shutil.copy(self.keys / "acme.pub", self.trusted / "acme.pub")

    def answer(self, service="shaky"):
        return self.daemon.request(service, "GET", "/answer")

    def assert_refused(self, part):
        status = self.status_of("shaky")
        self.assertEqual(status["status"], "failed")
        self.assertIn(part, status["note"])
        self.assertEqual((self.answer().status, self.answer().json()["code"]), (503, "service_disabled"))
        # Nothing of what is wrong is told to callers.
        self.assertNotIn("sign", self.answer().body.decode())
        self.assertEqual(self.answer("steady").status, 200)

    def test_unsigned_until_it_is_named(self):
        self.daemon.start()
        self.assert_refused("name it in plugins.allowUnsigned and restart the daemon")
        steady = self.status_of("steady")
        self.assertEqual((steady["generations"][0]["provenance"], steady["note"]), ("unsigned", "unsigned"))
        self.daemon.stop()
        file = self.keys / "portico.properties"
        file.write_text("plugins.allowUnsigned = steady\n")
        del self.daemon.settings["plugins.allowUnsigned"]
        command = self.daemon.command
        self.daemon.command = lambda: [*command(), "--config", str(file)]
        self.daemon.start()
        # Read at the start: a reload of the configuration does not open the door.
        file.write_text("plugins.allowUnsigned = shaky, steady\n")
        changes = self.daemon.ctl("config", "reload")["changes"]
        self.assertIn({"key": "plugins.allowUnsigned", "effect": "at the next start"}, changes)
        self.assertEqual(self.daemon.ctl("reload", "shaky", check=False).returncode, 1)
        self.daemon.restart()
        self.assertEqual(self.answer().status, 200)
        self.assertIn("it is not signed, and is loaded because plugins.allowUnsigned names it", self.daemon.log.read_text())

    def test_the_state_directory_cannot_say_whom_to_trust(self):
        (self.daemon.state / "conf.d").mkdir(exist_ok=True)
        drop_in = self.daemon.state / "conf.d" / "trust.properties"
        drop_in.write_text("plugins.allowUnsigned = shaky\n")
        done = subprocess.run(self.daemon.command(), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 78)
        self.assertIn(f"{drop_in}:1: plugins.allowUnsigned: expected a setting of services", done.stderr)
        self.assertIn("found one of the host. Set it in portico.properties", done.stderr)

    def test_signed_by_a_key_that_comes_and_goes(self):
        self.sign()
        self.daemon.start()
        self.assert_refused("put the public key of who signed it there")
        self.trust()
        self.daemon.ctl("reload", "shaky")
        self.assertEqual(self.answer().status, 200)
        self.assertEqual(self.status_of("shaky")["generations"][0]["provenance"], "signed by acme")
        (self.trusted / "acme.pub").unlink()
        refused = self.daemon.ctl("reload", "shaky", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("generation 2 serves on", refused.stdout)
        self.assertIn("What served before serves on.", refused.stdout + refused.stderr)
        self.assertEqual(self.answer().status, 200)
        self.daemon.restart()
        self.assert_refused("found one by none of them")

    def test_changed_after_signing(self):
        self.sign()
        self.trust()
        self.daemon.settings["plugins.allowUnsigned"] = "shaky,steady"
        self.daemon.start()
        self.assertEqual(self.answer().status, 200)
        with open(self.folder / "shaky/plugin.so", "ab") as library:
            library.write(b"\0")
        refused = self.daemon.ctl("reload", "shaky", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("shaky/plugin.so: expected the SHA-256 ", refused.stdout)
        self.assertEqual(self.answer().status, 200)
        self.daemon.restart()
        self.assert_refused("shaky/plugin.so: expected the SHA-256 ")
        self.sign()
        self.daemon.ctl("reload", "shaky")
        self.assertEqual(self.answer().status, 200)

    def test_unusable_key_is_a_warning(self):
        (self.trusted / "acme.pub").write_text("no key")
        self.daemon.settings["plugins.allowUnsigned"] = "steady,shakey,identity"
        self.daemon.start()
        texts = "\n".join(finding["text"] for finding in self.daemon.ctl("config", "check")["findings"])
        self.assertIn("acme.pub: expected an Ed25519 public key", texts)
        self.assertIn("plugins.allowUnsigned: expected ids of installed plugins, found 'shakey'", texts)
        self.assertIn("a key is not trusted", self.daemon.log.read_text())
        self.daemon.stop()
        self.daemon.settings["plugins.allowUnsigned"] = "Shaky Plugin"
        done = subprocess.run([*self.daemon.command(), "--check"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 78)
        self.assertIn("plugins.allowUnsigned: expected ids of plugins, separated by commas, found 'Shaky Plugin'", done.stderr)


class OpenDoors(Fixtures):
    """What decides which code runs, and who beside root and the daemon's user may change it."""

    situation = "ok-v1"

    def test_files_that_other_users_may_change_are_named(self):
        conf_d = self.daemon.state / "etc/conf.d"
        conf_d.mkdir(parents=True)
        file = conf_d.parent / "portico.properties"
        file.write_text("log.level = information\n")
        drop_in = conf_d / "more.properties"
        drop_in.write_text("log.level = information\n")
        command = self.daemon.command
        self.daemon.command = lambda: [*command(), "--config", str(file)]
        open_ones = [drop_in, self.folder / "shaky/plugin.so", self.folder]
        for each in open_ones:
            each.chmod(0o666 if each.is_file() else 0o777)
        self.daemon.start()
        texts = [finding["text"] for finding in self.daemon.ctl("config", "check")["findings"]]
        named = {text.split(":")[0] for text in texts if "owner alone may change, found one that everybody may" in text}
        # The folder hides what is in it.
        self.assertEqual(named, {str(drop_in), str(self.folder)})
        self.assertIn("others may change what runs in the daemon", self.daemon.log.read_text())
        self.folder.chmod(0o755)
        drop_in.chmod(0o660)
        texts = "\n".join(finding["text"] for finding in self.daemon.ctl("config", "check")["findings"])
        self.assertIn(f"{self.folder}/shaky/plugin.so: expected a file that its owner alone may change", texts)
        self.assertIn(f"{drop_in}: expected a file that its owner alone may change, found one that its group may", texts)
        drop_in.chmod(0o640)
        (self.folder / "shaky/plugin.so").chmod(0o644)
        texts = "\n".join(finding["text"] for finding in self.daemon.ctl("config", "check")["findings"])
        self.assertNotIn("owner alone", texts)


class SafeMode(unittest.TestCase):
    """A daemon with the built-in plugins and a third-party plugin that has the id of a built-in service."""

    def test_only_what_came_with_the_daemon_is_started(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="portico-safe-mode-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        for service in ("acme", "crm"):
            source = next(BUILD.rglob("ok-v1/ok-v1.so"))
            (folder / service).mkdir()
            text = (source.parent / "manifest.json").read_text().replace('"ok', f'"{service}')
            (folder / service / "manifest.json").write_text(text)
            shutil.copy(source, folder / service / "plugin.so")
        own = BUILD / "lib/portico/plugins"
        settings = {"plugins.directories": f"{folder},{own}", "plugins.allowUnsigned": "acme,crm"}
        daemon = Daemon(settings, more=["acme"])
        self.addCleanup(daemon.close)
        daemon.start()
        self.assertEqual(daemon.request("acme", "GET", "/answer").status, 200)
        # Standing in a directory that comes first is not enough.
        self.assertEqual(daemon.request("crm", "GET", "/answer").status, 404)
        self.assertEqual(daemon.request("crm", "GET", "/api").status, 200)
        refusal = f"{folder}/crm/manifest.json: expected 'crm', a service of the host, from {own}/crm only, found another plugin of that id"
        self.assertIn(refusal, "\n".join(finding["text"] for finding in daemon.ctl("config", "check")["findings"]))
        self.assertIn(refusal, daemon.log.read_text())
        daemon.stop()

        daemon.settings["plugins.override"] = "crm"
        daemon.start()
        self.assertEqual(daemon.request("crm", "GET", "/answer").status, 200)
        self.assertFalse(daemon.ctl("status")["safeMode"])
        daemon.stop()

        command = daemon.command
        daemon.command = lambda: [*command(), "--safe-mode"]
        daemon.start()
        answer = daemon.request("acme", "GET", "/answer")
        self.assertEqual((answer.status, answer.json()["code"]), (503, "service_disabled"))
        self.assertEqual(daemon.request("acme", "GET", "/health").json()["status"], "disabled")
        # The service that the daemon came with is there again.
        self.assertEqual(daemon.request("crm", "GET", "/answer").status, 404)
        self.assertEqual(daemon.request("crm", "GET", "/api").status, 200)
        self.assertTrue(daemon.ctl("status")["safeMode"])
        services = {each["service"]: each for each in daemon.ctl("services")["services"]}
        self.assertEqual(services["acme"]["status"], "disabled")
        self.assertIn("safe mode", services["acme"]["note"])
        self.assertEqual(services["crm"]["generations"][0]["provenance"], "built-in")
        for word in ("enable", "reload"):
            refused = daemon.ctl(word, "acme", check=False)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("safe mode", refused.stdout)
        shown = subprocess.run([PORTICOCTL, "--socket", daemon.state / "control.sock", "status"], capture_output=True, text=True, timeout=60).stdout
        self.assertIn("safe mode only the plugins are started that came with porticod", shown)
        self.assertIn("safe mode", daemon.log.read_text())


if __name__ == "__main__":
    main()
