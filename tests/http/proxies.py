#!/usr/bin/python3
"""Behind the reverse proxies of packaging/examples, as an operator would set them up: nginx, HAProxy and Caddy end TLS, sign-in and large bodies go
through, nobody invents an address, and no request is smuggled past a proxy."""

import http.client
import json
import pathlib
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import ROOT, Daemon, free_ports  # noqa: E402

HOSTS = ("identity.example.org", "crm.example.org")
EXAMPLES = ROOT / "packaging" / "examples"


def certificate(directory):
    """A self-signed one for both names; also in one file with its key, as HAProxy wants it."""
    key, chain, both = directory / "key.pem", directory / "chain.pem", directory / "portico.pem"
    names = ",".join(f"DNS:{host}" for host in HOSTS)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
                    "-addext", f"subjectAltName={names}", "-keyout", key, "-out", chain], check=True, capture_output=True)
    both.write_bytes(chain.read_bytes() + key.read_bytes())


class Proxy:
    """A proxy with its example configuration, but for ports and paths."""

    def __init__(self, directory, backend):
        self.directory = directory
        self.port = free_ports(1)
        self.backend = backend

    def example(self, name):
        text = (EXAMPLES / name).read_text(encoding="utf-8").replace("/etc/ssl/portico", str(self.directory))
        return text.replace("127.0.0.1:8080", f"127.0.0.1:{self.backend}")

    def start(self, command):
        with open(self.directory / "proxy.log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.directory,
                                            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.directory)})
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)  # between two looks
        raise RuntimeError((self.directory / "proxy.log").read_text(encoding="utf-8"))

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


class Nginx(Proxy):
    program = "nginx"

    def __init__(self, directory, backend):
        super().__init__(directory, backend)
        inner = self.example("nginx.conf").replace("listen 443", f"listen 127.0.0.1:{self.port}")
        places = "".join(f"{kind}_temp_path {directory}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (directory / "main.conf").write_text(f"daemon off; pid {directory}/pid; error_log stderr; user root;\nevents {{}}\nhttp {{ access_log off;\n{places}\n{inner}\n}}\n")
        self.start(["nginx", "-e", "stderr", "-p", str(directory), "-c", str(directory / "main.conf")])


class Haproxy(Proxy):
    program = "haproxy"

    def __init__(self, directory, backend):
        super().__init__(directory, backend)
        (directory / "haproxy.cfg").write_text(self.example("haproxy.cfg").replace("bind :443", f"bind 127.0.0.1:{self.port}"))
        self.start(["haproxy", "-W", "-f", str(directory / "haproxy.cfg")])


class Caddy(Proxy):
    program = "caddy"

    def __init__(self, directory, backend):
        super().__init__(directory, backend)
        inside = self.example("Caddyfile").replace(" {\n\treverse_proxy", f" {{\n\tbind 127.0.0.1\n\ttls {directory}/chain.pem {directory}/key.pem\n\treverse_proxy")
        (directory / "Caddyfile").write_text(f"{{\n\tadmin off\n\thttps_port {self.port}\n\tauto_https disable_redirects\n}}\n{inside}")
        self.start(["caddy", "run", "--adapter", "caddyfile", "--config", str(directory / "Caddyfile")])


class Behind:
    proxy_class = None

    @classmethod
    def setUpClass(cls):
        if not shutil.which(cls.proxy_class.program):
            raise unittest.SkipTest(f"{cls.proxy_class.program} is not installed")
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="portico-proxy-"))
        certificate(cls.directory)
        cls.daemon = Daemon({"server.trustedProxies": "127.0.0.1", "services.identity.origins": f"https://{HOSTS[0]}",
                             "services.crm.origins": f"https://{HOSTS[1]}", "log.access": "true", "log.format": "json"}).start()
        cls.user = ("owner@acme.example", cls.daemon.user("owner@acme.example", "acme", "owner")["password"])
        cls.proxy = cls.proxy_class(cls.directory, cls.daemon.port)

    @classmethod
    def tearDownClass(cls):
        if hasattr(cls, "proxy"):
            cls.proxy.stop()
        cls.daemon.close()
        shutil.rmtree(cls.directory, ignore_errors=True)

    def tls(self, host):
        context = ssl.create_default_context(cafile=self.directory / "chain.pem")
        return context.wrap_socket(socket.create_connection(("127.0.0.1", self.proxy.port), 30), server_hostname=host)

    def request(self, method, path, body=None, headers=None, host="crm.example.org"):
        connection = http.client.HTTPConnection(host)
        connection.sock = self.tls(host)
        try:
            connection.request(method, path, body=body, headers={"Content-Type": "application/json", **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def token(self):
        status, _, body = self.request("POST", "/api/auth/login", json.dumps({"identifier": self.user[0], "password": self.user[1], "service_id": "crm"}))
        self.assertEqual(status, 200, body)
        return {"Authorization": "Bearer " + json.loads(body)["access_token"]}

    def logged(self, path):
        """The access record of a path; the log is written beside the answer, so it may come a moment later."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            lines = [line for line in self.daemon.log.read_text(encoding="utf-8").splitlines() if path in line]
            if lines:
                return json.loads(lines[0])
            time.sleep(0.02)  # between two looks
        self.fail(f"{path} is not in the log")

    def test_sign_in_and_write(self):
        status, headers, body = self.request("POST", "/api/contacts", json.dumps({"firstName": "Ada"}), self.token())
        self.assertEqual(status, 201, body)
        found = json.loads(self.request("GET", "/api/contacts?limit=5", headers=self.token())[2])
        self.assertIn("Ada", [each["firstName"] for each in found["items"]])
        self.assertEqual(self.request("GET", "/healthz", host="identity.example.org")[0], 200)

    def test_an_app_that_calls_identity_has_a_jar_of_its_own(self):
        app = {"Origin": "https://crm.example.org", "X-Platform-Auth": "1"}
        sign_in = json.dumps({"identifier": self.user[0], "password": self.user[1], "service_id": "crm"})
        status, headers, body = self.request("POST", "/api/auth/login", sign_in, app, "identity.example.org")
        self.assertEqual(status, 200, body)
        cookies = headers.get_all("Set-Cookie")
        self.assertEqual(len(cookies), 1, cookies)
        for part in ("__Host-platform_refresh_x=", "; Path=/", "; Secure", "; HttpOnly", "; SameSite=None", "; Partitioned"):
            self.assertIn(part, cookies[0])
        cookie = {"Cookie": cookies[0].split(";")[0]}
        status, headers, body = self.request("POST", "/api/auth/refresh", "{}", {**app, **cookie}, "identity.example.org")
        self.assertEqual(status, 200, body)
        self.assertIn("__Host-platform_refresh_x=", headers["Set-Cookie"])
        # An embedded page and an EventSource cannot say whose they are.
        channel = self.request("GET", "/session/channel?service_id=crm", headers=cookie, host="identity.example.org")[2]
        self.assertIn(b'data-state="active"', channel)
        # At the origin's own pages it counts for nothing, and theirs nothing there.
        own = {"Origin": "https://identity.example.org", "X-Platform-Auth": "1"}
        self.assertEqual(self.request("POST", "/api/auth/refresh", "{}", {**own, **cookie}, "identity.example.org")[0], 401)
        strict = {"Cookie": cookie["Cookie"].replace("refresh_x=", "refresh=")}
        self.assertEqual(self.request("POST", "/api/auth/refresh", "{}", {**app, **strict}, "identity.example.org")[0], 401)
        evil = {**app, **cookie, "Origin": "https://evil.example"}
        self.assertEqual(self.request("POST", "/api/auth/refresh", "{}", evil, "identity.example.org")[0], 403)

    def test_large_bodies_both_ways(self):
        token = self.token()
        contact = json.loads(self.request("POST", "/api/contacts", json.dumps({"firstName": "Big"}), token)[2])["id"]
        content = secrets.token_bytes(6 * 1024 * 1024)
        status, _, body = self.request("POST", f"/api/contacts/{contact}/attachments", content,
                                       {**token, "Content-Type": "application/octet-stream", "X-File-Name": "big.bin"})
        self.assertEqual(status, 201, body)
        status, _, body = self.request("GET", json.loads(body)["downloadUrl"], headers=token)
        self.assertEqual(status, 200)
        self.assertEqual(len(body), len(content))
        self.assertTrue(body == content)

    def test_address_cannot_be_forged(self):
        path = f"/api/{secrets.token_hex(8)}"
        lie = "203.0.113.9"
        status, _, _ = self.request("GET", path, headers={"X-Forwarded-For": lie, "Forwarded": f"for={lie};host=evil.example;proto=http",
                                                          "X-Forwarded-Host": "evil.example", "X-Real-IP": lie})
        self.assertEqual(status, 404)
        record = self.logged(path)
        self.assertEqual((record["client"], record["service"]), ("127.0.0.1", "crm"))

    def test_no_request_is_smuggled(self):
        marker = secrets.token_hex(8)
        inner = f"GET /api/{marker} HTTP/1.1\r\nHost: crm.example.org\r\n\r\n"
        chunked = "0\r\n\r\n" + inner
        shapes = {
            "length and chunks": f"Content-Length: {len(chunked)}\r\nTransfer-Encoding: chunked\r\n\r\n{chunked}",
            "chunks and length": f"Transfer-Encoding: chunked\r\nContent-Length: {len(chunked)}\r\n\r\n{chunked}",
            "two lengths": f"Content-Length: 0\r\nContent-Length: {len(inner)}\r\n\r\n{inner}",
            "a length in words": f"Content-Length: +{len(inner)}\r\n\r\n{inner}",
            "a space before the colon": f"Transfer-Encoding : chunked\r\nContent-Length: {len(chunked)}\r\n\r\n{chunked}",
            "a tab in the value": f"Transfer-Encoding:\tchunked\r\nContent-Length: {len(chunked)}\r\n\r\n{chunked}",
            "another coding": f"Transfer-Encoding: xchunked\r\nContent-Length: {len(chunked)}\r\n\r\n{chunked}",
            "two codings": f"Transfer-Encoding: chunked, identity\r\nContent-Length: {len(chunked)}\r\n\r\n{chunked}",
            "a folded line": f"X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: {len(chunked)}\r\n\r\n{chunked}",
            "a bare line feed": f"X: y\nTransfer-Encoding: chunked\r\nContent-Length: {len(chunked)}\r\n\r\n{chunked}",
            "a chunk extension": "Transfer-Encoding: chunked\r\n\r\n1;a=\n" + "x\r\n" + chunked,
        }
        for name, shape in shapes.items():
            with self.subTest(name), self.tls("crm.example.org") as stream:
                stream.settimeout(2)
                stream.sendall(f"POST /api/contacts HTTP/1.1\r\nHost: crm.example.org\r\nConnection: close\r\n{shape}".encode())
                answers = b""
                try:
                    while part := stream.recv(65536):
                        answers += part
                except OSError:
                    pass
                self.assertLessEqual(len(re.findall(rb"HTTP/1\.[01] [2-5]", answers)), 1, answers)
                # The next request on the proxy's connection gets the right response.
                for _ in range(3):
                    status, _, body = self.request("GET", "/healthz")
                    self.assertEqual((status, json.loads(body)["status"]), (200, "ok"))
        # Had one got through, it would be there before this one.
        last = f"/api/{secrets.token_hex(8)}"
        self.request("GET", last)
        self.logged(last)
        self.assertNotIn(marker, self.daemon.log.read_text(encoding="utf-8"))


for proxy in (Nginx, Haproxy, Caddy):
    name = f"Behind{proxy.__name__}"
    globals()[name] = type(name, (Behind, unittest.TestCase), {"proxy_class": proxy})

if __name__ == "__main__":
    main()
