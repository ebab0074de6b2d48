#!/usr/bin/python3
"""Hostile and broken clients: slow heads, slow bodies, clients that never read, half-closed connections. The configured timeouts end them, memory stays
bounded, and all other clients are served."""

import contextlib
import os
import pathlib
import re
import select
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main  # noqa: E402
from daemon import BUILD, Daemon  # noqa: E402
from ledger import Client, Ledger  # noqa: E402

MEBIBYTE = 1024 * 1024
CROWD = 300
SECONDS = 60
# Short timeouts, so that the tests are fast.
TIMES = {"http.headSeconds": 2, "http.bodySeconds": 2, "http.idleSeconds": 3, "http.writeSeconds": 2, "http.totalSeconds": 8}
MEMORY = 48 * MEBIBYTE
# Sanitizers delay the release of freed memory.
SANITIZED = any(name in BUILD.name for name in ("asan", "tsan"))


class Crowd:
    """Many connections to one port. Records the first line of each response, and which connections the server has closed."""

    def __init__(self, port, count=CROWD, receive_buffer=None):
        self.open, self.answers = [], {}
        for _ in range(count):
            connection = socket.socket()
            if receive_buffer:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            connection.connect(("127.0.0.1", port))
            connection.setblocking(False)
            self.open.append(connection)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in self.open:
            connection.close()

    def send(self, data):
        """Sends data on every connection that accepts it."""
        for connection in list(self.open):
            try:
                connection.send(data)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                pass
            except OSError:
                self._gone(connection)

    def look(self, wait=0.1):
        """Reads what has come."""
        poll = select.poll()
        by_number = {connection.fileno(): connection for connection in self.open}
        for number in by_number:
            poll.register(number, select.POLLIN)
        for number, _ in poll.poll(wait * 1000):
            connection = by_number[number]
            try:
                data = connection.recv(65536)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                continue
            except OSError:
                data = b""
            if data:
                self.answers.setdefault(connection, data.split(b"\r\n", 1)[0])
            else:
                self._gone(connection)

    def sip(self, size):
        """Reads so much of what has come."""
        for connection in list(self.open):
            try:
                if not connection.recv(size):
                    self._gone(connection)
            except BlockingIOError:
                pass
            except OSError:
                self._gone(connection)

    def _gone(self, connection):
        self.open.remove(connection)
        connection.close()

    def statuses(self):
        return {int(line.split()[1]) for line in self.answers.values()}


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._stack = contextlib.ExitStack()
        cls.daemon = cls._stack.enter_context(Daemon({"limits.rates": "off", "crm.attachments.maxMebibytes": 64, **TIMES}))
        cls.token = Accounts(cls.daemon).token()
        cls.port = cls.daemon.ports["crm"]
        with Client(cls.daemon, cls.token) as client:
            cls.contact = re.search(rb'"id":"([^"]+)"', client.call("POST", "/api/contacts", {"firstName": "Ada"})[2])[1].decode()
            made = client.call("POST", f"/api/contacts/{cls.contact}/attachments", os.urandom(32 * MEBIBYTE),
                               {"Content-Type": "application/octet-stream", "X-File-Name": "large.bin"})[2]
            cls.large = re.search(rb'"downloadUrl":"([^"]+)"', made)[1].decode()

    @classmethod
    def tearDownClass(cls):
        cls._stack.close()

    def resident(self):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.daemon.pid}/status").read_text())[1]) * 1024

    @contextlib.contextmanager
    def others_are_served(self):
        """Clients read and write during the `with` block without a rejected request, and memory stays within its bound."""
        before, worst, end = self.resident(), [0], threading.Event()

        def watch():
            while not end.wait(0.05):
                worst[0] = max(worst[0], self.resident())

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            with Ledger(self.daemon, self.token, writers=3, file_bytes=10_000) as ledger:
                ledger.wait_for(more=20)
                yield ledger
                ledger.wait_for(more=20)
        finally:
            end.set()
            watcher.join()
        ledger.verify(self)
        if not SANITIZED:
            print(f"{self.id()}: memory grew by {(worst[0] - before) // 1024} KiB at most", flush=True)
            self.assertLess(worst[0] - before, MEMORY)

    def until_gone(self, crowd, act=lambda: None):
        deadline = time.monotonic() + SECONDS
        while crowd.open:
            self.assertLess(time.monotonic(), deadline, f"{len(crowd.open)} of them are still connected")
            act()
            crowd.look()

    def request(self, line, *headers):
        return "\r\n".join([line, "Host: x", f"Authorization: Bearer {self.token}", *headers, "", ""]).encode()

    def test_slow_heads(self):
        with self.others_are_served() as ledger, Crowd(self.port) as crowd:
            crowd.send(b"GET /api/contacts HTTP/1.1\r\nHost: x\r\n")
            ledger.wait_for(more=20)
            self.until_gone(crowd, lambda: crowd.send(b"A: b\r\n"))
            self.assertLessEqual(crowd.statuses(), {408, 431})

    def test_slow_bodies(self):
        login = b"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        upload = self.request(f"POST /api/contacts/{self.contact}/attachments HTTP/1.1", "X-File-Name: a", "Content-Length: 1000000")
        attacks = ((login + b"Content-Length: 1000\r\n\r\n", b" "), (login + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"), (upload, b"x"))
        for head, piece in attacks:
            with self.subTest(head=head[:40]), self.others_are_served() as ledger, Crowd(self.port) as crowd:
                crowd.send(head)
                ledger.wait_for(more=20)
                self.until_gone(crowd, lambda: crowd.send(piece))
                self.assertLessEqual(crowd.statuses(), {408})

    def test_readers_that_do_not_read(self):
        with self.others_are_served() as ledger, Crowd(self.port, receive_buffer=4096) as crowd:
            seen = set()
            deadline = time.monotonic() + SECONDS
            while len(seen) < CROWD:
                self.assertLess(time.monotonic(), deadline, f"{len(seen)} of them were connected")
                seen |= self.established(crowd)
            crowd.send(self.request(f"GET {self.large} HTTP/1.1"))
            ledger.wait_for(more=20)
            self.eventually_closed(crowd)

    def test_readers_that_take_a_little_for_ever(self):
        with self.others_are_served() as ledger, Crowd(self.port, count=50, receive_buffer=4096) as crowd:
            crowd.send(self.request(f"GET {self.large} HTTP/1.1"))
            ledger.wait_for(more=20)
            # What has left the server may take its time: it is the kernel's.
            self.eventually_closed(crowd, lambda: crowd.sip(1024))

    def test_askers_that_do_not_read(self):
        """Endless requests on connections whose responses are never read."""
        many = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 500
        with self.others_are_served() as ledger, Crowd(self.port, count=100, receive_buffer=4096) as crowd:
            for _ in range(20):
                crowd.send(many)
            ledger.wait_for(more=20)
            self.eventually_closed(crowd)

    def eventually_closed(self, crowd, act=lambda: None):
        """By the server, as the kernel tells of its ends: these clients would notice late."""
        deadline = time.monotonic() + SECONDS
        while still := self.established(crowd):
            self.assertLess(time.monotonic(), deadline, f"{len(still)} of them are still connected")
            act()
            select.select([], [], [], 0.1)

    def established(self, crowd):
        """Returns the clients' ports of connections that the server has open. The kernel's list may name one twice or miss one while others change."""
        ports = {connection.getsockname()[1] for connection in crowd.open}
        rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        port_of = lambda address: int(address.split(":")[1], 16)  # noqa: E731
        return ports & {port_of(row[2]) for row in rows if row[3] == "01" and port_of(row[1]) == self.port}

    def test_idle_and_half_open(self):
        with self.others_are_served() as ledger, Crowd(self.port) as silent, Crowd(self.port) as halves, Crowd(self.port) as cut:
            halves.send(b"GET /api")
            for connection in halves.open:
                connection.shutdown(socket.SHUT_WR)
            cut.send(self.request(f"POST /api/contacts/{self.contact}/attachments HTTP/1.1", "X-File-Name: a", "Content-Length: 100000") + b"x" * 1000)
            ledger.wait_for(more=20)
            for connection in cut.open:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset
                connection.close()
            cut.open.clear()
            self.until_gone(halves)
            self.until_gone(silent)
            self.assertEqual(silent.answers, {})

    def test_heads_and_chunks_without_end(self):
        login = b"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        attacks = ((b"GET /", b"x" * 4096, {414}), (b"GET / HTTP/1.1\r\nHost: x\r\n", (b"A: " + b"b" * 1000 + b"\r\n") * 8, {431}),
                   (login, b"1;" + b"e" * 4096, {400, 413}), (login + b"0\r\n", (b"A: " + b"b" * 1000 + b"\r\n") * 8, {400, 413, 431}))
        for head, piece, statuses in attacks:
            with self.subTest(head=head[-40:]), self.others_are_served(), Crowd(self.port, count=50) as crowd:
                crowd.send(head)
                self.until_gone(crowd, lambda: crowd.send(piece))
                self.assertLessEqual(crowd.statuses(), statuses)
                self.assertTrue(crowd.answers)

    def test_slowhttptest(self):
        program = shutil.which("slowhttptest")
        if not program:
            self.skipTest("slowhttptest is not installed")
        url = f"http://127.0.0.1:{self.port}"
        with tempfile.TemporaryDirectory() as folder:
            for mode in (["-H", "-i", "1", "-u", url + "/healthz"], ["-B", "-i", "1", "-s", "8192", "-t", "POST", "-u", url + "/api/auth/login"],
                         ["-R", "-a", "1", "-b", "500", "-u", url + "/openapi.json"], ["-X", "-w", "1", "-y", "1", "-z", "1", "-k", "3", "-n", "1", "-u", url + "/openapi.json"]):
                with self.subTest(mode=mode[0]), self.others_are_served():
                    done = subprocess.run([program, "-c", "200", "-r", "200", "-l", "5", "-p", "10", *mode], capture_output=True, text=True, cwd=folder, timeout=SECONDS)
                    plain = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
                    available = re.findall(r"service available:\s+(\w+)", plain)
                    self.assertTrue(available, plain[-2000:] + done.stderr)
                    self.assertEqual(set(available), {"YES"}, plain[-2000:])


class HostileToTls(unittest.TestCase):
    """Handshakes that are begun and never ended, and slow requests behind whole ones."""

    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="portico-hostile-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
        key.chmod(0o600)
        daemon = Daemon({"limits.rates": "off", "server.tls.certificateFile": certificate, "server.tls.privateKeyFile": key, **TIMES})
        self.addCleanup(daemon.close)
        daemon.start()
        self.port = daemon.ports["crm"]
        self.context = ssl.create_default_context()
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE

    def ask(self):
        """The status of a request on a connection of its own."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as plain, self.context.wrap_socket(plain) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return connection.recv(4096).split(b" ")[1]

    def until_gone(self, crowd, act):
        deadline = time.monotonic() + SECONDS
        while crowd.open:
            self.assertLess(time.monotonic(), deadline, f"{len(crowd.open)} of them are still connected")
            self.assertEqual(self.ask(), b"200")
            act()
            crowd.look()

    def test_handshakes_that_are_not_ended(self):
        # Nothing at all, half a record, and a hello that comes byte by byte.
        for begin, piece in ((b"", b""), (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b""), (b"\x16\x03\x01\x02\x00", b"\x01")):
            with self.subTest(begin=begin, piece=piece), Crowd(self.port) as crowd:
                crowd.send(begin)
                self.until_gone(crowd, lambda: crowd.send(piece))

    def test_slow_heads_behind_a_handshake(self):
        with Crowd(self.port, count=0) as crowd:
            for _ in range(50):
                connection = self.context.wrap_socket(socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS))
                connection.setblocking(False)
                crowd.open.append(connection)
            crowd.send(b"GET /healthz HTTP/1.1\r\n")
            self.until_gone(crowd, lambda: crowd.send(b"A: b\r\n"))


if __name__ == "__main__":
    main()
