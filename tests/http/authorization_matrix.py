#!/usr/bin/python3
"""The authorization of every route, generated from the route table: for every role, an operator, an API key and no credential, on records of the same and of
another organization. The daemon reports what a route requires, and the manifests what a role has, so no list is maintained by hand."""

import json
import pathlib
import re
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402
from daemon import ROOT  # noqa: E402

ROLES = ("owner", "super_admin", "admin", "member", "guest")
SERVICES = ("identity", "crm", "calendar", "social", "launchpad")
UNKNOWN = "01arz3ndektsv4rrffq69g5fav"
ADMINS = ("owner", "super_admin", "admin")


def covers(pattern, permission):
    """A permission, or a pattern of a bundle: crm.*:*, crm.contacts:*, crm.*:read."""
    return re.fullmatch(re.escape(pattern).replace(r"\*", "[a-z0-9_-]+"), permission) is not None


def bundles(service):
    manifest = json.loads((ROOT / "plugins" / service / "manifest.json").read_text())
    held = {role: set() for role in ROLES}
    for bundle in manifest["roleBundles"]:
        for role in bundle["roles"]:
            held[role].update(bundle["permissions"])
    return held


class Route:
    def __init__(self, entry):
        self.service, self.method, self.path, access = entry["service"], entry["method"], entry["path"], entry["access"]
        self.open = access == "open"
        # In personal context without a permission as well.
        self.at_home = " or at home" in access
        demand = access.split(" (key:")[0].removesuffix(" or at home")
        self.myself = demand.endswith(" or oneself")
        demand = demand.removesuffix(" or oneself")
        demand, _, self.rank = demand.partition(" of ")
        demand, _, self.permission = demand.partition(" with ")
        ways = demand.split(" or ")
        self.token, self.key, self.cookie = "token" in ways, "key" in ways, "cookie" in ways
        self.backend = "service" in ways
        # Their refusals are SCIM's, without a code.
        self.scim = self.path.startswith("/scim/")
        self.restricted = bool(self.permission or self.rank)

    def __str__(self):
        return f"{self.method} {self.service}{self.path}"

    def of_organization(self):
        return re.match(r"/api/(organizations|developer-workspaces)/\{", self.path) is not None

    def filled(self, organization, user):
        """Own or foreign where a path names an organization or a user; everything else is a record that there is not."""
        path = re.sub(r"^(/api/(?:organizations|developer-workspaces))/\{\w+\}", rf"\1/{organization}", self.path)
        # What would close a service is asked of one that there is not.
        closing = path.endswith(("/activate", "/suspend", "/retire", "/service-access/{service_id}"))
        path = path.replace("{userId}", user).replace("{service_id}", "nowhere" if closing else "crm")
        # Without an organization they are the installation's.
        query = f"?organizationId={organization}" if "/role-bundles/" in path else ""
        return re.sub(r"\{\w+\}", UNKNOWN, path) + query


@on_both_engines
class AuthorizationMatrix:
    settings = {"limits.rates": "off"}

    @classmethod
    def prepare(cls):
        """Prepares, once for the class, an account per role, the routes, and the permissions of the roles."""
        if hasattr(cls, "routes"):
            return
        entries = [entry for entry in cls.daemon.ctl("routes")["routes"] if entry["service"] in SERVICES]
        there = {(entry["method"], entry["path"]) for entry in entries if entry["service"] == "identity"}
        # A forwarded path stands for all below it; identity may have nothing at the path itself.
        leads_nowhere = lambda each: each["path"].startswith("/api/") and not each["operation"] and (each["method"], each["path"]) not in there  # noqa: E731
        cls.routes = [Route(entry) for entry in entries if not leads_nowhere(entry)]
        cls.held = {service: bundles(service) for service in SERVICES}
        cls.people = {role: cls.daemon.user(f"{role}@matrix.example", "matrix", role) for role in ROLES}
        cls.home = cls.daemon.user("home@matrix.example")
        cls.stranger = cls.daemon.user("stranger@elsewhere.example", "elsewhere", "owner")
        cls.operator = cls.daemon.user("matrix-operator@portico.example", operator=True)
        cls.own = cls.people["owner"]["organizationId"]
        cls.tokens = {}

    def setUp(self):
        self.prepare()

    def token(self, who, service, fresh=False):
        if fresh or (who["email"], service) not in self.tokens:
            self.tokens[who["email"], service] = self.daemon.login(who["email"], who["password"], service)
        return self.tokens[who["email"], service]

    def ask(self, route, who, path):
        body = None if route.method in ("GET", "DELETE") else {}
        answer = self.daemon.request(route.service, route.method, path, body, self.token(who, route.service))
        if answer.status == 401:
            # A row before may have ended the sign-in: that is its purpose.
            answer = self.daemon.request(route.service, route.method, path, body, self.token(who, route.service, fresh=True))
        return answer

    def opens(self, role, route):
        by_rank = route.rank == "admins" and role in ADMINS
        return by_rank or any(covers(pattern, route.permission) for pattern in self.held[route.service][role])

    def verdict(self, answer):
        code = answer.json().get("code", "") if answer.status >= 400 and b"code" in answer.body else ""
        return f"{answer.status} {code}".strip()

    def each(self, wanted, check):
        routes = [route for route in self.routes if wanted(route)]
        self.assertGreater(len(routes), 0)
        for route in routes:
            with self.subTest(route=str(route)):
                check(route)

    def each_role(self, wanted, check):
        for role in ROLES:
            with self.subTest(role=role):
                self.each(wanted, lambda route, role=role: check(role, route))

    def test_routes_require_a_credential(self):
        def check(route):
            body = None if route.method in ("GET", "DELETE") else {}
            answer = self.daemon.request(route.service, route.method, route.filled(self.own, self.people["owner"]["userId"]), body)
            # A cookie alone is refused for where it comes from, before it is looked at.
            self.assertIn(answer.status, (401, 403) if route.cookie else (401,), answer.body)

        self.each(lambda route: not route.open, check)

    def test_roles_get_what_their_bundles_hold(self):
        def check(role, route):
            seen = self.verdict(self.ask(route, self.people[role], route.filled(self.own, f"usr_{UNKNOWN}")))
            if not self.opens(role, route):
                # Access is checked before the body, so that unauthorized callers learn nothing about its form.
                self.assertIn(seen, ("403 permission_denied", "403 service_access_denied"))
                return
            self.assertNotIn(seen.split()[0], ("401", "500", "503"), seen)
            self.assertNotEqual("403 permission_denied", seen)

        self.each_role(lambda route: route.token and route.restricted, check)

    def test_another_organization_is_not_there(self):
        def check(role, route):
            path = route.filled(self.stranger["organizationId"], self.stranger["userId"])
            seen = self.verdict(self.ask(route, self.people[role], path))
            refusals = ("403 permission_denied", "403 service_access_denied")
            if not route.restricted or self.opens(role, route):
                # A missing record is reported after an invalid body.
                refusals += ("404 not_found", "403 outranked", "403 step_up_required", "400 validation_failed")
            self.assertIn(seen, refusals)

        self.each_role(lambda route: route.token and (route.of_organization() or "{userId}" in route.path), check)

    def test_personal_context_gets_the_bundle_of_members(self):
        manifests = {service: json.loads((ROOT / "plugins" / service / "manifest.json").read_text()) for service in SERVICES}

        def check(route):
            seen = self.verdict(self.ask(route, self.home, route.filled(self.own, f"usr_{UNKNOWN}")))
            if self.opens("member", route) or route.at_home:
                self.assertNotIn(seen.split()[0], ("401", "500", "503"), seen)
                self.assertNotEqual("403 permission_denied", seen)
            else:
                self.assertIn(seen, ("403 permission_denied", "403 service_access_denied"))

        personal = [service for service in SERVICES if "personal" in manifests[service]["contexts"] and service != "identity"]
        self.assertIn("launchpad", personal)
        self.each(lambda route: route.service in personal and route.token and route.permission and not route.rank, check)

    def test_rank_opens_what_is_for_it(self):
        def check(role, route):
            # Records of a user with the lowest rank, who may access their own data.
            seen = self.verdict(self.ask(route, self.people[role], route.filled(self.own, self.people["guest"]["userId"])))
            if self.opens(role, route) or (route.myself and role == "guest"):
                self.assertNotIn(seen, ("403 permission_denied", "401 invalid_token", "500 internal"))
            else:
                self.assertEqual("403 permission_denied", seen)

        self.each_role(lambda route: route.rank, check)

    def test_operators_are_refused_nothing_by_permission(self):
        def check(route):
            seen = self.verdict(self.ask(route, self.operator, route.filled(self.own, f"usr_{UNKNOWN}")))
            self.assertNotEqual("403 permission_denied", seen)
            self.assertNotIn(seen.split()[0], ("401", "500", "503"), seen)

        self.each(lambda route: route.token and route.restricted, check)

    def test_keys_open_only_what_takes_keys(self):
        for service in SERVICES:
            key = self.key_for(service)

            def check(route, service=service, key=key):
                body = None if route.method in ("GET", "DELETE") else {}
                answer = self.daemon.request(service, route.method, route.filled(self.own, f"usr_{UNKNOWN}"), body, headers={"X-Api-Key": key})
                seen = self.verdict(answer)
                if route.key:
                    self.assertNotIn(seen.split()[0], ("401", "500", "503"), seen)
                    self.assertNotEqual("403 bearer_required", seen)
                else:
                    self.assertEqual("403" if route.scim else "403 bearer_required", seen)

            self.each(lambda route, service=service: route.service == service and not route.open and not route.cookie, check)

    def test_services_open_only_what_takes_services(self):
        for service in SERVICES:
            token = self.backend_token(service)

            def check(route, service=service, token=token):
                body = None if route.method in ("GET", "DELETE") else {}
                seen = self.verdict(self.daemon.request(service, route.method, route.filled(self.own, f"usr_{UNKNOWN}"), body, token))
                if route.backend:
                    self.assertNotIn(seen.split()[0], ("401", "500", "503"), seen)
                    self.assertNotEqual("403 bearer_required", seen)
                else:
                    self.assertIn(seen, ("403",) if route.scim else ("403 bearer_required", "403 insufficient_scope"))

            self.each(lambda route, service=service: route.service == service and (route.token or route.key or route.backend), check)

    def backend_token(self, service):
        """A token of crm's backend for a service."""
        operator = self.token(self.operator, "identity", fresh=True)
        made = self.daemon.request("identity", "POST", "/api/oauth-clients",
                                   {"name": "matrix", "service_id": "crm", "grant_types": ["client_credentials"]}, operator).json()  # fmt: skip
        origin = self.daemon.request("identity", "GET", f"/api/services/{service}", token=operator).json()["origins"][0]
        form = {"grant_type": "client_credentials", "client_id": made["client_id"], "client_secret": made["client_secret"], "resource": origin}
        answer = self.daemon.request("identity", "POST", "/oauth/token", urllib.parse.urlencode(form).encode(),
                                     headers={"Content-Type": "application/x-www-form-urlencoded"})  # fmt: skip
        self.assertEqual(200, answer.status, answer.body)
        return answer.json()["access_token"]

    def key_for(self, service):
        """A key of the organization that holds every scope of a service."""
        owner = self.people["owner"]
        token = self.token(owner, "identity", fresh=True)
        proof = {"factor": "password", "password": owner["password"]}
        token = self.daemon.request("identity", "POST", "/api/auth/step-up", proof, token).json()["access_token"]
        scopes = [scope["scope"] for scope in json.loads((ROOT / "plugins" / service / "manifest.json").read_text())["apiKeyScopes"]]
        body = {"name": "matrix", "environment": "live", "owner_type": "organization", "owner_id": self.own,
                "grants": [{"service_id": service, "scopes": scopes}]}  # fmt: skip
        made = self.daemon.request("identity", "POST", "/api/api-keys", body, token)
        self.assertEqual(201, made.status, made.body)
        return made.json()["key"]


if __name__ == "__main__":
    main()
