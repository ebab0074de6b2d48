"""The demo data of social: brands with a plan of times, an account at the sandbox network, and posts that are published, scheduled, waiting and failed."""

import datetime
import http.client
import json
import struct
import urllib.parse
import zlib

BRANDS = {
    "acme": [
        {"name": "Acme Engines", "slug": "engines", "description": "Engines that weave algebraic patterns.", "timeZone": "Europe/Berlin", "language": "en",
         "approvalPolicy": {"required": True, "steps": 1, "allowSelfApproval": True},
         "slotPlan": [{"weekday": day, "time": time} for day in range(1, 6) for time in ("09:00", "16:30")]},
        {"name": "Acme Museum", "slug": "museum", "description": "What was built, and what was not.", "timeZone": "Europe/London", "language": "en-GB",
         "slotPlan": [{"weekday": 6, "time": "11:00"}]},
    ],
    "globex": [{"name": "Globex", "slug": "globex", "timeZone": "America/New_York", "language": "en-US"}],
}  # fmt: skip

SIZE = 480


def picture():
    """A PNG with a woven pattern."""
    rows = []
    for y in range(SIZE):
        row = bytearray(b"\0")
        for x in range(SIZE):
            over = (x // 24 + y // 24) % 2
            shade = 40 + (x if over else y) * 160 // SIZE
            row += bytes((shade, 60, 220 - shade) if over else (220, shade, 90))
        rows.append(bytes(row))

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(rows), 9)) + chunk(b"IEND", b"")


class Social:
    """The social service of one organization, as its owner."""

    def __init__(self, host, organization):
        self.host = host
        self.slug = organization["slug"]
        self.token = host.token(organization["users"][0], "social")

    def send(self, method, path, body=None, brand=None):
        return self.host.call("social", method, path, body, self.token, {"X-Brand-ID": brand} if brand else {})

    def brands(self):
        """Makes what is missing. @return ids by slug"""
        there = {brand["slug"]: brand["brandId"] for brand in self.send("GET", "/api/brands")["items"]}
        for brand in BRANDS.get(self.slug, ()):
            if brand["slug"] not in there:
                there[brand["slug"]] = self.send("POST", "/api/brands", brand)["brandId"]
        return there

    def upload(self, brand):
        if self.send("GET", "/api/media", brand=brand)["items"]:
            return
        content = picture()
        ticket = self.send("POST", "/api/media/upload", {"brandId": brand, "fileName": "pattern.png", "contentType": "image/png", "size": len(content),
                                                         "altText": "A woven pattern of blue and orange squares"})
        path = "/" + ticket["uploadUrl"].split("/", 3)[3]
        self.host.send("social", "PUT", path, content, None, ticket["headers"])
        self.send("POST", ticket["completeUrl"], {}, brand)

    def connectable(self, platform, brand):
        return any(each["platform"] == platform and each["connectable"] for each in self.send("GET", "/api/integrations", brand=brand)["providers"])

    def account(self, brand, sandbox):
        """Connects the account of the sandbox network, as its owner in a browser. @return its id"""
        for account in self.send("GET", "/api/integrations", brand=brand)["items"]:
            if account["platform"] == "mastodon":
                return account["integrationId"]
        begun, headers = self.raw("social", "POST", "/api/integrations/mastodon/connect", {"brandId": brand, "instanceUrl": sandbox, "returnUrl": "/"})
        place = urllib.parse.urlsplit(begun["authorizationUrl"])
        fields = dict(urllib.parse.parse_qsl(place.query)) | {"decision": "allow"}
        connection = http.client.HTTPConnection(place.netloc, timeout=10)
        connection.request("POST", place.path, urllib.parse.urlencode(fields), {"Content-Type": "application/x-www-form-urlencoded"})
        allowed = connection.getresponse()
        back = urllib.parse.urlsplit(allowed.getheader("Location", ""))
        connection.close()
        self.raw("social", "GET", f"{back.path}?{back.query}", None, {"Cookie": headers["Set-Cookie"].partition(";")[0]})
        return next(account["integrationId"] for account in self.send("GET", "/api/integrations", brand=brand)["items"] if account["platform"] == "mastodon")

    def raw(self, service, method, path, body, more=None):
        """One request with its headers, where `Host.call` gives the body only."""
        connection = http.client.HTTPConnection("127.0.0.1", self.host.ports[service], timeout=60)
        try:
            headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **(more or {})} if body is not None else dict(more or {})
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            content = answer.read()
            if answer.status >= 400:
                raise OSError(f"{method} {path.partition('?')[0]} gave {answer.status}: {content.decode()}")
            return (json.loads(content) if content else None), answer.headers
        finally:
            connection.close()

    def failing(self, brand, sandbox):
        """A webhook whose receiver is not there. @return its id"""
        for account in self.send("GET", "/api/integrations", brand=brand)["items"]:
            if account["platform"] == "webhook":
                return account["integrationId"]
        return self.send("POST", "/api/integrations/webhook/connect", {"brandId": brand, "url": f"{sandbox}/nobody"}, brand)["integration"]["integrationId"]

    def post(self, brand, text, account, **more):
        return self.send("POST", "/api/posts", {"text": text, "targets": [{"integrationId": account}], **more}, brand)

    def sources(self, brand, sandbox):
        """What people talk about at the sandbox network."""
        if self.send("GET", "/api/trend-sources", brand=brand)["items"]:
            return
        for kind, name, path in (("rss", "Sandbox news", "/feed.xml"), ("mastodon_trends", "Sandbox network", "/")):
            self.send("POST", "/api/trend-sources", {"kind": kind, "name": name, "url": sandbox + path}, brand)

    def posts(self, engines, museum, sandbox):
        if self.send("GET", "/api/posts", brand=engines)["items"] or self.send("GET", "/api/posts", brand=museum)["items"]:
            return
        account = self.account(museum, sandbox)
        published = self.post(museum, "Note G is on show again, with every variable that Ada wrote down. #history", account)
        self.send("POST", f"/api/posts/{published['postId']}/publish", {}, museum)
        failed = self.post(museum, "Our newsletter of this week", self.failing(museum, sandbox))
        self.send("POST", f"/api/posts/{failed['postId']}/publish", {}, museum)
        account = self.account(engines, sandbox)
        now = datetime.datetime.now(datetime.timezone.utc)
        picture = self.send("GET", "/api/media", brand=engines)["items"][0]["mediaId"]
        scheduled = self.post(engines, "The analytical engine weaves algebraic patterns just as the loom weaves flowers and leaves.", account,
                              mediaIds=[picture], scheduledFor=f"{now + datetime.timedelta(days=2):%Y-%m-%dT%H:%M:00Z}")
        self.send("POST", f"/api/content-ops/items/{scheduled['contentIds'][0]}/approve", {}, engines)
        self.post(engines, "Open day in the mill: come and see the store turn.", account, scheduledFor=f"{now + datetime.timedelta(days=4):%Y-%m-%dT%H:%M:00Z}")
        self.post(engines, "A draft about punched cards", account)


def fill(host, organizations, sandbox):
    """@return the part of demo.json"""
    ids = {}
    for organization in organizations:
        social = Social(host, organization)
        ids[organization["slug"]] = social.brands()
        if organization["slug"] == "acme":
            social.upload(ids["acme"]["engines"])
            # A server without keys that seal tokens connects no account, and without an account there is no post.
            if social.connectable("mastodon", ids["acme"]["museum"]):
                social.posts(ids["acme"]["engines"], ids["acme"]["museum"], sandbox)
                social.sources(ids["acme"]["engines"], sandbox)
    return {"brandId": ids["acme"]["engines"], "sandbox": sandbox}
