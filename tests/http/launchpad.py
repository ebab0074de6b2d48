#!/usr/bin/python3
"""The launchpad before the real daemon: apps open with a code that signs in once, the catalog of every role, and decisions that survive kill -9."""

import base64
import datetime
import hashlib
import hmac
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import Accounts, main, on_both_engines  # noqa: E402
from chromium import Chromium, ChromiumError  # noqa: E402
from daemon import BUILD, Daemon  # noqa: E402
from npm import installed  # noqa: E402
from selling import SECRET as WEBHOOK_SECRET  # noqa: E402
from selling import Payments  # noqa: E402
from social_networks import Quiet, Server  # noqa: E402
from wallclock import WallClock  # noqa: E402

SECONDS = 120
PAYMENTS = Payments()
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


class Phone:
    """`portico-mobile` with the files of one phone."""

    FILL = """(() => {
      for (const [name, value] of Object.entries(%s)) document.querySelector(`input[name="${name}"]`).value = value;
      document.querySelector("form").requestSubmit();
    })()"""

    def __init__(self, test, home):
        self.test, self.home, self.secrets = test, home, []

    def words(self, *words):
        return [BUILD / "bin/portico-mobile", *words, "--home", str(self.home)]

    def run(self, *words, status=0, **environment):
        done = subprocess.run(self.words(*words), capture_output=True, text=True, timeout=SECONDS, env={**os.environ, **environment})
        self.test.assertEqual(done.returncode, status, (words, done.stderr))
        return done

    def sign_in(self, email, password):
        words = self.words("sign-in", "--port", "0", "--issuer", self.test.origin("identity"), "--launchpad", self.test.origin("launchpad"))
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            process.stdout.readline()
            url = process.stdout.readline().strip()
            self.secrets.append(urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["state"][0])
            self.keeps_its_secrets()
            with Chromium() as browser:
                browser.open(url)
                browser.run(self.FILL % json.dumps({"identifier": email, "password": password}))
                eventually(self.test, lambda: self.says(browser, "You are signed in"), "the browser was not led back")
            self.test.assertEqual(("You are signed in.\n", 0), (process.stdout.read(), process.wait(SECONDS)))
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    @staticmethod
    def says(browser, text):
        try:
            return text in (browser.run("document.body.innerText") or "")
        except ChromiumError:
            # Between two pages.
            return False

    def offline(self, apps):
        nothing_answers = {"http_proxy": "http://127.0.0.1:9", "no_proxy": ""}
        for words in (("catalog", "--offline"), ("catalog",)):
            cached = self.run(*words, **nothing_answers)
            self.test.assertEqual({each["service_id"] for each in json.loads(cached.stdout)["items"]}, apps)
            self.test.assertRegex(cached.stderr, r"From the cache, \d+ s old\.")
        self.test.assertIn("PM_OFFLINE", self.run("actions", status=1, **nothing_answers).stderr)
        self.test.assertIn("PM_OFFLINE", self.run("launch", "crm", "--platform", "ios", status=1, **nothing_answers).stderr)
        self.test.assertEqual(json.loads(self.run("actions").stdout).keys(), {"open", "overdue", "critical"})
        self.run("actions", "--offline", **nothing_answers)

    def refresh_in_two_processes(self):
        """Apps of one keychain group that fetch tokens at once, each 200 times."""
        apps = [subprocess.Popen(self.words("refresh", "--times", "200", "--app", name), stderr=subprocess.PIPE, text=True) for name in ("shell", "crm")]
        self.test.assertEqual([(0, "")] * 2, [(each.wait(SECONDS), each.stderr.read()) for each in apps])
        for each in apps:
            each.stderr.close()
        for name in ("shell", "crm"):
            self.run("catalog", "--app", name)

    def keeps_its_secrets(self):
        files = [each for each in self.home.rglob("*") if each.is_file()]
        self.test.assertGreater(len(files), 4)
        for file in files:
            content = file.read_bytes()
            self.test.assertEqual(file.stat().st_mode & 0o777, 0o600, file)
            # Refresh tokens, access tokens, and what this test knows.
            for secret in (b"prt1.", b"eyJ", b"PRIVATE KEY", *(each.encode() for each in self.secrets)):
                self.test.assertNotIn(secret, content, file)


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
        # The first one may be too soon by the time that the last visitor has a proof.
        slot = {"start": self.ask("GET", "/api/public/demo-times")["times"][-1], "timezone": "Europe/London"}
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

    def association(self, path):
        """An association file, which has to be sent without a redirect and has a limited size."""
        answer = self.daemon.request("launchpad", "GET", path)
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "application/json"), path)
        self.assertLessEqual(len(answer.body), 128 * 1024)
        return json.loads(answer.body)

    def ios_apps(self):
        """The paths of each app in the file of Apple, which has the form that Apple documents."""
        document = self.association("/.well-known/apple-app-site-association")
        self.assertEqual([set(document), set(document["applinks"])], [{"applinks"}, {"details"}])
        apps = {}
        for entry in document["applinks"]["details"]:
            self.assertEqual(set(entry), {"appIDs", "components"})
            for component in entry["components"]:
                self.assertLessEqual(set(component), {"/", "?"})
                self.assertRegex(component["/"], "^/")
                self.assertTrue(all(isinstance(value, str) for value in component.get("?", {}).values()))
            for app in entry["appIDs"]:
                self.assertRegex(app, r"^[A-Z0-9]{10}\.[A-Za-z0-9.-]+$")
                apps[app] = entry["components"]
        return apps

    def android_apps(self):
        """The fingerprints of each app in the file of Google, which is a list of statements of Digital Asset Links."""
        apps = {}
        for statement in self.association("/.well-known/assetlinks.json"):
            self.assertEqual(set(statement), {"relation", "target"})
            self.assertEqual(statement["relation"], ["delegate_permission/common.handle_all_urls"])
            self.assertEqual(set(statement["target"]), {"namespace", "package_name", "sha256_cert_fingerprints"})
            self.assertEqual(statement["target"]["namespace"], "android_app")
            for fingerprint in statement["target"]["sha256_cert_fingerprints"]:
                self.assertRegex(fingerprint, "^([0-9A-F]{2}:){31}[0-9A-F]{2}$")
            apps[statement["target"]["package_name"]] = statement["target"]["sha256_cert_fingerprints"]
        return apps

    def test_phones_read_the_association_files(self):
        """Before and after a service is registered, changed and suspended."""
        email = "phones@portico.example"
        operator = self.daemon.login(email, self.daemon.user(email, operator=True)["password"], "identity")
        manage = lambda method, path, body, status: self.ask(method, f"/api/services{path}", body, operator, status, "identity")  # noqa: E731
        print_of_key = ":".join(["AF"] * 32)
        manifest = {"manifestVersion": 1, "service_id": "phoned", "name": "Phoned", "description": "An app with native builds", "surface_kind": "application",
                    "surface_group": "business", "launchable": True, "contexts": ["organization"], "launchUrl": "https://phoned.example/", "origins": ["https://phoned.example"],
                    "callbackUrls": ["https://phoned.example/auth/callback"], "categories": ["sales"], "permissions": [{"permission": "phoned.data:read", "title": "Read data"}],
                    "roleBundles": [{"id": "all", "title": "All", "roles": ["guest", "member", "admin", "super_admin", "owner"], "permissions": ["phoned.*:*"]}],
                    "apiKeyScopes": [{"scope": "data.read", "title": "Read", "permissions": ["phoned.data:read"], "bindable": []}],
                    "mobile": {"ios": {"teamId": "ABCDE12345", "bundleId": "example.phoned"},
                               "android": {"packageName": "example.phoned", "sha256CertFingerprints": [print_of_key]}}}  # fmt: skip
        # Entries of other services may change at the same time.
        mine = lambda: [{app: value for app, value in apps.items() if "example.phoned" in app} for apps in (self.ios_apps(), self.android_apps())]  # noqa: E731
        opens = [{"/": "/launch/phoned", "?": {"code": "?*"}}]
        manage("POST", "", manifest, 201)
        self.assertEqual(mine(), [{}, {}])
        manage("POST", "/phoned/activate", {"reason": "test"}, 200)
        eventually(self, lambda: mine() == [{"ABCDE12345.example.phoned": opens}, {"example.phoned": [print_of_key]}], "the service is not in the files")
        manage("PUT", "/phoned/manifest", {**manifest, "mobile": {"ios": {"teamId": "ABCDE12345", "bundleId": "example.phoned.two"}}}, 200)
        eventually(self, lambda: mine() == [{"ABCDE12345.example.phoned.two": opens}, {}], "the files have the old manifest")
        manage("POST", "/phoned/suspend", {"reason": "test"}, 200)
        eventually(self, lambda: mine() == [{}, {}], "a suspended service is in the files")

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

    def test_a_phone_that_signs_in_through_the_browser(self):
        """The command line tool of the mobile library, which uses its C header as a shell does."""
        with tempfile.TemporaryDirectory() as home:
            phone = Phone(self, pathlib.Path(home) / "phone")
            phone.sign_in(*self.accounts.users["acme", "owner"])
            apps = {each["service_id"] for each in json.loads(phone.run("catalog").stdout)["items"]}
            self.assertIn("crm", apps)
            with self.subTest("offline"):
                phone.offline(apps)
            with self.subTest("combinations"):
                self.combinations(phone)
            with self.subTest("processes"):
                phone.refresh_in_two_processes()
            with self.subTest("files"):
                phone.keeps_its_secrets()
            phone.run("sign-out")
            self.assertIn("PM_SIGNED_OUT", phone.run("catalog", status=1).stderr)
            self.assertEqual(list((phone.home / "cache/shell").iterdir()), [])

    def combinations(self, phone):
        """Platform, installed and build: without any, for iOS with a store, for Android without one."""
        email = "registrar@portico.example"
        operator = self.daemon.login(email, self.daemon.user(email, operator=True)["password"], "identity")
        path = "/api/services/crm/manifest"
        own = self.ask("GET", path, token=operator, service="identity")
        change = lambda mobile: self.ask("PUT", path, {**own, "mobile": mobile}, operator, service="identity")  # noqa: E731
        self.addCleanup(change, own["mobile"])
        link, web = f"link {self.origin('launchpad')}/launch/crm?code=", f"web {self.origin('crm')}/auth/callback?sso_code="
        store = "store https://apps.example/crm"
        ios = {"teamId": "ABCDE12345", "bundleId": "example.crm.ios", "appStoreUrl": "https://apps.example/crm"}
        for mobile, build, wanted in (({"android": {"packageName": "example.crm.android"}}, "example.crm.android", {"ios": (web, web), "android": (web, link)}),
                                      ({"ios": ios}, "example.crm.ios", {"ios": (store, link), "android": (web, web)})):  # fmt: skip
            change(mobile)
            eventually(self, lambda: build in phone.run("catalog").stdout, "the catalog of the launchpad is old")  # noqa: B023
            for platform, expected in wanted.items():
                for more, start in zip(((), ("--installed",)), expected):
                    opened = phone.run("launch", "crm", "--platform", platform, "--return-to", "/contacts", *more).stdout
                    self.assertTrue(opened.startswith(start), (mobile, platform, more, opened))
        # Each tap has a code of its own, which signs in at the app.
        code = self.code(phone.run("launch", "crm", "--platform", "android").stdout.split()[1])
        self.assertEqual(self.exchange(code).status, 200)
        phone.secrets.append(code)

    def test_the_catalog_is_sent_once(self):
        answer = self.daemon.request("launchpad", "GET", "/api/catalog", token=self.token)
        tag = answer.headers["ETag"]
        again = self.daemon.request("launchpad", "GET", "/api/catalog", token=self.token, headers={"If-None-Match": tag})
        self.assertEqual((again.status, again.body, again.headers["ETag"]), (304, b"", tag))
        other = self.daemon.request("launchpad", "GET", "/api/catalog", token=self.accounts.token(role="guest", service="launchpad"), headers={"If-None-Match": tag})
        self.assertEqual(other.status, 200)

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
    """What a crash may interrupt: callbacks of decisions, and events of the payment processor."""

    settings = {"limits.rates": "off", "outbound.allowedNetworks": "127.0.0.0/8", "jobs.leaseSeconds": 5, **PAYMENTS.settings}

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

    def buyer(self, name):
        """The owner of a new organization, who buys seats for it. @return a token, and the ID of the organization"""
        email = f"owner@{name}.example"
        token = self.daemon.login(email, self.daemon.user(email, name, "owner")["password"], "launchpad")
        PAYMENTS.deliver_to(self.daemon)
        return token, self.ask("GET", "/api/workspace/context", token=token)["organizationId"]

    def checkout(self, token, seats):
        return self.ask("POST", "/api/public/checkout", {"package": "everything", "seats": seats, "currency": "USD"}, token, 201)["checkoutUrl"]

    def plans(self, token):
        return self.ask("GET", "/api/billing/subscriptions", token=token)["paid"]

    def test_events_survive_kill_9_before_they_are_processed(self):
        token, _ = self.buyer("crashed")
        sending = PAYMENTS.standin.deliveries
        sending.hold(True)
        PAYMENTS.pay(self.checkout(token, 2))
        # The processing of the events waits for the processor while the daemon is killed.
        PAYMENTS.standin.faults.append({"kind": "hang", "path": "/v1/subscriptions", "count": 100})
        sending.hold(False)
        PAYMENTS.acknowledged()
        eventually(self, lambda: PAYMENTS.standin.faults[0]["count"] < 100, "no event is processed")
        self.assertEqual(self.plans(token), [])
        sending.hold(True)
        self.daemon.kill()
        PAYMENTS.standin.faults.clear()
        self.daemon.start()
        plan = eventually(self, lambda: self.plans(token), "the events are lost")[0]
        self.assertEqual((plan["status"], plan["seats"]["purchased"]), ("active", 2))
        sending.hold(False)

    def test_two_concurrent_checkouts_end_with_one_subscription(self):
        token, organization = self.buyer("hasty")
        addresses = [self.checkout(token, seats) for seats in (1, 2)]
        threads = [threading.Thread(target=PAYMENTS.pay, args=(address,)) for address in addresses]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ended = lambda: sorted(each["status"] for each in PAYMENTS.subscriptions(organization)) == ["active", "canceled"]  # noqa: E731
        eventually(self, ended, "both subscriptions live")
        eventually(self, lambda: sorted(each["status"] for each in self.plans(token)) == ["active", "canceled"], "the launchpad has another state")
        live = next(each for each in PAYMENTS.subscriptions(organization) if each["status"] == "active")
        plan = next(each for each in self.plans(token) if each["status"] == "active")
        self.assertEqual(plan["processorSubscriptionId"], live["id"])
        reported = lambda: [each["title"] for each in self.ask("GET", "/api/actions?status=open", token=token)["items"]]  # noqa: E731
        eventually(self, lambda: "A second subscription was canceled" in reported(), "nothing is reported")

    def test_npms_stripe_signs_what_the_launchpad_verifies(self):
        hook = f"http://127.0.0.1:{self.daemon.ports['launchpad']}/api/webhooks/billing/stripe"
        done = subprocess.run(["node", "webhook.mjs"], cwd=installed(HERE / "stripe", "stripe"), capture_output=True, text=True, timeout=60,
                              env={**os.environ, "HOOK": hook, "WEBHOOK_SECRET": WEBHOOK_SECRET})
        self.assertEqual(done.stdout.splitlines(), ["signed: 200 fresh", "again: 200 duplicate", "other secret: 400 signature_invalid", "altered: 400 signature_invalid",
                                                    "encoded anew: 400 signature_invalid", "old: 400 timestamp_outside_tolerance", "ahead: 400 timestamp_outside_tolerance",
                                                    "other scheme: 400 signature_invalid", "two values: 200 fresh"], done.stderr)


if __name__ == "__main__":
    main()
