"""Calendars of others for tests: the servers of Google and Microsoft as their documentation shows them, and feeds that lie, loop and never end."""

import base64
import hashlib
import http.server
import itertools
import json
import select
import socket
import sys
import threading
import urllib.parse


class Server(http.server.ThreadingHTTPServer):
    """On a port of this machine for as long as it is in use; `handler` answers."""

    daemon_threads = True

    def __init__(self, port, handler):
        super().__init__(("127.0.0.1", port), handler)
        self.url = f"http://127.0.0.1:{port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, *request):
        """Of those who have gone nothing is told."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*request)


class Handler(http.server.BaseHTTPRequestHandler):
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

    def json(self, status, value):
        self.say(status, json.dumps(value).encode(), Content_Type="application/json; charset=UTF-8")


class Providers(Server):
    """Google below /google, Microsoft below /microsoft, each with the OAuth of its own, one calendar and one event, `busy`."""

    def __init__(self, port):
        self.busy = None
        self.revoked = False
        self.written = {}
        self.challenges, self.tokens = {}, set()
        self.numbers = itertools.count(1)
        super().__init__(port, ProviderHandler)

    def settings(self, secret):
        return {f"calendar.{name}.{key}": value for name in ("google", "microsoft") for key, value in {
            "clientId": "client", "clientSecretFile": secret, "authorizeUrl": f"{self.url}/{name}/authorize",
            "tokenUrl": f"{self.url}/{name}/token", "apiUrl": f"{self.url}/{name}/api"}.items()}


class ProviderHandler(Handler):
    def do_GET(self):
        self.answer()

    do_POST = do_PATCH = do_DELETE = do_GET

    def answer(self):
        url = urllib.parse.urlsplit(self.path)
        self.fields = dict(urllib.parse.parse_qsl(url.query))
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        _, self.provider, kind, *rest = urllib.parse.unquote(url.path).split("/")
        if kind == "authorize":
            return self.authorize()
        if kind == "token":
            return self.token(dict(urllib.parse.parse_qsl(self.body.decode())))
        if self.server.revoked or self.headers.get("Authorization", "").removeprefix("Bearer ") not in self.server.tokens:
            return self.json(401, {"error": {"code": 401, "message": "Invalid Credentials", "errors": [{"domain": "global", "reason": "authError"}]}})
        return getattr(self, self.provider)("/".join(rest))

    def authorize(self):
        """A user who accepts."""
        code = f"code-{next(self.server.numbers)}"
        assert self.fields["code_challenge_method"] == "S256" and self.fields["response_type"] == "code", self.fields
        self.server.challenges[code] = (self.fields["code_challenge"], self.fields["redirect_uri"])
        answer = urllib.parse.urlencode({"state": self.fields["state"], "code": code, "scope": self.fields["scope"]})
        self.say(302, Location=f"{self.fields['redirect_uri']}?{answer}")

    def token(self, form):
        if (form["client_id"], form["client_secret"]) != ("client", "s3cret"):
            return self.json(401, {"error": "invalid_client"})
        if form["grant_type"] == "authorization_code":
            challenge, redirect = self.server.challenges.pop(form["code"], (None, None))
            proof = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
            good = proof == challenge and redirect == form["redirect_uri"]
        else:
            good = form["refresh_token"] == "refresh" and not self.server.revoked
        if not good:
            return self.json(400, {"error": "invalid_grant", "error_description": "Token has been expired or revoked."})
        token = f"access-{next(self.server.numbers)}"
        self.server.tokens.add(token)
        self.json(200, {"access_token": token, "expires_in": 3599, "refresh_token": "refresh", "scope": "x", "token_type": "Bearer"})

    def google(self, path):
        start, end = self.server.busy
        if path == "freeBusy":
            asked = json.loads(self.body)
            inside = asked["timeMin"] <= end and start <= asked["timeMax"]
            found = [{"start": start, "end": end}] if inside else []
            return self.json(200, {"kind": "calendar#freeBusy", "calendars": {item["id"]: {"busy": found} for item in asked["items"]}})
        if self.command == "GET":
            event = {"status": "confirmed", "start": {"dateTime": start}, "end": {"dateTime": end}}
            return self.json(200, {"kind": "calendar#events", "summary": "ada@gmail.test", "items": [event, *self.server.written.values()]})
        return self.write(path, "id", 200)

    def microsoft(self, path):
        start, end = (time.removesuffix("Z") + "0000" for time in self.server.busy)
        if path == "me/calendars":
            return self.json(200, {"value": [{"id": "AAMk=", "name": "Calendar", "isDefaultCalendar": True, "owner": {"name": "Ada", "address": "ada@contoso.test"}}]})
        if path == "me/calendar/calendarView":
            assert self.headers["Prefer"] == 'outlook.timezone="UTC"'
            common = {"isAllDay": False, "isCancelled": False, "responseStatus": {"response": "none"}}
            event = {"id": "e", "transactionId": None, "showAs": "busy", "start": {"dateTime": start, "timeZone": "UTC"}, "end": {"dateTime": end, "timeZone": "UTC"}}
            return self.json(200, {"value": [{**common, **event}, *({**common, **each} for each in self.server.written.values())]})
        return self.write(path, "transactionId", 201)

    def write(self, path, key, status):
        name = path.rsplit("/", 1)[-1]
        if self.command == "DELETE":
            return self.say(204 if self.server.written.pop(name, None) else 410)
        sent = json.loads(self.body)
        if self.command == "POST":
            name = sent[key].replace("#", "-").replace("@", "-")
        self.server.written[name] = {**self.server.written.get(name, {}), **sent, "id": name}
        self.json(status if self.command == "POST" else 200, {**self.server.written[name], "etag": '"1"'})


class Feeds(Server):
    """Serves one feed per path. Below /slow the first response comes immediately, the others when `release` is set. All other paths return wrong data."""

    def __init__(self, port):
        self.lock = threading.Lock()
        self.seen, self.asking, self.most = set(), set(), 0
        self.release = threading.Event()
        super().__init__(port, FeedHandler)

    @property
    def waiting(self):
        return len(self.asking)

    def __exit__(self, *_):
        self.release.set()
        super().__exit__()


class FeedHandler(Handler):
    def do_GET(self):
        kind = self.path.split("/")[1]
        getattr(self, kind)()

    def slow(self):
        server = self.server
        with server.lock:
            first = self.path not in server.seen
            server.seen.add(self.path)
            if not first:
                server.asking = {each for each in server.asking if not each.gone()} | {self}
            server.most = max(server.most, server.waiting)
        if not first:
            server.release.wait()
            with server.lock:
                server.asking.discard(self)
        self.say(200, b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n", Content_Type="text/calendar")

    def gone(self):
        """Who asked has waited long enough."""
        return bool(select.select([self.connection], [], [], 0)[0]) and not self.connection.recv(1, socket.MSG_PEEK)

    def page(self):
        self.say(200, b"<!DOCTYPE html><title>Sign in</title>", Content_Type="text/html")

    def loop(self):
        self.say(302, Location=self.path)

    def inside(self):
        self.say(302, Location="http://169.254.169.254/latest/meta-data/")

    def cut(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"BEGIN:VCALENDAR\r\n")
        self.close_connection = True

    def endless(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        event = b"BEGIN:VEVENT\r\nUID:x\r\nDTSTART:20300101T000000Z\r\nEND:VEVENT\r\n" * 1000
        try:
            self.wfile.write(b"11\r\nBEGIN:VCALENDAR\r\n\r\n")
            while True:
                self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        except OSError:
            self.close_connection = True

    def bomb(self):
        rules = "".join(f"BEGIN:VEVENT\r\nUID:{i}\r\nDTSTART:20200101T000000Z\r\nDURATION:PT1S\r\nRRULE:FREQ=SECONDLY\r\nEND:VEVENT\r\n" for i in range(2000))
        self.say(200, f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{rules}END:VCALENDAR\r\n".encode(), Content_Type="text/calendar")
