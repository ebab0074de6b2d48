#!/usr/bin/python3
"""Runs every command of the pages for developers with a checkout (README.md, CONTRIBUTING.md and others) in order in a copy of the tree, like
docs_commands.py. Only the builds are skipped: the tests' build is placed where quickstart and cmake would build."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import machine  # noqa: E402
from blackbox import main  # noqa: E402
from daemon import BUILD, ROOT  # noqa: E402
from followed import Following, Page  # noqa: E402
from machine import Machine, run  # noqa: E402

# What quickstart says at its end.
STARTED = "All accounts and keys"
TESTS = {"tests/run": (".ci/run", "/tests/run")}
# They run in a fresh Debian, from the page.
PACKAGES = ("tests/packages/run", "pages.py docs/install.md")


class Checkout(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(start=False)
        self.addCleanup(self.machine.close)
        for preset in ("release", "dev"):
            place = self.machine.path(ROOT / "build" / preset)
            if place.resolve() != self.machine.path(BUILD).resolve():
                place.mkdir(parents=True, exist_ok=True)
                run("mount", "--bind", self.machine.path(BUILD), place)
        self.machine.run(f"rm -rf {ROOT}/.portico {ROOT}/build/site {ROOT}/acme-notes; echo 'portico_build() {{ :; }}' >> {ROOT}/packaging/lib/build.sh")

    def follow(self, page):
        problems = Following(page).follow(self.machine, cwd=ROOT)
        if problems:
            self.fail("\n" + "\n".join(problems))

    def test_readme(self):
        self.follow(Page("README.md", foreground={"packaging/quickstart": STARTED}, elsewhere=TESTS))

    def test_commands_of_quickstart(self):
        """Its last lines are commands, too: with demo data, and without."""
        said = self.machine.run("packaging/quickstart --detach", cwd=ROOT).stdout
        commands = said.partition("\nTry:\n")[2].partition("\nAll accounts")[0]
        self.assertEqual(6, commands.count("\n  ") - commands.count("\\\n") + 1, said)
        answers = self.machine.run(f"set -eo pipefail\n{commands}", cwd=ROOT).stdout
        for part in ("serving", '"displayName":"', '"lastName":"Shelley"', '"title":"Intro call"'):
            self.assertIn(part, answers)
        self.assertNotIn('"status":4', answers)
        self.machine.run("packaging/quickstart --stop && rm -rf .portico", cwd=ROOT)
        said = self.machine.run("packaging/quickstart --detach --no-demo", cwd=ROOT).stdout
        self.assertIn("password", self.machine.run(said.partition("shows once:\n")[2], cwd=ROOT).stdout)

    def test_contributing(self):
        self.follow(Page("CONTRIBUTING.md", foreground={"packaging/quickstart": STARTED}, elsewhere={
            **TESTS,
            "cmake --preset dev && ninja -C build/dev && ctest --preset dev": ("tests/run", "ctest --test-dir"),
            # Tests themselves, which take hours, compilers or networks of their own, and what is made by hand.
            "tests/benchmarks/run": ("tests/benchmarks/run", "#!"),
            "tests/fuzz/run 60": ("tests/fuzz/run", "#!"),
            "tests/packages/run": ("tests/packages/run", "#!"),
            "tests/faults/run": ("tests/faults/run", "#!"),
            "docs/pictures/make": ("docs/pictures/make", "#!"),
            "packaging/format --check": ("tests/sdk/check_format.py", "packaging/format"),
            "cmake/start-order/measure": ("cmake/start-order/measure", "#!"),
        }))

    def test_installing(self):
        self.follow(Page("docs/install.md", before={"systemctl status portico": "systemctl start portico"}, elsewhere={
            "packaging/build-packages": ("tests/packages/run", "packaging/build-packages"),
            "apt install ./portico_*.deb ./libportico1_*.deb ./portico-plugin-*_*.deb": PACKAGES,
            "apt remove portico": PACKAGES,
            "apt purge portico": PACKAGES,
        }))

    def test_compatibility(self):
        self.follow(Page("docs/compatibility.md"))

    def test_security(self):
        self.follow(Page("SECURITY.md"))


if __name__ == "__main__":
    machine.apart()
    main()
