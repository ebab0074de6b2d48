#!/usr/bin/python3
"""Cookies that identity sets through the same-origin gateway. Each belongs to the origin that set it, and other origins cannot use or change it."""

import contextlib
import http.client
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402
from daemon import Answer  # noqa: E402


@on_both_engines
class GatewayCookies:
    settings = {"limits.rates": "off"}

    def ask(self, service, path, body, method="POST", token=None, cookie=None):
        """A page of the service asks its own origin, as a browser does on the port of all services."""
        host = f"{service}.localhost:{self.daemon.port}"
        headers = {"Host": host, "Origin": f"http://{host}", "X-Platform-Auth": "1", "Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if cookie:
            headers["Cookie"] = cookie
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=60)) as connection:
            connection.request(method, path, body=json.dumps(body), headers=headers)
            return Answer(connection.getresponse())

    def cookies(self, answer):
        """Name, value and attributes of each Set-Cookie, which are headers of their own."""
        self.assertIn(answer.status, (200, 202, 204), answer.body)
        found = {}
        for header in answer.headers.get_all("Set-Cookie") or []:
            first, *attributes = [part.strip() for part in header.split(";")]
            name, value = first.split("=", 1)
            self.assertNotIn(name, found)
            found[name] = (value, {each.split("=")[0].lower(): each.partition("=")[2] for each in attributes})
        return found

    def login(self, service):
        email, password = self.accounts.users["acme", "owner"]
        return self.ask(service, "/api/auth/login", {"identifier": email, "password": password, "service_id": service, "rememberMe": True})

    def check(self, answer, names):
        found = self.cookies(answer)
        self.assertEqual(set(names), set(found))
        for name, (_, attributes) in found.items():
            with self.subTest(cookie=name):
                self.assertNotIn("domain", attributes, "no other host gets it")
                self.assertEqual("/", attributes["path"])
                self.assertIn("httponly", attributes)
                self.assertEqual("Lax" if name == "platform_session" else "Strict", attributes["samesite"])
        return found

    def test_an_app_gets_the_refresh_cookie_of_its_origin_alone(self):
        signed_in = self.login("crm")
        handle = self.check(signed_in, ["platform_refresh"])["platform_refresh"][0]
        refreshed = self.ask("crm", "/api/auth/refresh", {}, cookie=f"platform_refresh={handle}")
        handle = self.check(refreshed, ["platform_refresh"])["platform_refresh"][0]
        token = refreshed.json()["access_token"]
        for method, path, body in (("PUT", "/api/auth/context", {"kind": "organization", "organizationId": refreshed.json()["activeContext"]["organizationId"]}),
                                   ("POST", "/api/auth/step-up", {"factor": "password", "password": self.accounts.users["acme", "owner"][1]}),
                                   ("PATCH", "/api/auth/me", {"displayName": "Ada"})):
            for name, (_, attributes) in self.cookies(self.ask("crm", path, body, method, token, f"platform_refresh={handle}")).items():
                self.assertEqual("platform_refresh", name)
                self.assertNotIn("domain", attributes)
        ended = self.check(self.ask("crm", "/api/auth/logout", {"scope": "app"}, token=token, cookie=f"platform_refresh={handle}"), ["platform_refresh"])
        self.assertEqual(("", "0"), (ended["platform_refresh"][0].strip('"'), ended["platform_refresh"][1]["max-age"]))

    def test_identity_sets_two_of_its_own(self):
        self.check(self.login("identity"), ["platform_refresh", "platform_session"])

    def test_a_cookie_of_another_app_opens_nothing(self):
        handle = self.cookies(self.login("identity"))["platform_refresh"][0]
        refused = self.ask("crm", "/api/auth/refresh", {}, cookie=f"platform_refresh={handle}")
        self.assertEqual((400, "service_mismatch"), (refused.status, refused.json()["code"]))
        # Nor does the browser's sign-in at identity count on an app's origin.
        browser = self.cookies(self.login("identity"))["platform_session"][0]
        refused = self.ask("crm", "/api/auth/refresh", {}, cookie=f"platform_session={browser}")
        self.assertEqual((401, "refresh_missing"), (refused.status, refused.json()["code"]))


if __name__ == "__main__":
    main()
