#!/usr/bin/python3
"""What an outsider does: writes a plugin with porticoctl, builds and tests it with nothing but an installed SDK, packages it, runs it."""

import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main  # noqa: E402
from daemon import Daemon, PostgreSQL  # noqa: E402
from workshop import Workshop, run  # noqa: E402

NAME = "zoo-tasks"


class Plugin:
    """A plugin that was written, built and installed; made once."""

    def __init__(self):
        workshop = Workshop()
        unittest.addModuleCleanup(workshop.close)
        self.root, self.prefix, self.porticoctl, self.environment = workshop.root, workshop.prefix, workshop.porticoctl, workshop.environment
        self.folder = self.root / "plugin"
        self.build = self.folder / "build"
        self.written = run(self.porticoctl, "new-plugin", NAME, "--directory", self.folder)
        self.configured = run("cmake", "-S", self.folder, "-B", self.build, environment=workshop.environment)
        self.built = run("cmake", "--build", self.build, environment=workshop.environment)
        # Who made it signs it, and the operator trusts the key.
        key, trusted = self.root / "zoo.key", self.prefix / "etc/portico/trusted-keys.d"
        run(self.porticoctl, "plugin", "keygen", key)
        run(self.porticoctl, "plugin", "sign", "--key", key, self.build / f"lib/portico/plugins/{NAME}")
        trusted.mkdir(parents=True, exist_ok=True)
        shutil.copy(key.with_suffix(".pub"), trusted)
        run("cmake", "--install", self.build, "--prefix", self.prefix)
        [self.installed] = self.prefix.glob(f"lib*/**/portico/plugins/{NAME}")
        run("cpack", "--config", self.build / "CPackConfig.cmake", cwd=self.root)
        [self.package] = (self.build / "packages").glob("*.deb")


def github_lines(text):
    """What its steps run, each in its environment."""
    for step in re.split(r"^      - ", text, flags=re.MULTILINE)[1:]:
        for name, value in re.findall(r"^          ([A-Z_]+): (\S+)$", step, re.MULTILINE):
            yield f"export {name}='{value}'"
        for line, block in re.findall(r"^ *run: (?:(?!\|)(.+)|\|\n((?: {10}.*\n)+))", step, re.MULTILINE):
            yield line or block


def gitlab_lines(text):
    script = re.search(r"^  script:\n((?:    [-#] .*\n)+)", text, re.MULTILINE)[1]
    return [line.removeprefix("    - ") for line in script.splitlines() if line.startswith("    - ")]


def lines_of(files):
    return sum(len(file.read_text().splitlines()) for file in files)


def types_of(folder):
    """What the target writes from the built plugin; no daemon runs, and none is left."""
    types = folder / "web/src/api.d.ts"
    before = types.read_text()
    types.write_text("// none\n")
    run("cmake", "--build", folder / "build", "--target", "zoo-pages-types")
    try:
        return types.read_text()
    finally:
        types.write_text(before)


def setUpModule():
    global plugin
    plugin = Plugin()


class NewPlugin(unittest.TestCase):
    def test_nothing_of_the_template_is_left(self):
        self.assertIn(f"Wrote the plugin {NAME}", plugin.written.stdout)
        for path in plugin.folder.rglob("*"):
            if plugin.build in path.parents or path == plugin.build:
                continue
            self.assertNotIn("acme", str(path.relative_to(plugin.folder)).lower())
            if path.is_file():
                self.assertNotIn("acme", path.read_text().lower(), path)

    def test_it_builds_without_a_warning(self):
        self.assertNotIn("warning", (plugin.configured.stderr + plugin.built.stdout + plugin.built.stderr).lower())

    def test_its_tests_pass(self):
        done = run("ctest", "--test-dir", plugin.build, "--output-on-failure", "--verbose")
        self.assertRegex(done.stdout, r"(1[0-9]) passed, 0 failed")
        self.assertRegex(done.stdout, rf"ok  \S+/{NAME}: {NAME} 0.1.0")

    def test_a_mistake_in_the_manifest_is_found_by_the_tests(self):
        manifest = plugin.build / f"lib/portico/plugins/{NAME}/manifest.json"
        kept = manifest.read_text()
        self.addCleanup(manifest.write_text, kept)
        manifest.write_text(kept.replace('"launchable"', '"launchabel"'))
        done = run("ctest", "--test-dir", plugin.build, "--output-on-failure", "-R", "verify", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("launchabel", done.stdout)

    def test_plugin_with_another_key_passes_its_tests(self):
        """The author's key is trusted where the plugin runs, not where it is built."""
        built = plugin.build / f"lib/portico/plugins/{NAME}"
        self.addCleanup(run, plugin.porticoctl, "plugin", "sign", "--key", plugin.root / "zoo.key", built)
        run(plugin.porticoctl, "plugin", "keygen", plugin.root / "stranger.key")
        run(plugin.porticoctl, "plugin", "sign", "--key", plugin.root / "stranger.key", built)
        run("ctest", "--test-dir", plugin.build, "--output-on-failure", "-R", "verify")
        # What was changed after it is still found.
        (built / "web/notes.css").write_text("changed")
        self.addCleanup(shutil.copy, plugin.folder / "web/notes.css", built / "web/notes.css")
        done = run("ctest", "--test-dir", plugin.build, "--output-on-failure", "-R", "verify", check=False)
        self.assertIn("notes.css", done.stdout)
        self.assertNotEqual(done.returncode, 0)

    def test_another_record_without_a_widget(self):
        folder = plugin.root / "rooms"
        fields = ("seats:integer", "floorPlan:text", "heated:boolean", "opened:date", "cleaned:date-time", "height:number")
        run(plugin.porticoctl, "new-plugin", "acme-rooms", "--record", "room", "--no-widget", "--directory", folder,
            *(word for field in fields for word in ("--field", field)))
        for path in folder.rglob("*"):
            self.assertNotRegex(str(path.relative_to(folder)).lower(), "note|widget")
            if path.is_file():
                self.assertNotRegex(path.read_text().lower(), "note|notiz|widget", path)
        run("cmake", "-S", folder, "-B", folder / "build", environment=plugin.environment)
        built = run("cmake", "--build", folder / "build", environment=plugin.environment)
        self.assertNotIn("warning", (built.stdout + built.stderr).lower())
        done = run("ctest", "--test-dir", folder / "build", "--output-on-failure", "--verbose")
        self.assertRegex(done.stdout, r"(?:[89]|10) passed, 0 failed")

    def test_with_pages_on_the_kit(self):
        """With another record; rules, types and what is shown in a browser are tests of the plugin itself."""
        folder = plugin.root / "pages"
        run(plugin.porticoctl, "new-plugin", "zoo-pages", "--with-web", "--record", "room", "--directory", folder)
        own = [path for path in folder.glob("web/**/*") if path.is_file()]
        for path in own:
            self.assertNotRegex(path.read_text().lower(), "note|acme", path)
        self.assertEqual([*folder.rglob("Page*")], [])
        written = [path for path in own if path.name != "api.d.ts" and "tests" not in path.parts]
        self.assertLessEqual(lines_of(path for path in written if path.suffix in (".ts", ".tsx", ".css")), 60)
        self.assertLessEqual(lines_of(written), 150)
        self.assertLessEqual(lines_of(folder.glob("web/tests/*.mjs")), 30)
        run("cmake", "-S", folder, "-B", folder / "build", environment=plugin.environment)
        built = run("cmake", "--build", folder / "build", environment=plugin.environment)
        self.assertNotIn("warning", (built.stdout + built.stderr).lower())
        # KiB of script, gzip, before its page is seen.
        self.assertLessEqual(float(re.search(r"first page: ([\d.]+) KiB", built.stdout)[1]), 170)
        done = run("ctest", "--test-dir", folder / "build", "--output-on-failure", "--verbose")
        self.assertRegex(done.stdout, r"\b1 passed, 0 failed\n(?s:.*)100% tests passed.* out of 4")
        # Under another name parts stand in another order.
        [types, own] = [sorted(text.splitlines()) for text in (types_of(folder), (folder / "web/src/api.d.ts").read_text())]
        self.assertEqual(types, own, "the template's types are those of its API")
        readme = (folder / "README.md").read_text()
        self.assertIn("`zoo-pages-types`", readme)
        self.assertNotIn("PageRoutes", readme)
        page = folder / "web/src/rooms.tsx"
        page.write_text(page.read_text().replace('"updatedAt"]', '"changedAt"]'))
        refused = run("ctest", "--test-dir", folder / "build", "--output-on-failure", "-R", "zoo-pages-web", check=False)
        self.assertIn("""'"changedAt"' is not assignable""", refused.stdout)
        self.assertIn("--target zoo-pages-types", refused.stdout)

    def test_a_changed_page_is_built_by_the_next_build(self):
        """By the generators of CMake that people use; names of the files that the build makes contain hashes and change with the page."""
        folder = plugin.root / "changing"
        run(plugin.porticoctl, "new-plugin", "zoo-changing", "--with-web", "--directory", folder)
        page = folder / "web/src/notes.tsx"
        for generator in ("Unix Makefiles", "Ninja"):
            build = folder / f"build-{generator.split()[-1]}"
            run("cmake", "-S", folder, "-B", build, "-G", generator, "-DZOO_CHANGING_TESTS=OFF", environment=plugin.environment)
            laid_out = build / "lib/portico/plugins/zoo-changing/web"
            shown = lambda: "".join(file.read_text() for file in sorted(laid_out.rglob("*.js")))  # noqa: E731
            run("cmake", "--build", build, environment=plugin.environment)
            for number in (1, 2):
                page.write_text(page.read_text() + f"console.debug('changed {number} with {generator}');\n")
                run("cmake", "--build", build, environment=plugin.environment)
                self.assertIn(f"changed {number} with {generator}", shown())

    def test_a_package_is_signed_or_refused(self):
        folder = plugin.root / "packed"
        # A copy of the plugin: the compiler cache has its objects.
        shutil.copytree(plugin.folder, folder, ignore=shutil.ignore_patterns("build"))
        run("cmake", "-S", folder, "-B", folder / "build", "-DZOO_TASKS_TESTS=OFF", environment=plugin.environment)
        run("cmake", "--build", folder / "build", environment=plugin.environment)

        def pack(**environment):
            for package in (folder / "build/packages").glob("*.deb"):
                package.unlink()
            # A change after the last build, as before a release.
            with open(folder / "web/notes.css", "a", encoding="utf-8") as file:
                file.write("\n")
            done = run("cpack", "--config", "build/CPackConfig.cmake", cwd=folder, check=False, environment={**plugin.environment, "PWD": str(folder), **environment})
            return done, [*(folder / "build/packages").glob("*.deb")]

        refused, packages = pack()
        self.assertNotEqual(refused.returncode, 0)
        self.assertEqual(packages, [])
        self.assertIn("PORTICO_SIGNING_KEY", refused.stderr)
        shutil.copy(plugin.root / "zoo.key", folder / "zoo.key")
        done, [package] = pack(PORTICO_SIGNING_KEY="zoo.key")
        self.assertEqual(done.returncode, 0, done.stderr)
        run("dpkg-deb", "-x", package, folder / "unpacked")
        [packaged] = (folder / "unpacked").glob(f"usr/lib*/**/portico/plugins/{NAME}")
        self.assertIn("by zoo", run(plugin.porticoctl, "verify", "--signed", packaged).stdout)
        wrong, packages = pack(PORTICO_SIGNING_KEY="none.key")
        self.assertEqual((wrong.returncode != 0, packages), (True, []))
        allowed, packages = pack(PORTICO_UNSIGNED="1")
        self.assertEqual((allowed.returncode, len(packages)), (0, 1), allowed.stderr)
        self.assertIn("not signed", allowed.stdout + allowed.stderr)

    def test_links_of_installed_pages_lead_somewhere(self):
        pages = [*plugin.prefix.glob("share/doc/portico*/**/*.md")]
        self.assertIn("plugin-guide.md", {page.name for page in pages})
        for page in pages:
            text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
            for target in re.findall(r"\]\(([^)#\s]+)", text):
                if "://" not in target and not target.startswith("/"):
                    self.assertTrue((page.parent / target).exists(), f"{page}: {target}")

    def test_files_for_runners_do_what_they_say(self):
        """Follows the commands up to the shell; packages that they would install are only recorded."""
        github, gitlab = ((plugin.folder / name).read_text() for name in (".github/workflows/ci.yml", ".gitlab-ci.yml"))
        for text, lines in ((github, github_lines(github)), (gitlab, gitlab_lines(gitlab))):
            self.assertNotRegex(text, r"https?://")
            here = pathlib.Path(tempfile.mkdtemp(dir=plugin.root))
            shutil.copytree(plugin.folder, here / "plugin", ignore=shutil.ignore_patterns("build"))
            (here / "bin").mkdir()
            (here / "bin/apt-get").write_text(f'#!/bin/sh\necho "$@" >>{here}/asked\n')
            (here / "bin/apt-get").chmod(0o755)
            with PostgreSQL() as server:
                url = server.url.replace("postgres@", f"postgres:{server.password}@", 1)
                script = "\n".join(lines).replace("postgresql://postgres:portico@postgres/postgres", url)
                done = run("sh", "-ec", script, cwd=here / "plugin",
                           environment={**plugin.environment, "PATH": f"{here}/bin:{plugin.prefix}/bin:{os.environ['PATH']}", "PORTICO_APT_SOURCE": ""})
            self.assertEqual(done.stdout.count("100% tests passed"), 2, done.stdout)
            self.assertEqual(len([*(here / "plugin/build/packages").glob("*.deb")]), 1)
            self.assertIn(" portico-sdk-dev", (here / "asked").read_text())

    def test_its_tests_pass_on_postgresql(self):
        program = plugin.build / f"{NAME}-tests"
        support = pathlib.Path(__file__).resolve().parents[1] / "support/with_postgres.py"
        done = run("/usr/bin/python3", support, "PORTICO_TEST_DATABASE", program, cwd=plugin.folder)
        self.assertRegex(done.stdout, r"(1[0-9]) passed, 0 failed")

    def test_installed_and_packaged_it_is_what_was_signed(self):
        unpacked = plugin.root / "unpacked"
        run("dpkg-deb", "-x", plugin.package, unpacked)
        [packaged] = unpacked.glob(f"usr/lib*/**/portico/plugins/{NAME}")
        for folder in (plugin.installed, packaged):
            answer = run(plugin.porticoctl, "verify", "--signed", folder)
            self.assertIn(f"ok  {folder}: {NAME} 0.1.0", answer.stdout)
            self.assertIn("by zoo", answer.stdout)

    def test_a_new_build_is_unsigned(self):
        """With a name that is a function of the C library, and without unity batches: one name in the anonymous namespaces of two files."""
        folder = plugin.root / "time"
        run(plugin.porticoctl, "new-plugin", "time", "--directory", folder)
        for source in ("NoteRoutes.cpp", "WidgetRoutes.cpp"):
            with open(folder / "src" / source, "a", encoding="utf-8") as file:
                file.write("namespace { [[maybe_unused]] constexpr int same = 1; }\n")
        run("cmake", "-S", folder, "-B", folder / "build", "-DTIME_TESTS=OFF", "-DCMAKE_UNITY_BUILD=OFF", environment=plugin.environment)
        run("cmake", "--build", folder / "build", environment=plugin.environment)
        built = folder / "build/lib/portico/plugins/time"
        for change in (folder / "web/notes.css", folder / "src/PageRoutes.cpp"):
            run(plugin.porticoctl, "plugin", "sign", "--key", plugin.root / "zoo.key", built)
            with open(change, "a", encoding="utf-8") as file:
                file.write("\n")
            run("cmake", "--build", folder / "build", environment=plugin.environment)
            self.assertEqual([each.name for each in built.glob("SHA256SUMS*")], [], change)

    def test_names_and_folders_that_cannot_be_are_refused(self):
        for name, part in (("Zoo", "does not begin with a lower-case letter"), ("crm", "as acme-crm"), (NAME, "is there already")):
            done = run(plugin.porticoctl, "new-plugin", name, "--directory", plugin.folder, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(part, done.stderr)

    def test_its_package_says_what_it_needs(self):
        package = plugin.package
        self.assertTrue(package.name.startswith(f"portico-plugin-{NAME}_0.1.0-1_"), package.name)
        depends = run("dpkg-deb", "-f", package, "Depends").stdout
        self.assertRegex(depends, r"\bportico-plugin-abi-1 \(>= \d+\)")
        self.assertRegex(depends, r"\blibportico1 \(>= ")
        self.assertRegex(depends, r"\blibc6 ")
        files = run("dpkg-deb", "-c", package).stdout
        for file in ("manifest.json", f"{NAME}.so", "migrations/0001_notes.sql", "web/templates/pages/notes.html"):
            self.assertRegex(files, rf"\./usr/lib(/[a-z0-9_-]+)?/portico/plugins/{NAME}/{file}\n")
        for file in ("copyright", "changelog.Debian.gz"):
            self.assertIn(f"./usr/share/doc/portico-plugin-{NAME}/{file}\n", files)
        self.assertNotIn("tests", files)


class Running(unittest.TestCase):
    """The built plugin in a daemon, beside identity and the others."""

    def test_it_serves_signed_in_users_on_sqlite(self):
        with Daemon(build=plugin.prefix, more=[NAME]) as daemon:
            self.serve(daemon)

    def test_it_serves_signed_in_users_on_postgresql(self):
        with PostgreSQL() as server, server.daemon(build=plugin.prefix, more=[NAME]) as daemon:
            self.serve(daemon)

    def test_resets_on_sqlite(self):
        with Daemon(build=plugin.prefix, more=[NAME], settings={"plugins.resettable": NAME}) as daemon:
            self.begin_anew(daemon)

    def test_resets_on_postgresql(self):
        with PostgreSQL() as server, server.daemon(build=plugin.prefix, more=[NAME], settings={"plugins.resettable": NAME}) as daemon:
            self.begin_anew(daemon)

    def test_data_of_a_daemon_that_serves_people_stay(self):
        with Daemon(build=plugin.prefix, more=[NAME]) as daemon:
            for service in (NAME, "identity"):
                refused = daemon.ctl("dev", "reset", service, check=False)
                self.assertEqual((refused.returncode, json.loads(refused.stdout)["error"]["code"]), (1, "not_in_development"))

    def begin_anew(self, daemon):
        accounts = Accounts(daemon)
        token = accounts.token(service=NAME)
        ask = lambda method, path, body=None: daemon.request(NAME, method, path, body, token=token)  # noqa: E731
        self.assertEqual(ask("POST", "/api/notes", {"title": "Feed the lions"}).status, 201)
        daemon.ctl("dev", "reset", NAME)
        self.assertEqual(ask("GET", "/api/notes").json()["items"], [])
        self.assertEqual(ask("POST", "/api/notes", {"title": "Feed the tigers"}).status, 201)
        daemon.ctl("reload", NAME)
        self.assertEqual(len(ask("GET", "/api/notes").json()["items"]), 1)
        # Nobody else's.
        refused = daemon.ctl("dev", "reset", NAME, "identity", check=False)
        self.assertEqual(json.loads(refused.stdout)["error"]["code"], "not_in_development")
        self.assertEqual(len(ask("GET", "/api/notes").json()["items"]), 1)

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
        script = re.search(r'<script type="module" src="([^"]+)"', page.body.decode())[1]
        self.assertEqual(ask("GET", script, token=None).headers["Content-Type"], "text/javascript; charset=utf-8")
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
