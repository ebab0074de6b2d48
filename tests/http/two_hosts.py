#!/usr/bin/python3
"""Two hosts on one PostgreSQL and one Redis behind HAProxy, set up as in docs/scaling-out.md. Both see the same state, one is killed under load and the other
takes over its work, and Redis fails and recovers."""

import collections
import contextlib
import hashlib
import json
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main  # noqa: E402
from daemon import BUILD, ROOT, Daemon, PostgreSQL  # noqa: E402
from hosts import NAMES, Client, Door, Haproxy, send, with_other_names  # noqa: E402
from redis import Redis  # noqa: E402
from slow_link import SlowLink  # noqa: E402

ORIGIN = "https://crm.example.org"
CLIENTS = 8
LEASE_SECONDS = 5
WINDOW_SECONDS = 10
IMPORT_ROWS = 10_000


class TwoHosts(unittest.TestCase):
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
        shared = pathlib.Path(tempfile.mkdtemp(prefix="portico-two-hosts-"))
        cls.stack.callback(shutil.rmtree, shared, ignore_errors=True)
        key = shared / "cursor-key"
        key.write_text(secrets.token_urlsafe(32) + "\n", encoding="utf-8")
        cls.redis = cls.stack.enter_context(Redis())
        cls.database = database = cls.stack.enter_context(PostgreSQL())
        cls.link = cls.stack.enter_context(SlowLink(database.port))
        settings = {"state.store": "redis", "state.redis.url": cls.redis.url, "state.redis.passwordFile": cls.redis.secret(shared),
                    "state.redis.timeoutMilliseconds": 5000, "http.cursorKeyFile": key, "jobs.leaseSeconds": LEASE_SECONDS, "limits.requestsPerMinute": 10_000_000,
                    "limits.anonymousRequestsPerMinute": 10_000_000,
                    "server.trustedProxies": "127.0.0.1", "identity.login.freeAttempts": 4,
                    **{f"services.{service}.origins": f"https://{name}" for service, name in NAMES.items()}}
        (shared / "blobs").mkdir()
        cls.hosts = []
        for url in (f"postgresql://postgres@127.0.0.1:{cls.link.port}/postgres", database.url):
            host = Daemon(settings, url, database.password)
            (host.state / "blobs").symlink_to(shared / "blobs")
            cls.hosts.append(cls.stack.enter_context(host))
        cls.accounts = Accounts(cls.hosts[0])
        cls.proxy = cls.stack.enter_context(Haproxy(shared, [f"127.0.0.1:{host.port}" for host in cls.hosts]))

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def token(self, host=0, role="owner"):
        email, password = self.accounts.users["acme", role]
        return self.hosts[host].login(email, password)

    def ask(self, host, method, path, body=None, token=None, headers=None):
        return self.hosts[host].request("crm", method, path, body, token, headers)

    def contacts(self, token, query=""):
        """All of them, page by page, each page from the other host."""
        found, cursor = [], None
        for turn in range(1000):
            answer = self.ask(turn % 2, "GET", f"/api/contacts?limit=100{query}" + (f"&cursor={cursor}" if cursor else ""), token=token)
            self.assertEqual(answer.status, 200, answer.body)
            page = answer.json()
            found += page["items"]
            cursor = page["nextCursor"]
            if not cursor:
                return found
        self.fail("the list has no end")

    def test_1_both_are_set_up_alike(self):
        for host in self.hosts:
            status = host.ctl("status")
            self.assertEqual((status["stateStore"], status["stateStoreAnswers"]), (self.redis.url, True))
            health = host.request("identity", "GET", "/health").json()
            self.assertEqual({each["name"]: each["status"] for each in health["dependencies"]}, {"database": "ok", "state": "ok"})

    def test_1_idle_hosts_make_few_transactions(self):
        """At most one a second and host, with all services; the first seconds have the jobs of the start."""

        def transactions():
            return int(self.database.sql("SELECT pg_stat_clear_snapshot(); SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database;")[-1])

        # Each health check of the proxy asks the database.
        self.proxy.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.proxy.process.send_signal, signal.SIGCONT)
        deadline, counts = time.monotonic() + 120, []
        while not counts or counts[-1] > WINDOW_SECONDS * len(self.hosts):
            self.assertLess(time.monotonic(), deadline, counts)
            before = transactions()
            time.sleep(WINDOW_SECONDS)  # the observation itself
            counts.append(transactions() - before - 1)

    def test_1_tables_begin_with_their_organization(self):
        """Read from the catalog by the script that docs/scaling-out.md offers; what is left of other tables may only become less."""
        done = subprocess.run(["psql", "-XAtq", "-f", ROOT / "packaging/citus/tables.sql", self.database.url], capture_output=True, text=True, check=True,
                              env={**os.environ, "PGPASSWORD": self.database.password})
        lines = done.stdout.splitlines()
        distributed = [line.split("'")[1] for line in lines if line.startswith("SELECT create_distributed_table(")]
        references = [line.split("'")[1] for line in lines if line.startswith("SELECT create_reference_table(")]
        indexes = [line.split()[5] for line in lines if "the unique index" in line]
        self.assertEqual([], [line for line in lines if "foreign key" in line])
        self.assertEqual(len(lines), len(distributed) + len(references) + len(indexes), lines)
        for table in ("crm.contact", "calendar.booking", "social.post", "launchpad.install"):
            self.assertIn(table, distributed)
        # A table comes after those that its foreign keys lead to.
        self.assertLess(distributed.index("crm.contact"), distributed.index("crm.note"))
        text = (ROOT / "tests/support/tenant_tables.txt").read_text(encoding="utf-8")
        known = {line.split()[0] for line in text.splitlines() if not line.startswith("#")}
        self.assertEqual(set(), {*references, *indexes} - known, "begin the primary key and unique indexes of these with organization_id")
        self.assertEqual(set(), known - {*references, *indexes}, "take these out of tests/support/tenant_tables.txt: they are distributed now")

    def test_2_signed_in_here_served_there(self):
        token = self.token(0)
        made = self.ask(0, "POST", "/api/contacts", {"firstName": "Ada"}, token)
        self.assertEqual(made.status, 201, made.body)
        found = self.ask(1, "GET", f"/api/contacts/{made.json()['id']}", token=token)
        self.assertEqual((found.status, found.json()["firstName"]), (200, "Ada"))
        status, _, body = send(self.proxy.port, "GET", f"/api/contacts/{made.json()['id']}", headers={"Authorization": f"Bearer {token}"})
        self.assertEqual(status, 200, body)

    def test_2_files_removed_on_one_host_are_in_the_backup_of_the_other(self):
        token, headers = self.token(), {"Content-Type": "application/octet-stream", "X-File-Name": "a"}
        contact = self.ask(0, "POST", "/api/contacts", {"firstName": "Files"}, token).json()["id"]
        files = [self.ask(0, "POST", f"/api/contacts/{contact}/attachments", os.urandom(1 << 20), token, headers).json() for _ in range(16)]
        place = pathlib.Path(tempfile.mkdtemp(prefix="portico-backup-"))
        self.addCleanup(shutil.rmtree, place, ignore_errors=True)
        words = [BUILD / "bin/porticoctl", "--socket", self.hosts[0].state / "control.sock", "--json", "backup", "--rate", "1", place / "backup"]
        backup = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(backup.communicate)
        self.addCleanup(backup.kill)
        # It stops between the copy of the database and that of most files.
        self.reached(lambda: any(b"dump complete" in dump.read_bytes()[-300:] for dump in place.glob(".*/data/postgresql.sql")), "the dump is complete")
        backup.send_signal(signal.SIGSTOP)
        self.assertLess(len([path for path in place.glob(".*/blobs/crm/**/*") if path.is_file()]), len(files))
        for each in files:
            self.assertEqual(self.ask(1, "DELETE", each["downloadUrl"], token=token).status, 200)
        held = self.hosts[1].state / "blobs/crm/held"
        self.reached(lambda: sum(path.is_file() for path in held.rglob("*")) >= len(files), "the removed files are kept")
        backup.send_signal(signal.SIGCONT)
        out, errors = backup.communicate(timeout=300)
        self.assertEqual(backup.returncode, 0, out + errors)
        copied = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (place / "backup/blobs/crm").rglob("*") if path.is_file()}
        self.assertLessEqual({each["sha256"] for each in files}, copied)
        self.reached(lambda: not held.exists(), "the kept files are dropped")

    def cookie_call(self, host, path, body, cookie=None, token=None):
        headers = {"Origin": ORIGIN, "X-Platform-Auth": "1", "X-Forwarded-Proto": "https"}
        if cookie:
            headers["Cookie"] = cookie
        if token:
            headers["Authorization"] = f"Bearer {token}"
        status, answered, body = send(self.hosts[host].port, "POST", path, body, headers)
        cookies = [each.split(";")[0] for each in answered.get_all("Set-Cookie", []) if "platform_refresh=" in each]
        return status, json.loads(body), cookies[0] if cookies else None

    def test_3_refresh_and_logout_are_seen_at_once(self):
        email, password = self.accounts.users["acme", "member"]
        status, signed_in, first = self.cookie_call(0, "/api/auth/login", {"identifier": email, "password": password, "service_id": "crm"})
        self.assertEqual(status, 200, signed_in)
        status, renewed, second = self.cookie_call(1, "/api/auth/refresh", {}, first)
        self.assertEqual(status, 200, renewed)
        self.assertNotEqual(first, second)
        status, again, third = self.cookie_call(0, "/api/auth/refresh", {}, second)
        self.assertEqual(status, 200, again)
        token = again["access_token"]
        for host in (0, 1):
            self.assertEqual(self.ask(host, "GET", "/api/contacts?limit=1", token=token).status, 200)  # both remember it now
        status, ended, _ = self.cookie_call(1, "/api/auth/logout", {}, token=token)
        self.assertEqual((status, len(ended["ended"])), (200, 1), ended)
        for host in (0, 1):
            refused = self.ask(host, "GET", "/api/contacts?limit=1", token=token)
            self.assertEqual((refused.status, refused.json()["code"]), (401, "invalid_token"))
            status, refused, _ = self.cookie_call(host, "/api/auth/refresh", {}, third)
            self.assertEqual((status, refused["code"]), (401, "session_ended"))

    def test_3_what_is_taken_away_here_opens_nothing_there(self):
        """After a revocation the next request on the other host is rejected, even under load, and after a grant it is accepted. If the database responds late
        or connections break, a request is 503, and is never answered with the old rights."""
        email, password = self.accounts.users["acme", "member"]
        owner = self.hosts[1].login(*self.accounts.users["acme", "owner"], "identity")

        def change(method, path, body=None):
            answer = self.hosts[1].request("identity", method, path, body, owner)
            self.assertLess(answer.status, 300, answer.body)
            return answer

        me = self.hosts[0].request("identity", "GET", "/api/auth/me", token=self.hosts[0].login(email, password, "identity")).json()
        organization, user = me["activeContext"]["organizationId"], me["user"]["id"]
        member, grants = f"/api/organizations/{organization}/members/{user}", [{"service_id": "crm", "scopes": ["contacts.read"]}]

        def signed_in():
            return {"Authorization": f"Bearer {self.hosts[1].login(email, password)}"}, None

        def key():
            made = change("POST", "/api/api-keys", {"name": "k", "owner_type": "organization", "owner_id": organization, "grants": grants}).json()
            return {"X-Api-Key": made["key"]}, f"/api/api-keys/{made['apiKey']['id']}"

        ways = [(signed_in, lambda _: change("PATCH", member, {"role": "guest"}), lambda: change("PATCH", member, {"role": "member"}), (403, "permission_denied")),
                (signed_in, lambda _: change("PATCH", member, {"status": "suspended"}), lambda: change("PATCH", member, {"status": "active"}), (401, "invalid_token")),
                (signed_in, lambda _: change("DELETE", f"/api/users/{user}/sessions"), lambda: None, (401, "invalid_token")),
                (key, lambda made: change("PATCH", made, {"status": "disabled"}), lambda: None, (401, "invalid_token")),
                (key, lambda made: change("DELETE", made), lambda: None, (401, "invalid_token"))]
        ended, wrong, answered, reader = threading.Event(), [], [], {"Authorization": f"Bearer {self.token()}"}

        def read():
            while not ended.is_set():
                status, _, body = send(self.proxy.port, "GET", "/api/contacts?limit=1", headers=reader)
                if status != 503:
                    (answered if status == 200 else wrong).append((status, body))

        def ask(host, headers):
            while True:
                answer = self.ask(host, "GET", "/api/contacts?limit=1", headers=headers)
                if answer.status != 503:
                    return answer
                self.assertIn(answer.json()["code"], ("validation_unavailable", "overloaded"))

        load = [threading.Thread(target=each, daemon=True) for each in (read, read, read, read)]
        for thread in load:
            thread.start()
        self.link.delay = 0.004
        try:
            for turn in range(3):
                for number, (make, take, give_back, refusal) in enumerate(ways):
                    with self.subTest(turn=turn, way=number):
                        headers, what = make()
                        for host in (0, 1, 0):
                            self.assertEqual(200, ask(host, headers).status)
                        self.link.cut()
                        take(what)
                        for host in (0, 1):
                            refused = ask(host, headers)
                            self.assertEqual(refusal, (refused.status, refused.json().get("code")), refused.body)
                        give_back()
                        if refusal[0] == 403:
                            self.assertEqual(200, ask(0, headers).status)
        finally:
            self.link.delay = 0
            ended.set()
            for thread in load:
                thread.join()
        self.assertEqual([], wrong)
        self.assertGreater(len(answered), 0)

    def test_4_wrong_passwords_are_counted_together(self):
        email, password = self.accounts.users["globex", "owner"]
        statuses = []
        for turn in range(4):
            answer = self.ask(turn % 2, "POST", "/api/auth/login", {"identifier": email, "password": "wrong" * 4, "service_id": "crm"})
            statuses.append(answer.status)
        self.assertEqual(statuses, [401] * 4)
        # Two on each; now neither looks at any for a while, at the right one neither.
        for host in (0, 1):
            answer = self.ask(host, "POST", "/api/auth/login", {"identifier": email, "password": password, "service_id": "crm"})
            self.assertEqual((answer.status, answer.json()["code"]), (429, "too_many_attempts"), answer.body)
            self.assertGreater(int(answer.headers["Retry-After"]), 0)

    def test_5_an_idempotency_key_counts_on_both(self):
        token = self.token()
        headers = {"Idempotency-Key": "made-once-on-two-hosts"}
        made = self.ask(0, "POST", "/api/contacts", {"firstName": "Once"}, token, headers)
        again = self.ask(1, "POST", "/api/contacts", {"firstName": "Once"}, token, headers)
        self.assertEqual((made.status, again.status, again.headers["Idempotency-Replayed"]), (201, 201, "true"))
        self.assertEqual(made.json(), again.json())
        other = self.ask(1, "POST", "/api/contacts", {"firstName": "Other"}, token, headers)
        self.assertEqual((other.status, other.json()["code"]), (422, "idempotency_key_reused"))

        answers, barrier = [], threading.Barrier(8)

        def race(number):
            barrier.wait()
            answers.append(self.ask(number % 2, "POST", "/api/contacts", {"firstName": "Raced"}, token, {"Idempotency-Key": "raced-on-two-hosts"}))

        threads = [threading.Thread(target=race, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual({each.status for each in answers}, {201, 409}, [each.body for each in answers])
        self.assertEqual(len({each.json()["id"] for each in answers if each.status == 201}), 1)
        self.assertEqual([each["firstName"] for each in self.contacts(token, "&q=Raced")], ["Raced"])

    def test_6_one_is_killed_under_load(self):
        token = self.token(1)
        clients = [Client(Door(self.proxy.port), token, number) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        self.reached(lambda: all(len(client.acknowledged) >= 5 for client in clients), "the load begins")
        self.hosts[0].kill()
        seen = [len(client.acknowledged) for client in clients]
        self.reached(lambda: all(len(client.acknowledged) >= before + 10 for client, before in zip(clients, seen)), "everybody is served by the other")
        # What only reads does not even notice, wherever the proxy sends it.
        for _ in range(20):
            status, _, body = send(self.proxy.port, "GET", "/api/contacts?limit=1", headers={"Authorization": f"Bearer {token}"})
            self.assertEqual(status, 200, body)
        self.hosts[0].start()
        seen = [len(client.acknowledged) for client in clients]
        self.reached(lambda: all(len(client.acknowledged) >= before + 5 for client, before in zip(clients, seen)), "both serve again")
        for client in clients:
            client.ended.set()
        for client in clients:
            client.join()
        self.assertEqual([wrong for client in clients for wrong in client.wrong], [])
        wanted = {name: made for client in clients for name, made in client.acknowledged.items()}
        found = collections.defaultdict(set)
        for each in self.contacts(token):
            if each["firstName"].startswith("L"):
                found[each["firstName"]].add(each["id"])
        repeated = set().union(*(client.repeated for client in clients))
        twice = {name for name, ids in found.items() if len(ids) > 1}
        print(f"{len(wanted)} contacts acknowledged, {len(repeated)} of them asked for again, {len(twice)} made twice", flush=True)
        # All that was acknowledged is there, and nothing twice, although the host died between making and answering.
        self.assertEqual({name for name, made in wanted.items() if made not in found[name]}, set())
        self.assertEqual(set(found), set(wanted))
        self.assertEqual(twice, set())

    def test_7_the_work_of_a_dead_host_goes_on(self):
        token = self.token(1)
        lines = [f"Imported{number},Person,imported{number}@example.org" for number in range(IMPORT_ROWS)]
        content = "\r\n".join(["First Name,Last Name,Email", *lines, ""]).encode()
        dying, other = self.hosts
        path = None

        def report(host):
            answer = host.request("crm", "GET", path, token=token)
            self.assertEqual(answer.status, 200, answer.body)
            return answer.json()

        # The other one runs jobs, too: it stands still until this one is at work.
        os.kill(other.pid, signal.SIGSTOP)
        try:
            started = dying.request("crm", "POST", "/api/contacts/import", content, token, {"Content-Type": "text/csv"})
            self.assertEqual((started.status, started.json()["status"]), (200, "running"), started.body)
            path = f"/api/contacts/imports/{started.json()['importId']}"
            self.reached(lambda: report(dying)["totals"]["rows"] > 0, "the import is at work")
            dying.kill()
        finally:
            os.kill(other.pid, signal.SIGCONT)
        try:
            half = report(other)
            self.assertEqual(half["status"], "running")
            self.reached(lambda: report(other)["status"] != "running", "the other one finishes the import", 120)
            done = report(other)
            self.assertEqual((done["status"], done["totals"]["created"], done["totals"]["failed"]), ("completed", IMPORT_ROWS, 0), done)
            print(f"taken over after {half['totals']['rows']} of {IMPORT_ROWS} rows", flush=True)
        finally:
            dying.start()

    def test_8_redis_goes_away_and_comes_back(self):
        token = self.token()
        email, password = self.accounts.users["acme", "owner"]
        login = {"identifier": email, "password": password, "service_id": "crm"}
        self.redis.kill()
        try:
            for host in (0, 1):
                refused = self.ask(host, "POST", "/api/auth/login", login)
                self.assertEqual((refused.status, refused.json()["code"]), (503, "overloaded"), refused.body)
                self.assertGreater(int(refused.headers["Retry-After"]), 0)
                # What does not need it is served, and the host stays behind the proxy.
                self.assertEqual(self.ask(host, "GET", "/api/contacts?limit=1", token=token).status, 200)
                self.assertEqual(self.ask(host, "GET", "/readyz").status, 200)
                health = self.hosts[host].request("identity", "GET", "/health")
                self.assertIn(("state", "failing"), [(each["name"], each["status"]) for each in health.json()["dependencies"]])
                self.assertFalse(self.hosts[host].ctl("status")["stateStoreAnswers"])
                log = self.hosts[host].log.read_text(encoding="utf-8")
                self.assertIn("Redis is away", log)
                self.assertNotIn(self.redis.password, log)
        finally:
            self.redis.start()
        for host in (0, 1):
            self.reached(lambda: self.ask(host, "POST", "/api/auth/login", login).status == 200, "sign-in works again")
            self.assertIn("Redis is back", self.hosts[host].log.read_text(encoding="utf-8"))

    def test_9_disabled_on_one_is_open_on_the_other(self):
        one, other = self.hosts
        one.ctl("disable", "crm")
        try:
            token = self.token(1)
            refused = self.ask(0, "GET", "/api/contacts?limit=1", token=token)
            self.assertEqual((refused.status, refused.json()["code"]), (503, "service_disabled"))
            self.assertEqual(self.ask(1, "GET", "/api/contacts?limit=1", token=token).status, 200)
            # A start of a host, and a reload, tell the catalog anew.
            one.restart()
            one.ctl("reload", "--all")
            for host in (0, 1):
                email, password = self.accounts.users["acme", "owner"]
                answer = self.hosts[host].request("identity", "POST", "/api/auth/login", {"identifier": email, "password": password, "service_id": "crm"})
                self.assertEqual(answer.status, 200, answer.body)
            self.assertEqual(self.ask(1, "GET", "/api/contacts?limit=1", token=token).status, 200)
            other.ctl("disable", "crm")
            try:
                answer = other.request("identity", "POST", "/api/auth/login", {"identifier": email, "password": password, "service_id": "crm"})
                self.assertEqual((answer.status, answer.json()["code"]), (403, "service_access_denied"))
            finally:
                other.ctl("enable", "crm")
        finally:
            one.ctl("enable", "crm")
        self.assertEqual(self.ask(0, "GET", "/api/contacts?limit=1", token=self.token(0)).status, 200)

    def key(self, requests):
        """An API key that may ask so often in ten minutes."""
        email, password = self.accounts.users["acme", "owner"]
        token = self.hosts[0].login(email, password, "identity")
        organization = self.hosts[0].request("identity", "GET", "/api/auth/me", token=token).json()["activeContext"]["organizationId"]
        body = {"name": "counted", "environment": "live", "owner_type": "organization", "owner_id": organization,
                "rateLimit": {"limit": requests, "windowSeconds": 600}, "grants": [{"service_id": "crm", "scopes": ["contacts.read"], "resources": []}]}
        made = self.hosts[0].request("identity", "POST", "/api/api-keys", body, token)
        self.assertEqual(made.status, 201, made.body)
        return {"X-Api-Key": made.json()["key"]}

    def test_9_one_command_reaches_all_hosts(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            # In place of ssh: the destination names the state directory of a host.
            ssh = folder / "ssh"
            ssh.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\n'
                           f'porticoctl() {{ "{BUILD}/bin/porticoctl" --socket "$destination/control.sock" "$@"; }}\ndestination=$2; eval "$3"\n')
            ssh.chmod(0o755)
            hosts = folder / "hosts"

            def ctl(*words):
                command = [BUILD / "bin" / "porticoctl", "--all", "--hosts", hosts, "--json", *words]
                done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PORTICO_SSH": str(ssh)}, timeout=120)
                answers = json.loads(done.stdout)["hosts"] if done.stdout.startswith('{"hosts"') else []
                return done, [(each["host"], each["status"]) for each in answers]

            hosts.write_text(f"# both\none {self.hosts[0].state}\ntwo {self.hosts[1].state} # the other\n")
            done, answers = ctl("status")
            self.assertEqual((done.returncode, answers), (0, [("one", "serving"), ("two", "serving")]), done.stderr)
            done, answers = ctl("reload", "crm")
            self.assertEqual((done.returncode, answers), (0, [("one", "done"), ("two", "done")]), done.stdout)
            done, answers = ctl("disable", "no such 'service'; exit 0")
            self.assertEqual((done.returncode, answers), (1, [("one", "failed"), ("two", "skipped")]), done.stdout)
            hosts.write_text(f"one {self.hosts[0].state}\ngone /nowhere\ntwo {self.hosts[1].state}\n")
            done, answers = ctl("status")
            self.assertEqual((done.returncode, answers), (3, [("one", "serving"), ("gone", "unreachable"), ("two", "serving")]))
            done, answers = ctl("reload", "crm")
            self.assertEqual((done.returncode, answers), (3, [("one", "done"), ("gone", "unreachable"), ("two", "skipped")]))
            for refused, text in ((("stop",), "--all is for"), (("user", "list"), "--all is for")):
                self.assertIn(text, ctl(*refused)[0].stderr)
            hosts.write_text("one -oProxyCommand=x\n")
            self.assertIn("expected a name and a destination", ctl("status")[0].stderr)

    def test_9_request_limits_are_counted_together(self):
        limit = 400
        key = self.key(limit)

        def let_in(host, at_most):
            for count in range(at_most):
                answer = self.ask(host, "GET", "/api/contacts?limit=1", headers=key)
                if answer.status == 429:
                    return count
                self.assertEqual(answer.status, 200, answer.body)
            return at_most

        first = let_in(0, limit * 3 // 4)
        second = let_in(1, limit)
        rest = let_in(0, limit)
        print(f"of {limit} requests {first}, then {second}, then {rest} were let in", flush=True)
        self.assertEqual(first, limit * 3 // 4)
        self.assertGreaterEqual(first + second + rest, limit)
        # A tenth before the second host asks, and what comes before it has the answer.
        self.assertLess(first + second + rest, limit * 5 // 4)

    def reached(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                self.fail(f"not in {seconds} s: {what}\n" + "\n".join(host.log_tail(15) for host in self.hosts))
            time.sleep(0.02)  # between two looks


class TwoBuilds(unittest.TestCase):
    """One host already has a new version of the pages, two do not. They share no data, because only files are requested."""

    PLUGINS = BUILD / "lib/portico/plugins"

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.room = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = {"limits.rates": "off", "server.trustedProxies": "127.0.0.1", **{f"services.{service}.origins": f"https://{name}" for service, name in NAMES.items()}}
        for service in ("crm", "admin"):
            with_other_names(self.PLUGINS / service, self.room / service)
        other = {"plugins.directories": f"{self.PLUGINS},{self.room}", "plugins.override": "crm,admin", "plugins.allowUnsigned": "crm,admin"}
        self.hosts = [stack.enter_context(Daemon({**settings, **more})) for more in ({}, {}, other)]
        self.proxy = stack.enter_context(Haproxy(self.room, [f"127.0.0.1:{host.port}" for host in self.hosts]))

    def is_new(self, service):
        """Whether the page that the proxy gives is of the new version."""
        return b"zz.js" in send(self.proxy.port, "GET", "/login", headers={"Accept": "text/html"}, service=service)[2]

    def test_no_file_is_missed_and_the_console_is_of_one_host(self):
        self.assertEqual({self.is_new("crm") for _ in range(20)}, {False, True}, "hosts of both versions answer")
        old, new = [[f"/assets/{each.name}" for each in (plugins / "crm/web/assets").glob("*.js")] for plugins in (self.PLUGINS, self.room)]
        # Each lacks what only the other has.
        lacking = [send(host.port, "GET", files[0])[0] for host, files in zip(self.hosts, (new, new, old))]
        self.assertEqual(lacking, [404, 404, 404])
        for path in old + new:
            self.assertEqual({send(self.proxy.port, "GET", path)[0] for _ in range(3)}, {200}, path)
        self.assertEqual(send(self.proxy.port, "GET", "/assets/none-00000000.js")[0], 404)
        self.assertEqual({self.is_new("admin") for _ in range(20)}, {False})


if __name__ == "__main__":
    main()
