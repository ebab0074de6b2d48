#!/usr/bin/python3
"""Whether the pages have words, in every language, for each problem that the documents of the services name for what the pages call, and whether each list
of these documents has pages."""

import json
import pathlib
import re
import sys
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from daemon import ROOT, Daemon  # noqa: E402

UI, SHELL = ROOT / "sdk/web/ui/src", ROOT / "sdk/web/app-shell/src"
# Where the pages of an app call a service: its own, and identity's by the gateway.
APPS = {"crm": ("crm",), "calendar": ("calendar",), "social": ("social",), "launchpad": ("launchpad", "identity"), "admin": ("admin", "identity")}
# What people sign in by; its words stand with the sign-in, which asks for a second factor itself.
SIGN_IN = ("/api/auth/login", "/api/auth/mfa/verify", "/api/auth/passkeys/authenticate/options", "/api/auth/passkeys/authenticate/verify")
ASKED = {"mfa_required"}
# Of programs only: what keys are bound to, what takes no key, proofs of native apps, parts of files, and version numbers that pages send with each change.
OF_PROGRAMS = {"resource_not_bound", "bearer_required", "invalid_dpop_proof", "range_not_satisfiable", "precondition_required"}

# Lists without pages: their specification has none, or they are lists of identity's catalog.
WITHOUT_PAGES = {"launchpad /api/launcher/apps", "launchpad /api/store/search", "identity /api/services/app-switcher", "identity /api/api-key-scopes",
                 "identity /api/permissions", *(f"identity /api/services/{{service_id}}/{each}" for each in ("bindable-resources", "permissions", "role-bundles"))}


def keys(*files):
    return {key for file in files for key in re.findall(r'^\s*"([\w.]+)":', file.read_text(), re.MULTILINE)}


def called(app):
    """The paths that stand in the sources of an app; those with an id in them as in the document."""
    sources = [file.read_text() for file in (ROOT / f"plugins/{app}/web/src").rglob("*.ts*") if not file.name.endswith(".d.ts")]
    return {path for text in sources for path in re.findall(r'"(/api/[^"`]*)"', text)}


class ProblemTextsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        with Daemon() as daemon:
            cls.documents = {service: cls.document(daemon, service) for service in ("identity", "crm", "calendar", "social", "launchpad", "admin")}

    @staticmethod
    def document(daemon, service):
        asked = urllib.request.Request(f"http://127.0.0.1:{daemon.port}/openapi.json", headers={"Host": f"{service}.localhost:{daemon.port}"})
        return json.loads(urllib.request.urlopen(asked, timeout=60).read())

    def codes(self, service, paths):
        """Code, and one of the operations that name it."""
        found = {}
        for path, operations in self.documents[service]["paths"].items():
            # Identity's own `/api/x` is `/api/auth/x` where others call it.
            if path not in paths and path.replace("/api/", "/api/auth/", 1) not in paths:
                continue
            for method, operation in operations.items():
                if isinstance(operation, dict):
                    found.update((problem.split()[1], f"{method} {path}") for problem in operation.get("x-problems", ()) if problem.split()[1] not in OF_PROGRAMS)
        return found

    def test_have_words_for_what_they_meet(self):
        for app, services in APPS.items():
            paths = called(app)
            for service in services:
                codes = self.codes(service, paths)
                self.assertTrue(codes, f"{app} calls nothing of {service}")
                for language in ("en", "de"):
                    have = keys(ROOT / f"plugins/{app}/web/src/texts/{language}.ts", UI / f"texts.{language}.ts")
                    with self.subTest(app=app, language=language, service=service):
                        missing = {code: where for code, where in codes.items() if not {f"problem.{code}", f"ui.problem.{code}"} & have}
                        self.assertEqual({}, missing, f"{app}, {language}: write problem.CODE")

    def test_lists_have_pages(self):
        seen = set()
        for service, document in self.documents.items():
            for path, operations in document["paths"].items():
                answer = operations.get("get", {}).get("responses", {}).get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
                while "$ref" in answer:
                    answer = document["components"]["schemas"][answer["$ref"].rpartition("/")[2]]
                place = f"{service} {path}"
                if {"items", "nextCursor"} <= set(answer.get("properties", ())) and place not in WITHOUT_PAGES:
                    seen.add(place)
                    with self.subTest(list=place):
                        self.assertLessEqual({"limit", "cursor", "include"}, {each["name"] for each in operations["get"].get("parameters", ())})
        self.assertLessEqual({"launchpad /api/store/categories", "crm /api/contacts", "social /api/posts"}, seen)

    def test_have_words_for_what_is_wrong_in_files(self):
        found = {code for file in (ROOT / "tests/crm/corpus").glob("*.expected.json") for code in re.findall(r'"code":"(\w+)"', file.read_text())}
        self.assertLessEqual({"unsupported_format", "vcard_syntax"}, found)
        for language in ("en", "de"):
            have = keys(ROOT / f"plugins/crm/web/src/texts/{language}.ts")
            self.assertEqual([], [code for code in sorted(found) if not {f"fault.{code}", f"imports.code.{code}"} & have], f"{language}: write imports.code.CODE")

    def test_roles_have_one_name(self):
        """The frame of every app and the administration name the roles alike."""
        for language in ("en", "de"):
            frame, admin = (dict(re.findall(r'^\s*"(role\.\w+)": "(.*)",$', (folder / f"texts/{language}.ts").read_text(), re.MULTILINE))
                            for folder in (SHELL, ROOT / "plugins/admin/web/src"))
            self.assertEqual(5, len(frame), frame)
            self.assertEqual(frame, admin, language)

    def test_have_words_for_reasons_of_networks(self):
        """Why a network is not ready: in the sources each reason begins with its code."""
        sources = ROOT / "plugins/social/src"
        files = (sources / "integrations/Readiness.cpp", *(sources / "networks").rglob("*.cpp"))
        reasons = re.compile(r'(?:reasons\.push_back\(|reasons = \{|return \{)\s*\{"(\w+)",')
        found = {code for file in files for code in reasons.findall(file.read_text())}
        self.assertLessEqual({"setting_missing", "local_callback", "self_test_due"}, found)
        for language in ("en", "de"):
            have = keys(ROOT / f"plugins/social/web/src/texts/{language}.ts")
            self.assertEqual([], [code for code in sorted(found) if f"reason.{code}" not in have], f"{language}: write reason.CODE")

    def test_have_words_for_signing_in(self):
        codes = self.codes("identity", SIGN_IN)
        self.assertIn("invalid_credentials", codes)
        for language in ("en", "de"):
            have = keys(SHELL / f"texts/{language}.ts")
            self.assertEqual({}, {code: where for code, where in codes.items() if f"login.{code}" not in have and code not in ASKED}, f"{language}: write login.CODE")


if __name__ == "__main__":
    main()
