#!/usr/bin/python3
"""What an operator does while people work: reload, disable, a broken build, kill -9, ten thousand idle connections."""

import http.client
import itertools
import json
import pathlib
import re
import resource
import shutil
import socket
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, engine, main, on_both_engines  # noqa: E402
from daemon import BUILD, Daemon  # noqa: E402

CONNECTIONS = 64
# So many reloads in a row must add no more than noise: far less than a copy of the plugin, or a leak of some dozen KiB, each.
FLAT_RELOADS = 60
MOST_RELOADS = 400


def resident_kb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1))


class Load:
    """Keep-alive connections that write and read contacts until they are stopped. Records every status other than 2xx and every broken connection."""

    def __init__(self, daemon, token, connections):
        self.daemon, self.token = daemon, token
        self.wrong, self.acknowledged, self.requests = [], [], 0
        self._end = threading.Event()
        self._begun = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._work, args=(number,)) for number in range(connections)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        for _ in self._threads:
            self._begun.acquire()
        return self

    def __exit__(self, *_):
        self._end.set()
        for thread in self._threads:
            thread.join()

    def _work(self, number):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.ports["crm"], timeout=60)
        connection.connect()
        connection.auto_open = False  # a connection that the server closes is a failure, not a reason to open another
        last = None
        for turn in itertools.count():
            try:
                if last is None or turn % 8 == 0:
                    connection.request("POST", "/api/contacts", json.dumps({"firstName": f"L{number}", "lastName": str(turn)}), headers)
                else:
                    connection.request("GET", f"/api/contacts/{last}", headers=headers)
                answer = connection.getresponse()
                body = answer.read()
            except Exception as error:  # noqa: BLE001 - every kind of break counts
                with self._lock:
                    self.wrong.append(repr(error))
                break
            finally:
                if turn == 0:
                    self._begun.release()
            with self._lock:
                self.requests += 1
                if answer.status == 201:
                    last = json.loads(body)["id"]
                    self.acknowledged.append(last)
                elif answer.status != 200:
                    self.wrong.append((answer.status, body))
            if self._end.is_set():
                break
        connection.close()


def is_flat(sizes):
    last = sizes[-FLAT_RELOADS:]
    return len(last) == FLAT_RELOADS and max(last[FLAT_RELOADS // 2:]) - max(last[:FLAT_RELOADS // 2]) < 1024


class Reloading:
    settings = {"limits.rates": "off"}

    def test_reloads_under_load_fail_no_request(self):
        token = self.accounts.token()
        with Load(self.daemon, token, CONNECTIONS) as load:
            sizes = []
            # The allocator's arenas fill first, for how many reloads depends on the load.
            while not is_flat(sizes) and len(sizes) < MOST_RELOADS:
                self.daemon.ctl("reload", "crm")
                sizes.append(resident_kb(self.daemon.pid))
        self.assertEqual(load.wrong[:3], [])
        self.assertGreater(load.requests, len(sizes))
        crm = next(each for each in self.daemon.ctl("services")["services"] if each["service"] == "crm")
        self.assertEqual(crm["status"], "serving", crm)
        maps = pathlib.Path(f"/proc/{self.daemon.pid}/maps").read_text()
        copies = {line.split()[-1] for line in maps.splitlines() if line.endswith("/crm.so")}
        self.assertEqual(len(copies), 1, "one generation stays mapped")
        self.assertTrue(is_flat(sizes), sizes)

    def test_reloading_identity_ends_no_session(self):
        token = self.accounts.token()
        with Load(self.daemon, token, 8) as load:
            for _ in range(10):
                self.daemon.ctl("reload", "identity")
        self.assertEqual(load.wrong[:3], [])

    def test_disabling_answers_for_its_routes_only(self):
        token = self.accounts.token()
        self.daemon.ctl("disable", "crm")
        try:
            for path in ("/api/contacts", "/api/contacts/con_00000000000000000000000000"):
                answer = self.daemon.request("crm", "GET", path, token=token)
                self.assertEqual((answer.status, answer.json()["code"]), (503, "service_disabled"))
                self.assertTrue(answer.headers["Retry-After"])
            self.assertEqual(self.daemon.request("crm", "GET", "/no/such/path").status, 404)
            self.assertEqual(self.daemon.request("identity", "GET", "/api/auth/me", token=self.accounts.token(service="identity")).status, 200)
            self.daemon.restart()
            self.assertEqual(self.daemon.request("crm", "GET", "/api/contacts", token=token).status, 503)
        finally:
            self.daemon.ctl("enable", "crm")
        self.assertEqual(self.daemon.request("crm", "GET", "/api/contacts", token=token).status, 200)

    def test_without_identity_protected_routes_fail_closed(self):
        token = self.accounts.token()
        self.daemon.ctl("disable", "identity")
        try:
            answer = self.daemon.request("crm", "GET", "/api/contacts", token=token)
            self.assertEqual((answer.status, answer.json()["code"]), (503, "validation_unavailable"))
            self.assertEqual(self.daemon.request("crm", "GET", "/api").status, 200)
        finally:
            self.daemon.ctl("enable", "identity")
        self.assertEqual(self.daemon.request("crm", "GET", "/api/contacts", token=token).status, 200)

    def test_kill_9_loses_no_acknowledged_contact(self):
        for _ in range(3):
            token = self.accounts.token()
            with Load(self.daemon, token, 16) as load:
                enough = threading.Event()
                while len(load.acknowledged) < 150 and not load.wrong:
                    enough.wait(0.01)
                self.daemon.kill()
            self.daemon.start()
            token = self.accounts.token()
            connection = self.daemon.connect("crm")
            for contact in load.acknowledged:
                connection.request("GET", f"/api/contacts/{contact}", headers={"Authorization": f"Bearer {token}"})
                answer = connection.getresponse()
                answer.read()
                self.assertEqual(answer.status, 200, contact)
            connection.close()


Reloading = on_both_engines(Reloading)


@on_both_engines
class Burst:
    settings = {"limits.rates": "off"}

    def test_memory_of_a_burst_is_released(self):
        token = self.accounts.token()
        self.daemon.request("crm", "GET", "/api/contacts", token=token)
        before = resident_kb(self.daemon.pid)
        rows = "firstName,lastName,email\n" + "".join(f"A{row},B{row},a{row}@x{row % 900}.example\n" for row in range(5000))
        with Load(self.daemon, token, CONNECTIONS):
            answer = self.daemon.request("crm", "POST", "/api/contacts/import", rows.encode(), token=token, headers={"Content-Type": "text/csv"})
            self.assertEqual(answer.status, 200, answer.body[:500])
            for page in range(40):
                self.daemon.request("crm", "GET", f"/api/contacts?limit=200&q=a{page}", token=token)
        after = resident_kb(self.daemon.pid)
        deadline = time.monotonic() + 90  # a minute, and room for a busy machine
        while resident_kb(self.daemon.pid) > before + 15 * 1024:
            self.assertLess(time.monotonic(), deadline, f"{before} KiB before, {after} after, still {resident_kb(self.daemon.pid)}")
            time.sleep(0.5)


class Disabled(unittest.TestCase):
    def test_the_file_of_a_disabled_service_is_let_go_of(self):
        with Daemon() as daemon:
            token = Accounts(daemon).token()
            self.assertEqual(daemon.request("crm", "POST", "/api/contacts", {"firstName": "Ada"}, token).status, 201)
            file = next(daemon.state.rglob("crm.db"))
            daemon.ctl("disable", "crm")
            open_files = [link.resolve().name for link in pathlib.Path(f"/proc/{daemon.pid}/fd").iterdir()]
            self.assertEqual([name for name in open_files if name.startswith("crm.db")], [])
            daemon.ctl("migrate", "--check")
            for each in file.parent.glob("crm.db*"):
                each.unlink()
            daemon.ctl("enable", "crm")
            fresh = daemon.request("crm", "GET", "/api/contacts", token=token)
            self.assertEqual((fresh.status, fresh.json()["items"]), (200, []))
            made = daemon.request("crm", "POST", "/api/contacts", {"firstName": "Eve"}, token)
            self.assertEqual(made.status, 201)
            daemon.ctl("disable", "crm")
            daemon.ctl("enable", "crm")
            self.assertEqual(daemon.request("crm", "GET", f"/api/contacts/{made.json()['id']}", token=token).status, 200)


class BrokenBuild(unittest.TestCase):
    def test_a_build_that_throws_in_start_is_refused_and_the_old_one_serves(self):
        broken = next(BUILD.rglob("start-throws/start-throws.so"))
        with tempfile.TemporaryDirectory() as name:
            plugins = pathlib.Path(name) / "plugins"
            shutil.copytree(BUILD / "lib/portico/plugins", plugins)
            settings = {"plugins.directories": plugins, "plugins.allowUnsigned": "crm,identity", "plugins.override": "crm,identity"}
            with Daemon({**settings, "limits.rates": "off"}) as daemon:
                token = Accounts(daemon).token()
                good = plugins / "crm/crm.so"
                kept = good.read_bytes()
                good.unlink()
                shutil.copy(broken, good)
                with Load(daemon, token, 8) as load:
                    refused = daemon.ctl("reload", "crm", check=False)
                self.assertEqual(refused.returncode, 1)
                self.assertIn("the setting x.y is missing", refused.stdout + refused.stderr)
                self.assertEqual(load.wrong[:3], [])
                good.unlink()
                good.write_bytes(kept)
                daemon.ctl("reload", "crm")
                self.assertEqual(daemon.request("crm", "GET", "/api/contacts", token=token).status, 200)


class Crowd(unittest.TestCase):
    def test_ten_thousand_idle_connections_block_no_request(self):
        count = 10_000
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if hard != resource.RLIM_INFINITY and hard < count + 1000:
            self.skipTest(f"only {hard} descriptors are allowed here, {count + 1000} are needed")
        resource.setrlimit(resource.RLIMIT_NOFILE, (count + 1000, hard))
        with engine("sqlite", {"limits.rates": "off"}) as (daemon, accounts):
            token = accounts.token()
            idle = [socket.create_connection(("127.0.0.1", daemon.ports["crm"])) for _ in range(count)]
            try:
                self.assertEqual(sum(self.ask(each) for each in idle), count)
                with Load(daemon, token, CONNECTIONS) as load:
                    while load.requests < 5000 and not load.wrong:
                        threading.Event().wait(0.01)
                self.assertEqual(load.wrong[:3], [])
                self.assertEqual(sum(self.ask(each) for each in idle), count)
            finally:
                for each in idle:
                    each.close()

    @staticmethod
    def ask(connection):
        connection.settimeout(30)
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        return connection.recv(4096).startswith(b"HTTP/1.1 200 ")


class Framing(unittest.TestCase):
    """The strictness of RFC 9112 at the real door; the whole corpus stands in tests/http_server."""

    def test_hostile_framing_is_refused_and_the_connection_closed(self):
        attacks = (
            b"POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
            b"POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            b"POST /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            b"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZ\r\n",
            b"GET /api HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
            b"GET /api HTTP/1.1\r\nHost : x\r\n\r\n",
            b"GET /api HTTP/1.1\r\nHost: x\nA: b\r\n\r\n",
            b"GET /api HTTP/1.1\r\n\r\n",
            b"GET /api HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
            b"GET /a\x00b HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET  /api HTTP/1.1\r\nHost: x\r\n\r\n",
        )
        with Daemon() as daemon:
            for attack in attacks:
                with socket.create_connection(("127.0.0.1", daemon.ports["crm"])) as connection:
                    connection.settimeout(30)
                    connection.sendall(attack + b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                    received = b""
                    while chunk := self.receive(connection):
                        received += chunk
                    self.assertTrue(received.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 501 ")), (attack, received[:80]))
                    self.assertEqual(received.count(b"HTTP/1.1 "), 1, attack)
            self.assertEqual(daemon.request("crm", "GET", "/healthz").status, 200)

    @staticmethod
    def receive(connection):
        try:
            return connection.recv(65536)
        except ConnectionResetError:
            return b""


if __name__ == "__main__":
    main()
