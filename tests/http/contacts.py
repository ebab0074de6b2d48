#!/usr/bin/python3
"""Contacts through the real door: what a client of the API sees, on SQLite and on PostgreSQL."""

import base64
import json
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402


class Contacts:
    def setUp(self):
        self.token = self.accounts.token()

    def call(self, method, path, body=None, token=None, headers=None, service="crm"):
        return self.daemon.request(service, method, path, body, self.token if token is None else token, headers)

    def make(self, **members):
        answer = self.call("POST", "/api/contacts", members)
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json()

    def problem(self, answer, status, code):
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (status, "application/problem+json"), answer.body)
        document = answer.json()
        self.assertEqual((document["status"], document["code"]), (status, code), document)
        self.assertEqual(document["requestId"], answer.headers["X-Request-Id"])
        for leak in ("SELECT", "INSERT", "/usr/", "std::", "exception", ".cpp"):
            self.assertNotIn(leak, answer.body.decode())
        return document

    def test_create_find_change_delete(self):
        made = self.make(firstName="Zoë", lastName="Ångström", emails=[{"address": "Zoe@Example.ORG"}], tags=["vip"])
        self.assertEqual(made["displayName"], "Zoë Ångström")
        self.assertTrue(made["emails"][0]["primary"])
        for query in ("q=angstrom", "q=zoe%40example", "email=zoe%40example.org", "tag=vip&q=ZO%C3%8B"):
            found = self.call("GET", f"/api/contacts?{query}").json()["items"]
            self.assertIn(made["id"], [each["id"] for each in found], query)
        read = self.call("GET", f"/api/contacts/{made['id']}")
        self.assertEqual(read.headers["ETag"], '"1"')
        # What was read can be sent back.
        same = self.call("PUT", f"/api/contacts/{made['id']}", read.json())
        self.assertEqual(same.status, 200, same.body)
        changed = self.call("PUT", f"/api/contacts/{made['id']}", {"jobTitle": "CTO", "tags": None}, headers={"If-Match": same.headers["ETag"]})
        self.assertEqual((changed.status, changed.json()["jobTitle"], changed.json()["tags"]), (200, "CTO", []))
        self.problem(self.call("PUT", f"/api/contacts/{made['id']}", {"jobTitle": "CEO"}, headers={"If-Match": '"1"'}), 412, "version_conflict")
        gone = self.call("DELETE", f"/api/contacts/{made['id']}")
        self.assertEqual((gone.status, gone.json()["deleted"]), (200, True))
        self.problem(self.call("GET", f"/api/contacts/{made['id']}"), 404, "not_found")
        back = self.call("POST", f"/api/contacts/{made['id']}/restore")
        self.assertEqual((back.status, back.json()["jobTitle"]), (200, "CTO"))

    def test_notes_belong_to_their_contact(self):
        first, second = self.make(firstName="One"), self.make(firstName="Two")
        note = self.call("POST", f"/api/contacts/{first['id']}/notes", {"body": "call back"}).json()
        self.assertEqual(self.call("GET", f"/api/contacts/{first['id']}/notes/{note['noteId']}").json()["body"], "call back")
        self.problem(self.call("GET", f"/api/contacts/{second['id']}/notes/{note['noteId']}"), 404, "not_found")
        self.assertEqual(self.call("GET", f"/api/contacts/{first['id']}").json()["counts"]["notes"], 1)
        self.assertEqual(self.call("DELETE", f"/api/contacts/{first['id']}/notes/{note['noteId']}").status, 200)
        self.assertEqual(self.call("GET", f"/api/contacts/{first['id']}").json()["counts"]["notes"], 0)

    def test_paging_neither_skips_nor_repeats(self):
        tag = f"page-{self.engine}"
        ids = {self.make(firstName=f"P{i % 3}", lastName=str(i), tags=[tag])["id"] for i in range(23)}
        for sort in ("displayName", "-displayName", "createdAt", "-updatedAt", "lastName"):
            seen, cursor = [], ""
            while cursor is not None:
                page = self.call("GET", f"/api/contacts?tag={tag}&sort={sort}&limit=4&include=total{cursor}").json()
                self.assertEqual(page["total"], 23)
                seen += [each["id"] for each in page["items"]]
                cursor = page["nextCursor"] and "&cursor=" + page["nextCursor"]
            self.assertEqual((len(seen), set(seen)), (23, ids), sort)
        page = self.call("GET", f"/api/contacts?tag={tag}&limit=4").json()
        self.problem(self.call("GET", f"/api/contacts?limit=4&cursor={page['nextCursor']}"), 400, "invalid_cursor")
        other = self.accounts.token("acme", "member")
        self.problem(self.call("GET", f"/api/contacts?tag={tag}&limit=4&cursor={page['nextCursor']}", token=other), 400, "invalid_cursor")

    def test_other_organizations_see_nothing(self):
        made = self.make(firstName="Secret", emails=[{"address": f"secret-{self.engine}@example.org"}])
        foreign = self.accounts.token("globex", "owner")
        for method, path, body in (("GET", "", None), ("PUT", "", {"firstName": "x"}), ("DELETE", "", None), ("POST", "/restore", {}), ("GET", "/notes", None),
                                   ("POST", "/notes", {"body": "x"})):
            self.problem(self.call(method, f"/api/contacts/{made['id']}{path}", body, token=foreign), 404, "not_found")
        self.assertEqual(self.call("GET", "/api/contacts?q=secret", token=foreign).json()["items"], [])
        self.assertEqual(self.call("GET", f"/api/contacts/{made['id']}").json()["version"], 1)

    def test_guests_may_nothing_and_learn_nothing(self):
        guest = self.accounts.token("acme", "guest")
        self.problem(self.call("GET", "/api/contacts", token=guest), 403, "permission_denied")
        self.problem(self.call("POST", "/api/contacts", b"{ not json", token=guest, headers={"Content-Type": "application/json"}), 403, "permission_denied")
        self.problem(self.call("GET", "/api/contacts/con_00000000000000000000000000", token=guest), 403, "permission_denied")

    def test_a_key_reads_what_hangs_on_contacts_by_the_scopes_of_each(self):
        made = self.make(firstName="Hung")
        self.assertEqual(self.call("POST", f"/api/contacts/{made['id']}/notes", {"body": "secret"}).status, 201)
        identity = self.accounts.token(service="identity")
        organization = self.daemon.request("identity", "GET", "/api/auth/me", token=identity).json()["activeContext"]["organizationId"]

        def key(*scopes):
            made = self.daemon.request("identity", "POST", "/api/api-keys", {"name": " ".join(scopes), "environment": "live", "owner_type": "organization",
                                       "owner_id": organization, "grants": [{"service_id": "crm", "scopes": list(scopes), "resources": []}]}, identity)
            self.assertEqual(made.status, 201, made.body)
            return {"X-Api-Key": made.json()["key"]}

        def read(headers, query):
            return self.daemon.request("crm", "GET", f"/api/contacts/{made['id']}{query}", headers=headers)

        bare, noting = key("contacts.read"), key("contacts.read", "notes.read")
        self.assertEqual(read(bare, "").status, 200)
        for part in ("notes", "attachments", "history", "notes,attachments,history"):
            # Twice: the second time the caller is known, and a short read is served where it came in.
            for _ in range(2):
                refused = self.problem(read(bare, f"?include={part}"), 403, "insufficient_scope")
                self.assertNotIn("secret", json.dumps(refused))
        self.assertEqual(read(noting, "?include=notes").json()["notes"][0]["body"], "secret")
        self.problem(read(noting, "?include=notes,history"), 403, "insufficient_scope")

    def test_wrong_input_is_named(self):
        cases = (
            (b"{", "invalid_json"), (b'{"firstName":"a","firstName":"b"}', "invalid_json"), (b'{"firstName":"\xff"}', "invalid_json"), (b'{"firstName":"a\\u0000"}', "invalid_json"),
            (b"[" * 5000, "invalid_json"), (b"[]", "validation_failed"), (b'{"firstName":7}', "validation_failed"), (b'{"frstName":"a"}', "unknown_field"),
            (b"{}", "validation_failed"), (b'{"emails":[{"address":"nobody"}]}', "validation_failed"), (b'{"firstName":"a","customFields":{"x":1}}', "unknown_field"),
        )
        for body, code in cases:
            answer = self.call("POST", "/api/contacts", body, headers={"Content-Type": "application/json"})
            self.problem(answer, 400, code)
        self.problem(self.call("POST", "/api/contacts", b"a=b", headers={"Content-Type": "application/x-www-form-urlencoded"}), 415, "unsupported_media_type")
        large = json.dumps({"firstName": "x" * 1_200_000}).encode()
        self.problem(self.call("POST", "/api/contacts", large, headers={"Content-Type": "application/json"}), 413, "payload_too_large")
        for query in ("colour=red", "limit=0", "sort=secret", "createdFrom=yesterday", "q=%FF"):
            self.assertEqual(self.call("GET", f"/api/contacts?{query}").status, 400, query)
        fault = self.problem(self.call("POST", "/api/contacts", {"emails": [{"address": "a@b.org"}, {"address": "x"}]}), 400, "validation_failed")
        self.assertEqual(fault["errors"][0]["field"], "emails[1].address")
        answer = self.call("PATCH", "/api/contacts", {})
        self.problem(answer, 405, "method_not_allowed")
        self.assertIn("POST", answer.headers["Allow"])
        self.problem(self.call("GET", "/api/contactz"), 404, "not_found")

    def test_hostile_tokens(self):
        head, body, signature = self.token.split(".")

        def forged(**changes):
            claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
            claims.update(changes)
            return f"{head}.{base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b'=').decode()}.{signature}"

        none = base64.urlsafe_b64encode(b'{"alg":"none","typ":"at+jwt"}').rstrip(b"=").decode()
        for token in ("x", "a.b.c", f"{none}.{body}.", f"{none}.{body}.{signature}", f"{self.token}.{signature}", f"{head}.{body}", self.token + "=",
                      f"{head}.{body}.{signature[:-2]}", f"{head}.{body}.{signature}AA", forged(org_id="org_other"), forged(exp=9999999999), " " + "A" * 6000):
            answer = self.call("GET", "/api/contacts", token=token)
            self.problem(answer, 401, "invalid_token")
            self.assertIn("Bearer", answer.headers["WWW-Authenticate"])
        elsewhere = self.accounts.token(service="identity")
        self.assertEqual(self.problem(self.call("GET", "/api/contacts", token=elsewhere), 401, "invalid_token")["details"]["reason"], "wrong_audience")
        self.problem(self.daemon.request("crm", "GET", "/api/contacts"), 401, "authentication_required")
        self.problem(self.call("GET", "/api/contacts", headers={"X-Api-Key": "pak_live_x"}), 400, "multiple_credentials")
        self.problem(self.call("GET", "/api/contacts", token="", headers={"Authorization": "Basic eDp5"}), 401, "invalid_token")

    def test_a_repeated_key_makes_one_contact(self):
        headers = {"Idempotency-Key": f"only-once-{self.engine}"}
        body = {"firstName": "Once", "tags": [f"once-{self.engine}"]}
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.call("POST", "/api/contacts", body, headers=headers))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(all(each.status in (201, 409) for each in answers), [each.status for each in answers])
        again = self.call("POST", "/api/contacts", body, headers=headers)
        self.assertEqual((again.status, again.headers["Idempotency-Replayed"]), (201, "true"))
        self.assertEqual(len(self.call("GET", f"/api/contacts?tag=once-{self.engine}").json()["items"]), 1)
        self.problem(self.call("POST", "/api/contacts", {"firstName": "Other"}, headers=headers), 422, "idempotency_key_reused")

    def test_a_repeated_key_gets_its_secret_again_and_the_database_has_none(self):
        identity = self.accounts.token(service="identity")
        organization = self.daemon.request("identity", "GET", "/api/auth/me", token=identity).json()["activeContext"]["organizationId"]
        body = {"name": "sealed", "environment": "live", "owner_type": "organization", "owner_id": organization,
                "grants": [{"service_id": "crm", "scopes": ["contacts.read"], "resources": []}]}
        ask = lambda token: self.daemon.request("identity", "POST", "/api/api-keys", body, token, {"Idempotency-Key": "order-1234"})  # noqa: E731
        first, again = ask(identity), ask(self.accounts.token(service="identity"))
        self.assertEqual((first.status, again.status), (201, 201), again.body)
        self.assertEqual((again.body, again.headers["Idempotency-Replayed"]), (first.body, "true"))
        if self.engine == "sqlite":
            needles = [first.json()["key"].rsplit("_", 1)[1].encode(), b"order-1234"]
            for file in self.daemon.state.rglob("*"):
                if file.is_file():
                    self.assertFalse([each for each in needles if each in file.read_bytes()], file)

    def test_api_keys_open_their_scopes(self):
        identity = self.accounts.token(service="identity")
        organization = self.daemon.request("identity", "GET", "/api/auth/me", token=identity).json()["activeContext"]["organizationId"]
        made = self.daemon.request("identity", "POST", "/api/api-keys", {"name": "reader", "environment": "live", "owner_type": "organization", "owner_id": organization,
                                   "grants": [{"service_id": "crm", "scopes": ["contacts.read"], "resources": []}]}, identity)
        self.assertEqual(made.status, 201, made.body)
        key, key_id = made.json()["key"], made.json()["apiKey"]["id"]
        with_key = lambda method, path, body=None: self.daemon.request("crm", method, path, body, headers={"X-Api-Key": key})  # noqa: E731
        self.assertEqual(with_key("GET", "/api/contacts").status, 200)
        self.problem(with_key("POST", "/api/contacts", {"firstName": "x"}), 403, "insufficient_scope")
        self.assertEqual(self.daemon.request("identity", "DELETE", f"/api/api-keys/{key_id}", token=identity).status, 204)
        self.problem(with_key("GET", "/api/contacts"), 401, "invalid_token")

    def test_document_and_pages(self):
        document = self.daemon.request("crm", "GET", "/openapi.json").json()
        self.assertEqual(document["openapi"][:3], "3.1")
        self.assertIn("get", document["paths"]["/api/contacts/{id}"])
        self.assertIn(b"<html", self.daemon.request("crm", "GET", "/docs").body)
        for path in ("/healthz", "/readyz", "/health", "/api"):
            self.assertEqual(self.daemon.request("crm", "GET", path).status, 200, path)
        widget = self.call("GET", "/api/widget").json()
        self.assertEqual((widget["service_id"], widget["schemaVersion"]), ("crm", 1))


Contacts = on_both_engines(Contacts)

if __name__ == "__main__":
    main()
