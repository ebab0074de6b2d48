"""A cluster of two PostgreSQL servers under Patroni, with etcd as its store, on loopback and in a separate folder.

    with PatroniCluster() as cluster:
        with Daemon(database=cluster.make("name"), password=cluster.password) as daemon:
            leader = cluster.leader()
            leader.kill()               # as a machine that is switched off
            cluster.follower(leader)    # the other, once it leads
            leader.start()
            cluster.wait_in_sync(leader)

The packages' own services are not used.
"""

import csv
import http.client
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

from daemon import DaemonError, free_ports

WAIT_SECONDS = 60
SCOPE = "portico"
# Seconds. The life of the leader's lease must not be shorter than loop_wait + 2 * retry_timeout: a leader that reaches etcd late would give up.
TIMES = {"ttl": 8, "loop_wait": 1, "retry_timeout": 3}


def wait_until(holds, what, log=None):
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise DaemonError(f"{what}\n{log.read_text(errors='replace')[-4000:] if log and log.exists() else ''}")
        time.sleep(0.05)


def children(parent):
    """Processes that a process has started."""
    return [int(pid) for pid in pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


class Node:
    """One Patroni and its PostgreSQL."""

    def __init__(self, cluster, name, port, rest):
        self.cluster, self.name, self.port, self.rest = cluster, name, port, rest
        self.folder = cluster.folder / name
        self.data, self.log = self.folder / "data", self.folder / "log"
        self.process = None

    def settings(self):
        def role(name):
            return {"username": name, "password": self.cluster.password}

        return {
            "scope": SCOPE,
            "name": self.name,
            "restapi": {"listen": f"127.0.0.1:{self.rest}", "connect_address": f"127.0.0.1:{self.rest}"},
            "etcd3": {"host": f"127.0.0.1:{self.cluster.etcd_port}"},
            "bootstrap": {
                "dcs": {**TIMES, "synchronous_mode": True, "postgresql": {"use_pg_rewind": True}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, {"wal-segsize": "1"}, "no-sync"],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}",
                "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": str(self.data),
                "bin_dir": str(self.cluster.bin),
                "pgpass": str(self.folder / "pgpass"),
                "authentication": {"superuser": role("postgres"), "replication": role("replicator"), "rewind": role("rewind")},
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 scram-sha-256", "host replication all 127.0.0.1/32 scram-sha-256"],
                "basebackup": [{"checkpoint": "fast"}, "no-sync"],
                # Processes are killed here and machines are not: what was written is in the kernel's memory, and stays.
                "parameters": {"unix_socket_directories": str(self.folder), "fsync": "off"},
            },
            "watchdog": {"mode": "off"},
        }

    @property
    def configuration(self):
        return self.folder / "patroni.json"

    def start(self):
        if not self.folder.exists():
            self.folder.mkdir()
            self.configuration.write_text(json.dumps(self.settings()))
            self.cluster.own(self.folder)
            self.cluster.own(self.configuration)
        self.process = self.cluster.run(["/usr/bin/patroni", str(self.configuration)], self.log)

    def ask(self, path):
        """Status and document of Patroni's interface; (0, {}) where nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.rest, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        except OSError:
            return 0, {}
        finally:
            connection.close()

    def server(self):
        """Every process of the PostgreSQL, its first one first; it is stopped, so that there will be no more."""
        try:
            first = int((self.data / "postmaster.pid").read_text().split()[0])
            os.kill(first, signal.SIGSTOP)
            return [first, *children(first)]
        except (OSError, ValueError):
            return []

    def kill(self):
        """All at once and without a word: neither is a lease given back nor a connection closed in order."""
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        self.process = None
        for pid in self.server():
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not self.accepts(), f"the PostgreSQL of {self.name} runs on", self.log)

    def freeze(self):
        """Nothing of it runs, and its connections stay: as a machine that is paused, or waits for its storage."""
        self.process.send_signal(signal.SIGSTOP)
        for pid in self.server():
            os.kill(pid, signal.SIGSTOP)

    def accepts(self):
        command = [str(self.cluster.bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command).returncode in (0, 1)

    def sql(self, statement):
        command = [str(self.cluster.bin / "psql"), "-XAtq", f"host=127.0.0.1 port={self.port} user=postgres dbname=postgres", "-c", statement]
        environment = {**os.environ, "PGPASSWORD": self.cluster.password}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout.split()


class PatroniCluster:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="portico-patroni-"))
        # In memory: where a disk is busy, a leader would lose its lease while etcd waits for it.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.store = pathlib.Path(tempfile.mkdtemp(prefix="portico-etcd-", dir=memory))
        self.password = secrets.token_urlsafe(18)
        self.bin = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name))[-1]
        first = free_ports(6)
        self.etcd_port, self._peer_port = first, first + 1
        self.nodes = [Node(self, "one", first + 2, first + 3), Node(self, "two", first + 4, first + 5)]
        self._etcd = None

    def __enter__(self):
        # PostgreSQL does not run as root.
        self._user = pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        self.own(self.folder)
        self.own(self.store)
        try:
            self._start_etcd()
            one, two = self.nodes
            one.start()
            wait_until(lambda: one.ask("/primary")[0] == 200, "Patroni has not made a cluster", one.log)
            two.start()
            self.wait_in_sync(two)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.kill()
        if self._etcd:
            self._etcd.kill()
            self._etcd.wait()
        for folder in (self.folder, self.store):
            shutil.rmtree(folder, ignore_errors=True)

    def own(self, path):
        os.chown(path, self._user.pw_uid, self._user.pw_gid)

    def run(self, command, log):
        """A process of the unprivileged user, with its output in a file."""
        words = []
        if os.geteuid() == 0:
            words = ["setpriv", f"--reuid={self._user.pw_uid}", f"--regid={self._user.pw_gid}", "--clear-groups"]
        # Variables of either program would win over its configuration.
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PATRONI", "ETCD", "PG"))}
        with open(log, "ab") as out:
            return subprocess.Popen([*words, *command], stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=self.folder,
                                    env={**kept, "HOME": str(self.folder)})

    def _start_etcd(self):
        client, peer = (f"http://127.0.0.1:{port}" for port in (self.etcd_port, self._peer_port))
        log = self.folder / "etcd.log"
        self._etcd = self.run(["/usr/bin/etcd", "--data-dir", str(self.store / "etcd"), "--name", "store", "--listen-client-urls", client,
                               "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                               "--initial-cluster", f"store={peer}"], log)
        wait_until(self._etcd_answers, "etcd has not started", log)

    def _etcd_answers(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.etcd_port, timeout=5)
        try:
            connection.request("GET", "/health")
            return b'"true"' in connection.getresponse().read()
        except OSError:
            return False
        finally:
            connection.close()

    def make(self, database):
        """A database, as URL of whoever leads."""
        self.leader().sql(f"CREATE DATABASE {database}")
        # libpq takes the word of the first server that it reaches for there being none: it does not go on to the next.
        found = f"SELECT 1 FROM pg_database WHERE datname = '{database}'"
        wait_until(lambda: all(node.sql(found) == ["1"] for node in self.nodes), f"{database} has not reached everybody")
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        return f"postgresql://postgres@{hosts}/{database}?target_session_attrs=read-write"

    def leader(self):
        return next(node for node in self.nodes if node.ask("/primary")[0] == 200)

    def follower(self, old):
        """The node that has taken over from another, once it has."""
        other = next(node for node in self.nodes if node is not old)
        wait_until(lambda: other.ask("/primary")[0] == 200, f"{other.name} has not taken over", other.log)
        return other

    def wait_in_sync(self, node):
        """Waits until a node is the synchronous standby. Before that, Patroni does not promote it."""
        wait_until(lambda: node.ask("/sync")[0] == 200, f"{node.name} does not follow", node.log)

    def switch_over(self, leader, candidate):
        """As an operator does it; returns when it is done."""
        command = ["/usr/bin/patronictl", "-c", str(leader.configuration), "switchover", SCOPE, "--leader", leader.name,
                   "--candidate", candidate.name, "--force"]
        process = self.run(command, self.folder / "patronictl.log")
        if process.wait(WAIT_SECONDS) != 0:
            raise DaemonError((self.folder / "patronictl.log").read_text())
        self.follower(leader)


class HaProxy:
    """One address for whoever leads, as Patroni's manual has it."""

    def __init__(self, cluster):
        self.cluster, self.port = cluster, free_ports(1)
        self.file, self.log, self.desk = (cluster.folder / f"haproxy.{kind}" for kind in ("cfg", "log", "sock"))
        self._process = None

    def __enter__(self):
        servers = "".join(f"    server {node.name} 127.0.0.1:{node.port} maxconn 200 check port {node.rest}\n" for node in self.cluster.nodes)
        self.file.write_text(f"""global
    stats socket {self.desk}

defaults
    mode tcp
    timeout connect 2s
    timeout client 30m
    timeout server 30m
    timeout check 2s

listen primary
    bind 127.0.0.1:{self.port}
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
{servers}""")
        self._process = self.cluster.run(["/usr/sbin/haproxy", "-db", "-f", str(self.file)], self.log)
        # It begins by taking both for leaders.
        wait_until(lambda: sorted(self._standing().values()) == ["DOWN", "UP"], "HAProxy has not found the leader", self.log)
        return self

    def _standing(self):
        """UP or DOWN of each node."""
        with socket.socket(socket.AF_UNIX) as desk:
            try:
                desk.connect(str(self.desk))
            except OSError:
                return {}
            desk.sendall(b"show stat\n")
            rows = csv.DictReader(desk.makefile("r"))
            return {row["svname"]: row["status"] for row in rows if row["svname"] in ("one", "two")}

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
