#!/usr/bin/python3
"""Ten hosts on one PostgreSQL and one Redis behind HAProxy, set up as in docs/scaling-out.md, one with a clock that is two seconds ahead and one
in a separate network. All are restarted and upgraded under load, one is killed, one is cut off. Each contact, booking, import, mail and webhook exists once.

    PORTICO_HOSTS=10 ten_hosts.py      the long form (default: 4 hosts, none is cut off)
"""

import collections
import contextlib
import datetime
import http.client
import http.server
import json
import os
import pathlib
import random
import re
import secrets
import shutil
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import network  # noqa: E402
from blackbox import Accounts, main  # noqa: E402
from bookings import Guest, Office, monday  # noqa: E402
from daemon import BUILD, Daemon, PostgreSQL, free_ports  # noqa: E402
from hosts import DOMAIN, NAMES, Client, Door, Haproxy, with_other_names  # noqa: E402
from redis import Redis  # noqa: E402
from wallclock import WallClock  # noqa: E402

HOSTS = int(os.environ.get("PORTICO_HOSTS", "4"))
AHEAD, FAR = 1, 2
SECONDS_AHEAD = 2
LEASE_SECONDS = 5
IMPORT_ROWS = 15_000
PAUSE = 0.1
# Messages that a host is sending when it ends: one for each thread of jobs.networkThreads.
REPEATS = 4
SETTINGS = {"limits.rates": "off", "server.trustedProxies": f"127.0.0.1,{network.OURS}", "jobs.leaseSeconds": LEASE_SECONDS, "database.connections": 6,
            "state.redis.timeoutMilliseconds": 5000, "outbound.allowedNetworks": "10.77.0.0/24", "mail.security": "none", "mail.server": network.OURS,
            **{f"services.{service}.enabled": "false" for service in ("social", "launchpad", "admin")},
            **{f"services.{service}.origins": f"https://{service}.{DOMAIN}" for service in (*NAMES, "calendar")}}
HOOKS = ("crm.contact.created", "crm.import.completed", "calendar.booking.confirmed")


class Mailbox(socketserver.ThreadingTCPServer):
    """A mail server that counts mails by their Message-ID."""

    daemon_threads = True

    def __init__(self):
        self.mails = collections.Counter()

        class Handler(socketserver.StreamRequestHandler):
            def handle(handler):
                say = handler.wfile.write
                say(b"220 ready\r\n")
                for line in handler.rfile:
                    word = line[:4].upper()
                    say(b"354 go on\r\n" if word == b"DATA" else b"221 bye\r\n" if word == b"QUIT" else b"250 yes\r\n")
                    if word == b"DATA":
                        text = b"".join(iter(handler.rfile.readline, b".\r\n"))
                        self.mails[re.search(rb"(?im)^Message-ID: *(\S+)", text)[1].decode()] += 1
                        say(b"250 kept\r\n")
                    elif word == b"QUIT":
                        break

        super().__init__((network.OURS, free_ports(1)), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Receiver(http.server.ThreadingHTTPServer):
    """Receives webhooks: counts deliveries by `webhook-id`, and maps each to its record. The daemon trusts `certificate`."""

    daemon_threads = True

    def __init__(self, room):
        self.deliveries, self.subjects = collections.Counter(), {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(handler):
                event = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
                number = handler.headers["webhook-id"]
                self.deliveries[number] += 1
                self.subjects[number] = next(event["data"][name] for name in ("contactId", "bookingId", "importId") if name in event["data"])
                handler.send_response(204)
                handler.end_headers()

            def log_message(handler, *_):
                pass

        super().__init__((network.OURS, free_ports(1)), Handler)
        self.certificate, key = room / "receiver.pem", room / "receiver.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=receiver",
                        "-addext", f"subjectAltName=IP:{network.OURS}", "-keyout", key, "-out", self.certificate], check=True, capture_output=True)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self.certificate, key)
        # The thread of each connection shakes hands.
        self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """Ignores errors, because a host that is killed breaks its connections."""

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Visitor(threading.Thread):
    """Repeats an action until `ended`; `failed` has its errors."""

    def __init__(self, turn, pause=PAUSE):
        super().__init__(daemon=True)
        self.turn, self.pause, self.turns, self.failed, self.ended = turn, pause, 0, [], threading.Event()

    def run(self):
        while not self.ended.wait(self.pause):
            try:
                self.turn()
                self.turns += 1
            except (AssertionError, OSError, http.client.HTTPException, ValueError) as error:
                self.failed.append(repr(error))


class Load:
    """Eight clients: careful ones that write, browsers that load pages with their files and lists, and guests who book."""

    def __init__(self, case, phase):
        self.case = case
        # Half of them keep their connections.
        self.doors = [Door(case.proxy.port, kept=number % 2 == 0) for number in range(8)]
        self.writers = [Client(door, case.token, f"{phase}x{number}", PAUSE) for number, door in enumerate(self.doors[:4])]
        self.visitors = [Visitor(self.page(door)) for door in self.doors[4:6]]
        self.guests = [Visitor(self.booking(door), 4 * PAUSE) for door in self.doors[6:]]
        self.threads = self.writers + self.visitors + self.guests

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        for thread in self.threads:
            thread.ended.set()
        for thread in self.threads:
            thread.join()
        for door in self.doors:
            door.close()

    def page(self, door):
        def get(path, token=None):
            answer = door.request("crm", "GET", path, token=token, headers={"Accept": "application/json" if token else "text/html"})
            if answer.status != 200:
                raise AssertionError((path, answer.status, answer.body[:300]))
            return answer.body.decode()

        known = []

        def turn():
            known.extend(set(re.findall(r'(?:src|href)="(/assets/[^"]+\.(?:js|css))"', get("/dashboard"))) - set(known))
            # Tabs that were open before an upgrade ask for older files.
            for file in known:
                get(file)
            get("/api/contacts?limit=20", self.case.token)

        return turn

    @staticmethod
    def booking(door):
        days = [monday() + datetime.timedelta(days=7 * week + day) for week in range(6) for day in range(5)]
        return lambda: Guest(door, 1).book_anything(random.choice(days))

    def goes_on(self, turns=3):
        """Waits until each client was served this many times more."""
        def done(thread):
            return len(thread.acknowledged) if isinstance(thread, Client) else thread.turns

        before = [done(thread) for thread in self.threads]
        self.case.reached(lambda: all(done(thread) >= count + turns for thread, count in zip(self.threads, before)),
                          lambda: f"every client is served: {[done(thread) - count for thread, count in zip(self.threads, before)]}, {self.failures()}, "
                          f"{[(each.wrong, each.repeated) for each in self.writers]}")

    def failures(self):
        return [each for visitor in self.visitors + self.guests for each in visitor.failed]

    def assert_nothing_failed(self):
        self.case.assertEqual([], self.failures())
        self.case.assertEqual({}, {name: why for writer in self.writers for name, why in writer.repeated.items()})


class ManyHosts(unittest.TestCase):
    PLUGINS = BUILD / "lib/portico/plugins"

    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        try:
            cls.set_up()
        except BaseException:
            cls.stack.close()
            raise

    @classmethod
    def set_up(cls):
        if not network.leave_the_machine():
            raise unittest.SkipTest("networks need the rights of root")
        cls.room = room = pathlib.Path(tempfile.mkdtemp(prefix="portico-ten-hosts-"))
        cls.stack.callback(shutil.rmtree, room, ignore_errors=True)
        cls.far = network.FarNetwork()
        cls.stack.callback(cls.far.close)
        cls.redis = cls.stack.enter_context(Redis(network.OURS))
        cls.database = cls.stack.enter_context(PostgreSQL(f"-c listen_addresses=127.0.0.1,{network.OURS} -c max_connections=400", clients=["10.77.0.0/24"]))
        cls.mailbox, cls.receiver = cls.stack.enter_context(Mailbox()), cls.stack.enter_context(Receiver(room))
        cls.make_versions()
        cls.start_hosts()
        cls.proxy = cls.stack.enter_context(Haproxy(room, [f"{network.THEIRS if number == FAR else '127.0.0.1'}:{host.port}"
                                                           for number, host in enumerate(cls.hosts)], ["calendar"]))
        accounts = Accounts(cls.hosts[0])
        cls.token = accounts.token()
        cls.office = Office(cls.hosts[0], accounts)
        hook = {"url": f"https://{network.OURS}:{cls.receiver.server_port}/", "types": HOOKS}
        made = cls.hosts[0].request("identity", "POST", "/api/webhook-endpoints", hook, accounts.token(service="identity"))
        if made.status != 201:
            raise AssertionError(made.body)

    @classmethod
    def make_versions(cls):
        """Makes two versions of crm: the one that was built, and a newer one with other pages and a further migration."""
        old, new = cls.room / "old", cls.room / "new"
        shutil.copytree(cls.PLUGINS / "crm", old, ignore=shutil.ignore_patterns("SHA256SUMS*"))
        with_other_names(cls.PLUGINS / "crm", new)
        manifest = new / "manifest.json"
        manifest.write_text(re.sub(r'("version": ")[^"]+', r"\g<1>99.0.0", manifest.read_text(encoding="utf-8"), count=1), encoding="utf-8")
        following = 1 + max(int(each.name[:4]) for each in (new / "migrations").iterdir())
        (new / f"migrations/{following:04}_upgraded.sql").write_text("ALTER TABLE contact ADD COLUMN upgraded INTEGER NOT NULL DEFAULT 0;\n", encoding="utf-8")

    @classmethod
    def start_hosts(cls):
        for name in ("clock", "blobs"):
            (cls.room / name).mkdir()
        key = cls.room / "cursor-key"
        key.touch(mode=0o600)
        key.write_text(secrets.token_urlsafe(32) + "\n", encoding="utf-8")
        clock = WallClock(cls.room / "clock")
        clock.jump(SECONDS_AHEAD)
        settings = SETTINGS | cls.redis.settings(cls.room) | {"http.cursorKeyFile": key, "mail.port": cls.mailbox.server_address[1],
                                                              "outbound.certificateAuthorities": cls.receiver.certificate}
        cls.hosts = []
        for number in range(HOSTS):
            plugins = cls.room / f"plugins{number}"
            plugins.mkdir()
            (plugins / "crm").symlink_to(cls.room / "old")
            more = {"plugins.directories": f"{cls.PLUGINS},{plugins}", "plugins.override": "crm", "plugins.allowUnsigned": "crm"}
            if number == FAR:
                more["server.bind"] = f"127.0.0.1,{network.THEIRS}"
            host = Daemon(settings | more, cls.database_url(number), cls.database.password, environment=clock.environment if number == AHEAD else None,
                          network=cls.far if number == FAR else None)
            (host.state / "blobs").symlink_to(cls.room / "blobs")
            cls.hosts.append(cls.stack.enter_context(host))

    @classmethod
    def database_url(cls, number):
        """Returns a URL that gives the sessions of a host its name in PostgreSQL."""
        return f"postgresql://postgres@{network.OURS if number == FAR else '127.0.0.1'}:{cls.database.port}/postgres?application_name=host{number}"

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def reached(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                self.fail(f"not in {seconds} s: {what() if callable(what) else what}\n" + "\n".join(host.log_tail(10) for host in self.hosts))
            time.sleep(0.05)  # between two looks

    def begin_import(self, name, door):
        lines = [f"{name}{number},Person,{name}{number}@example.org" for number in range(IMPORT_ROWS)]
        content = "\r\n".join(["First Name,Last Name,Email", *lines, ""]).encode()
        begun = door.request("crm", "POST", "/api/contacts/import", content, self.token, {"Content-Type": "text/csv"})
        self.assertEqual(begun.status, 200, begun.body)
        return begun.json()["importId"]

    def importing_host(self):
        """Returns the number of the host that writes rows of an import, or None."""
        rows = self.database.sql("SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) "
                                 "WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted AND application_name <> 'portico';")
        return int(rows[0].removeprefix("host")) if rows else None

    def imported(self, number, door, seconds=60):
        def report():
            answer = door.request("crm", "GET", f"/api/contacts/imports/{number}", token=self.token)
            return answer.json() if answer.status == 200 else {"status": "running"}

        self.reached(lambda: report()["status"] != "running", "the import is finished", seconds)
        done = report()
        self.assertEqual((done["status"], done["totals"]["created"], done["totals"]["failed"]), ("completed", IMPORT_ROWS, 0), done)

    def settled(self, ended=0):
        """Waits for the mails and webhooks of all records in the database, and compares them. Each of `ended` interruptions of a
        host may repeat REPEATS of them."""
        ids = self.database.sql("SELECT id FROM crm.contact WHERE sort_name ~ '^[lL][0-9]+x' UNION ALL SELECT id FROM calendar.booking "
                                "UNION ALL SELECT import_id FROM crm.import;")
        bookings = int(self.database.sql("SELECT count(*) FROM calendar.booking;")[0])
        self.reached(lambda: set(ids) <= set(self.receiver.subjects.values()) and len(self.mailbox.mails) >= 2 * bookings, "mails and webhooks arrive", 120)
        self.reached(lambda: self.waiting_jobs() == 0, "no job waits")
        self.assertEqual(collections.Counter(self.receiver.subjects.values()), collections.Counter(ids))
        self.assertEqual(len(self.mailbox.mails), 2 * bookings)
        twice = [collections.Counter({each: count - 1 for each, count in seen.items() if count > 1}) for seen in (self.mailbox.mails, self.receiver.deliveries)]
        imports, imported = (int(self.database.sql(f"SELECT count(*) FROM {what};")[0]) for what in ("crm.import", "crm.contact WHERE sort_name ~* '^import'"))
        self.assertEqual(imported, imports * IMPORT_ROWS)
        print(f"{self.id()}: {len(ids)} webhooks, {2 * bookings} mails, {imported} imported rows; repeated: {[sum(each.values()) for each in twice]}", flush=True)
        for each in twice:
            self.assertLessEqual(sum(each.values()), ended * REPEATS, each)

    def waiting_jobs(self):
        now = "extract(epoch FROM now()) * 1000"
        return sum(int(self.database.sql(f"SELECT count(*) FROM {service}.portico_job WHERE interval_seconds IS NULL AND due_at < {now} + 2000;")[0])
                   for service in ("crm", "calendar", "identity"))

    def test_1_rolling_restart(self):
        with Load(self, 1) as load:
            load.goes_on()
            number = self.begin_import("ImportA", Door(self.proxy.port))
            for host in self.hosts:
                host.restart()
            load.goes_on()
        load.assert_nothing_failed()
        self.imported(number, Door(self.proxy.port))
        self.settled()

    def test_2_rolling_upgrade(self):
        """Every second host is restarted, as for a new package; the others load the new plugin while they serve."""
        with Load(self, 2) as load:
            load.goes_on()
            number = self.begin_import("ImportB", Door(self.proxy.port))
            for turn, host in enumerate(self.hosts):
                link = self.room / f"plugins{turn}" / "new"
                link.symlink_to(self.room / "new")
                link.replace(link.with_name("crm"))
                if turn % 2:
                    host.ctl("reload", "crm")
                else:
                    host.restart()
                [version] = [each["version"] for each in host.ctl("services")["services"] if each["service"] == "crm"]
                self.assertEqual(version, "99.0.0")
            load.goes_on()
        load.assert_nothing_failed()
        self.imported(number, Door(self.proxy.port))
        self.settled()

    def test_3_one_is_killed(self):
        door = Door(self.proxy.port)
        with Load(self, 3) as load:
            load.goes_on()
            number, owner = self.begin_import("ImportC", door), []
            self.reached(lambda: owner.append(self.importing_host()) or owner[-1] is not None, "a host imports")
            dead = self.hosts[owner[-1]]
            dead.kill()
            self.imported(number, door)
            load.goes_on()
            dead.start()
            load.goes_on()
        self.few_failed(load)
        self.settled(ended=1)

    @unittest.skipUnless(HOSTS > 4, "takes two minutes: tests/faults/run has it")
    def test_4_one_is_cut_off(self):
        host, door = self.hosts[FAR], Door(self.proxy.port)
        with Load(self, 4) as load:
            load.goes_on()
            for turn in range(20):
                number, owner = self.begin_import(f"ImportD{turn}-", host), []
                self.reached(lambda: owner.append(self.importing_host()) or owner[-1] is not None, "a host imports")
                if owner[-1] == FAR:
                    break
                self.imported(number, door)
            self.assertEqual(owner[-1], FAR)
            self.far.cut()
            refused = host.request("crm", "GET", "/api/contacts?limit=1", token=self.token)
            self.assertEqual(refused.status, 503, refused.body)
            self.imported(number, door, 90)
            load.goes_on()
            self.far.mend()
            self.reached(lambda: host.request("crm", "GET", "/api/contacts?limit=1", token=self.token).status == 200, "the host serves again")
            load.goes_on()
        self.few_failed(load)
        self.settled(ended=2)

    def few_failed(self, load):
        """Only requests that the lost host was processing fail: at most one of each client."""
        print(f"{self.id()}: {load.failures()} {[writer.repeated for writer in load.writers]}", flush=True)
        self.assertEqual([wrong for writer in load.writers for wrong in writer.wrong], [])
        self.assertLessEqual(max(len(each.failed) for each in load.visitors + load.guests), 1)
        self.assertLessEqual(max(len(writer.repeated) for writer in load.writers), 1)


if __name__ == "__main__":
    main()
