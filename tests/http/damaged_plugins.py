#!/usr/bin/python3
"""A plugin's files are damaged on disk before a reload: it is refused, its predecessor serves on."""

import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import BUILD, Daemon  # noqa: E402
from faultcase import FREE, Case  # noqa: E402
from ledger import Ledger  # noqa: E402


class CorruptedPlugin(Case):
    """A plugin's files are damaged on disk before a reload."""

    def setUp(self):
        self.room = self.folder()
        self.plugins = self.room / "plugins"
        shutil.copytree(BUILD / "lib/portico/plugins", self.plugins)
        self.library = self.plugins / "crm/crm.so"
        self.manifest = self.plugins / "crm/manifest.json"

    def replace(self, file, content):
        """As a package manager does: another file under the same name."""
        (self.room / "new").write_bytes(content)
        (self.room / "new").replace(file)

    def assert_refused_reload(self, *parts):
        with Ledger(self.daemon, self.token, writers=2) as ledger:
            ledger.wait_for(more=10)
            done = self.daemon.ctl("reload", "crm", check=False)
            ledger.wait_for(more=10)
        self.assertEqual(done.returncode, 1, done.stdout)
        for part in parts:
            self.assertRegex(done.stdout + done.stderr, part)
        self.assertEqual(ledger.wrong, [])
        self.assertEqual(self.service()["status"], "serving")

    def damage(self, damages):
        generation = self.service()["generation"]
        for name, (file, content, part) in damages.items():
            with self.subTest(damage=name):
                good = file.read_bytes()
                self.replace(file, content(good))
                self.assert_refused_reload(part)
                self.assertEqual(self.service()["generation"], generation)
                self.replace(file, good)
        # In place, under the feet of the one that runs.
        with open(self.library, "r+b") as file:
            file.truncate(5000)
        self.assert_refused_reload("crm.so")
        self.replace(self.library, (BUILD / "lib/portico/plugins/crm/crm.so").read_bytes())
        self.daemon.ctl("reload", "crm")
        self.assertGreater(self.service()["generation"], generation)
        self.contact()

    DAMAGES = {
        "empty": lambda good: b"",
        "cut in the head": lambda good: good[:40],
        "cut in the middle": lambda good: good[:len(good) // 2],
        "cut at the end": lambda good: good[:-100],
        "no library": lambda good: b"#!/bin/sh\n" + good[10:],
        "another machine": lambda good: good[:18] + b"\xb7\x00" + good[20:],
    }

    def test_unsigned(self):
        self.begin(Daemon({**FREE, "plugins.directories": self.plugins, "plugins.allowUnsigned": "crm,identity", "plugins.override": "crm,identity"}))
        damages = {name: (self.library, content, "crm.so") for name, content in self.DAMAGES.items()}
        damages["manifest cut"] = (self.manifest, lambda good: good[:len(good) // 2], "manifest.json")
        self.damage(damages)

    def test_signed(self):
        ctl = str(BUILD / "bin/porticoctl")
        trusted = self.room / "trusted-keys.d"
        trusted.mkdir()
        subprocess.run([ctl, "plugin", "keygen", str(self.room / "test.key")], check=True, capture_output=True)
        for service in ("crm", "identity"):
            subprocess.run([ctl, "plugin", "sign", "--key", str(self.room / "test.key"), str(self.plugins / service)], check=True, capture_output=True)
        shutil.copy(self.room / "test.pub", trusted)
        self.begin(Daemon({**FREE, "plugins.directories": self.plugins, "plugins.trustedKeys": trusted, "plugins.override": "crm,identity"}))
        damages = {name: (self.library, content, "crm.so") for name, content in self.DAMAGES.items()}
        damages["one bit"] = (self.library, lambda good: good[:len(good) // 3] + bytes([good[len(good) // 3] ^ 1]) + good[len(good) // 3 + 1:], "crm.so")
        damages["manifest"] = (self.manifest, lambda good: good.replace(b"crm", b"cRm", 1), "manifest.json")
        damages["list"] = (self.plugins / "crm/SHA256SUMS", lambda good: good[:-70], "SHA256SUMS")
        self.damage(damages)


if __name__ == "__main__":
    main()
