#!/usr/bin/python3
"""Apache's mod_auth_openidc signs users in with only the discovery URL. A real Chromium opens a page that it protects, signs in at identity, returns with a
code, and signs out. mod_auth_openidc also receives the front- and back-channel logout."""

import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from chromium import Chromium, ChromiumError  # noqa: E402
from daemon import Daemon, free_ports  # noqa: E402

SECONDS = 60
MODULES = pathlib.Path("/usr/lib/apache2/modules")
CONFIGURATION = """
ServerRoot {root}
PidFile {root}/pid
Listen 127.0.0.1:{port}
ServerName rp.localhost:{port}
UseCanonicalName On
ErrorLog {root}/error.log
LogLevel auth_openidc:debug
User www-data
Group www-data
DocumentRoot {root}/pages
DirectoryIndex index.html
TypesConfig /dev/null
AddType text/html .html
AddOutputFilter INCLUDES .html
OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID {client_id}
OIDCClientSecret {client_secret}
OIDCRedirectURI http://rp.localhost:{port}/guarded/redirect
OIDCCryptoPassphrase a-secret-of-this-test
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCRemoteUserClaim email
<Directory {root}/pages>
  Options +Includes
  Require all granted
</Directory>
<Location /guarded>
  AuthType openid-connect
  Require valid-user
</Location>
"""
LOADED = ("mpm_event", "authn_core", "authz_core", "authz_user", "mime", "dir", "include", "auth_openidc")
FILL = """(() => {
  for (const [id, value] of Object.entries(%s)) document.querySelector(`[name=${id}]`).value = value;
  document.querySelector("form").requestSubmit();
})()"""


class Apache:
    def __init__(self, directory, port, issuer, client):
        self.directory = directory
        self.port = port
        pages = directory / "pages/guarded"
        pages.mkdir(parents=True)
        (pages / "index.html").write_text('Hello <!--#echo var="REMOTE_USER" -->, known as <!--#echo var="OIDC_CLAIM_name" -->')
        (directory / "pages/bye.html").write_text("Goodbye")
        loads = "".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so\n" for name in LOADED)
        text = CONFIGURATION.format(root=directory, port=port, issuer=issuer, client_id=client["client_id"], client_secret=client["client_secret"])
        (directory / "httpd.conf").write_text(loads + text)

    def start(self):
        self.process = subprocess.Popen(["/usr/sbin/apache2", "-f", str(self.directory / "httpd.conf"), "-DFOREGROUND"], stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)  # between two looks
        raise RuntimeError(self.log())

    def log(self):
        return (self.directory / "error.log").read_text(encoding="utf-8", errors="replace")[-8000:]

    def close(self):
        self.process.terminate()
        self.process.wait(30)


class ApacheOidc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.start()
        cls.user = cls.daemon.user("ada@acme.example", "acme", "owner")
        token = cls.daemon.login(cls.user["email"], cls.user["password"], "identity")
        cls.issuer = cls.daemon.request("identity", "GET", "/.well-known/openid-configuration").json()["issuer"]
        port = free_ports(1)
        cls.origin = f"http://rp.localhost:{port}"
        made = cls.daemon.request("identity", "POST", "/api/oauth-clients",
                                  {"name": "Behind Apache", "redirect_uris": [cls.origin + "/guarded/redirect"],
                                   "post_logout_redirect_uris": [cls.origin + "/bye.html"], "grant_types": ["authorization_code", "refresh_token"]}, token)
        assert made.status == 201, made.body
        folder = tempfile.TemporaryDirectory(prefix="portico-apache-")
        cls.addClassCleanup(folder.cleanup)
        directory = pathlib.Path(folder.name)
        directory.chmod(0o755)
        cls.apache = Apache(directory, port, cls.issuer, made.json())
        cls.apache.start()
        cls.addClassCleanup(cls.apache.close)

    def waits_for(self, chromium, text, what="document.body.innerText"):
        """Waits until the next page has the text. While the page loads there is no document to query."""
        end = time.monotonic() + SECONDS
        seen = ""
        while text not in seen:
            self.assertLess(time.monotonic(), end, seen + self.apache.log())
            try:
                seen = chromium.run(what) or ""
            except ChromiumError:
                pass

    def test_signs_in_and_out(self):
        chromium = Chromium()
        self.addCleanup(chromium.close)
        chromium.open(self.origin + "/guarded/")
        self.waits_for(chromium, self.issuer + "/login", "location.href")
        self.waits_for(chromium, "identifier", "document.body.innerHTML")
        chromium.run(FILL % json.dumps({"identifier": self.user["email"], "password": self.user["password"]}))
        self.waits_for(chromium, "Behind Apache")
        chromium.run('document.querySelector("[name=decision][value=allow]").click()')
        self.waits_for(chromium, "Hello " + self.user["email"])
        # Once more without a question: somebody is signed in.
        chromium.open(self.origin + "/guarded/")
        self.waits_for(chromium, "Hello " + self.user["email"])
        chromium.open(f"{self.origin}/guarded/redirect?logout={self.origin}/bye.html")
        self.waits_for(chromium, "Goodbye")
        chromium.open(self.origin + "/guarded/")
        self.waits_for(chromium, self.issuer + "/login", "location.href")


if __name__ == "__main__":
    main()
