#!/usr/bin/python3
"""The launchpad before the real daemon: apps open with a code that signs in once, the catalog of every role, and decisions that survive kill -9."""

import base64
import datetime
import hashlib
import hmac
import json
import pathlib
import sys
import threading
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main, on_both_engines  # noqa: E402
from daemon import Daemon  # noqa: E402
from social_networks import Quiet, Server  # noqa: E402
from wallclock import WallClock  # noqa: E402

SECONDS = 120
SECRET = "a secret of thirty-two characters"


def eventually(test, holds, what):
    deadline = time.monotonic() + SECONDS
    while not (found := holds()):
        test.assertLess(time.monotonic(), deadline, f"{what}\n{test.daemon.log_tail()}")
        time.sleep(0.05)
    return found


class Client:
    """Calls of one person at the launchpad and the apps."""

    def ask(self, method, path, body=None, token=None, status=200, service="launchpad", headers=None):
        answer = self.daemon.request(service, method, path, body, token, headers)
        self.assertEqual(answer.status, status, (method, path, answer.body))
        return answer.json() if answer.body else None

    def origin(self, service):
        return f"http://{service}.localhost:{self.daemon.port}"

    def launch(self, token, service="crm", **more):
        return self.ask("POST", "/api/launch", {"service_id": service, **more}, token, 201)

    def code(self, url, name="sso_code"):
        return urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)[name][0]

    def exchange(self, code, service="crm", redirect=None, at=None):
        """What the callback page of an app does with the code in its URL."""
        at = at or service
        body = {"sso_code": code, "service_id": service, "redirect_uri": redirect or f"{self.origin(service)}/auth/callback"}
        return self.daemon.request(at, "POST", "/api/auth/sso/exchange", body, headers={"Origin": self.origin(at), "Host": f"{at}.localhost:{self.daemon.port}"})

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.json()["code"]), (status, code), answer.body)


def proof(challenge):
    """A solved challenge of human verification, as a page sends it."""
    work = challenge["parameters"]
    nonce, salt = bytes.fromhex(work["nonce"]), bytes.fromhex(work["salt"])
    for counter in range(1 << 20):
        key = hashlib.pbkdf2_hmac("sha256", nonce + counter.to_bytes(4, "big"), salt, work["cost"], work["keyLength"]).hex()
        if key.startswith(work["keyPrefix"]):
            break
    payload = {"challenge": {"parameters": work, "signature": challenge["signature"]}, "solution": {"counter": counter, "derivedKey": key}}
    return {"provider": "pow", "payload": base64.b64encode(json.dumps(payload).encode()).decode()}


@on_both_engines
class Launches(Client):
    settings = {"limits.rates": "off", "launchpad.demo.host": "ada", "identity.humanVerification.cost": "1", "server.trustedProxies": "127.0.0.1"}

    def setUp(self):
        self.token = self.accounts.token(service="launchpad")

    def human(self, purpose):
        return proof(self.ask("GET", f"/api/auth/human-verification?purpose={purpose}&format=altcha"))

    def test_visitors_join_the_waitlist_with_a_proof_that_is_valid_once(self):
        body = {"email": "visitor@example.org", "consent": True, "humanVerification": self.human("waitlist")}
        first = self.ask("POST", "/api/public/waitlist", body, status=202)
        self.refused(self.daemon.request("launchpad", "POST", "/api/public/waitlist", body), 409, "challenge_replayed")
        self.assertEqual(self.ask("POST", "/api/public/waitlist", {**body, "humanVerification": self.human("waitlist")}, status=202), first)
        self.refused(self.daemon.request("launchpad", "POST", "/api/public/waitlist", {**body, "humanVerification": self.human("demo")}), 400, "human_verification_failed")

    def test_200_visitors_reserve_one_slot_once(self):
        calendar = self.accounts.token(service="calendar")
        self.ask("POST", "/api/admin/host", {"handle": "ada", "displayName": "Ada", "timeZone": "Europe/Berlin"}, calendar, 201, "calendar")
        kind = {"slug": "intro", "title": "Intro", "durationMinutes": 30, "meetingKind": "none", "minimumNoticeMinutes": 60}
        self.ask("POST", "/api/admin/event-types", kind, calendar, 201, "calendar")
        slot = {"start": self.ask("GET", "/api/public/demo-times")["times"][0], "timezone": "Europe/London"}
        bodies = [{"name": "V", "email": f"v{number}@example.org", "company": "C", "slot": slot, "humanVerification": self.human("demo")} for number in range(200)]
        answers = []

        def book(part):
            for number in part:
                address = {"X-Forwarded-For": f"198.51.100.{number}"}
                answers.append(self.daemon.request("launchpad", "POST", "/api/public/demo-bookings", bodies[number], headers=address))

        threads = [threading.Thread(target=book, args=(range(start, 200, 25),)) for start in range(25)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        made = [answer.json() for answer in answers if answer.status == 201]
        self.assertEqual(len(made), 1, [answer.body for answer in answers][:5])
        self.assertEqual({answer.json()["code"] for answer in answers if answer.status != 201}, {"slot_taken"})
        self.assertIn("/public/bookings/", made[0]["manageUrl"])
        end = datetime.datetime.fromisoformat(slot["start"].replace("Z", "+00:00")) + datetime.timedelta(days=1)
        span = f"from={slot['start']}&to={end:%Y-%m-%dT%H:%M:%SZ}"
        bookings = self.ask("GET", f"/api/admin/bookings?{span}", token=calendar, service="calendar")["items"]
        self.assertEqual([booking["start"] for booking in bookings], [slot["start"]])

    def test_phones_read_the_association_files(self):
        for path in ("/.well-known/apple-app-site-association", "/.well-known/assetlinks.json"):
            answer = self.daemon.request("launchpad", "GET", path)
            self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "application/json"), path)
            json.loads(answer.body)

    def test_a_code_signs_in_once(self):
        opened = self.launch(self.token, returnTo="/contacts")
        self.assertTrue(opened["url"].startswith(f"{self.origin('crm')}/auth/callback?"), opened)
        code = self.code(opened["url"])
        answer = self.exchange(code)
        self.assertEqual(answer.status, 200, answer.body)
        signed_in = answer.json()
        self.assertEqual(signed_in["returnTo"], "/contacts")
        self.ask("GET", "/api/contacts", token=signed_in["access_token"], service="crm")
        # The token serves CRM only.
        self.ask("GET", "/api/catalog", token=signed_in["access_token"], status=401)
        self.refused(self.exchange(code), 400, "sso_code_consumed")
        outcome = lambda: self.ask("GET", "/api/launches?limit=1", token=self.token)["items"][0]["outcome"] == "exchanged"  # noqa: E731
        eventually(self, outcome, "the launch is not exchanged")
        self.assertNotIn(code, self.daemon.log.read_text(errors="replace"))
        self.assertNotIn(code, json.dumps(self.ask("GET", "/api/launches", token=self.token)))

    def test_a_code_fits_one_service_and_one_callback(self):
        code = self.code(self.launch(self.token)["url"])
        self.refused(self.exchange(code, "social"), 400, "sso_code_invalid")
        code = self.code(self.launch(self.token)["url"])
        self.refused(self.exchange(code, redirect=f"{self.origin('crm')}/auth/other"), 400, "redirect_uri_mismatch")
        code = self.code(self.launch(self.token)["url"])
        answer = self.exchange(code, at="social")
        self.assertIn(answer.status, (400, 403), answer.body)

    def test_a_mobile_code_goes_through_the_browser(self):
        opened = self.launch(self.token, target="mobile")
        code = self.code(opened["universalLink"], "code")
        answer = self.daemon.request("launchpad", "GET", f"/launch/crm?code={code}")
        self.assertEqual(answer.status, 303)
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        self.assertEqual(answer.headers["Referrer-Policy"], "no-referrer")
        self.assertEqual(self.code(answer.headers["Location"]), code)
        self.assertEqual(self.exchange(code).status, 200)
        again = self.daemon.request("launchpad", "GET", f"/launch/crm?code={code}")
        self.assertEqual(again.headers["Location"], "/apps?notice=launch_expired")
        self.refused(self.exchange(code), 400, "sso_code_consumed")

    def test_catalog_of_every_role_in_both_contexts(self):
        for role in ("owner", "super_admin", "admin", "member", "guest"):
            with self.subTest(role=role):
                email = f"catalog-{role}@acme.example".replace("_", "-")
                token = self.daemon.login(email, self.daemon.user(email, "acme", role)["password"], "launchpad")
                apps = {each["service_id"]: each for each in self.ask("GET", "/api/catalog", token=token)["items"]}
                self.assertLessEqual({"admin", "calendar", "crm", "social"}, set(apps))
                self.assertNotIn("launchpad", apps)
                self.assertEqual({each["availability"] for each in apps.values()}, {"installed"})
                self.assertEqual(apps["crm"]["launch"]["universalLink"], f"{self.origin('launchpad')}/launch/crm")
                home = self.ask("PUT", "/api/auth/context", {"kind": "personal"}, token)["access_token"]
                apps = {each["service_id"] for each in self.ask("GET", "/api/catalog", token=home)["items"]}
                self.assertIn("admin", apps)
                self.assertFalse(apps & {"crm", "calendar", "social"}, apps)
                self.ask("GET", "/api/catalog/crm", token=home, status=404)
                self.ask("POST", "/api/launch", {"service_id": "crm"}, home, 403)
                switcher = self.ask("GET", "/api/launcher/apps", token=home)
                self.assertEqual(switcher["activeContext"]["kind"], "personal")

    def test_the_store_needs_no_sign_in(self):
        store = self.ask("GET", "/api/store/catalog")
        self.assertLessEqual({"admin", "calendar", "crm", "social"}, {each["service_id"] for each in store["items"]})
        self.assertEqual(self.ask("GET", "/api/store/search?q=calendr")["items"][0]["service_id"], "calendar")
        answer = self.daemon.request("launchpad", "GET", "/api/store/catalog")
        self.assertEqual(answer.headers["Cache-Control"], "public, max-age=60")
        again = self.daemon.request("launchpad", "GET", "/api/store/catalog", headers={"If-None-Match": answer.headers["ETag"]})
        self.assertEqual(again.status, 304)
        self.ask("GET", "/store", status=404)
        self.ask("GET", "/sso?token=abc", status=410)


class Expiry(Client, unittest.TestCase):
    """A daemon whose clock is set."""

    def test_a_code_ends_after_a_minute(self):
        with Daemon({"limits.rates": "off"}) as daemon:
            clock = WallClock(daemon.state)
            daemon.environment = clock.environment
            daemon.restart()
            self.daemon = daemon
            token = Accounts(daemon).token(service="launchpad")
            code = self.code(self.launch(token)["url"])
            clock.jump(61)
            answer = self.exchange(code)
            self.assertEqual(answer.status, 400, answer.body)
            self.assertIn(answer.json()["code"], ("sso_code_expired", "sso_code_invalid"))
            self.assertEqual(self.ask("GET", "/api/launches", token=token)["items"][0]["outcome"], "expired")


class Approvals(Server):
    """A service that asks for decisions. Answers after `go`."""

    def __init__(self):
        self.received, self.applied, self.go, self.arrived = [], {}, threading.Event(), threading.Event()

        class Handler(Quiet):
            def do_POST(handler):
                body = handler.rfile.read(int(handler.headers["Content-Length"]))
                number = handler.headers["webhook-id"]
                signed = f"{number}.{handler.headers['webhook-timestamp']}.".encode() + body
                expected = "v1," + base64.b64encode(hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()).decode()
                self.received.append((number, handler.headers["webhook-signature"] == expected))
                self.arrived.set()
                self.go.wait(SECONDS)
                # As receivers of Standard Webhooks do: a message that comes twice is known by its ID.
                self.applied.setdefault(number, json.loads(body)["data"]["decision"])
                handler.say(204)

        super().__init__(Handler)


@on_both_engines
class Decisions(Client):
    settings = {"limits.rates": "off", "outbound.allowedNetworks": "127.0.0.0/8"}

    def register(self, approvals):
        """Registers the service that asks, as an operator does."""
        self.daemon.user("operator@portico.example", operator=True)
        operator = self.daemon.user("second-operator@portico.example", operator=True)
        token = self.daemon.login("second-operator@portico.example", operator["password"], "identity")
        manifest = {"manifestVersion": 1, "service_id": "approvals", "name": "Approvals", "surface_kind": "api", "surface_group": "community",
                    "launchable": False, "contexts": ["organization"], "origins": [approvals.url], "permissions": [], "roleBundles": [], "apiKeyScopes": []}  # fmt: skip
        self.ask("POST", "/api/services", manifest, token, 201, "identity")

    def key(self):
        email, password = self.accounts.users["acme", "owner"]
        token = self.daemon.login(email, password, "launchpad")
        proof = {"factor": "password", "password": password}
        token = self.ask("POST", "/api/auth/step-up", proof, token)["access_token"]
        organization = self.ask("GET", "/api/auth/me", token=token)["activeContext"]["organizationId"]
        body = {"name": "Approvals", "environment": "live", "owner_type": "organization", "owner_id": organization,
                "grants": [{"service_id": "launchpad", "scopes": ["workflows.write"], "resources": []}]}  # fmt: skip
        return token, self.ask("POST", "/api/auth/api-keys", body, token, 201)["key"]

    def test_a_decision_survives_kill_9_before_its_callback(self):
        with Approvals() as approvals:
            self.register(approvals)
            owner, key = self.key()
            action = {"title": "Approve the run", "source": {"service_id": "approvals", "resourceType": "run", "resourceId": "7"},
                      "assignee": {"type": "role", "id": "admin"}, "decisions": [{"id": "approve", "label": "Approve"}], "dedupeKey": "run:7",
                      "decisionCallback": {"url": f"{approvals.url}/decisions", "secret": SECRET}}  # fmt: skip
            made = self.ask("POST", "/api/actions", action, None, 201, headers={"X-Api-Key": key})
            wrong = {**action, "dedupeKey": "x", "decisionCallback": {"url": "http://127.0.0.1:1/decisions", "secret": SECRET}}
            refused = self.ask("POST", "/api/actions", wrong, None, 400, headers={"X-Api-Key": key})
            self.assertEqual(refused["code"], "unknown_decision_target")
            decided = self.ask("POST", f"/api/actions/{made['id']}/resolve", {"decision": "approve"}, owner)
            self.assertEqual(decided["resolution"]["outcome"], "pending")
            self.daemon.kill()
            approvals.go.set()
            self.daemon.start()
            owner = self.accounts.token(service="launchpad")
            show = lambda: self.ask("GET", f"/api/actions/{made['id']}", token=owner)  # noqa: E731
            eventually(self, lambda: show()["resolution"]["outcome"] == "applied", "the decision is not delivered")
            self.assertEqual(approvals.applied, {made["id"]: "approve"})
            self.assertTrue(approvals.received and all(valid for _, valid in approvals.received), approvals.received)
            again = self.ask("POST", f"/api/actions/{made['id']}/resolve", {"decision": "approve"}, owner, 409)
            self.assertEqual(again["code"], "already_resolved")


if __name__ == "__main__":
    main()
