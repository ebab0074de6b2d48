"""The demo data of social: brands with a plan of times, and a picture."""

import struct
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


def fill(host, organizations):
    """@return the part of demo.json"""
    ids = {}
    for organization in organizations:
        social = Social(host, organization)
        ids[organization["slug"]] = social.brands()
        if organization["slug"] == "acme":
            social.upload(ids["acme"]["engines"])
    return {"brandId": ids["acme"]["engines"]}
