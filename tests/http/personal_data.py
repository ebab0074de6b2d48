#!/usr/bin/python3
"""A user exports and deletes their data in all services. Other users cannot get the file, kill -9 loses neither operation, and identity waits for a disabled
service."""

import contextlib
import email
import email.policy
import http.client
import itertools
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402
from daemon import Answer  # noqa: E402
from wallclock import WallClock  # noqa: E402

SECONDS = 60
DAY = 86_400
GRACE = 30 * DAY
# Longer than a job is left to a host that died, and than a service that is away is not asked.
HALF_AN_HOUR = 1800
EXPORT = "/api/auth/me/export"
NUMBERS = itertools.count(1)


def organization(word):
    """A name that no other test has."""
    return f"{word}{next(NUMBERS)}"


class Person:
    """An account with its sign-ins."""

    def __init__(self, test, name, organization, role="owner"):
        self.test, self.daemon, self.name = test, test.daemon, name
        self.email = f"{name}@{organization}.example"
        made = self.daemon.user(self.email, organization, role)
        self.id, self.password, self.organization = made["userId"], made["password"], made["organizationId"]

    def token(self, service="identity"):
        return self.daemon.login(self.email, self.password, service)

    def elevated(self):
        """A token of a sign-in that has just proved again who it is."""
        body = {"factor": "password", "password": self.password}
        return self.test.asked(200, "POST", "/api/auth/step-up", body, self.token())["access_token"]

    def contact(self, word):
        """One that they look after, with a note that they wrote."""
        token = self.token("crm")
        made = self.test.asked(201, "POST", "/api/contacts", {"firstName": word, "ownerUserId": self.id}, token, "crm")["id"]
        self.test.asked(201, "POST", f"/api/contacts/{made}/notes", {"body": f"note of {word}"}, token, "crm")
        return made

    def mails(self):
        found = []
        for file in self.daemon.state.glob("mail/new/*"):
            mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            if self.email in mail["To"]:
                found.append(mail)
        return found

    def mailed(self, subject):
        return [mail for mail in self.mails() if mail["Subject"] == subject]

    def browser(self):
        """The cookie of a browser in which they sign in now."""
        origin = f"identity.localhost:{self.daemon.port}"
        headers = {"Host": origin, "Origin": f"http://{origin}", "X-Platform-Auth": "1"}
        body = {"identifier": self.email, "password": self.password, "service_id": "identity"}
        answer = self.test.shared("POST", "/api/auth/login", body, headers)
        self.test.assertEqual(200, answer.status, answer.body)
        return next(each.split(";")[0] for each in answer.headers.get_all("Set-Cookie") if each.startswith("platform_session="))


@on_both_engines
class PersonalData:
    settings = {"limits.rates": "off"}

    def setUp(self):
        kind = type(self)
        if "clock" not in vars(kind):
            folder = pathlib.Path(tempfile.mkdtemp(prefix="portico-clock-"))
            self.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
            kind.clock, kind.ahead = WallClock(folder), 0
            self.daemon.environment = kind.clock.environment
            self.daemon.restart()

    def crash(self, later=0):
        """kill -9, and a restart after this many seconds. The clock jumps while nothing runs, so that no live lease expires and no libpq connection, which
        waits by wall-clock time, is in progress."""
        self.daemon.kill()
        type(self).ahead += later
        self.clock.jump(self.ahead)
        self.daemon.start()

    def eventually(self, holds, what):
        deadline = time.monotonic() + SECONDS
        while not (found := holds()):
            self.assertLess(time.monotonic(), deadline, f"{what}\n{self.daemon.log_tail()}")
            time.sleep(0.02)
        return found

    def asked(self, status, method, path, body=None, token=None, service="identity"):
        """What is answered, of which the status is known."""
        answer = self.daemon.request(service, method, path, body, token)
        self.assertEqual(status, answer.status, (method, path, answer.body))
        return json.loads(answer.body) if answer.body else None

    def refused(self, status, code, *request, **others):
        self.assertEqual(code, self.asked(status, *request, **others)["code"])

    def shared(self, method, path, body=None, headers=None):
        """A browser's request: on the port of all services, by the name of identity."""
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=60)
        with contextlib.closing(connection):
            sent = {"Host": f"identity.localhost:{self.daemon.port}", "Content-Type": "application/json", **(headers or {})}
            connection.request(method, path, body=None if body is None else json.dumps(body), headers=sent)
            return Answer(connection.getresponse())

    def shown(self, person, export):
        return self.asked(200, "GET", f"{EXPORT}/{export}", token=person.token())

    def ready(self, person, export):
        self.eventually(lambda: self.shown(person, export)["status"] == "ready", "the export does not end")

    def verified(self, owner):
        answer = self.asked(200, "GET", "/api/audit-events/verify", token=owner.token())
        self.assertEqual((True, None), (answer["ok"], answer["firstBroken"]), answer)

    def delete(self, person):
        return self.asked(202, "DELETE", "/api/auth/me", {"confirm": "delete"}, person.elevated())["deletionAt"]

    def kept(self, word):
        """Where the services still have it: tables, and files of theirs."""
        files = [file for file in self.daemon.state.rglob("blobs/**/*") if file.is_file() and word.encode() in file.read_bytes()]
        return [*map(str, files), *(self.rows_of_sqlite(word) if self.engine == "sqlite" else self.rows_of_postgresql(word))]

    def rows_of_sqlite(self, word):
        databases = [next(self.daemon.state.rglob(f"{service}.db")) for service in ("identity", "crm")]
        for file in databases:
            with contextlib.closing(sqlite3.connect(file)) as database:
                database.text_factory = bytes
                for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                    rows = database.execute(f'SELECT * FROM "{table.decode()}"').fetchall()
                    if any(isinstance(value, bytes) and word.encode() in value for row in rows for value in row):
                        yield f"{file.name}: {table.decode()}"

    def rows_of_postgresql(self, word):
        names = self.sql("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname IN ('identity', 'crm')")
        self.assertGreater(len(names), 60)
        return self.sql(" UNION ALL ".join(f"SELECT '{name}' FROM {name} t WHERE t::text LIKE '%{word}%'" for name in names))

    def sql(self, statement):
        settings = self.daemon.settings
        variables = {**os.environ, "PGPASSWORD": pathlib.Path(settings["database.passwordFile"]).read_text().strip()}
        command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statement, settings["database.url"]]
        return subprocess.run(command, env=variables, capture_output=True, text=True, check=True, timeout=60).stdout.split()

    # What is kept, for whom it is kept of.

    def test_takes_it_along(self):
        north, south = organization("north"), organization("south")
        ada, mel, eve = Person(self, "ada", north), Person(self, "mel", north, "member"), Person(self, "eve", south)
        contact = ada.contact("lovelace")
        mel.contact("gardener")
        eve.contact("stranger")

        self.refused(403, "step_up_required", "POST", EXPORT, {}, ada.token())
        export = self.asked(202, "POST", EXPORT, {}, ada.elevated())["exportId"]
        self.crash(HALF_AN_HOUR)
        self.ready(ada, export)
        mail, = self.eventually(lambda: ada.mailed("Your data export is ready"), "no mail tells of the export")
        link = f"http://identity.localhost:{self.daemon.port}/account-export/{export}"
        self.assertIn(link, mail.get_body(("plain",)).get_content().split())

        file = f"{EXPORT}/{export}/file"
        answer = self.daemon.request("identity", "GET", file, token=ada.elevated())
        self.assertEqual((200, "application/json"), (answer.status, answer.headers["Content-Type"]), answer.body)
        self.assertRegex(answer.headers["Content-Disposition"], r'^attachment; filename="account-20[0-9-]{8}\.json"')
        self.check_file(answer, ada, contact, strangers=(mel, eve, "gardener", "stranger", eve.organization))
        self.check_doors(ada, export, others=(mel, eve))
        self.verified(ada)

    def check_file(self, answer, person, contact, strangers):
        document = answer.json()
        self.assertEqual(person.id, document["userId"])
        found = {}
        for each in document["records"]:
            found.setdefault((each["service_id"], each["kind"]), []).append(each["record"])
        self.assertEqual([person.email], [each["email"] for each in found["identity", "account"]])
        self.assertEqual([(person.organization, "owner")], [(each["organizationId"], each["role"]) for each in found["identity", "memberships"]])
        self.assertIn("user.export_requested", [each["type"] for each in found["identity", "auditEvents"]])
        self.assertTrue(found["identity", "sessions"])
        self.assertEqual([(contact, "note of lovelace", person.organization)],
                         [(each["contactId"], each["body"], each["organizationId"]) for each in found["crm", "notes"]])
        self.assertEqual([contact], [each["id"] for each in found["crm", "contactsLookedAfter"]])
        text = answer.body.decode()
        for each in strangers:
            for word in (each,) if isinstance(each, str) else (each.id, each.email):
                self.assertNotIn(word, text)
        for secret in ("argon2", person.password):
            self.assertNotIn(secret, text)

    def check_doors(self, person, export, others):
        one, page = f"{EXPORT}/{export}", f"/account-export/{export}"
        self.refused(403, "step_up_required", "GET", f"{one}/file", token=person.token())
        for path in (one, f"{one}/file"):
            self.refused(401, "authentication_required", "GET", path)
            for other in others:
                self.refused(404, "not_found", "GET", path, token=other.elevated())
        led = self.shared("GET", page)
        self.assertEqual((303, b""), (led.status, led.body))
        self.assertRegex(led.headers["Location"], "^/login[?]")
        for other in others:
            self.assertEqual(404, self.shared("GET", page, headers={"Cookie": other.browser()}).status)
        answer = self.shared("GET", page, headers={"Cookie": person.browser()})
        self.assertEqual((200, person.id), (answer.status, answer.json().get("userId")), answer.body)

    def test_an_export_waits_for_a_service(self):
        ada = Person(self, "ada", organization("wait"))
        ada.contact("lovelace")
        self.daemon.ctl("disable", "crm")
        export = self.asked(202, "POST", EXPORT, {}, ada.elevated())["exportId"]
        self.eventually(lambda: self.shown(ada, export)["waitingFor"] == ["crm"], "an export without crm does not wait")
        self.crash()
        self.assertEqual(("running", ["crm"]), tuple(self.shown(ada, export)[name] for name in ("status", "waitingFor")))
        self.daemon.ctl("enable", "crm")
        self.crash(HALF_AN_HOUR)
        self.ready(ada, export)
        self.assertIn(b"note of lovelace", self.daemon.request("identity", "GET", f"{EXPORT}/{export}/file", token=ada.elevated()).body)

    # Away with it.

    def test_is_deleted(self):
        name = organization("leave")
        ada = Person(self, "ada", name)
        contact = ada.contact("lovelace")
        self.ready(ada, self.asked(202, "POST", EXPORT, {}, ada.elevated())["exportId"])
        # Those two are asked again when all is gone.
        before = self.kept(ada.email)
        self.assertTrue({"users", "blobs"} <= {part for each in before for part in re.split("[^a-z_]+", each)}, before)
        heir = self.closes_and_comes_back(ada, name)

        self.delete(ada)
        self.crash()
        self.daemon.ctl("disable", "crm")
        self.crash(GRACE + HALF_AN_HOUR)
        self.eventually(lambda: any("crm" in job["error"] for job in self.deletions()), "a deletion without crm does not wait")
        self.cannot_sign_in(ada)
        self.crash()
        self.assertEqual([], ada.mailed("Your account has been deleted"))
        self.daemon.ctl("enable", "crm")
        self.assertEqual(ada.id, self.owner_of(contact, heir))
        self.crash(HALF_AN_HOUR)
        self.crash(HALF_AN_HOUR)
        self.eventually(lambda: ada.mailed("Your account has been deleted"), "a deletion does not go on when crm is back")
        self.is_gone(ada, heir, contact)

        again = Person(self, "ada", name)
        self.assertEqual((ada.email, False), (again.email, again.id == ada.id))
        self.assertEqual(1, len(ada.mailed("Your account has been deleted")))

    def closes_and_comes_back(self, ada, name):
        """@return the second owner"""
        self.refused(403, "step_up_required", "DELETE", "/api/auth/me", {"confirm": "delete"}, ada.token())
        self.refused(400, "validation_failed", "DELETE", "/api/auth/me", {"confirm": "yes"}, ada.elevated())
        self.refused(409, "last_owner", "DELETE", "/api/auth/me", {"confirm": "delete"}, ada.elevated())
        heir = Person(self, "heir", name)
        tokens = [(service, ada.token(service)) for service in ("identity", "crm")]
        key = self.asked(201, "POST", "/api/api-keys", {"name": "k", "environment": "live", "owner_type": "user", "owner_id": ada.id,
                         "grants": [{"service_id": "crm", "scopes": ["contacts.read"], "resources": []}]}, tokens[0][1])["key"]
        with_key = lambda: self.daemon.request("crm", "GET", "/api/contacts", headers={"X-Api-Key": key}).status  # noqa: E731
        self.assertEqual(200, with_key())
        before = self.asked(200, "GET", "/api/auth/me", token=tokens[0][1])["user"]
        self.delete(ada)
        self.refused(401, "invalid_token", "GET", "/api/auth/me", token=tokens[0][1])
        self.refused(401, "invalid_token", "GET", "/api/contacts", token=tokens[1][1], service="crm")
        self.assertEqual(401, with_key())
        self.refused(409, "last_owner", "DELETE", "/api/auth/me", {"confirm": "delete"}, heir.elevated())
        self.eventually(lambda: ada.mailed("Your account will be deleted"), "no mail tells of the deletion")
        self.refused(401, "invalid_credentials", "POST", "/api/auth/login", {"identifier": ada.email, "password": "x" * 20, "service_id": "identity"})

        after = self.asked(200, "GET", "/api/auth/me", token=ada.token())["user"]
        self.assertEqual((before["id"], "active"), (after["id"], after["status"]))
        self.assertEqual(200, with_key())
        self.crash(GRACE + HALF_AN_HOUR)
        self.eventually(lambda: not self.deletions(), "the job of a deletion that was taken back stays")
        self.assertEqual("active", self.asked(200, "GET", "/api/auth/me", token=ada.token())["user"]["status"])
        return heir

    def test_without_grace(self):
        """As little as can be set."""
        name = organization("soon")
        ada, heir = Person(self, "ada", name), Person(self, "heir", name)
        contact = ada.contact("lovelace")
        self.daemon.settings["identity.accounts.deletionGraceSeconds"] = 0
        self.addCleanup(self.daemon.settings.pop, "identity.accounts.deletionGraceSeconds")
        self.daemon.restart()
        self.delete(ada)
        self.crash(HALF_AN_HOUR)
        self.eventually(lambda: ada.mailed("Your account has been deleted"), "a deletion is not done after a crash")
        self.is_gone(ada, heir, contact)

    def deletions(self):
        return [job for job in self.daemon.ctl("jobs", "list", "--status", "all")["jobs"] if job["type"] == "identity.deletion"]

    def owner_of(self, contact, person):
        return self.asked(200, "GET", f"/api/contacts/{contact}", token=person.token("crm"), service="crm")["ownerUserId"]

    def cannot_sign_in(self, person):
        body = {"identifier": person.email, "password": person.password, "service_id": "identity"}
        self.refused(401, "invalid_credentials", "POST", "/api/auth/login", body)

    def is_gone(self, person, heir, contact):
        self.cannot_sign_in(person)
        members = self.daemon.request("identity", "GET", f"/api/organizations/{person.organization}/members", token=heir.token())
        self.assertEqual((200, True, False), (members.status, heir.id.encode() in members.body, person.id.encode() in members.body), members.body)
        self.assertIsNone(self.owner_of(contact, heir))
        notes = self.asked(200, "GET", f"/api/contacts/{contact}/notes", token=heir.token("crm"), service="crm")["items"]
        self.assertEqual([("note of lovelace", person.id)], [(each["body"], each["createdBy"]) for each in notes])
        left = []

        def forgotten():
            left[:] = self.kept(person.email)
            return not left

        # A mail is a job for a moment longer than it needs to get into its folder.
        self.eventually(forgotten, left)
        self.verified(heir)


if __name__ == "__main__":
    main()
