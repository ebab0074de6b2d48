#!/usr/bin/python3
"""Passkeys in a real Chromium with a virtual authenticator: made on identity's own page, used alone and as a second factor."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from chromium import Chromium, ChromiumError  # noqa: E402
from daemon import Daemon  # noqa: E402

EMAIL = "ann@acme.example"

# The ceremonies as a page of ours runs them: options as JSON in, the credential as JSON out.
CREATE = """(async (options) => (await navigator.credentials.create(
    {publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options)})).toJSON())(%s)"""
GET = """(async (options) => (await navigator.credentials.get(
    {publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options)})).toJSON())(%s)"""


class Passkeys(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.start()
        cls.password = cls.daemon.user(EMAIL, "acme", "owner")["password"]
        cls.origin = f"http://identity.localhost:{cls.daemon.port}"

    def post(self, path, body, token=None):
        return self.daemon.request("identity", "POST", path, body, token, headers={"Host": f"identity.localhost:{self.daemon.port}"})

    def browser(self, **authenticator):
        chromium = Chromium()
        self.addCleanup(chromium.close)
        chromium.open(self.origin + "/login")
        chromium.add_authenticator(**authenticator)
        return chromium

    def elevated(self):
        token = self.daemon.login(EMAIL, self.password, "identity")
        self.assertEqual(self.post("/api/auth/step-up", {"factor": "password", "password": self.password}, token).status, 200)
        return token

    def make(self, chromium, token):
        options = self.post("/api/auth/passkeys/register/options", {"name": "Chromium"}, token).json()
        credential = chromium.run(CREATE % json.dumps(options["publicKey"]))
        return self.post("/api/auth/passkeys/register/verify", {"challengeId": options["challengeId"], "credential": credential}, token)

    def use(self, chromium, **asked):
        options = self.post("/api/auth/passkeys/authenticate/options", asked).json()
        return options["challengeId"], chromium.run(GET % json.dumps(options["publicKey"]))

    def test_is_made_and_used(self):
        chromium, token = self.browser(), self.elevated()
        made = self.make(chromium, token)
        self.assertEqual(made.status, 201, made.body)
        # The same device again: its own exclusion list stops it.
        with self.assertRaisesRegex(ChromiumError, "InvalidStateError"):
            self.make(chromium, token)
        for asked in ({}, {"identifier": EMAIL}):
            challenge, credential = self.use(chromium, **asked)
            sent = {"challengeId": challenge, "credential": credential, "service_id": "crm"}
            done = self.post("/api/auth/passkeys/authenticate/verify", sent)
            self.assertEqual(done.status, 200, done.body)
            self.assertEqual((done.json()["user"]["email"], done.json()["session"]["acr"]), (EMAIL, "aal2"))
            again = self.post("/api/auth/passkeys/authenticate/verify", sent)
            self.assertEqual((again.status, again.json()["code"]), (410, "challenge_expired"))
        # Beside the password, as the second factor.
        pending = self.post("/api/auth/login", {"identifier": EMAIL, "password": self.password, "service_id": "identity"})
        self.assertEqual((pending.status, pending.json()["code"]), (403, "mfa_required"))
        _, credential = self.use(chromium, identifier=EMAIL)
        done = self.post("/api/auth/mfa/verify",
                         {"mfaToken": pending.json()["details"]["mfaToken"], "factor": "passkey", "credential": credential})
        self.assertEqual(done.status, 200, done.body)
        self.assertEqual(done.json()["session"]["amr"], ["pwd", "pop"])

    def test_other_pages_get_none(self):
        chromium = self.browser()
        chromium.open(f"http://crm.localhost:{self.daemon.port}/docs")
        options = self.post("/api/auth/passkeys/authenticate/options", {}).json()
        with self.assertRaisesRegex(ChromiumError, "SecurityError"):
            chromium.run(GET % json.dumps(options["publicKey"]))


if __name__ == "__main__":
    main()
