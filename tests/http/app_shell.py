#!/usr/bin/python3
"""The shell around an app's pages, in a real Chromium with the real daemon and the policy of pages: sign-in, keys, themes, languages, and error states."""

import json
import os
import pathlib
import re
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
from npm import copied, present  # noqa: E402

KIT = BUILD / "web"
BROWSER = ROOT / "tests/browser"
WEB = {"root": "web", "home": "/dashboard", "routes": ["/dashboard", "/contacts/**"], "signIn": True}


def install(room):
    """CRM with the pages of the test's app, to take the place of the build's own; the settings for that."""
    plugins = BUILD / "lib/portico/plugins"
    shutil.copytree(plugins / "crm", room / "crm", ignore=shutil.ignore_patterns("SHA256SUMS*", "web"))
    manifest = room / "crm/manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "web": WEB}))
    shutil.copytree(KIT / "crm", room / "crm/web")
    return {"limits.rates": "off", "plugins.directories": f"{plugins},{room}", "plugins.override": "crm", "plugins.allowUnsigned": "crm"}


class AppShellTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        present()
        cls.built = subprocess.run([ROOT / "sdk/web/build", "--out", KIT, f"crm={BROWSER / 'app'}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, timeout=600)

    def test_is_built(self):
        self.assertEqual(0, self.built.returncode, self.built.stdout)

    def test_is_a_function_of_its_sources(self):
        with tempfile.TemporaryDirectory() as room:
            first = shutil.copytree(KIT / "crm", f"{room}/first")
            subprocess.run([ROOT / "sdk/web/build", "--out", KIT, "--fast", f"crm={BROWSER / 'app'}"], check=True, stdout=subprocess.DEVNULL, timeout=600)
            different = subprocess.run(["diff", "-rq", first, KIT / "crm"], capture_output=True, text=True)
        self.assertEqual(("", 0), (different.stdout, different.returncode))

    def test_files_that_import_each_other_are_refused(self):
        """Also where one of them is loaded later, or for its types only."""
        node = subprocess.run([ROOT / "sdk/web/node", KIT / "node"], capture_output=True, text=True, check=True, timeout=300).stdout.strip()
        lint = ["node", KIT / "work/sdk/web/tools/lint.mjs"]
        for back in ('export const later = () => import("./a.ts");', 'import type { A } from "./a.ts";\nexport type B = A;'):
            with tempfile.TemporaryDirectory() as room:
                pathlib.Path(room, "a.ts").write_text('import { b } from "./b.ts";\nexport type A = string;\nexport const a = b;\n')
                for text, status in ((f"export const b = 1;\n{back}\n", 1), ("export const b = 1;\n", 0)):
                    pathlib.Path(room, "b.ts").write_text(text)
                    done = subprocess.run([*lint, room], capture_output=True, text=True, timeout=60, env={**os.environ, "PATH": f"{node}:{os.environ['PATH']}"})
                    self.assertEqual((status, status), (done.returncode, done.stderr.count("an import circle")), done.stderr)

    def test_types_are_those_of_the_services(self):
        apps = sorted(ROOT.glob("plugins/*/web/src/api.d.ts"))
        self.assertIn("crm", [app.parts[-4] for app in apps])
        with tempfile.TemporaryDirectory() as room, Daemon() as daemon:
            for app in apps:
                service = app.parts[-4]
                description, types = pathlib.Path(room, f"{service}.json"), pathlib.Path(room, f"{service}.d.ts")
                asked = urllib.request.Request(f"http://127.0.0.1:{daemon.port}/openapi.json", headers={"Host": f"{service}.localhost:{daemon.port}"})
                description.write_bytes(urllib.request.urlopen(asked, timeout=60).read())
                subprocess.run([ROOT / "sdk/web/build", "--out", KIT, "--types", service, description, types], check=True, stdout=subprocess.DEVNULL, timeout=600)
                self.assertEqual(app.read_text(), types.read_text(), f"sdk/web/build --types {service} URL")

    def test_the_examples_of_its_page_are_of_what_is_built(self):
        blocks = re.findall(r"<!-- (\S+) -->\n```\w+\n(.*?)```", (ROOT / "docs/web.md").read_text(), re.DOTALL)
        self.assertGreater(len(blocks), 3)
        for file, block in blocks:
            self.assertIn(block, (ROOT / file).read_text(), file)

    def test_in_a_browser(self):
        self.assertEqual(0, self.built.returncode, "the app was not built")
        with tempfile.TemporaryDirectory() as room:
            with Daemon(install(pathlib.Path(room))) as daemon:
                people = {role: (f"{role}@acme.example", daemon.user(f"{role}@acme.example", "acme", role)["password"]) for role in ("owner", "admin", "member")}
                wanted = {
                    "program": PROGRAM,
                    "origin": f"http://crm.localhost:{daemon.port}",
                    "service": f"http://127.0.0.1:{daemon.ports['crm']}",
                    "identity": f"http://127.0.0.1:{daemon.ports['identity']}",
                    "ctl": [str(daemon.build / "bin/porticoctl"), "--socket", str(daemon.state / "control.sock")],
                    "pages": f"{room}/crm/web",
                    "screens": str(BUILD / "results/screens"),
                    "people": people,
                }
                copied(KIT / "work", BROWSER / "browser.mjs", BROWSER / "shell.mjs")
                done = subprocess.run(["node", "shell.mjs", json.dumps(wanted)], cwd=KIT / "work", capture_output=True, text=True, timeout=600)
                tail = daemon.log_tail() if done.returncode else ""
        self.assertEqual(0, done.returncode, done.stdout + done.stderr + tail)


if __name__ == "__main__":
    main()
