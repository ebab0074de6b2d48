#!/usr/bin/python3
"""Sandbox network of the demo brands: answers as a Mastodon server does (version 4.3), with one account and its posts on a page. It publishes nothing
anywhere. Every page and every answer says that it is a sandbox.

    sandbox.py --port 8087 [--state DIR] [--while PID]      on 127.0.0.1 only; with a state directory, what was posted is kept there; ends with that process
"""

import argparse
import base64
import datetime
import hashlib
import html
import json
import pathlib
import re
import secrets
import sys
import threading
import unicodedata
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
sys.dont_write_bytecode = True
import simulation  # noqa: E402

NOTE = "Sandbox: this is a stand-in on this machine. Nothing here is published anywhere."
KEY_SECONDS = 3600
MAX_CHARACTERS = 500
MAX_FILES = 200
KINDS = ((b"\x89PNG", "image/png"), (b"\xff\xd8", "image/jpeg"), (b"GIF8", "image/gif"), (b"RIFF", "image/webp"))
SCOPES = ("read", "read:accounts", "write", "write:statuses", "write:media", "profile")
LINK = re.compile(r"https?://[^\s<>\"]+")
MENTION = re.compile(r"(?<![\w@/])@([A-Za-z0-9_]+)(?:@[A-Za-z0-9.-]+[A-Za-z0-9])?")
TAG = re.compile(r"(?<![\w#/&])#(\w*[^\W\d]\w*)")
TALK = (("engines", 240), ("weaving", 90), ("history", 45))
STORIES = (("A mill that calculates", "Visitors can watch the store turn every Saturday."), ("Punched cards are back", "A workshop prints patterns for looms."),
           ("What Ada wrote", "Her notes are read aloud in the library."))
STYLE = ("body{font:16px/1.5 system-ui;max-width:40rem;margin:2rem auto;padding:0 1rem}.note{background:#fff3cd;color:#222;border:1px solid #997;"
         "padding:.6rem 1rem}article{border-bottom:1px solid #8886;padding:.6rem 0}button{font:inherit;padding:.4rem 1rem}figure{margin:.6rem 0}img,video{max-width:100%;max-height:24rem}")


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def instant(time):
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03}Z"


def graphemes(text):
    """A lower bound of the grapheme clusters of a text: combining marks, joiners and variation selectors begin none."""
    count, joined = 0, False
    for character in text:
        combining = unicodedata.combining(character) or character in "\u200d\ufe0f" or "\U0001f3fb" <= character <= "\U0001f3ff"
        if not combining and not joined:
            count += 1
        joined = character == "\u200d"
    return count


def counted(text):
    return graphemes(MENTION.sub(lambda found: "@" + found[1], LINK.sub("x" * 23, text)))


def shown(text):
    """The HTML of a status."""
    parts, last = [], 0
    for found in LINK.finditer(text):
        parts.append(words(text[last:found.start()]))
        link = found[0].rstrip(".,;:!?")
        address = html.escape(link)
        parts.append(f'<a href="{address}" rel="nofollow noopener" target="_blank">{address}</a>{html.escape(found[0][len(link):])}')
        last = found.end()
    parts.append(words(text[last:]))
    return "<p>" + "".join(parts).replace("\n\n", "</p><p>").replace("\n", "<br />") + "</p>"


def words(text):
    escaped = html.escape(text, quote=False)
    escaped = MENTION.sub(lambda found: f"@<span>{found[1]}</span>", escaped)
    return TAG.sub(lambda found: f'#<span>{found[1]}</span>', escaped)


class Sandbox:
    """What the server knows. `clock` is replaced by tests that let time pass."""

    def __init__(self, url, state=None, clock=now):
        self.url, self.clock, self.video_size_limit = url, clock, 103809024
        self.lock = threading.Lock()
        self.file = pathlib.Path(state) / "sandbox.json" if state else None
        self.folder = pathlib.Path(state) / "sandbox-media" if state else None
        self.files = {}
        self.apps, self.codes, self.tokens, self.keys, self.statuses, self.media, self.processing = {}, {}, {}, {}, [], {}, set()
        self.account = {"id": "1", "username": "demo", "acct": "demo", "display_name": "Sandbox account", "url": url + "/@demo",
                        "uri": url + "/users/demo", "avatar": url + "/avatar.png", "note": f"<p>{NOTE}</p>", "locked": False, "bot": False,
                        "group": False, "created_at": "2026-01-01T00:00:00.000Z", "followers_count": 0, "following_count": 0, "statuses_count": 0,
                        "emojis": [], "fields": [], "header": url + "/avatar.png", "avatar_static": url + "/avatar.png",
                        "header_static": url + "/avatar.png", "last_status_at": None, "discoverable": False}
        self.number = 100
        if self.file and self.file.exists():
            kept = json.loads(self.file.read_text())
            self.apps, self.tokens, self.statuses, self.number = kept["apps"], kept["tokens"], kept["statuses"], kept["number"]
            # A file of an older version has none.
            self.keys = {key: (datetime.datetime.fromisoformat(time), status) for key, (time, status) in kept.get("keys", {}).items()}

    def keep(self):
        if not self.file:
            return
        self.keys = {key: made for key, made in self.keys.items() if self.young(made[0])}
        keys = {key: (time.isoformat(), status) for key, (time, status) in self.keys.items()}
        simulation.write_private(self.file, {"apps": self.apps, "tokens": self.tokens, "keys": keys, "statuses": self.statuses[-500:], "number": self.number})

    def young(self, time):
        return (self.clock() - time).total_seconds() < KEY_SECONDS

    def store(self, number, data):
        """Keeps the bytes of an upload, beside the newest others."""
        if not self.folder:
            self.files[number] = data
            for old in list(self.files)[:-MAX_FILES]:
                del self.files[old]
            return
        self.folder.mkdir(mode=0o700, exist_ok=True)
        (self.folder / number).write_bytes(data)
        for old in sorted(self.folder.iterdir(), key=lambda file: int(file.name))[:-MAX_FILES]:
            old.unlink()

    def stored(self, number):
        """The bytes of an upload, or None."""
        if not self.folder:
            return self.files.get(number)
        file = self.folder / number
        return file.read_bytes() if file.is_file() else None

    def post(self, fields, key):
        """Makes a status, or returns that of an idempotency key of the last hour."""
        with self.lock:
            made = self.keys.get(key) if key else None
            if made and self.young(made[0]):
                return made[1]
            self.number += 1
            time = self.clock()
            number = str(self.number)
            text = fields.get("status", "")
            status = {"id": number, "created_at": instant(time), "in_reply_to_id": fields.get("in_reply_to_id"),
                      "in_reply_to_account_id": "1" if fields.get("in_reply_to_id") else None, "sensitive": bool(fields.get("sensitive")),
                      "spoiler_text": fields.get("spoiler_text", ""), "visibility": fields.get("visibility") or "public",
                      "language": fields.get("language"), "uri": f"{self.url}/users/demo/statuses/{number}", "url": f"{self.url}/@demo/{number}",
                      "replies_count": 0, "reblogs_count": 0, "favourites_count": 0, "content": shown(text), "text": text, "reblog": None,
                      "application": {"name": "Portico"}, "account": self.account, "mentions": [], "emojis": [], "card": None, "poll": None,
                      "media_attachments": [self.media[each] for each in fields.get("media_ids", []) if each in self.media], "edited_at": None,
                      "tags": [{"name": tag, "url": f"{self.url}/tags/{tag}"} for tag in TAG.findall(text)]}
            self.statuses.append(status)
            if key:
                self.keys[key] = (time, status)
            self.keep()
            return status


class Handler(simulation.Handler):
    note_header, note = "X-Sandbox", NOTE
    sandbox = None

    def error(self, status, text, description=None):
        self.json(status, {"error": text, **({"error_description": description} if description else {})})

    def page(self, title, body, status=200):
        self.say(status, simulation.page(title, body, NOTE, "sandbox", STYLE), "text/html; charset=utf-8",
                 Content_Security_Policy="default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; form-action *; base-uri 'none'")

    def fields(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > self.sandbox.video_size_limit + 1024 * 1024:
            return None
        body = self.rfile.read(length)
        kind = self.headers.get("Content-Type", "")
        if kind.startswith("application/json"):
            try:
                value = json.loads(body or b"{}")
            except ValueError:
                return None
            return value if isinstance(value, dict) else None
        if kind.startswith("multipart/form-data"):
            return self.parts(body, kind)
        found = {}
        for name, value in urllib.parse.parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True):
            if name.endswith("[]"):
                found.setdefault(name[:-2], []).append(value)
            else:
                found[name] = value
        return found

    @staticmethod
    def parts(body, kind):
        boundary = kind.partition("boundary=")[2].strip('"').encode()
        found = {}
        for part in body.split(b"--" + boundary)[1:-1]:
            head, _, data = part.lstrip(b"\r\n").partition(b"\r\n\r\n")
            name = re.search(rb'name="([^"]*)"', head)
            if name:
                data = data[:-2] if data.endswith(b"\r\n") else data
                key = name[1].decode()
                if b"filename=" in head:
                    found[key] = data
                elif key.endswith("[]"):
                    found.setdefault(key[:-2], []).append(data.decode("utf-8", "replace"))
                else:
                    found[key] = data.decode("utf-8", "replace")
        return found

    def scopes(self):
        """Scopes of the token; none without a valid one."""
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        return self.sandbox.tokens.get(token, {}).get("scopes", []) if scheme.lower() == "bearer" else []

    def allowed(self, scope):
        scopes = self.scopes()
        if not scopes:
            self.error(401, "The access token is invalid")
        elif scope not in scopes and scope.partition(":")[0] not in scopes:
            self.error(403, "This action is outside the authorized scopes")
        else:
            return True
        return False

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        path = url.path.rstrip("/") or "/"
        known = {"/": self.timeline, "/@demo": self.timeline, "/oauth/authorize": self.consent, "/api/v2/instance": self.instance,
                 "/api/v1/instance": self.old_instance, "/.well-known/oauth-authorization-server": self.metadata,
                 "/api/v1/trends/tags": self.trending_tags, "/api/v1/trends/links": self.trending_links, "/api/v1/trends/statuses": self.trending_statuses,
                 "/feed.xml": self.feed, "/api/v1/accounts/verify_credentials": self.me, "/healthz": lambda _: self.json(200, {"status": "ok", "note": NOTE})}
        if path in known:
            return known[path](query)
        if found := re.fullmatch(r"/api/v1/accounts/(\w+)/statuses", path):
            return self.of_account(found[1], query)
        if found := re.fullmatch(r"/api/v1/statuses/(\w+)(/context)?", path):
            return self.status_of(found[1], bool(found[2]))
        if found := re.fullmatch(r"/api/v1/media/(\w+)", path):
            return self.attachment(found[1])
        if path == "/api/v1/timelines/public" or path == "/api/v1/timelines/home":
            return self.json(200, self.public()[:int(query.get("limit", 20))])
        if (found := re.fullmatch(r"/story/(\d)", path)) and int(found[1]) < len(STORIES):
            return self.page(STORIES[int(found[1])][0], f"<p>{html.escape(STORIES[int(found[1])][1])}</p>")
        if found := re.fullmatch(r"/media/(\d+)", path):
            return self.file(found[1])
        if found := re.fullmatch(r"/@demo/(\w+)", path):
            status = next((each for each in self.sandbox.statuses if each["id"] == found[1]), None)
            return self.page("Post", self.article(status)) if status else self.page("There is no such post", "", 404)
        if path.startswith("/api/") or path.startswith("/oauth/"):
            return self.error(404, "Record not found")
        return self.page("There is no such page", "", 404)

    def do_POST(self):
        fields = self.fields()
        if fields is None:
            return self.error(400, "The body cannot be read")
        path = urllib.parse.urlsplit(self.path).path
        known = {"/api/v1/apps": self.register, "/oauth/authorize": self.grant, "/oauth/token": self.token, "/oauth/revoke": self.revoke,
                 "/api/v1/statuses": self.publish, "/api/v2/media": self.upload, "/api/v1/media": self.upload}
        if path in known:
            return known[path](fields)
        return self.error(404, "Record not found")

    def do_DELETE(self):
        found = re.fullmatch(r"/api/v1/statuses/(\w+)", urllib.parse.urlsplit(self.path).path)
        if not found:
            return self.error(404, "Record not found")
        if not self.allowed("write:statuses"):
            return None
        with self.sandbox.lock:
            status = next((each for each in self.sandbox.statuses if each["id"] == found[1]), None)
            if status:
                self.sandbox.statuses.remove(status)
                self.sandbox.keep()
        return self.json(200, status) if status else self.error(404, "Record not found")

    # What the server says of itself.
    def instance(self, _):
        self.json(200, {"domain": urllib.parse.urlsplit(self.sandbox.url).netloc, "title": "Sandbox", "version": "4.3.0", "description": NOTE,
                        "source_url": "https://github.com/mastodon/mastodon", "usage": {"users": {"active_month": 1}}, "thumbnail": {"url": self.sandbox.url + "/avatar.png"},
                        "languages": ["en"], "registrations": {"enabled": False, "approval_required": False, "message": None},
                        "contact": {"email": "", "account": self.sandbox.account}, "rules": [], "api_versions": {"mastodon": 2}, "icon": [],
                        "configuration": {"urls": {"streaming": self.sandbox.url.replace("http", "ws", 1)}, "accounts": {"max_featured_tags": 10},
                                          "statuses": {"max_characters": MAX_CHARACTERS, "max_media_attachments": 4, "characters_reserved_per_url": 23},
                                          "media_attachments": {"supported_mime_types": ["image/jpeg", "image/png", "image/gif", "image/webp", "video/mp4"],
                                                                "image_size_limit": 16777216, "image_matrix_limit": 33177600, "description_limit": 1500,
                                                                "video_size_limit": self.sandbox.video_size_limit, "video_frame_rate_limit": 120, "video_matrix_limit": 8294400},
                                          "polls": {"max_options": 4, "max_characters_per_option": 50, "min_expiration": 300, "max_expiration": 2629746},
                                          "translation": {"enabled": False}}})

    def old_instance(self, _):
        self.json(200, {"uri": urllib.parse.urlsplit(self.sandbox.url).netloc, "title": "Sandbox", "version": "4.3.0", "description": NOTE, "short_description": NOTE, "email": "",
                        "urls": {"streaming_api": self.sandbox.url.replace("http", "ws", 1)}, "stats": {"user_count": 1, "status_count": len(self.sandbox.statuses), "domain_count": 1},
                        "languages": ["en"], "registrations": False, "approval_required": False, "invites_enabled": False, "thumbnail": None,
                        "contact_account": self.sandbox.account, "rules": [],
                        "configuration": {"statuses": {"max_characters": MAX_CHARACTERS, "max_media_attachments": 4, "characters_reserved_per_url": 23}}})

    def metadata(self, _):
        base = self.sandbox.url
        self.json(200, {"issuer": base + "/", "authorization_endpoint": base + "/oauth/authorize", "token_endpoint": base + "/oauth/token",
                        "revocation_endpoint": base + "/oauth/revoke", "app_registration_endpoint": base + "/api/v1/apps", "scopes_supported": list(SCOPES),
                        "response_types_supported": ["code"], "grant_types_supported": ["authorization_code", "client_credentials"],
                        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"], "code_challenge_methods_supported": ["S256"]})

    # Signing in.
    def register(self, fields):
        name, redirects = fields.get("client_name"), fields.get("redirect_uris")
        redirects = redirects if isinstance(redirects, list) else (redirects or "").split()
        scopes = (fields.get("scopes") or "read").split()
        if not name or not redirects or any(scope not in SCOPES for scope in scopes):
            return self.error(422, "Validation failed: the application needs a name, redirect URIs and known scopes")
        app = {"client_id": secrets.token_urlsafe(24), "client_secret": secrets.token_urlsafe(24), "redirect_uris": redirects, "scopes": scopes, "name": name}
        with self.sandbox.lock:
            self.sandbox.apps[app["client_id"]] = app
            self.sandbox.keep()
        return self.json(200, {"id": str(len(self.sandbox.apps)), "name": name, "website": fields.get("website"), "scopes": scopes,
                               "redirect_uri": redirects[0], "redirect_uris": redirects, "client_id": app["client_id"],
                               "client_secret": app["client_secret"], "client_secret_expires_at": 0})

    def asked(self, fields):
        """The application of a request to authorize, or None after an error page."""
        app = self.sandbox.apps.get(fields.get("client_id"))
        scopes = (fields.get("scope") or "read").replace("+", " ").split()
        if not app or fields.get("redirect_uri") not in app["redirect_uris"]:
            self.page("The sandbox does not know this application", "<p>Its address to come back to is not registered.</p>", 400)
        elif fields.get("response_type") != "code" or any(scope not in app["scopes"] for scope in scopes):
            self.page("The application asks for something else than it registered", "", 400)
        elif fields.get("code_challenge") and fields.get("code_challenge_method") != "S256":
            self.page("Only the challenge method S256 is supported", "", 400)
        else:
            return app, scopes
        return None

    def consent(self, query):
        asked = self.asked(query)
        if not asked:
            return
        app, scopes = asked
        hidden = "".join(f'<input type=hidden name="{html.escape(name)}" value="{html.escape(value)}">' for name, value in query.items())
        self.page("Allow access to the sandbox account?", f"<p><strong>{html.escape(app['name'])}</strong> asks for: {html.escape(', '.join(scopes))}.</p>"
                  f"<form method=post action=/oauth/authorize>{hidden}<button name=decision value=allow>Allow</button> "
                  f"<button name=decision value=deny>Deny</button></form>")

    def grant(self, fields):
        asked = self.asked(fields)
        if not asked:
            return None
        app, scopes = asked
        if fields.get("decision") == "deny":
            answer = {"error": "access_denied"}
        else:
            code = secrets.token_urlsafe(24)
            with self.sandbox.lock:
                self.sandbox.codes[code] = {"client": app["client_id"], "redirect": fields["redirect_uri"], "scopes": scopes, "challenge": fields.get("code_challenge"),
                                            "until": self.sandbox.clock() + datetime.timedelta(minutes=10)}
            answer = {"code": code}
        if fields.get("state"):
            answer["state"] = fields["state"]
        place = fields["redirect_uri"]
        if place == "urn:ietf:wg:oauth:2.0:oob":
            return self.page("Code", f"<p><code>{html.escape(answer.get('code', 'denied'))}</code></p>")
        return self.say(302, "", "text/plain", Location=place + ("&" if "?" in place else "?") + urllib.parse.urlencode(answer))

    def token(self, fields):
        client, secret = fields.get("client_id"), fields.get("client_secret")
        if self.headers.get("Authorization", "").startswith("Basic "):
            client, _, secret = base64.b64decode(self.headers["Authorization"][6:]).decode().partition(":")
        app = self.sandbox.apps.get(client)
        if not app or not secrets.compare_digest(app["client_secret"], secret or ""):
            return self.error(401, "invalid_client", "Client authentication failed")
        if fields.get("grant_type") == "client_credentials":
            return self.issue(app, (fields.get("scope") or "read").split(), False)
        if fields.get("grant_type") != "authorization_code":
            return self.error(400, "unsupported_grant_type", "The grant type is not supported")
        with self.sandbox.lock:
            code = self.sandbox.codes.pop(fields.get("code"), None)
        verifier = fields.get("code_verifier")
        challenge = base64.urlsafe_b64encode(hashlib.sha256((verifier or "").encode()).digest()).decode().rstrip("=")
        if not code or code["client"] != client or code["redirect"] != fields.get("redirect_uri") or code["until"] < self.sandbox.clock() or \
                (code["challenge"] and code["challenge"] != challenge):
            return self.error(400, "invalid_grant", "The authorization grant is invalid, expired or revoked")
        return self.issue(app, code["scopes"], True)

    def issue(self, app, scopes, for_account):
        token = secrets.token_urlsafe(32)
        with self.sandbox.lock:
            self.sandbox.tokens[token] = {"scopes": scopes if for_account else ["app"], "client": app["client_id"]}
            self.sandbox.keep()
        return self.json(200, {"access_token": token, "token_type": "Bearer", "scope": " ".join(scopes), "created_at": int(self.sandbox.clock().timestamp())})

    def revoke(self, fields):
        app = self.sandbox.apps.get(fields.get("client_id"))
        if not app or app["client_secret"] != fields.get("client_secret"):
            return self.error(403, "unauthorized_client", "You are not authorized to revoke this token")
        with self.sandbox.lock:
            if self.sandbox.tokens.get(fields.get("token"), {}).get("client") == app["client_id"]:
                self.sandbox.tokens.pop(fields["token"])
                self.sandbox.keep()
        return self.json(200, {})

    # Posting.
    def me(self, _):
        if self.allowed("read:accounts"):
            self.json(200, {**self.sandbox.account, "source": {"privacy": "public", "sensitive": False, "language": "en", "note": NOTE, "fields": []}})

    def publish(self, fields):
        if not self.allowed("write:statuses"):
            return None
        text, media = fields.get("status") or "", fields.get("media_ids") or []
        if not text and not media:
            return self.error(422, "Validation failed: Text can't be blank")
        if counted(text) + graphemes(fields.get("spoiler_text") or "") > MAX_CHARACTERS:
            return self.error(422, "Validation failed: Text character limit of 500 exceeded")
        if (fields.get("visibility") or "public") not in ("public", "unlisted", "private", "direct"):
            return self.error(422, "Validation failed: Visibility is not included in the list")
        if fields.get("in_reply_to_id") and not any(each["id"] == fields["in_reply_to_id"] for each in self.sandbox.statuses):
            return self.error(404, "The post you are trying to reply to does not appear to exist.")
        if len(media) > 4 or any(each not in self.sandbox.media for each in media):
            return self.error(422, "Validation failed: Media attachments are invalid")
        if any(each in self.sandbox.processing for each in media):
            return self.error(422, "Cannot attach files that have not finished processing. Try again in a moment!")
        return self.json(200, self.sandbox.post(fields, self.headers.get("Idempotency-Key")))

    def upload(self, fields):
        if not self.allowed("write:media"):
            return None
        data = fields.get("file")
        if not isinstance(data, bytes) or not data:
            return self.error(422, "Validation failed: File can't be blank")
        with self.sandbox.lock:
            self.sandbox.number += 1
            number = str(self.sandbox.number)
            video = data[4:8] == b"ftyp"
            if video:
                self.sandbox.processing.add(number)
            self.sandbox.store(number, data)
            self.sandbox.media[number] = {"id": number, "type": "video" if video else "image", "url": f"{self.sandbox.url}/media/{number}", "preview_url": f"{self.sandbox.url}/media/{number}",
                                          "remote_url": None, "meta": {}, "description": fields.get("description"), "blurhash": None}
        return self.json(202 if video else 200, self.sandbox.media[number] | ({"url": None} if video else {}))

    def file(self, number):
        data = self.sandbox.stored(number)
        if data is None:
            return self.page("There is no such file", "", 404)
        kind = next((kind for start, kind in KINDS if data.startswith(start)), "video/mp4" if data[4:8] == b"ftyp" else "application/octet-stream")
        return self.say(200, data, kind, X_Content_Type_Options="nosniff", Content_Security_Policy="default-src 'none'; sandbox")

    def attachment(self, number):
        """A video is ready at the second question."""
        attachment = self.sandbox.media.get(number)
        if not attachment or not self.allowed("write:media"):
            return None if attachment else self.error(404, "Record not found")
        with self.sandbox.lock:
            busy = number in self.sandbox.processing
            self.sandbox.processing.discard(number)
        return self.json(206 if busy else 200, attachment | ({"url": None} if busy else {}))

    # What people talk about.
    def history(self, uses):
        day = int(self.sandbox.clock().timestamp()) // 86400 * 86400
        return [{"day": str(day - 86400 * back), "uses": str(uses // (1 + back)), "accounts": str(uses // (2 + back))} for back in range(7)]

    def trending_tags(self, _):
        self.json(200, [{"name": name, "url": f"{self.sandbox.url}/tags/{name}", "history": self.history(uses), "following": False} for name, uses in TALK])

    def trending_links(self, _):
        self.json(200, [{"url": f"{self.sandbox.url}/story/{number}", "title": title, "description": text, "type": "link", "language": "en", "author_name": "",
                         "provider_name": "Sandbox news", "image": None, "history": self.history(90 - 20 * number)} for number, (title, text) in enumerate(STORIES)])

    def trending_statuses(self, query):
        self.json(200, self.public()[:min(int(query.get("limit", 20)), 40)])

    def feed(self, _):
        items = "".join(f"<item><title>{html.escape(title)}</title><link>{self.sandbox.url}/story/{number}</link><description>{html.escape(text)}</description>"
                        f"<guid>{self.sandbox.url}/story/{number}</guid></item>" for number, (title, text) in enumerate(STORIES))
        self.say(200, f'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Sandbox news</title><link>{self.sandbox.url}</link>'
                 f"<description>{NOTE}</description><language>en</language>{items}</channel></rss>", "application/rss+xml; charset=utf-8")

    # Reading.
    def public(self):
        return [each for each in reversed(self.sandbox.statuses) if each["visibility"] in ("public", "unlisted")]

    def of_account(self, account, query):
        if account != "1":
            return self.error(404, "Record not found")
        return self.json(200, self.public()[:min(int(query.get("limit", 20)), 40)])

    def status_of(self, number, context):
        status = next((each for each in self.sandbox.statuses if each["id"] == number and each["visibility"] in ("public", "unlisted")), None)
        if not status:
            return self.error(404, "Record not found")
        if not context:
            return self.json(200, status)
        return self.json(200, {"ancestors": [], "descendants": [each for each in self.sandbox.statuses if each["in_reply_to_id"] == number]})

    @staticmethod
    def figure(media):
        address, text = f"/media/{media['id']}", html.escape(media["description"] or "")
        shown = f'<video src="{address}" aria-label="{text}" controls></video>' if media["type"] == "video" else f'<img src="{address}" alt="{text}">'
        return f"<figure>{shown}<figcaption>{'Alternative text: ' + text if text else 'No alternative text'}</figcaption></figure>"

    @staticmethod
    def article(status):
        warning = f"<p><strong>{html.escape(status['spoiler_text'])}</strong></p>" if status["spoiler_text"] else ""
        answer = " · answers a post" if status["in_reply_to_id"] else ""
        files = "".join(map(Handler.figure, status["media_attachments"]))
        return f"<article>{warning}{status['content']}{files}<p><small>{status['created_at']} · {status['visibility']}{answer}</small></p></article>"

    def timeline(self, _):
        self.page("Posts of the sandbox account", "".join(map(self.article, reversed(self.sandbox.statuses[-100:]))) or "<p>There are no posts yet.</p>")


def serve(port, state=None, clock=now):
    """Returns a server that listens, with `sandbox` and `url`; the caller lets it serve."""
    server = simulation.Server(port, type("SandboxHandler", (Handler,), {}))
    server.sandbox = server.RequestHandlerClass.sandbox = Sandbox(server.url, state, clock)
    return server


def main():
    parser = argparse.ArgumentParser(description="Sandbox network of the demo brands.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--state")
    parser.add_argument("--while", type=int, dest="process")
    arguments = parser.parse_args()
    server = serve(arguments.port, arguments.state)
    server.serve_while(arguments.process)


if __name__ == "__main__":
    main()
