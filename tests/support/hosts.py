"""What suites of several hosts share: HAProxy in front of them, set up as in packaging/examples, and careful clients."""

import contextlib
import http.client
import json
import re
import shutil
import socket
import subprocess
import threading
import time

from daemon import ROOT, Answer, free_ports

DOMAIN = "example.org"
NAMES = {service: f"{service}.{DOMAIN}" for service in ("identity", "crm", "admin")}
CLOSED_SECONDS = 3


class Haproxy:
    """The example, on plain HTTP, with these hosts. `more` are services that have a backend as crm has."""

    def __init__(self, directory, addresses, more=(), domain=DOMAIN):
        self.port = free_ports(1)
        text = (ROOT / "packaging/examples/haproxy-two-hosts.cfg").read_text(encoding="utf-8").replace(DOMAIN, domain)
        text = text.replace("bind :443 ssl crt /etc/ssl/portico/portico.pem alpn h2,http/1.1", f"bind 127.0.0.1:{self.port}")
        for part in (*re.findall(r"    use_backend portico-crm.*\n", text), *re.findall(r"(?m)^backend portico-crm(?:.+\n)+\n", text)):
            text = text.replace(part, part + "".join(part.replace("crm", service) for service in more))
        text = text.replace("djb2\n    retries 2\n", f"djb2\n    retries {len(addresses)}\n")
        text = re.sub(r"    server one .*\n    server two (\S+)(.*)\n", lambda two: self.servers(addresses, two[2]), text)
        file, self.log = directory / "haproxy.cfg", directory / "haproxy.log"
        file.write_text(text, encoding="utf-8")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(["haproxy", "-f", str(file)], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})

    @staticmethod
    def servers(addresses, options):
        names = ["one", "two", *(f"host{number}" for number in range(3, len(addresses) + 1))]
        lines = [f"    server {name} {address}{options.replace('/two', '/' + name)}\n" for name, address in zip(names, addresses)]
        return lines[0].replace(" backup", "") + "".join(lines[1:])

    def __enter__(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            time.sleep(0.05)  # between two looks
        self.__exit__()
        raise RuntimeError(self.log.read_text(encoding="utf-8"))

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def send(port, method, path, body=None, headers=None, service="crm", domain=DOMAIN):
    """One request on a connection of its own, by the name of the service."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {"Host": f"{service}.{domain}", "Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


class Door:
    """Sends requests to the proxy, with the interface of Daemon. `kept`: keeps one connection to each service; use it on one thread only."""

    def __init__(self, port, domain=DOMAIN, kept=False):
        self.port, self.domain, self._kept = port, domain, {} if kept else None

    def request(self, service, method, path, body=None, token=None, headers=None):
        connection = (self._kept or {}).get(service) or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {"Host": f"{service}.{self.domain}", "Content-Type": "application/json", **(headers or {})}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        answer = None
        try:
            connection.request(method, path, body, sent)
            answer = Answer(connection.getresponse())
        finally:
            if self._kept is None or answer is None:
                connection.close()
            else:
                self._kept[service] = connection
        return answer

    def close(self):
        for connection in (self._kept or {}).values():
            connection.close()


class Client(threading.Thread):
    """Creates contacts through the proxy like a careful client: with an Idempotency-Key, repeated with the same key after a lost response or a 5xx. If the
    key stays locked because the host died, the client checks whether the record exists, and otherwise uses another key. `repeated` has the last answer
    before each repetition."""

    def __init__(self, door, token, number, pause=0):
        super().__init__(daemon=True)
        self.door, self.token, self.number, self.pause = door, token, number, pause
        self.acknowledged, self.wrong, self.repeated = {}, [], {}
        self.ended = threading.Event()

    def run(self):
        turn = 0
        while not self.ended.wait(self.pause):
            turn += 1
            name = f"L{self.number}-{turn}"
            made = self.make(name)
            if made is None:
                return
            self.acknowledged[name] = made

    def make(self, name):
        headers = {"Idempotency-Key": f"key-of-{name}"}
        deadline = time.monotonic() + 60
        closed = None
        while time.monotonic() < deadline:
            try:
                answer = self.door.request("crm", "POST", "/api/contacts", {"firstName": name}, self.token, headers)
                status, body = answer.status, answer.body
            except (OSError, http.client.HTTPException) as error:
                status, body = 0, repr(error)
            if status == 201:
                return json.loads(body)["id"]
            if status not in (0, 409, 502, 503, 504):
                self.wrong.append((status, body))
                return None
            self.repeated[name] = (status, body)
            if status == 409:
                closed = closed or time.monotonic()
                if time.monotonic() > closed + CLOSED_SECONDS:
                    found = self.look_for(name)
                    if found:
                        return found
                    headers["Idempotency-Key"] += "-again"
                    closed = None
            self.ended.wait(0.02)
        self.wrong.append(f"{name} was never answered, last {status} {body!r}")
        return None

    def look_for(self, name):
        """The id of what the request was to make, if it has."""
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                answer = self.door.request("crm", "GET", f"/api/contacts?q={name}", token=self.token)
                if answer.status == 200:
                    return next((each["id"] for each in answer.json()["items"] if each["firstName"] == name), None)
            self.ended.wait(0.02)


def with_other_names(plugin, copy):
    """A version of a plugin whose files of pages have other names. It is not signed."""
    shutil.copytree(plugin, copy, ignore=shutil.ignore_patterns("SHA256SUMS*", "*.br", "*.gz"))
    renamed = re.compile(r"(-[0-9a-f]{6})[0-9a-f]{2}\.(js|css)")
    for file in [each for each in (copy / "web").rglob("*") if each.suffix in (".html", ".js", ".css", ".json")]:
        text = renamed.sub(r"\1zz.\2", file.read_text(encoding="utf-8"))
        file.unlink()
        file.with_name(renamed.sub(r"\1zz.\2", file.name)).write_text(text, encoding="utf-8")
