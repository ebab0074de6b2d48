#!/usr/bin/python3
"""Follows docs/plugin-guide.md and the page that a new plugin has: all of its commands in their order in one shell, on a machine that has what the packages bring."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import machine  # noqa: E402
import pages  # noqa: E402
from blackbox import main  # noqa: E402
from followed import Following, Page  # noqa: E402
from machine import Machine  # noqa: E402

START = "porticod --config build/porticod.properties >build/porticod.log 2>&1 &"
# The shell goes on when the daemon has said that it is ready, as the guide's reader does.
READY = """
until [ "$(porticoctl --json status 2>/dev/null | jq -r .state)" = serving ]; do
    kill -0 $! || { cat build/porticod.log; return 1; }
    sleep 0.1 # between two looks
done
"""


DEVELOPMENT = ("tests/packages/run", "libcppunit-dev")


class Guide(unittest.TestCase):
    def test_the_page_that_a_new_plugin_has(self):
        with Machine(start=False) as here:
            here.compiler()
            here.run("porticoctl new-plugin acme-notes")
            problems = Following(Page("sdk/template/README.md", foreground={"porticod --config build/porticod.properties": " ready "},
                                      elsewhere={"apt install portico-sdk-dev libcppunit-dev": DEVELOPMENT})).follow(here, cwd="/root/acme-notes")
            if problems:
                self.fail("\n" + "\n".join(problems))

    def test_every_command_works(self):
        with Machine(start=False) as here:
            here.compiler()
            guide = Following(Page("docs/plugin-guide.md", typed={START: START + READY}, names=("tests/http/plugin_guide.py",), elsewhere={
                "apt install portico portico-sdk-dev libcppunit-dev": DEVELOPMENT,
                "porticoctl new-plugin acme-notes --with-web": ("tests/http/new_plugin.py", '"--with-web"'),
                "cmake --build build --target acme-notes-types": ("tests/http/new_plugin.py", "zoo-pages-types"),
                "porticoctl openapi acme-notes --config build/porticod.properties": ("sdk/cmake/PorticoWebApp.cmake", "openapi ${service} --config"),
                "apt install npm": ("packaging/lib/packages.sh", "'npm brings"),
                "cmake --build build/release --target sdk": ("tests/plugins/CMakeLists.txt", "${fixture_targets} sdk"),
                "cmake --install build/release --prefix DIR": ("tests/support/workshop.py", '"cmake", "--install"'),
            }))
            problems = guide.follow(here)
            if problems:
                self.fail("\n" + "\n".join(problems))
            said = guide.said(here)
        for part in ('"title":"Feed the lions"', "reload acme-notes: done", "tests passed, 0 tests failed", '"assignedAt":"', "Signed acme-notes", "portico-plugin-abi-1 (>="):
            self.assertIn(part, said)

    def test_it_has_commands_to_run(self):
        blocks = [block for block in pages.blocks((pages.ROOT / "docs/plugin-guide.md").read_text(encoding="utf-8")) if block.language == "sh"]
        self.assertGreater(len(blocks), 6)


if __name__ == "__main__":
    machine.apart()
    main()
