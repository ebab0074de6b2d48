#!/usr/bin/python3
"""Every page of identity in its states, in a real Chromium at three widths and in both themes. axe reports nothing, no page scrolls sideways, and the
keyboard reaches every control with a visible focus. Screenshots stay in the build directory below `pages`."""

import base64
import contextlib
import email
import email.policy
import hashlib
import hmac
import html
import json
import pathlib
import re
import shutil
import sqlite3
import struct
import sys
import time
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from chromium import Chromium, ChromiumError  # noqa: E402
from daemon import BUILD, Daemon  # noqa: E402
from npm import installed  # noqa: E402

WIDTHS = (320, 768, 1280)
SECONDS = 30
PASSWORD = "plums and seven lighthouses"
AXE = """axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
  .then(found => found.violations.map(each => each.id + ": " + each.nodes.map(node => node.html).join(" | ")))"""
# The control that has the focus, and whether that is seen.
FOCUSED = """(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const style = getComputedStyle(at);
  return [[...document.querySelectorAll("*")].indexOf(at), (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none"];
})()"""
CONTROLS = """[...document.querySelectorAll("a[href], button:not([disabled]), input:not([type=hidden]):not([disabled]), select, textarea")]
  .filter(each => each.checkVisibility() && each.tabIndex >= 0).map(each => [[...document.querySelectorAll("*")].indexOf(each), each.outerHTML.slice(0, 120)])"""


def axe():
    """The text of axe-core."""
    return (installed(HERE / "pages", "page-checks") / "node_modules/axe-core/axe.min.js").read_text()


def totp(secret):
    """RFC 6238, of now."""
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


class PageLooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.axe = axe()
        cls.pictures = pathlib.Path(BUILD) / "pages"
        shutil.rmtree(cls.pictures, ignore_errors=True)
        cls.pictures.mkdir(parents=True)
        cls.daemon = Daemon({"limits.rates": "off"})
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.start()
        cls.origin = f"http://identity.localhost:{cls.daemon.port}"
        cls.passwords = {person: cls.daemon.user(person, "acme", role)["password"] for person, role in (("owner@acme.example", "owner"), ("member@acme.example", "member"))}

    def setUp(self):
        self.chromium = Chromium()
        self.addCleanup(self.chromium.close)

    # What a person does.

    def open(self, path):
        self.chromium.open(self.origin + path)

    def waits_for(self, text):
        end = time.monotonic() + SECONDS
        seen = ""
        while text not in seen:
            self.assertLess(time.monotonic(), end, f"no {text!r} in:\n{seen}")
            try:
                seen = self.chromium.run("window.left ? '' : document.body.innerText") or ""
            except ChromiumError:
                pass

    def send(self, text, button="form button:not([name]), form button", **fields):
        """Fills a form and waits for the page that follows."""
        self.chromium.run(f"""(() => {{
          for (const [name, value] of Object.entries({json.dumps(fields)})) document.querySelector(`[name="${{name}}"]`).value = value;
          for (const box of document.querySelectorAll("input[required][type=checkbox]")) box.checked = true;
          window.left = true;
          const form = document.querySelector("form[method=post]") || document.querySelector("form");
          form.noValidate = true;
          form.requestSubmit(form.querySelector({json.dumps(button)}));
        }})()""")
        self.waits_for(text)

    def mailed(self, address):
        """The path that the newest mail to somebody leads to."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            for file in sorted(self.daemon.state.glob("mail/new/*"), key=lambda each: each.stat().st_mtime_ns, reverse=True):
                mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
                found = re.search(r"https?://[^/\s]+(/\S*token=[\w.~-]+)", mail.get_body(("plain",)).get_content())
                if address in mail["To"] and found:
                    return found[1]
        self.fail(f"no mail to {address}")

    def elevated(self, who="owner@acme.example"):
        """Returns the token of a user after a step-up."""
        token = self.daemon.login(who, self.passwords[who], "identity")
        answer = self.daemon.request("identity", "POST", "/api/auth/step-up", {"factor": "password", "password": self.passwords[who]}, token)
        self.assertEqual(200, answer.status, answer.body)
        return answer.json()["access_token"]

    def api(self, method, path, body=None, who="owner@acme.example", status=(200, 201, 202)):
        answer = self.daemon.request("identity", method, path, body, self.daemon.login(who, self.passwords[who], "identity"))
        self.assertIn(answer.status, status, answer.body)
        return answer.json()

    # What is looked at.

    def look(self, name):
        faults = []
        for theme in ("light", "dark"):
            self.chromium.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"}])
            for width in WIDTHS:
                self.chromium.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
                picture = self.chromium.call("Page.captureScreenshot", format="png")["data"]
                (self.pictures / f"{name}-{width}-{theme}.png").write_bytes(base64.b64decode(picture))
                if self.chromium.run("document.documentElement.scrollWidth > innerWidth"):
                    faults.append(f"{width} {theme}: scrolls sideways")
                self.chromium.run(self.axe + "; 0")
                faults += [f"{width} {theme}: {each}" for each in self.chromium.run(AXE)]
        self.assertEqual([], faults + self.unreached(), name)

    def unreached(self):
        """Controls that Tab does not reach, or that do not show the focus."""
        self.chromium.run("document.activeElement.blur()")
        wanted = dict(self.chromium.run(CONTROLS))
        seen, unseen = set(), []
        for _ in range(2 * len(wanted) + 2):
            for kind in ("keyDown", "keyUp"):
                self.chromium.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
            at = self.chromium.run(FOCUSED)
            if at and at[0] in wanted:
                seen.add(at[0])
                if not at[1]:
                    unseen.append(f"focus is not seen: {wanted[at[0]]}")
        # Of a group of radio buttons one is enough.
        return sorted(set(unseen)) + [f"not reached: {html}" for index, html in wanted.items() if index not in seen and 'type="radio"' not in html]

    def test_sign_in(self):
        self.open("/login")
        self.look("login")
        self.send("Incorrect", identifier="owner@acme.example", password="not this one at all")
        self.look("login-refused")
        self.send("has not set up single sign-on", button="[name=home]", identifier="owner@acme.example")
        self.look("login-no-provider")
        self.open("/login/passkey")
        self.look("login-passkey")
        self.open("/sso/providers/idp_01jd0000000000000000000000/callback?state=s&code=c")
        self.look("provider-problem")
        self.open("/login?service_id=nowhere")
        self.look("unknown-service")

    def test_home_realm(self):
        """An organization with its own identity provider. The sign-in page redirects addresses of its domain there."""
        organization = self.daemon.user("boss@home.example", "home", "owner")["organizationId"]
        # Issuers are asked when a provider is set up, and domains in the DNS: here neither is.
        provider = "idp_01jd0000000000000000000009"
        with contextlib.closing(sqlite3.connect(next(self.daemon.state.rglob("identity.db")), timeout=SECONDS)) as database, database:
            database.execute("INSERT INTO organization_domains (organization_id, domain, status, token, version, created_at, updated_at) "
                             "VALUES (?, 'home.example', 'verified', 't', 1, 0, 0)", (organization,))
            database.execute("INSERT INTO identity_providers (id, owner_id, organization_id, name, kind, issuer, client_id, client_secret, scopes, domains, button, join_mode, trust_email, "
                             "acr_map, status, version, created_at, updated_at) VALUES (?1, ?2, ?2, 'Home Directory', 'oidc', 'https://idp.home.example', 'portico', '', '[\"openid\"]', '[]', "
                             "'{}', 'off', 0, '{}', 'active', 1, 0, 0)", (provider, organization))
            database.execute("UPDATE organizations SET security_policy = ? WHERE id = ?", (json.dumps({"allowedLoginMethods": [f"idp:{provider}"]}), organization))
        asked = self.daemon.request("identity", "GET", "/login")
        fields = {name: html.unescape(re.search(rf'name="{name}" value="([^"]*)"', asked.body.decode())[1]) for name in ("form_token", "service_id")}
        cookie = asked.headers["Set-Cookie"].split(";")[0]
        answer = self.daemon.request("identity", "POST", "/login", urllib.parse.urlencode({**fields, "identifier": "ada@home.example", "home": "1"}).encode(),
                                     headers={"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie})
        self.assertEqual(200, answer.status, answer.body)
        self.assertTrue(answer.headers["Refresh"].startswith(f"0; url=/sso/providers/{provider}/start?"), answer.headers["Refresh"])
        self.assertIn(b"Home Directory", answer.body)
        # A browser leaves it at once: looked at is its document, on a page of the same origin.
        self.open("/login")
        self.chromium.call("Page.setDocumentContent", frameId=self.chromium.call("Page.getFrameTree")["frameTree"]["frame"]["id"], html=answer.body.decode())
        self.waits_for("Home Directory")
        self.look("home-realm")

    def test_second_factor(self):
        self.passwords["second@acme.example"] = self.daemon.user("second@acme.example", "acme", "member")["password"]
        token = self.elevated("second@acme.example")

        def call(path, body):
            answer = self.daemon.request("identity", "POST", path, body, token)
            self.assertIn(answer.status, (200, 201), answer.body)
            return answer.json()

        enrolled = call("/api/auth/mfa/totp/enroll", {"name": "Phone"})
        call("/api/auth/mfa/totp/activate", {"enrollmentId": enrolled["enrollmentId"], "code": totp(enrolled["secret"])})
        self.open("/login")
        self.send("code", identifier="second@acme.example", password=self.passwords["second@acme.example"])
        self.look("second-factor")
        self.send("code", code="000000")
        self.look("second-factor-refused")

    def test_setup_of_a_required_factor(self):
        boss = self.daemon.user("boss@strict.example", "strict", "owner")
        # The API rejects a policy that locks out its author.
        with contextlib.closing(sqlite3.connect(next(self.daemon.state.rglob("identity.db")), timeout=SECONDS)) as database, database:
            database.execute("UPDATE organizations SET security_policy = ? WHERE id = ?", (json.dumps({"mfaRequired": True}), boss["organizationId"]))
        self.open("/login")
        self.send("QR code", identifier="boss@strict.example", password=boss["password"])
        self.look("factor-setup")
        prevented = self.chromium.run("""(() => { const form = document.forms[0], seen = [];
          form.code.value = "1";
          form.addEventListener("submit", event => { seen.push(event.defaultPrevented); event.preventDefault(); });
          form.querySelector("button").click(); form.querySelector("button").click();
          return seen; })()""")
        self.assertEqual([False, True], prevented, "only the first click sends the form")
        self.open("/login")
        self.send("QR code", identifier="boss@strict.example", password=boss["password"])
        self.send("Incorrect code", code="000000")
        self.look("factor-setup-refused")
        self.send("recovery codes", code=totp(self.chromium.run("document.querySelector('code').textContent")))
        self.look("recovery-codes")

    def test_register(self):
        self.open("/register")
        self.look("register")
        self.chromium.run("""new Promise(done => { const button = document.getElementById("submit"), look = () => button.disabled || done(0);
          new MutationObserver(look).observe(button, {attributes: true}); look(); })""")
        self.send("mail", displayName="Ada", email="ada@new.example", password=PASSWORD)
        self.look("registered")
        self.open(self.mailed("ada@new.example"))
        self.look("verify")
        self.send("is confirmed")
        self.look("verified")
        self.open("/verify-email?token=nothing")
        self.look("verify-expired")

    def test_password(self):
        self.open("/forgot-password")
        self.look("forgot")
        self.send("mail", email="member@acme.example")
        self.look("forgot-sent")
        self.open(self.mailed("member@acme.example"))
        self.look("reset")
        self.send("at least", password="short")
        self.look("reset-refused")
        self.open("/reset-password?token=nothing")
        self.look("reset-expired")

    def test_change_of_address(self):
        self.passwords["moves@acme.example"] = self.daemon.user("moves@acme.example", "acme", "member")["password"]
        answer = self.daemon.request("identity", "POST", "/api/auth/me/email", {"newEmail": "moved@new.example"}, self.elevated("moves@acme.example"))
        self.assertEqual(202, answer.status, answer.body)
        self.open(self.mailed("moved@new.example"))
        self.look("verify-change")
        self.send("is confirmed")
        self.open(self.mailed("moves@acme.example"))
        self.look("verify-revert")

    def test_forgotten_where_humans_are_asked_for(self):
        with Daemon({"limits.rates": "off", "identity.humanVerification.login": "true"}) as daemon:
            self.chromium.open(f"http://identity.localhost:{daemon.port}/forgot-password")
            self.chromium.run("""new Promise(done => { const button = document.getElementById("submit"), look = () => button.disabled || done(0);
              new MutationObserver(look).observe(button, {attributes: true}); look(); })""")
            self.look("forgot-human")
            self.send("mail", email="nobody@acme.example")

    def test_invitation(self):
        organization = self.api("GET", "/api/auth/me")["organizations"][0]["id"]
        self.api("POST", f"/api/organizations/{organization}/invitations", {"email": "invited@new.example", "role": "member"})
        self.open(self.mailed("invited@new.example"))
        self.look("invitation")
        self.open("/invitation?token=nothing")
        self.look("invitation-expired")

    def test_clients(self):
        client = self.api("POST", "/api/oauth-clients", {"name": "Sheets", "redirect_uris": ["https://app.example/cb"], "scopes": ["openid", "profile", "email", "offline_access"], "token_endpoint_auth_method": "client_secret_post",
                                                         "policy_uri": "https://app.example/privacy", "tos_uri": "https://app.example/terms",
                                                         "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]})
        challenge = base64.urlsafe_b64encode(hashlib.sha256(b"v" * 43).digest()).rstrip(b"=").decode()
        asked = {"response_type": "code", "client_id": client["client_id"], "redirect_uri": "https://app.example/cb", "scope": "openid profile email offline_access", "state": "s",
                 "code_challenge": challenge, "code_challenge_method": "S256"}
        authorize = "/oauth/authorize?" + urllib.parse.urlencode(asked)
        self.open(authorize)
        self.send("Sheets", identifier="owner@acme.example", password=self.passwords["owner@acme.example"])
        self.look("consent")
        self.open("/oauth/authorize?" + urllib.parse.urlencode({**asked, "prompt": "select_account"}))
        self.look("accounts")
        self.open("/oauth/authorize?" + urllib.parse.urlencode({**asked, "redirect_uri": "https://evil.example/"}))
        self.look("unregistered-redirect")
        self.open("/device")
        self.look("device")
        answer = self.daemon.request("identity", "POST", "/oauth/device_authorization", urllib.parse.urlencode({**{key: client[key] for key in ("client_id", "client_secret")}, "scope": "openid"}).encode(),
                                     headers={"Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(200, answer.status, answer.body)
        self.open("/device?user_code=" + answer.json()["user_code"])
        self.look("device-asked")
        self.open("/device?user_code=ZZZZ-ZZZZ")
        self.look("device-unknown")
        self.open("/oauth/logout")
        self.look("sign-out")


if __name__ == "__main__":
    main()
