#!/usr/bin/python3
"""portico_mobile.h compiles as C11 and C++20 with both compilers, and is a module of clang. The shell in docs/mobile-shell.md compiles."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE = ROOT / "sdk/mobile/include"
sys.path.insert(0, str(ROOT / "tests/support"))
from blackbox import main  # noqa: E402

USE = '#include "portico_mobile.h"\nint use(pm_client* client);\nint use(pm_client* client) { return pm_refresh(client) == PM_OK ? 0 : 1; }\n'
MODULE = "#pragma clang module import PorticoMobile\nint use(pm_client* client) { return pm_refresh(client) == PM_OK ? 0 : 1; }\n"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{INCLUDE}"]


class Header(unittest.TestCase):
    def compile(self, compiler, language, text, *options):
        return subprocess.run([compiler, *STRICT, *options, "-x", language, "-"], input=text, capture_output=True, text=True)

    def test_languages(self):
        for compiler, language, standard in (("gcc", "c", "c11"), ("g++", "c++", "c++20"), ("clang", "c", "c11"), ("clang++", "c++", "c++20")):
            done = self.compile(compiler, language, USE, f"-std={standard}")
            self.assertEqual(0, done.returncode, (compiler, done.stderr))

    def test_module(self):
        with tempfile.TemporaryDirectory() as cache:
            done = self.compile("clang", "c", MODULE, "-std=c11", "-fmodules", f"-fmodules-cache-path={cache}")
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertTrue(list(pathlib.Path(cache).rglob("PorticoMobile-*.pcm")))

    def test_shell_of_the_page(self):
        shells = re.findall(r"^```c\n(.*?)^```", (ROOT / "docs/mobile-shell.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        self.assertEqual(1, len(shells))
        for compiler in ("gcc", "clang"):
            done = self.compile(compiler, "c", shells[0], "-std=c11")
            self.assertEqual(0, done.returncode, (compiler, done.stderr))


if __name__ == "__main__":
    main()
