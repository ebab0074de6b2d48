#!/usr/bin/python3
"""The administration's pages in a real Chromium before the real daemon: account, organization, keys, permissions and the operator's console; phone width, axe."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from chromium import PROGRAM  # noqa: E402
from daemon import BUILD, ROOT, Daemon  # noqa: E402
from npm import copied  # noqa: E402

# Not where other suites build their apps: they may run at once.
KIT = BUILD / "web-admin"
ROLES = ("owner", "super_admin", "admin", "member", "guest")


def install(room):
    """The administration with its pages, to take the place of the build's own; the settings for that."""
    plugins = BUILD / "lib/portico/plugins"
    shutil.copytree(plugins / "admin", room / "admin", ignore=shutil.ignore_patterns("SHA256SUMS*", "web"))
    shutil.copytree(KIT / "admin", room / "admin/web")
    # The host gives its operations to what came with it only, so the console is not looked at on a copy.
    return {"limits.rates": "off", "outbound.allowedNetworks": "127.0.0.0/8", "plugins.directories": f"{plugins},{room}", "plugins.override": "admin", "plugins.allowUnsigned": "admin"}


class AdminPagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = subprocess.run([ROOT / "sdk/web/build", "--out", KIT, "admin"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)

    def test_is_built_within_its_budgets(self):
        self.assertEqual(0, self.built.returncode, self.built.stdout)

    def test_its_types_are_those_of_identity(self):
        with tempfile.TemporaryDirectory() as room, Daemon() as daemon:
            description, types = pathlib.Path(room, "identity.json"), pathlib.Path(room, "identity.d.ts")
            asked = urllib.request.Request(f"http://127.0.0.1:{daemon.port}/openapi.json", headers={"Host": f"identity.localhost:{daemon.port}"})
            description.write_bytes(urllib.request.urlopen(asked, timeout=60).read())
            subprocess.run([ROOT / "sdk/web/build", "--out", KIT, "--types", "identity", description, types], check=True, stdout=subprocess.DEVNULL, timeout=600)
            self.assertEqual((ROOT / "plugins/admin/web/src/identity.d.ts").read_text(), types.read_text(), "sdk/web/build --types identity URL plugins/admin/web/src/identity.d.ts")

    def test_names_every_permission_in_german(self):
        for manifest in ROOT.glob("plugins/*/manifest.json"):
            said = json.loads(manifest.read_text())
            self.assertEqual(sorted(each["permission"] for each in said["permissions"]), sorted(said["texts"]["de"]["permissions"]), manifest)

    def test_in_a_browser(self):
        self.assertEqual(0, self.built.returncode, "the app was not built")
        self.browse({"limits.rates": "off", "log.access": "true"}, "console")
        with tempfile.TemporaryDirectory() as room:
            settings = install(pathlib.Path(room))
            self.browse(settings, "people")
            self.browse(settings, "typed")

    def browse(self, settings, part):
        with Daemon(settings) as daemon:
            people = {role: (f"{role}@acme.example", daemon.user(f"{role}@acme.example", "acme", role)["password"]) for role in ROLES}
            people["operator"] = ("operator@portico.example", daemon.user("operator@portico.example", operator=True)["password"])
            wanted = {
                "program": PROGRAM,
                "part": part,
                "origin": f"http://admin.localhost:{daemon.port}",
                "front": f"http://127.0.0.1:{daemon.port}",
                "screens": str(BUILD / "results/screens"),
                "people": people,
            }
            copied(KIT / "work", *(ROOT / "tests/browser" / file for file in ("browser.mjs", "admin.mjs", "admin_steps.mjs", f"admin_{part}.mjs")))
            done = subprocess.run(["node", "admin.mjs", json.dumps(wanted)], cwd=KIT / "work", capture_output=True, text=True, timeout=600)
            tail = daemon.log_tail() if done.returncode else ""
        self.assertEqual(0, done.returncode, done.stdout + done.stderr + tail)


if __name__ == "__main__":
    main()
