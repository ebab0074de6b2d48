#!/usr/bin/python3
"""The pages of a plugin as the host serves them: routes of the manifest, one policy, caching, replaced builds, and rejected files."""

import contextlib
import gzip
import http.client
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import BUILD, Answer, Daemon  # noqa: E402

FIXTURES = BUILD / "tests/plugins/fixtures"
WEB = {"root": "web", "home": "/things", "routes": ["/things/**", "/about"], "signIn": True}
INDEX = '<!doctype html><title>Ok</title><meta name="portico-auth-url" content="{{auth_url}}"><link rel="stylesheet" href="/assets/app-{name}.css"><script type="module" src="/assets/app-{name}.js"></script>'
PERMISSIONS = ("camera=()", "geolocation=()", "publickey-credentials-get=(self)")


def put(file, content):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.room = pathlib.Path(cls.stack.enter_context(tempfile.TemporaryDirectory(prefix="portico-pages-")))
        cls.folder = cls.room / "ok"
        cls.install()
        settings = {"plugins.directories": f"{BUILD / 'lib/portico/plugins'},{cls.room}", "plugins.allowUnsigned": "ok", "limits.rates": "off",
                    "server.pageOrigins": "https://bucket.example", "server.frontDoorNote": "Sign in as <owner>. A page: http://ok.localhost/a?b&c. [Ada's <page>](http://ok.localhost/ada), [no link] (http)."}
        cls.daemon = cls.stack.enter_context(Daemon(settings, more=("ok",)))

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def setUp(self):
        self.install()
        self.daemon.ctl("reload", "ok")

    @classmethod
    def install(cls, name="1111aaaa", web=WEB, built=True):
        """What a package puts there: the library, the manifest, one build of the pages."""
        shutil.rmtree(cls.folder, ignore_errors=True)
        manifest = json.loads((FIXTURES / "ok-v1/manifest.json").read_text())
        if web:
            manifest["web"] = web
        put(cls.folder / "manifest.json", json.dumps(manifest))
        shutil.copy(FIXTURES / "ok-v1/ok-v1.so", cls.folder / "plugin.so")
        if not built:
            return
        put(cls.folder / "web/index.html", INDEX.format(name=name))
        put(cls.folder / "web/build.json", json.dumps({"build": name}))
        put(cls.folder / f"web/assets/app-{name}.css", "body{color:red}")
        put(cls.folder / f"web/assets/app-{name}.js", f"plain {name}")
        put(cls.folder / f"web/assets/app-{name}.js.gz", gzip.compress(f"gzip {name}".encode(), mtime=0))
        put(cls.folder / f"web/assets/app-{name}.js.br", f"br {name}")

    def get(self, path, method="GET", **headers):
        return self.daemon.request("ok", method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def test_routes(self):
        home = self.get("/")
        self.assertEqual((home.status, home.headers["Location"]), (303, "/things"))
        for path in ("/things", "/things/1", "/things/1/edit", "/about", "/login", "/auth/callback", "/auth/launch/crm", "/login?return_to=/things"):
            page = self.get(path)
            self.assertEqual((page.status, page.headers["Content-Type"]), (200, "text/html; charset=utf-8"), path)
            self.assertIn(b"app-1111aaaa.js", page.body)
            # Pages are built once and installed under many names.
            self.assertIn(f'content="http://identity.localhost:{self.daemon.port}"'.encode(), page.body)
        for path in ("/thing", "/about/us", "/things/", "/things/app.js", "/login/x", "/auth/launch", "/index.html", "/web/index.html", "/assets",
                     "/assets/app-1111aaaa.js.br", "/manifest.json"):
            self.assertEqual(self.get(path).status, 404, path)
        self.assertEqual(self.get("/answer").json(), {"text": "v1"})
        self.assertEqual(self.get("/auth/callback?token=x").status, 410)
        refused = self.get("/things", "POST")
        self.assertEqual((refused.status, refused.headers["Allow"]), (405, "GET, HEAD, OPTIONS"))
        head = self.get("/things", "HEAD")
        self.assertEqual((head.status, head.body), (200, b""))

    def test_policy(self):
        headers = self.get("/things").headers
        auth = f"http://identity.localhost:{self.daemon.port}"
        self.assertEqual(headers["Content-Security-Policy"],
                         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: https://bucket.example; font-src 'self'; "
                         f"connect-src 'self' https://bucket.example; manifest-src 'self'; frame-src 'self' {auth}; frame-ancestors 'none'; base-uri 'none'; "
                         "form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'")
        self.assertEqual(headers["Cross-Origin-Opener-Policy"], "same-origin")
        self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Referrer-Policy"], "strict-origin-when-cross-origin")
        for permission in PERMISSIONS:
            self.assertIn(permission, headers["Permissions-Policy"])
        self.install(web={**WEB, "policy": {"frame-src": [], "img-src": ["'self'"]}})
        self.daemon.ctl("reload", "ok")
        policy = self.get("/things").headers["Content-Security-Policy"]
        self.assertIn("; frame-src 'none'; ", policy)
        self.assertIn("; img-src 'self' https://bucket.example; ", policy)
        self.assertEqual(self.daemon.ctl("config", "check")["pageOrigins"], ["https://bucket.example"])

    def test_caching(self):
        script = "/assets/app-1111aaaa.js"
        plain = self.get(script)
        self.assertEqual((plain.body, plain.headers["Cache-Control"]), (b"plain 1111aaaa", "public, max-age=31536000, immutable"))
        self.assertEqual(plain.headers["Cross-Origin-Resource-Policy"], "same-origin")
        coded = self.get(script, Accept_Encoding="gzip, br")
        self.assertEqual((coded.body, coded.headers["Content-Encoding"]), (b"br 1111aaaa", "br"))
        self.assertEqual(gzip.decompress(self.get(script, Accept_Encoding="gzip").body), b"gzip 1111aaaa")
        for path in ("/things", "/build.json"):
            first = self.get(path)
            self.assertEqual(first.headers["Cache-Control"], "no-cache", path)
            self.assertEqual(self.get(path, If_None_Match=first.headers["ETag"]).status, 304, path)
            self.daemon.ctl("reload", "ok")
            self.assertEqual(self.get(path, If_None_Match=first.headers["ETag"]).status, 304, path)

    def served(self, names):
        return [name for name in names if self.get(f"/assets/app-{name}.js").status == 200]

    def test_replaced_builds(self):
        names = ["1111aaaa", "2222bbbb", "3333cccc", "4444dddd"]
        for name in names[1:]:
            self.install(name)
            self.daemon.ctl("reload", "ok")
        self.assertEqual(self.get("/build.json").json(), {"build": "4444dddd"})
        self.assertIn(b"app-4444dddd.js", self.get("/things").body)
        self.assertEqual(self.served(names), names[1:])
        self.daemon.ctl("reload", "ok")
        self.daemon.restart()
        self.assertEqual(self.served(names), names[1:])
        # Builds that do not start push out nothing, and serve nothing.
        for name in ("5555eeee", "6666ffff", "7777aaaa"):
            self.install(name)
            shutil.copy(FIXTURES / "start-throws/start-throws.so", self.folder / "plugin.so")
            self.assertNotEqual(self.daemon.ctl("reload", "ok", check=False).returncode, 0)
        self.assertEqual(self.served([*names, "5555eeee", "7777aaaa"]), names[1:])
        # A tab that is open goes on while the service is off.
        self.daemon.ctl("disable", "ok")
        self.assertEqual(self.served(names), names[1:])
        self.assertEqual((self.get("/things").status, self.get("/").status), (503, 503))
        self.install("4444dddd")
        self.daemon.ctl("enable", "ok")
        self.assertEqual(self.get("/things").status, 200)
        # What was damaged on disk is not served again.
        self.daemon.stop()
        kept = next((self.daemon.state / "pages/ok").glob("*/assets/app-3333cccc.js"))
        kept.write_text("evil")
        self.daemon.start()
        self.assertEqual(self.served(names), ["2222bbbb", "4444dddd"])

    def test_without_built_pages(self):
        self.install(built=False)
        done = self.daemon.ctl("reload", "ok")
        self.assertIn("built without them", json.dumps(done))
        page = self.get("/things")
        self.assertEqual(page.status, 200)
        self.assertIn(b"has no pages here", page.body)
        self.assertEqual(self.get("/answer").json(), {"text": "v1"})

    def at(self, host, path, port=None, **headers):
        """A request to the common port, under any name."""
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=60)
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request("GET", path, headers={"Host": f"{host}:{port or self.daemon.port}", **sent})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def test_front_door(self):
        for host in ("localhost", "127.0.0.1", "[::1]", "LocalHost"):
            door = self.at(host, "/")
            self.assertEqual((door.status, door.headers["Content-Type"]), (200, "text/html; charset=utf-8"), host)
        text = door.body.decode()
        origin = f"http://ok.localhost:{self.daemon.port}"
        for part in ("Portico is running", "Sign in as &lt;owner&gt;. A page: <a href=\"http://ok.localhost/a?b&amp;c\">http://ok.localhost/a?b&amp;c</a>. <a href=\"http://ok.localhost/ada\">Ada&#39;s &lt;page&gt;</a>, [no link] (http).</p>", f"ssh -L {self.daemon.port}:localhost:{self.daemon.port}.", f'href="{origin}/"', f'href="{origin}/docs"', "/etc/hosts", "tunnel", 'href="/readyz"'):
            self.assertIn(part, text)
        self.assertNotIn(f'href="http://identity.localhost:{self.daemon.port}/"', text)
        # One sentence a service and how to sign in are in sight; what developers need is folded.
        seen, folded = text.split("<details>", 1)
        for part in ("Settings of people and organizations", "sign in with your e-mail address and password", "opens the others without another sign-in"):
            self.assertIn(part, seen)
        for part in ("/docs", "/readyz", "/etc/hosts"):
            self.assertNotIn(part, seen)
            self.assertIn(part, folded)
        self.assertNotIn("<script", text)
        self.assertIn("default-src 'none'; style-src 'self'; img-src data:", door.headers["Content-Security-Policy"])
        # Read over a tunnel that ends elsewhere, it says where the links lead.
        elsewhere = self.at("localhost", "/", port=9).body.decode()
        self.assertIn(f"You have opened port 9, but the links lead to port {self.daemon.port}", elsewhere)
        german = self.at("localhost", "/", Accept_Language="fr, de-AT;q=0.8, en;q=0.5")
        for part in ('<html lang="de">', "Portico läuft", "Ist dieser Rechner bereit?", "öffnet die anderen ohne neue Anmeldung", f"ssh -L {self.daemon.port}:localhost"):
            self.assertIn(part, german.body.decode())
        for page in (door, german):
            self.assertLess(len(page.body), 4096)
        self.assertEqual(self.at("localhost", "/portico/page.css").headers["Content-Type"], "text/css; charset=utf-8")
        self.assertEqual(self.at("localhost", "/healthz").json(), {"status": "ok"})
        self.assertEqual(self.at("localhost", "/readyz").body, self.at("evil.example", "/readyz").body)
        self.assertEqual(self.at("localhost", "/api/auth/me").status, 404)
        for foreign in ("evil.example", "localhost.evil.example", "192.0.2.1", "xlocalhost"):
            self.assertEqual(self.at(foreign, "/").status, 404, foreign)
            self.assertEqual(self.at(foreign, "/").json()["code"], "not_found", foreign)
        self.daemon.ctl("disable", "ok")
        self.assertNotIn(origin, self.at("localhost", "/").body.decode())
        self.daemon.ctl("enable", "ok")

    def test_front_door_settings(self):
        for settings, status, location in (({"server.frontDoor": "off"}, 404, None), ({"server.frontDoor": "crm"}, 303, "http://crm.localhost"),
                                           ({"services.crm.origins": "https://crm.example.org"}, 404, None),
                                           ({"services.crm.origins": "https://crm.example.org", "server.frontDoor": "page"}, 200, None)):
            with self.subTest(settings=settings), Daemon(settings) as daemon:
                connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
                connection.request("GET", "/", headers={"Host": f"localhost:{daemon.port}"})
                answer = Answer(connection.getresponse())
                connection.close()
                self.assertEqual((answer.status, answer.headers["Location"]), (status, location and f"{location}:{daemon.port}/"))

    def test_people_get_pages(self):
        browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
        missing = self.get("/nowhere/%3Cb%3E", **browser)
        self.assertEqual((missing.status, missing.headers["Content-Type"]), (404, "text/html; charset=utf-8"))
        self.assertIn(missing.headers["X-Request-Id"].encode(), missing.body)
        self.assertIn(b'href="/portico/page.css"', missing.body)
        self.assertIn("style-src 'self'", missing.headers["Content-Security-Policy"])
        self.assertEqual(missing.headers["Cache-Control"], "no-store")
        # No name of a file ends like that.
        self.assertEqual(self.get("/xx%2F..%2F", **browser).headers["Content-Type"], "text/html; charset=utf-8")
        self.assertIn("Seite nicht gefunden", self.get("/nowhere", Accept_Language="de", **browser).body.decode())
        self.assertEqual(self.get("/nowhere", Sec_Fetch_Dest="document").headers["Content-Type"], "text/html; charset=utf-8")
        self.assertEqual(self.get("/sso?token=x", **browser).headers["Content-Type"], "text/html; charset=utf-8")
        self.assertEqual(self.get("/sso?token=x", **browser).status, 410)
        self.assertEqual(self.at("evil.example", "/", **browser).headers["Content-Type"], "text/html; charset=utf-8")
        for path, method, headers in (("/nowhere", "GET", {}), ("/nowhere", "GET", {"Accept": "*/*"}), ("/nowhere", "POST", browser),
                                      ("/api/nowhere", "GET", browser), ("/nowhere.js", "GET", browser), ("/things/x.map", "GET", browser)):
            answer = self.get(path, method, **headers)
            self.assertEqual((answer.status, answer.headers["Content-Type"]), (404, "application/problem+json"), (path, method, headers))
        self.daemon.ctl("disable", "ok")
        for path in ("/things", "/"):
            off = self.get(path, **browser)
            self.assertEqual((off.status, off.headers["Content-Type"]), (503, "text/html; charset=utf-8"))
            self.assertEqual(off.headers["Refresh"], off.headers["Retry-After"])
            self.assertIn(b"ok", off.body)
        self.assertEqual(self.get("/things").json()["code"], "service_disabled")
        self.assertIsNone(self.get("/things").headers["Refresh"])
        self.daemon.ctl("enable", "ok")

    def test_docs_take_the_tokens(self):
        docs = self.get("/docs")
        self.assertIn(b'id="credential-session"', docs.body)
        self.assertIn(b"--portico-accent", self.get("/docs/docs.css").body)

    def assert_refused(self, text, *, verify=True):
        """Invalid pages are rejected before the plugin runs, and the previous version keeps serving."""
        before = self.get("/things").body
        done = self.daemon.ctl("reload", "ok", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(text, done.stdout + done.stderr)
        self.assertEqual(self.get("/things").body, before)
        if verify:
            checked = self.daemon.ctl("verify", str(self.folder), check=False)
            self.assertEqual(checked.returncode, 1)
            self.assertIn(text, checked.stdout + checked.stderr)

    def test_refusals_of_index(self):
        index = self.folder / "web/index.html"
        for html, text in {
            '<p>\n<script src="/assets/gone.js"></script>': 'index.html:2:9: expected a file of the pages, found \\"/assets/gone.js\\"',
            "<script>alert(1)</script>": "index.html:1:1: expected a script file (src), found an inline script",
            "<style>p{}</style>": "found an inline style",
            '<p style="x">': "index.html:1:4: expected styles in a style file",
            "<button onclick=go()>": "found the inline handler onclick",
            '<script src="https://cdn.example/x.js"></script>': "https://cdn.example/x.js",
        }.items():
            with self.subTest(html=html):
                put(index, html)
                self.assert_refused(text)
        index.unlink()
        self.assert_refused("index.html: expected the page that web.routes answers, found none")

    def test_refusals_of_manifest(self):
        self.install(web={**WEB, "routes": ["/answer", "/things"]})
        self.assert_refused("GET /answer and the page /answer (web.routes of the manifest) take the same paths", verify=False)
        self.install(web={**WEB, "routes": ["/api/**", "/things"]})
        self.assert_refused("web.routes[0]: expected a path of the service's own")
        self.assertIn("web.routes[0]", self.daemon.ctl("config", "check", check=False).stdout)
        self.install(web={**WEB, "home": "/elsewhere"})
        self.assert_refused("web.home: expected a path that web.routes has")
        self.install(web={**WEB, "policy": {"script-src": ["'unsafe-inline'"]}})
        self.assert_refused("web.policy.script-src[0]")


if __name__ == "__main__":
    main()
