#!/usr/bin/python3
"""Okta and Entra provision users: the requests that each of them sends, in their order, with one secret as the bearer token.

docs/calling.md tells the same from the side of who sets it up. Okta: "SCIM protocol reference"; Entra: "Develop and plan provisioning for
a SCIM endpoint", both as of 2025."""

import json
import pathlib
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main, on_both_engines  # noqa: E402
from nameserver import NameServer, prove  # noqa: E402

CORE = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
NAMES = NameServer()


class Directory:
    """A directory that knows only a base URL and one secret."""

    def __init__(self, daemon, secret, flag=""):
        self.daemon, self.secret, self.flag = daemon, secret, flag

    def call(self, method, path, body=None, secret=None, **query):
        parts = ([self.flag] if self.flag else []) + [urllib.parse.urlencode({name: value}, quote_via=urllib.parse.quote) for name, value in query.items()]
        target = "/scim/v2" + path + ("?" + "&".join(parts) if parts else "")
        headers = {"Accept": "application/scim+json", "User-Agent": "Directory/1"}
        if body is not None:
            headers["Content-Type"] = "application/scim+json; charset=utf-8"
            body = json.dumps(body).encode()
        return self.daemon.request("identity", method, target, body, secret or self.secret, headers)

    def patch(self, path, *operations):
        return self.call("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)})

    def find(self, kind, text, **query):
        return self.call("GET", f"/{kind}", filter=text, **query)


@on_both_engines
class DirectoryTest:
    settings = {"identity.domains.resolvers": NAMES.place}
    proved = None

    def api(self, method, path, body=None, token=None):
        return self.daemon.request("identity", method, path, body, token or self.owner())

    def setUp(self):
        self.elevated = None

    def owner(self):
        """The owner's token after a step-up. One sign-in a test, so that their number does not reach the limit of attempts."""
        if self.elevated:
            return self.elevated
        token = self.accounts.token("acme", "owner", "identity")
        email, password = self.accounts.users["acme", "owner"]
        elevated = self.daemon.request("identity", "POST", "/api/auth/step-up", {"factor": "password", "password": password}, token)
        self.assertEqual(200, elevated.status, elevated.body)
        self.elevated = elevated.json()["access_token"]
        return self.elevated

    def client(self, **more):
        body = {"name": "Directory", "grant_types": ["client_credentials"], "scopes": ["scim"], "redirect_uris": [], **more}
        made = self.api("POST", "/api/oauth-clients", body)
        self.assertEqual(201, made.status, made.body)
        return made.json()

    def directory(self, flag=""):
        if not type(self).proved:
            prove(NAMES, self.daemon, self.owner(), "acme.example")
            type(self).proved = True
        client = self.client()
        return Directory(self.daemon, client["client_secret"], flag), client

    def good(self, answer, status=200):
        self.assertEqual(status, answer.status, answer.body)
        return answer.json() if answer.body else {}

    def account(self, identifier):
        return self.good(self.api("GET", f"/api/users/{identifier}"))

    def test_okta(self):
        okta, _ = self.directory()
        # "Test connector configuration" and the first import.
        page = self.good(okta.call("GET", "/Users", startIndex=1, count=2))
        self.assertLessEqual(len(page["Resources"]), 2)
        self.good(okta.call("GET", "/Groups", startIndex=1, count=100))
        # Assign a person.
        found = self.good(okta.find("Users", 'userName eq "ina.okta@acme.example"', startIndex=1, count=100))
        self.assertEqual(0, found["totalResults"])
        ina = self.good(
            okta.call("POST", "/Users", {
                "schemas": [CORE], "userName": "ina.okta@acme.example", "name": {"givenName": "Ina", "familyName": "Okta"},
                "emails": [{"primary": True, "value": "ina.okta@acme.example", "type": "work"}], "displayName": "Ina Okta", "locale": "en-US",
                "externalId": "00ujl29u0le5T6Aj10h7", "groups": [], "password": "1mz050nq", "active": True}), 201)
        path = "/Users/" + ina["id"]
        self.assertEqual("ina.okta@acme.example", self.account(ina["id"])["email"])
        # A profile change, and a rename: all of the person by PUT.
        shown = self.good(okta.call("GET", path))
        shown.update(userName="ina.lund@acme.example", emails=[{"primary": True, "value": "ina.lund@acme.example", "type": "work"}])
        shown["name"]["familyName"] = "Lund"
        self.good(okta.call("PUT", path, shown))
        self.assertEqual("ina.lund@acme.example", self.account(ina["id"])["email"])
        self.assertEqual(0, self.good(okta.find("Users", 'userName eq "ina.okta@acme.example"'))["totalResults"])
        # Push a group, rename it, change who is in it.
        group = self.good(okta.call("POST", "/Groups", {"schemas": [GROUP], "displayName": "Okta guests", "members": []}), 201)
        place = "/Groups/" + group["id"]
        self.good(okta.patch(place, {"op": "replace", "value": {"id": group["id"], "displayName": "guest"}}))
        self.good(okta.patch(place, {"op": "add", "path": "members", "value": [{"value": ina["id"], "display": "ina.lund@acme.example"}]}))
        self.assertEqual("guest", self.good(okta.call("GET", path))["roles"][0]["value"])
        self.good(okta.patch(place, {"op": "remove", "path": f'members[value eq "{ina["id"]}"]'}))
        self.assertEqual("member", self.good(okta.call("GET", path))["roles"][0]["value"])
        self.good(okta.patch(place, {"op": "replace", "path": "members", "value": [{"value": ina["id"], "display": "x"}]}))
        self.assertEqual(204, okta.call("DELETE", place).status)
        # Unassign, and assign again.
        self.assertIs(False, self.good(okta.patch(path, {"op": "replace", "value": {"active": False}}))["active"])
        found = self.good(okta.find("Users", 'userName eq "INA.LUND@acme.example"'))["Resources"][0]
        self.assertEqual((ina["id"], False), (found["id"], found["active"]))
        found["active"] = True
        self.assertIs(True, self.good(okta.call("PUT", path, found))["active"])
        self.assertEqual(204, okta.call("DELETE", path).status)

    def test_entra(self):
        entra, _ = self.directory("aadOptscim062020")
        # "Test connection": somebody who does not exist.
        self.assertEqual(0, self.good(entra.find("Users", 'userName eq "b1f0a6e1-2c4d-4e5f-8a7b-000000000000"'))["totalResults"])
        # Create, after a look for both matching attributes.
        for text in ('userName eq "max.entra@acme.example"', 'emails[type eq "work"].value eq "max.entra@acme.example"'):
            self.assertEqual(0, self.good(entra.find("Users", text))["totalResults"])
        made = {}
        for name in ("max.entra", "chef"):
            body = {
                "schemas": [CORE, ENTERPRISE], "externalId": "0a21f0f2-" + name, "userName": f"{name}@acme.example", "active": True,
                "displayName": name, "emails": [{"primary": True, "type": "work", "value": f"{name}@acme.example"}], "meta": {"resourceType": "User"},
                "name": {"formatted": "Max Entra", "familyName": "Entra", "givenName": "Max"}, "roles": [],
                "urn:ietf:params:scim:schemas:extension:contoso:2.0:User": {"badge": "7"}, ENTERPRISE: {"department": "Kitchen"}}
            made[name] = self.good(entra.call("POST", "/Users", body), 201)["id"]
        person = "/Users/" + made["max.entra"]
        found = self.good(entra.find("Users", 'emails[type eq "work"].value eq "MAX.ENTRA@acme.example"'))
        self.assertEqual(made["max.entra"], found["Resources"][0]["id"])
        # An update: values that are there, values that are not, attributes that nobody here knows, and the manager as a list.
        changed = self.good(entra.patch(
            person,
            {"op": "Replace", "path": "displayName", "value": "Maximilian Entra"},
            {"op": "Replace", "path": "phoneNumbers[type eq \"mobile\"].value", "value": "+49 170 1"},
            {"op": "Add", "path": "addresses[type eq \"work\"].locality", "value": "Bonn"},
            {"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:contoso:2.0:User:badge", "value": "8"},
            {"op": "Add", "path": "roles[primary eq \"True\"].value", "value": "Sales"},
            {"op": "Add", "path": ENTERPRISE + ":manager", "value": [{"$ref": "../Users/" + made["chef"], "value": made["chef"]}]}))
        self.assertEqual([{"type": "mobile", "value": "+49 170 1"}], changed["phoneNumbers"])
        self.assertEqual("Bonn", changed["addresses"][0]["locality"])
        self.assertEqual(made["chef"], changed[ENTERPRISE]["manager"]["value"])
        self.assertEqual("Maximilian Entra", self.account(made["max.entra"])["displayName"])
        linked = self.good(entra.find("Users", f'id eq "{made["max.entra"]}" and manager eq "{made["chef"]}"', attributes="id"))
        self.assertEqual(1, linked["totalResults"])
        # A rename, in two operations of one request.
        self.good(entra.patch(person, {"op": "Replace", "path": "userName", "value": "max.neu@acme.example"},
                              {"op": "Replace", "path": "emails[type eq \"work\"].value", "value": "max.neu@acme.example"}))
        self.assertEqual("max.neu@acme.example", self.account(made["max.entra"])["email"])
        # Groups.
        body = {"schemas": [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"], "externalId": "8aa1a0c0",
                "displayName": "Küche", "meta": {"resourceType": "Group"}}
        group = "/Groups/" + self.good(entra.call("POST", "/Groups", body), 201)["id"]
        self.assertEqual(409, entra.call("POST", "/Groups", dict(body, displayName="KÜCHE")).status)
        self.assertEqual(1, self.good(entra.find("Groups", 'displayName eq "küche"', excludedAttributes="members"))["totalResults"])
        self.good(entra.patch(group, {"op": "Add", "path": "members", "value": [{"$ref": None, "value": one} for one in made.values()]}))
        self.good(entra.patch(group, {"op": "Remove", "path": "members", "value": []}))
        self.assertEqual(2, len(self.good(entra.call("GET", group))["members"]))
        self.good(entra.patch(group, {"op": "Remove", "path": "members", "value": [{"$ref": None, "value": made["chef"]}]}))
        self.assertEqual([made["max.entra"]], [one["value"] for one in self.good(entra.call("GET", group))["members"]])
        self.assertNotIn("members", self.good(entra.call("GET", group, excludedAttributes="members")))
        # The person leaves: Entra says it once, beside whatever else its mappings have changed.
        self.good(entra.patch(person, {"op": "Replace", "path": "emails[type eq \"work\"].value", "value": "max@elsewhere.example"},
                              {"op": "Replace", "path": "title", "value": {"unheard": "of"}},
                              {"op": "Replace", "path": "active", "value": "False"}))
        shown = self.good(entra.call("GET", person))
        self.assertEqual((False, "max.neu@acme.example"), (shown["active"], shown["emails"][0]["value"]))
        trail = self.good(self.api("GET", "/api/audit-events?limit=50"))["items"]
        self.assertTrue(any(one["type"] == "scim.user_updated" and "title" in json.dumps(one) for one in trail), trail)
        for path in ("/Users/" + made["chef"], person, group):
            self.assertEqual(204, entra.call("DELETE", path).status)

    def test_the_secret(self):
        directory, client = self.directory()
        place = "/api/oauth-clients/" + client["client_id"]
        self.assertIsNone(self.good(self.api("GET", place))["scim_used_at"])
        self.good(directory.call("GET", "/Users", count=1))
        self.assertIsNotNone(self.good(self.api("GET", place))["scim_used_at"])
        # It opens SCIM, and nothing else.
        for path in ("/api/users", "/api/auth/me", "/api/oauth-clients", "/validate"):
            self.assertEqual(401, self.api("GET", path, token=client["client_secret"]).status, path)
        self.assertEqual(401, self.daemon.request("crm", "GET", "/api/contacts", None, client["client_secret"]).status)
        # Wrong ones, a shortened one, and those of clients without the scope or with more to prove.
        for secret in ("x", client["client_secret"][:-1], client["client_secret"] + "x", client["client_id"]):
            self.assertEqual(401, directory.call("GET", "/Users", secret=secret).status, secret)
        for other in ({"scopes": ["openid"]}, {"dpop_bound_access_tokens": True}):
            self.assertEqual(401, directory.call("GET", "/Users", secret=self.client(**other)["client_secret"]).status, other)
        # A new one: both work for a day, so that nobody has to hurry.
        rotated = self.good(self.api("POST", place + "/rotate-secret", {}))
        for secret in (client["client_secret"], rotated["client_secret"]):
            self.good(directory.call("GET", "/Users", secret=secret, count=1))
        # Removed, it ends at once, though it was used a moment ago.
        self.assertIn(self.api("DELETE", place).status, (200, 204))
        for secret in (client["client_secret"], rotated["client_secret"]):
            self.assertEqual(401, directory.call("GET", "/Users", secret=secret).status)
        types = [one["type"] for one in self.good(self.api("GET", "/api/audit-events?limit=100"))["items"] if client["client_id"] in json.dumps(one)]
        for wanted in ("oauth_client.created", "oauth_client.secret_rotated", "oauth_client.deleted"):
            self.assertIn(wanted, types)


if __name__ == "__main__":
    main()
