"""Starts porticod from a build directory for black-box tests: own state directory, free ports, SQLite or PostgreSQL.

    with Daemon() as daemon:
        answer = daemon.request("crm", "GET", "/healthz")
        daemon.kill()       # as a crash
        daemon.start()      # the same state directory and ports

Only the standard library; run it with /usr/bin/python3.
"""

import contextlib
import functools
import http.client
import itertools
import json
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PORTICO_BUILD", ROOT / "build" / "check"))
SERVICES = ("identity", "social", "crm", "launchpad", "calendar", "admin")
READY_SECONDS = 60
STOP_SECONDS = 60
# Number of ports per suite; tests/support/RedisServer.cpp uses those above.
PORTS = 1200


class DaemonError(Exception):
    """The daemon did not reach the expected state. The text contains the end of its log."""


class Answer:
    """An HTTP response, read to its end; one of events, which has none, is left unread."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = b"" if self.headers.get_content_type() == "text/event-stream" else response.read()

    def json(self):
        return json.loads(self.body)


@functools.cache
def own_ports():
    """Reserves ports below 32768, outside of the range of outgoing connections, which no other suite uses at the same time. A socket is the lock."""
    for first in range(10240, 32768 - PORTS, PORTS):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0portico-test-ports-{first}")
            return itertools.cycle(range(first, first + PORTS)), claim
        except OSError:
            claim.close()
    raise DaemonError("too many suites at once")


def free_ports(count):
    """Returns the first of `count` consecutive free ports. Later calls return other ports, even if no process listens on these yet."""
    ports, _ = own_ports()
    for _ in range(200):
        wanted = list(itertools.islice(ports, count))
        if wanted[-1] - wanted[0] != count - 1:
            continue
        held = []
        try:
            for port in wanted:
                probe = socket.socket()
                held.append(probe)
                probe.bind(("127.0.0.1", port))
            return wanted[0]
        except OSError:
            continue
        finally:
            for probe in held:
                probe.close()
    raise DaemonError("no free ports")


class Daemon:
    """One porticod. `settings` are --set options; `database` is a URL for database.url with its password in a file; `more` are services
    beside our own, each with its port; `environment` are variables for porticod; `network` is a network (network.py) that it runs in."""

    def __init__(self, settings=None, database=None, password=None, build=BUILD, state=None, port=None, more=(), environment=None,
                 network=None):
        self.environment, self.network = environment or {}, network
        self.build = pathlib.Path(build)
        self._owns_state = state is None
        self.state = pathlib.Path(state or tempfile.mkdtemp(prefix="portico-test-"))
        services = (*SERVICES, *more)
        self.port = port or free_ports(1 + len(services))
        self.ports = {service: self.port + 1 + i for i, service in enumerate(services)}
        self.settings = {"server.bind": "127.0.0.1", "server.port": self.port}
        self.settings.update({f"services.{service}.port": port for service, port in self.ports.items()})
        if database:
            self.settings["database.url"] = database
        if password:
            self.state.mkdir(parents=True, exist_ok=True)
            secret = self.state / "database-password"
            secret.touch(mode=0o600)
            secret.write_text(password + "\n")
            self.settings["database.passwordFile"] = secret
        self.settings.update(settings or {})
        self.process = None
        self.log = self.state / "porticod.log"

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def pid(self):
        return self.process.pid

    def command(self):
        words = [str(self.build / "bin" / "porticod"), "--state", str(self.state)]
        for key, value in self.settings.items():
            words += ["--set", f"{key}={value}"]
        return words

    def start(self, environment=None):
        """Returns once the daemon has said READY=1, as systemd would wait for it."""
        self.state.mkdir(parents=True, exist_ok=True)
        with self.network or contextlib.nullcontext(), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            address = f"\0portico-test-{os.getpid()}-{secrets.token_hex(6)}"
            notify.bind(address)
            notify.settimeout(0.2)
            variables = {key: value for key, value in os.environ.items() if not key.startswith("PORTICO_")}
            variables.update({**self.environment, **(environment or {})}, NOTIFY_SOCKET="@" + address[1:])
            with open(self.log, "ab") as log:
                self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=variables)
            self._wait_ready(notify)
        return self

    def _wait_ready(self, notify):
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            try:
                if b"READY=1" in notify.recv(4096).split(b"\n"):
                    return
            except TimeoutError:
                if self.process.poll() is not None:
                    raise DaemonError(f"porticod ended with {self.process.returncode} before it was ready:\n{self.log_tail()}") from None
        raise DaemonError(f"porticod was not ready within {READY_SECONDS} s:\n{self.log_tail()}")

    def stop(self):
        """SIGTERM, as systemd does; returns the exit status."""
        return self._end(signal.SIGTERM)

    def kill(self):
        """SIGKILL: nothing of the daemon's own runs any more."""
        return self._end(signal.SIGKILL)

    def _end(self, number):
        if self.process is None:
            return None
        process, self.process = self.process, None
        process.send_signal(number)
        try:
            return process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise DaemonError(f"porticod did not end within {STOP_SECONDS} s:\n{self.log_tail()}") from None

    def restart(self):
        self.stop()
        return self.start()

    def close(self):
        """Ends the daemon and removes its state, if it was made here."""
        self.kill()
        if self._owns_state:
            shutil.rmtree(self.state, ignore_errors=True)

    def log_tail(self, lines=40):
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])

    def ctl(self, *words, check=True, stdin=None):
        """Runs porticoctl --json and returns its answer; with check=False the completed process."""
        command = [str(self.build / "bin" / "porticoctl"), "--socket", str(self.state / "control.sock"), "--json", *words]
        done = subprocess.run(command, capture_output=True, text=True, input=stdin, timeout=300)
        if not check:
            return done
        if done.returncode != 0:
            raise DaemonError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr}{done.stdout}")
        return json.loads(done.stdout)

    def connect(self, service, timeout=60):
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[service], timeout=timeout)
        if self.network:
            with self.network:
                connection.connect()
        return connection

    def request(self, service, method, path, body=None, token=None, headers=None):
        """One request on the service's own port; a body that is no bytes is sent as JSON."""
        sent = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        if token:
            sent["Authorization"] = f"Bearer {token}"
        connection = self.connect(service)
        try:
            connection.request(method, path, body=body, headers=sent)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def user(self, email, organization=None, role="member", operator=False):
        """Creates an account over the control socket. Returns porticoctl's result with the password."""
        words = ["user", "create", "--email", email]
        if organization:
            words += ["--organization", organization, "--role", role]
        if operator:
            words.append("--operator")
        return self.ctl(*words)

    def login(self, email, password, service="crm"):
        """An access token for a service."""
        answer = self.request(service, "POST", "/api/auth/login", {"identifier": email, "password": password, "service_id": service})
        if answer.status != 200:
            raise DaemonError(f"login as {email} gave {answer.status}: {answer.body!r}")
        return answer.json()["access_token"]


class PostgreSQL:
    """A new cluster. fsync is on as in production, for tests that kill the daemon. `clients` are further networks that may connect."""

    # Of all servers that were stopped. They are not children of this process.
    processor_seconds = 0.0

    def __init__(self, options="", clients=()):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="portico-postgres-"))
        self._options, self._clients = options, clients
        self.port = free_ports(1)
        self.password = secrets.token_urlsafe(18)
        self._running = False
        self.bin = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name))[-1]
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def __enter__(self):
        self._make_cluster(self._claim_directory())
        with open(self.data / "pg_hba.conf", "a", encoding="utf-8") as file:
            file.writelines(f"host all all {network} scram-sha-256\n" for network in self._clients)
        self.start()
        return self

    def _claim_directory(self):
        """For the user that the server runs as; returns the file with the password."""
        user = pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        self._as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"] if os.geteuid() == 0 else []
        secret = self.directory / "password"
        secret.write_text(self.password + "\n")
        for path in (self.directory, secret):
            os.chown(path, user.pw_uid, user.pw_gid)
        return secret

    def _make_cluster(self, secret):
        self._run("initdb", "-D", self.data, "-A", "scram-sha-256", "-U", "postgres", f"--pwfile={secret}", "--no-sync")

    def __exit__(self, *_):
        if self._running:
            self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def data(self):
        return self.directory / "data"

    def start(self):
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.directory} {self._options}"
        self._run("pg_ctl", "-D", self.data, "-l", self.directory / "log", "-o", options, "-w", "start")
        self._running = True

    def stop(self, mode="immediate"):
        """As an operator does (fast), or as a crash (immediate)."""
        self._running = False
        PostgreSQL.processor_seconds += self._used()
        self._run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def _used(self):
        """Seconds of the server and of its processes that have ended."""
        try:
            server = (self.data / "postmaster.pid").read_text().split("\n", 1)[0]
            fields = pathlib.Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def psql(self, **others):
        """A psql that reads statements from its standard input."""
        command = [str(self.bin / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", self.url]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "bufsize": 1}
        return subprocess.Popen(command, env={**os.environ, "PGPASSWORD": self.password}, **pipes, **others)

    def sql(self, statements):
        """What statements of an administrator answer, line by line."""
        out, error = self.psql().communicate(statements, timeout=60)
        if error:
            raise DaemonError(error)
        return out.splitlines()

    def _run(self, program, *words):
        command = [*self._as_user, str(self.bin / program), *map(str, words)]
        # pg_ctl leaves the server with its standard output: a pipe would never end.
        with open(self.directory / "setup.log", "ab") as log:
            subprocess.run(command, check=True, stdout=log, stderr=log, cwd="/")

    def daemon(self, settings=None, **others):
        return Daemon(settings=settings, database=self.url, password=self.password, **others)


class Standby(PostgreSQL):
    """Follows a primary, which answers no COMMIT before it is on disk here, too."""

    def __init__(self, primary):
        super().__init__()
        self.primary = primary
        self.password = primary.password

    def __enter__(self):
        super().__enter__()
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'; SELECT pg_reload_conf();")
        deadline = time.monotonic() + READY_SECONDS
        while self.primary.sql("SELECT sync_state FROM pg_stat_replication;") != ["sync"]:
            if time.monotonic() > deadline:
                raise DaemonError("the standby does not follow")
            time.sleep(0.05)
        return self

    def _make_cluster(self, _):
        source = f"host=127.0.0.1 port={self.primary.port} user=postgres password={self.password} application_name=standby"
        self._run("pg_basebackup", "-D", self.data, "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync")

    def promote(self):
        self._run("pg_ctl", "-D", self.data, "-w", "promote")
