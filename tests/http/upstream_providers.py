#!/usr/bin/python3
"""People sign in through providers that are not ours, npm's oidc-provider and a second Portico: by a link that they made, and until their session there ends."""

import html
import http.client
import json
import pathlib
import re
import subprocess
import sys
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main, on_both_engines  # noqa: E402
from daemon import Daemon, free_ports  # noqa: E402
from npm import installed  # noqa: E402

SETTINGS = {"outbound.allowedNetworks": "127.0.0.0/8"}


class Page:
    def __init__(self, url, status, headers, body):
        self.url, self.status, self.headers, self.body = url, status, headers, body

    def form(self):
        """Returns the action and the fields of the page's first form."""
        action = html.unescape(re.search(r'<form[^>]*action="([^"]+)"', self.body)[1])
        inputs = re.findall(r"<input[^>]*>", self.body)
        read = lambda text, name: (re.search(rf'\b{name}="([^"]*)"', text) or [None, ""])[1]
        fields = {read(text, "name"): html.unescape(read(text, "value")) for text in inputs if read(text, "name")}
        return urllib.parse.urljoin(self.url, action), fields


class Browser:
    """Cookies by origin, redirects, forms; names below localhost are this machine."""

    def __init__(self):
        self.cookies = {}

    def once(self, url, fields=None):
        parts = urllib.parse.urlsplit(url)
        jar = self.cookies.setdefault(parts.netloc, {})
        connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=30)
        headers = {"Host": parts.netloc, "Accept": "text/html", "Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}
        body = None
        if fields is not None:
            body = urllib.parse.urlencode(fields)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        connection.request("POST" if body is not None else "GET", target, body=body, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            name, value = cookie.split(";")[0].split("=", 1)
            if value:
                jar[name] = value
            else:
                jar.pop(name, None)
        connection.close()
        return Page(url, answer.status, answer.headers, text)

    def follow(self, url, fields=None):
        """Follows redirects up to the one that leads to the settings, which no server serves here."""
        for _ in range(20):
            page = self.once(url, fields)
            fields = None
            if page.status not in (302, 303):
                return page
            url = urllib.parse.urljoin(url, page.headers["Location"])
            if url.startswith("http://admin.localhost"):
                page.url = url
                return page
        raise AssertionError("redirects without an end")

    def submit(self, page, **typed):
        action, fields = page.form()
        return self.follow(action, {**fields, **typed})


@on_both_engines
class UpstreamProvidersTest:
    settings = SETTINGS

    def setUp(self):
        email, self.password = self.accounts.users["acme", "owner"]
        self.email = email
        self.origin = f"http://identity.localhost:{self.daemon.port}"
        operator = f"op-{self._testMethodName.replace('_', '-')}@admin.example"
        made = self.daemon.user(operator, operator=True)
        self.operator = self.daemon.login(operator, made["password"], "identity")

    def post(self, path, body, token):
        answer = self.daemon.request("identity", "POST", path, body, token)
        self.assertIn(answer.status, (200, 201), answer.body)
        return answer.json()

    def provider(self, issuer):
        return self.post("/api/identity-providers", {"name": "Upstream", "issuer": issuer, "clientId": "portico", "clientSecret": "s" * 40},
                         self.operator)["id"]

    def link_url(self, provider):
        token = self.daemon.login(self.email, self.password, "identity")
        self.post("/api/auth/step-up", {"factor": "password", "password": self.password}, token)
        return self.post(f"/api/auth/linked-accounts/{provider}/start", {}, token)["url"]

    def sign_in_here(self, browser, url):
        page = browser.follow(url)
        return browser.submit(page, identifier=self.email, password=self.password)

    def sessions(self):
        token = self.daemon.login(self.email, self.password, "identity")
        items = self.daemon.request("identity", "GET", "/api/auth/sessions", None, token).json()["items"]
        return [item for item in items if any(word.startswith("idp:") for word in item["amr"])]

    def test_a_provider_of_others(self):
        folder = installed(HERE / "upstream", "upstream-provider")
        port = free_ports(1)
        provider = self.provider(f"http://127.0.0.1:{port}")
        callback = f"{self.origin}/sso/providers/{provider}"
        wanted = {"port": port, "clientId": "portico", "clientSecret": "s" * 40, "redirectUri": callback + "/callback",
                  "backchannelLogoutUri": f"http://127.0.0.1:{self.daemon.ports['identity']}/sso/providers/{provider}/backchannel-logout"}
        node = subprocess.Popen(["node", "provider.mjs", json.dumps(wanted)], cwd=folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(node.stdout.close)
        self.addCleanup(node.wait)
        self.addCleanup(node.kill)
        self.assertEqual("ready", next(line.strip() for line in node.stdout if line.strip() == "ready"))
        test = self.post(f"/api/identity-providers/{provider}/test", {}, self.operator)
        self.assertTrue(test["ok"], test)

        # A matching address at the provider gives no access to the account.
        stranger = Browser()
        page = self.go_through(stranger, f"{callback}/start", "owner")
        self.assertEqual(409, page.status)
        self.assertIn("An account with your address already exists", page.body)
        self.assertEqual([], self.sessions())

        browser = Browser()
        page = self.sign_in_here(browser, self.link_url(provider))
        page = self.through(browser, page, "owner")
        self.assertTrue(page.url.startswith(self.origin) or page.status < 400, page.body)

        fresh = Browser()
        self.go_through(fresh, f"{callback}/start?return_to=%2Fsettings", "owner")
        self.assertIn("platform_session", fresh.cookies[urllib.parse.urlsplit(self.origin).netloc])
        self.assertEqual(1, len(self.sessions()))

        # Another user of the provider has no account here.
        other = Browser()
        self.assertEqual(403, self.go_through(other, f"{callback}/start", "mallory").status)

        # The session there ends, and with it what came from there.
        page = fresh.follow(f"http://127.0.0.1:{port}/session/end")
        action, fields = page.form()
        fresh.follow(action, {**fields, "logout": "yes"})
        self.assertEqual([], self.sessions())

    def go_through(self, browser, start, name):
        return self.through(browser, browser.follow(start), name)

    def through(self, browser, page, name):
        """The pages of oidc-provider's example: a name, then consent."""
        for _ in range(4):
            if "/interaction/" not in page.url and "/interaction/" not in page.body:
                return page
            page = browser.submit(page, login=name, password="x")
        return page

    def test_a_second_portico(self):
        upstream = Daemon(SETTINGS)
        self.addCleanup(upstream.close)
        upstream.settings["services.identity.origins"] = f"http://127.0.0.1:{upstream.ports['identity']}"
        upstream.start()
        issuer = upstream.request("identity", "GET", "/.well-known/openid-configuration").json()["issuer"]
        password = upstream.user("ada@elsewhere.example", "elsewhere", "owner")["password"]
        token = upstream.login("ada@elsewhere.example", password, "identity")
        made = self.daemon.request("identity", "POST", "/api/identity-providers",
                                   {"name": "Elsewhere", "issuer": issuer, "clientId": "later"}, self.operator)
        self.assertEqual(201, made.status, made.body)
        provider = made.json()["id"]
        client = upstream.request("identity", "POST", "/api/oauth-clients",
                                  {"name": "Here", "redirect_uris": [f"{self.origin}/sso/providers/{provider}/callback"],
                                   "scopes": ["openid", "profile", "email"]}, token)
        self.assertEqual(201, client.status, client.body)
        changed = self.daemon.request("identity", "PATCH", f"/api/identity-providers/{provider}",
                                      {"clientId": client.json()["client_id"], "clientSecret": client.json()["client_secret"]}, self.operator)
        self.assertEqual(200, changed.status, changed.body)

        def there(browser, page):
            for _ in range(5):
                if not page.url.startswith(issuer) or "<form" not in page.body:
                    return page
                typed = {"identifier": "ada@elsewhere.example", "password": password} if 'name="password"' in page.body else {}
                if 'value="allow"' in page.body:
                    typed["decision"] = "allow"
                page = browser.submit(page, **typed)
            return page

        stranger = Browser()
        page = there(stranger, stranger.follow(f"{self.origin}/sso/providers/{provider}/start"))
        self.assertEqual(403, page.status, page.url + page.body)
        browser = Browser()
        there(browser, self.sign_in_here(browser, self.link_url(provider)))
        fresh = Browser()
        there(fresh, fresh.follow(f"{self.origin}/sso/providers/{provider}/start"))
        self.assertIn("platform_session", fresh.cookies[urllib.parse.urlsplit(self.origin).netloc])
        self.assertEqual(1, len(self.sessions()))


if __name__ == "__main__":
    main()
