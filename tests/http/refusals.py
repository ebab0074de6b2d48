#!/usr/bin/python3
"""Rejections of bodies that are still being sent reach the client: Node's fetch, and sockets that send everything before they read, over HTTP and TLS. Bodies
of unauthenticated clients use no memory."""

import contextlib
import json
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main  # noqa: E402
from daemon import BUILD, Daemon  # noqa: E402

MEBIBYTE = 1024 * 1024
BODY = 8 * MEBIBYTE
TIMES = 20
CROWD = 200
# Memory per connection, without the memory of the kernel.
EACH = 64 * 1024
SANITIZED = any(name in BUILD.name for name in ("asan", "tsan"))
FETCH = """
process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
const [url, times, bytes, ...headers] = process.argv.slice(1);
const seen = [];
for (let i = 0; i < Number(times); ++i)
    try {
        const answer = await fetch(url, {method: "POST", body: new Uint8Array(Number(bytes)),
                                         headers: Object.fromEntries(headers.map(line => line.split(": ")))});
        seen.push(`${answer.status} ${(await answer.json()).code}`);
    } catch (error) { seen.push(`${error.cause?.code ?? error}`); }
console.log(JSON.stringify(seen));
"""


class Refusals(unittest.TestCase):
    settings = {}
    scheme = "http"

    @classmethod
    def setUpClass(cls):
        with contextlib.ExitStack() as stack:
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="portico-refusals-")))
            cls.daemon = stack.enter_context(Daemon({"limits.rates": "off", **cls.make_settings(folder)}))
            cls.port = cls.daemon.ports["crm"]
            cls.token = cls.sign_in()
            cls._stack = stack.pop_all()

    @classmethod
    def tearDownClass(cls):
        cls._stack.close()

    @classmethod
    def make_settings(cls, folder):
        return {}

    @classmethod
    def sign_in(cls):
        return Accounts(cls.daemon).token()

    def cases(self):
        """Path, headers, and what is answered."""
        json_type = "Content-Type: application/json"
        yield "/api/nothing", [json_type], "404 not_found"
        yield "/api/contacts", [json_type], "413 payload_too_large"
        yield "/api/contacts/con_1/attachments", ["X-File-Name: a"], "401 authentication_required"
        yield "/api/contacts/con_1/attachments", ["X-File-Name: a", "Authorization: Bearer invented"], "401 invalid_token"

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def test_nodes_fetch(self):
        for path, headers, expected in self.cases():
            with self.subTest(path=path, expected=expected):
                done = subprocess.run(["node", "--no-warnings", "--input-type=module", "-e", FETCH, f"{self.scheme}://127.0.0.1:{self.port}{path}", str(TIMES), str(BODY), *headers],
                                      capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(set(json.loads(done.stdout)), {expected})

    def test_sockets_that_send_before_they_read(self):
        for path, headers, expected in self.cases():
            for more in ([], ["Connection: close"]):
                with self.subTest(path=path, expected=expected, more=more), self.connect() as connection:
                    head = "\r\n".join([f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {BODY}", *headers, *more, "", ""]).encode()
                    connection.sendall(head + bytes(BODY))
                    answer = b""
                    while piece := connection.recv(65536):
                        answer += piece
                    self.assertEqual(answer.split(b" ")[1].decode() + " " + re.search(rb'"code":"(\w+)"', answer)[1].decode(), expected)


class RefusalsUnderTls(Refusals):
    scheme = "https"

    @classmethod
    def make_settings(cls, folder):
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
        key.chmod(0o600)
        return {"server.tls.certificateFile": certificate, "server.tls.privateKeyFile": key}

    @classmethod
    def sign_in(cls):
        return None

    def connect(self):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        # What ends a connection without close_notify would be an error.
        return context.wrap_socket(super().connect(), suppress_ragged_eofs=False)


class Memory(unittest.TestCase):
    """Bodies of unauthenticated clients are not read."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon({"limits.rates": "off"})
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.start()
        cls.port = cls.daemon.ports["crm"]

    def resident(self):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.daemon.pid}/status").read_text())[1]) * 1024

    def test_strangers_bodies(self):
        for credential in ("", "Authorization: Bearer invented\r\n"):
            with self.subTest(credential=credential), contextlib.ExitStack() as stack:
                before = self.resident()
                head = f"POST /api/contacts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{credential}Content-Length: {MEBIBYTE}\r\n\r\n"
                crowd = [stack.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=60)) for _ in range(CROWD)]
                for connection in crowd:
                    connection.sendall(head.encode() + b" " * (MEBIBYTE - 1))
                if not SANITIZED:
                    self.assertLess(self.resident() - before, CROWD * EACH)
                for connection in crowd:
                    self.assertEqual(connection.recv(12), b"HTTP/1.1 401")


if __name__ == "__main__":
    if not shutil.which("node"):
        sys.exit("node is needed")
    main()
