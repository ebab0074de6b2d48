#!/usr/bin/python3
"""Reloads identity ten times while clients use tokens and keys, and revokes a key during each reload. No request that uses the key
after the revocation succeeds, and no other request fails, except for a 503 `validation_unavailable`, which promises that nothing was done."""

import http.client
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402

RELOADS = 10
READERS = 3
ENOUGH = 15
PATIENCE_SECONDS = 120


class Reader(threading.Thread):
    """Sends one request after the other on one connection."""

    def __init__(self, daemon, service, path, headers):
        super().__init__(daemon=True)
        self.connection, self.path, self.headers = daemon.connect(service), path, headers
        self.answers, self.ended = [], threading.Event()
        self.start()

    def run(self):
        while not self.ended.is_set():
            begun = time.monotonic()
            try:
                self.connection.request("GET", self.path, headers=self.headers)
                response = self.connection.getresponse()
                body = response.read()
                told = response.status if response.status == 200 else (response.status, json.loads(body)["code"])
            except (OSError, http.client.HTTPException) as error:
                told = repr(error)
            self.answers.append((begun, time.monotonic(), told))

    def since(self, moment):
        """Returns the answers to requests that began after the moment."""
        return [told for begun, _, told in list(self.answers) if begun > moment]

    def before(self, moment):
        """Returns the answers that had arrived by the moment. A later answer to an earlier request may know of a revocation."""
        return [told for _, ended, told in list(self.answers) if ended < moment]

    def end(self):
        self.ended.set()
        self.join()
        self.connection.close()


@on_both_engines
class ReloadAmidChecks:
    settings = {"limits.rates": "off"}

    def reached(self, condition, what):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            self.assertLess(time.monotonic(), deadline, what + self.daemon.log_tail())
            time.sleep(0.01)  # between two looks

    def all_answer(self, readers, moment, what):
        self.reached(lambda: all(len(each.since(moment)) > ENOUGH for each in readers), what)

    def readers(self, service, path, headers):
        return [Reader(self.daemon, service, path, headers) for _ in range(READERS)]

    def key(self, owner, organization, number):
        made = self.daemon.request("identity", "POST", "/api/api-keys", {"name": f"reader {number}", "environment": "live", "owner_type": "organization",
                                   "owner_id": organization, "grants": [{"service_id": "crm", "scopes": ["contacts.read"], "resources": []}]}, owner)
        self.assertEqual(made.status, 201, made.body)
        return made.json()["apiKey"]["id"], {"X-Api-Key": made.json()["key"]}

    def revoke(self, owner, key):
        """Revokes the key, and returns the times of the request and of its answer."""
        begun = time.monotonic()

        def revoked():
            answer = self.daemon.request("identity", "DELETE", f"/api/api-keys/{key}", token=owner)
            self.assertIn(answer.status, (204, 503), answer.body)
            return answer.status == 204

        self.reached(revoked, "the key is not revoked")
        return begun, time.monotonic()

    def assert_all(self, answers, *expected):
        wrong = [each for each in answers if each not in (*expected, (503, "validation_unavailable"))]
        self.assertEqual([], wrong[:5], f"{len(wrong)} of {len(answers)} answers")

    def test_no_request_fails_or_uses_a_revoked_key(self):
        token, owner = self.accounts.token(), self.accounts.token(service="identity")
        organization = self.daemon.request("identity", "GET", "/api/auth/me", token=owner).json()["activeContext"]["organizationId"]
        contact = self.daemon.request("crm", "POST", "/api/contacts", {"firstName": "Ada"}, token).json()["id"]
        path, bearer = f"/api/contacts/{contact}", {"Authorization": f"Bearer {token}"}
        steady = self.readers("identity", "/validate", {**bearer, "X-Service-ID": "crm"}) + self.readers("crm", path, bearer)
        for each in steady:
            self.addCleanup(each.end)
        for number in range(RELOADS):
            key, headers = self.key(owner, organization, number)
            readers = self.readers("crm", path, headers)
            for each in readers:
                self.addCleanup(each.end)
            self.all_answer(readers, 0, "the key is not used")
            reload = threading.Thread(target=self.daemon.ctl, args=("reload", "identity"))
            reload.start()
            begun, revoked = self.revoke(owner, key)
            reload.join()
            self.all_answer(readers, revoked, "the revoked key is not used")
            for each in readers:
                each.end()
                self.assert_all(each.before(begun), 200)
                self.assert_all(each.since(revoked), (401, "invalid_token"))
        done = time.monotonic()
        self.all_answer(steady, done, "tokens are not used")
        for each in steady:
            each.end()
            self.assert_all(each.before(time.monotonic()), 200)
            self.assertIn(200, each.since(done))
        self.assertNotIn("ThreadSanitizer", self.daemon.log.read_text(errors="replace"))


if __name__ == "__main__":
    main()
