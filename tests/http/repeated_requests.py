#!/usr/bin/python3
"""What somebody asks for twice with one Idempotency-Key is done once: every route of identity that sends or makes something for a person."""

import base64
import email
import email.policy
import hashlib
import hmac
import pathlib
import re
import shutil
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402
from wallclock import WallClock  # noqa: E402

SECONDS = 60
# Longer than a code of recovery is not sent again, and than the next signing keys are shown before they sign.
LATER = 400


@on_both_engines
class RepeatedRequests:
    settings = {"limits.rates": "off"}

    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="portico-clock-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.clock = WallClock(folder)
        self.daemon.environment = self.clock.environment
        self.daemon.restart()
        self.people = {}
        for name, organization, role in (("ada", "acme2", "owner"), ("ben", "acme2", "member"), ("solo", None, "member"), ("friend", None, "member"), ("guest", None, "member")):
            self.people[name] = self.daemon.user(f"{name}@x.example", organization, role)
        self.people["root"] = self.daemon.user("root@x.example", operator=True)

    def token(self, name):
        """Returns the token of a user after a step-up."""
        token = self.daemon.login(f"{name}@x.example", self.people[name]["password"], "identity")
        body = {"factor": "password", "password": self.people[name]["password"]}
        answer = self.daemon.request("identity", "POST", "/api/auth/step-up", body, token)
        self.assertEqual(200, answer.status, answer.body)
        return answer.json()["access_token"]

    def asked(self, status, method, path, body=None, token=None, key=None):
        answer = self.daemon.request("identity", method, path, body, token, {"Idempotency-Key": key} if key else None)
        self.assertEqual(status, answer.status, (method, path, answer.body))
        return answer

    def mails(self, address, text=""):
        """Plain texts of those to somebody that hold this text."""
        found = []
        for file in self.daemon.state.glob("mail/new/*"):
            mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            plain = mail.get_body(("plain",)).get_content()
            if address in mail["To"] and text in plain:
                found.append(plain)
        return found

    def eventually(self, holds, what):
        deadline = time.monotonic() + SECONDS
        while not (found := holds()):
            self.assertLess(time.monotonic(), deadline, f"{what}\n{self.daemon.log_tail()}")
            time.sleep(0.02)
        return found

    def mailed_token(self, address):
        mail = self.eventually(lambda: self.mails(address, "token="), f"no mail to {address}")[-1]
        return re.search(r"token=([\w.~-]+)", mail)[1]

    def twice(self, status, path, body, token):
        """The answer, which came twice from one request carried out."""
        key = f"twice-{path}"[:128]
        first = self.asked(status, "POST", path, body, token, key)
        again = self.asked(status, "POST", path, body, token, key)
        self.assertIsNone(first.headers["Idempotency-Replayed"])
        self.assertEqual("true", again.headers["Idempotency-Replayed"])
        self.assertEqual(first.body, again.body)
        return first.json() if first.body else None

    def app_code(self, secret):
        """RFC 6238, as the daemon's clock has it."""
        digest = hmac.new(base64.b32decode(secret + "=" * (-len(secret) % 8)), struct.pack(">Q", int(time.time() + LATER) // 30), hashlib.sha1).digest()
        at = digest[-1] & 15
        return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"

    def test_each_is_done_once(self):
        self.asked(202, "PUT", "/api/auth/me/recovery-email", {"email": "spare@x.example"}, self.token("ben"))
        self.eventually(lambda: self.mails("spare@x.example"), "no code for the recovery address")
        before = {each["kid"] for each in self.asked(200, "GET", "/.well-known/jwks.json").json()["keys"]}
        self.daemon.stop()
        self.clock.jump(LATER)
        self.daemon.start()
        ada, ben = self.token("ada"), self.token("ben")
        organization = self.people["ada"]["organizationId"]

        with self.subTest("recovery codes are mailed"):
            self.twice(202, "/api/auth/me/recovery-email/resend", {}, ben)

        with self.subTest("a change of address is asked for"):
            self.twice(202, "/api/auth/me/email", {"newEmail": "moved@x.example"}, ben)
            # Another request: when its mail is there, one of a repetition would be.
            self.asked(202, "POST", "/api/auth/me/email", {"newEmail": "moved@x.example"}, ben, "another-request")
            self.eventually(lambda: len(self.mails("moved@x.example")) >= 2, "no second mail")
            self.assertEqual(2, len(self.mails("moved@x.example")))
            self.assertEqual(2, len(self.mails("spare@x.example")), "the first code, and one more")

        with self.subTest("one's own data"):
            made = self.twice(202, "/api/auth/me/export", {}, ada)["exportId"]
            ready = lambda: self.asked(200, "GET", f"/api/auth/me/export/{made}", token=ada).json()["status"] == "ready"  # noqa: E731
            self.eventually(ready, "the export does not end")
            # Nor is another file made when the first is ready.
            self.assertEqual(made, self.asked(202, "POST", "/api/auth/me/export", {}, ada, "twice-/api/auth/me/export").json()["exportId"])
            self.assertNotEqual(made, self.asked(202, "POST", "/api/auth/me/export", {}, ada, "another-request").json()["exportId"])

        with self.subTest("a webhook's test"):
            hook = self.asked(201, "POST", "/api/webhook-endpoints", {"url": "https://hooks.example/in", "types": ["user.created"]}, ada).json()["endpoint"]["id"]
            self.twice(202, f"/api/webhook-endpoints/{hook}/test", {}, ada)
            self.assertEqual(1, len(self.asked(200, "GET", f"/api/webhook-endpoints/{hook}/deliveries", token=ada).json()["items"]))

        with self.subTest("an authenticator app, and its recovery codes"):
            enrolled = self.twice(201, "/api/auth/mfa/totp/enroll", {}, ben)
            code = {"enrollmentId": enrolled["enrollmentId"], "code": self.app_code(enrolled["secret"])}
            self.twice(200, "/api/auth/mfa/totp/activate", code, ben)
            self.assertEqual(1, len(self.asked(200, "GET", "/api/auth/mfa", token=ben).json()["factors"]))
            codes = self.twice(200, "/api/auth/mfa/recovery-codes", {}, ben)
            self.assertNotEqual(codes, self.asked(200, "POST", "/api/auth/mfa/recovery-codes", {}, ben, "another-request").json())

        with self.subTest("an invitation"):
            self.asked(201, "POST", f"/api/organizations/{organization}/invitations", {"email": "guest@x.example", "role": "member"}, ada)
            self.twice(200, f"/api/invitations/{self.mailed_token('guest@x.example')}/accept", {}, self.token("guest"))

        with self.subTest("a household"):
            solo = self.token("solo")
            household = self.asked(201, "POST", "/api/households", {"name": "Home"}, solo).json()["id"]
            self.asked(201, "POST", f"/api/households/{household}/invitations", {"email": "friend@x.example", "role": "adult"}, solo)
            self.twice(201, f"/api/household-invitations/{self.mailed_token('friend@x.example')}/accept", {}, self.token("friend"))

        with self.subTest("new signing keys"):
            root = self.token("root")
            after = {each["kid"] for each in self.twice(200, "/api/system/signing-keys/rotate", {}, root)["keys"]}
            self.assertEqual(after, {each["kid"] for each in self.asked(200, "GET", "/.well-known/jwks.json").json()["keys"]})
            self.assertNotEqual(before, after)

        with self.subTest("ownership"):
            path, body = f"/api/organizations/{organization}/transfer-ownership", {"toUserId": self.people["ben"]["userId"], "demoteSelfTo": "admin"}
            self.asked(200, "POST", path, body, ada, "twice-of-ownership")
            # Who has given it away may not ask any more, also not again.
            self.assertEqual("permission_denied", self.asked(403, "POST", path, body, ada, "twice-of-ownership").json()["code"])
            members = {each["userId"]: each["role"] for each in self.asked(200, "GET", f"/api/organizations/{organization}/members", token=ada).json()["items"]}
            self.assertEqual(("admin", "owner"), (members[self.people["ada"]["userId"]], members[self.people["ben"]["userId"]]))


if __name__ == "__main__":
    main()
