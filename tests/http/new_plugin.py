#!/usr/bin/python3
"""What an outsider does: writes a plugin with porticoctl, builds and tests it with nothing but an installed SDK, packages it, runs it."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main  # noqa: E402
from daemon import BUILD, Daemon, PostgreSQL  # noqa: E402

NAME = "zoo-tasks"


def run(*words, cwd=None, check=True, environment=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=cwd, timeout=300, env={**os.environ, **(environment or {})})
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


class Workshop:
    """A prefix with what the packages install, and a plugin that was written, built and installed there; made once."""

    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="portico-new-plugin-"))
        self.prefix, self.folder = self.root / "prefix", self.root / "plugin"
        self.build = self.folder / "build"
        for component in ("daemon", "libportico", "sdk", "plugin-identity", "plugin-crm"):
            run("cmake", "--install", BUILD, "--prefix", self.prefix, "--component", component)
        self.porticoctl = self.prefix / "bin/porticoctl"
        self.written = run(self.porticoctl, "new-plugin", NAME, "--directory", self.folder)
        options = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        # Tests load the SDK's libraries, so they are built with the sanitizers of those.
        if sanitizers := re.search(r"^PORTICO_SANITIZE:STRING=(.+)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE):
            options.append(f"-DCMAKE_CXX_FLAGS=-fsanitize={sanitizers[1]}")
        # The same paths each time for the compiler's cache: the folders are temporary.
        cached = {"CCACHE_BASEDIR": str(self.root), "CCACHE_NOHASHDIR": "1"}
        self.configured = run("cmake", "-S", self.folder, "-B", self.build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}", *options)
        self.built = run("cmake", "--build", self.build, environment=cached)
        run("cmake", "--install", self.build, "--prefix", self.prefix)
        # Who made it signs it, and the operator trusts the key.
        [self.installed] = self.prefix.glob(f"lib*/**/portico/plugins/{NAME}")
        key, trusted = self.root / "zoo.key", self.prefix / "etc/portico/trusted-keys.d"
        run(self.porticoctl, "plugin", "keygen", key)
        run(self.porticoctl, "plugin", "sign", "--key", key, self.installed)
        trusted.mkdir(parents=True, exist_ok=True)
        shutil.copy(key.with_suffix(".pub"), trusted)

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)


def setUpModule():
    global workshop
    workshop = Workshop()
    unittest.addModuleCleanup(workshop.close)


class NewPlugin(unittest.TestCase):
    def test_nothing_of_the_template_is_left(self):
        self.assertIn(f"Wrote the plugin {NAME}", workshop.written.stdout)
        for path in workshop.folder.rglob("*"):
            if workshop.build in path.parents or path == workshop.build:
                continue
            self.assertNotIn("acme", str(path.relative_to(workshop.folder)).lower())
            if path.is_file():
                self.assertNotIn("acme", path.read_text().lower(), path)

    def test_it_builds_without_a_warning(self):
        self.assertNotIn("warning", (workshop.configured.stderr + workshop.built.stdout + workshop.built.stderr).lower())

    def test_its_tests_pass(self):
        done = run("ctest", "--test-dir", workshop.build, "--output-on-failure", "--verbose")
        self.assertRegex(done.stdout, r"(1[0-9]) passed, 0 failed")

    def test_its_tests_pass_on_postgresql(self):
        program = workshop.build / f"{NAME}-tests"
        support = pathlib.Path(__file__).resolve().parents[1] / "support/with_postgres.py"
        done = run("/usr/bin/python3", support, "ZOO_TASKS_TEST_DATABASE", program, cwd=workshop.folder)
        self.assertRegex(done.stdout, r"(1[0-9]) passed, 0 failed")

    def test_it_is_what_was_signed(self):
        answer = run(workshop.porticoctl, "verify", "--signed", workshop.installed)
        self.assertIn(f"ok  {workshop.installed}: {NAME} 0.1.0", answer.stdout)
        self.assertIn("by zoo", answer.stdout)

    def test_names_and_folders_that_cannot_be_are_refused(self):
        for name, part in (("Zoo", "does not begin with a lower-case letter"), ("crm", "as acme-crm"), (NAME, "is there already")):
            done = run(workshop.porticoctl, "new-plugin", name, "--directory", workshop.folder, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(part, done.stderr)

    def test_its_package_says_what_it_needs(self):
        run("cpack", "--config", workshop.build / "CPackConfig.cmake", cwd=workshop.root)
        [package] = (workshop.build / "packages").glob("*.deb")
        self.assertTrue(package.name.startswith(f"portico-plugin-{NAME}_0.1.0-1_"), package.name)
        depends = run("dpkg-deb", "-f", package, "Depends").stdout
        self.assertRegex(depends, r"\bportico-plugin-abi-1 \(>= \d+\)")
        self.assertRegex(depends, r"\blibportico1 \(>= ")
        self.assertRegex(depends, r"\blibc6 ")
        files = run("dpkg-deb", "-c", package).stdout
        for file in ("manifest.json", f"{NAME}.so", "migrations/0001_notes.sql", "web/index.html"):
            self.assertRegex(files, rf"\./usr/lib(/[a-z0-9_-]+)?/portico/plugins/{NAME}/{file}\n")
        for file in ("copyright", "changelog.Debian.gz"):
            self.assertIn(f"./usr/share/doc/portico-plugin-{NAME}/{file}\n", files)
        self.assertNotIn("tests", files)


class Running(unittest.TestCase):
    """The built plugin in a daemon, beside identity and the others."""

    def test_it_serves_signed_in_users_on_sqlite(self):
        with Daemon(build=workshop.prefix, more=[NAME]) as daemon:
            self.serve(daemon)

    def test_it_serves_signed_in_users_on_postgresql(self):
        with PostgreSQL() as server, server.daemon(build=workshop.prefix, more=[NAME]) as daemon:
            self.serve(daemon)

    def serve(self, daemon):
        accounts = Accounts(daemon)
        token = accounts.token(service=NAME)
        ask = lambda method, path, body=None, token=token: daemon.request(NAME, method, path, body, token=token)  # noqa: E731
        made = ask("POST", "/api/notes", {"title": "Feed the lions"})
        self.assertEqual(made.status, 201, made.body)
        note = made.json()["id"]
        self.assertEqual(ask("GET", "/api/notes").json()["items"][0]["title"], "Feed the lions")
        self.assertEqual(ask("GET", "/api/notes", token=None).json()["code"], "authentication_required")
        # Another organization, and a guest who may only read.
        self.assertEqual(ask("GET", f"/api/notes/{note}", token=accounts.token("globex", service=NAME)).status, 404)
        guest = accounts.token(role="guest", service=NAME)
        self.assertEqual(ask("GET", f"/api/notes/{note}", token=guest).status, 200)
        self.assertEqual(ask("DELETE", f"/api/notes/{note}", token=guest).json()["code"], "permission_denied")
        # A token for another service opens nothing here.
        self.assertEqual(ask("GET", "/api/notes", token=accounts.token(service="crm")).json()["code"], "invalid_token")
        self.assertEqual(ask("GET", "/api/widget").json()["metrics"][0]["value"], 1)

        page = ask("GET", "/", token=None)
        self.assertEqual((page.status, page.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("Zoo Tasks", page.body.decode())
        self.assertEqual(ask("GET", "/notes.js", token=None).headers["Content-Type"], "text/javascript; charset=utf-8")
        self.assertIn("/api/notes", ask("GET", "/openapi.json", token=None).json()["paths"])

        daemon.ctl("reload", NAME)
        self.assertEqual(ask("GET", f"/api/notes/{note}").status, 200)
        daemon.ctl("disable", NAME)
        refused = ask("GET", "/api/notes")
        self.assertEqual((refused.status, refused.json()["code"]), (503, "service_disabled"))
        self.assertEqual(daemon.request("crm", "GET", "/api").status, 200)
        daemon.ctl("enable", NAME)
        self.assertEqual(ask("GET", f"/api/notes/{note}").status, 200)


if __name__ == "__main__":
    main()
