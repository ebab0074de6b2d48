#!/usr/bin/python3
"""Brands through the real door: a transfer between two organizations under load, files by tickets, and keys of the old owner."""

import base64
import http.client
import pathlib
import secrets
import socket
import struct
import sys
import tempfile
import threading
import urllib.parse
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402

KEYS = pathlib.Path(tempfile.mkdtemp(prefix="portico-social-")) / "keys"
KEYS.write_text(f"first {base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip('=')}\n")
SECRET = b"GPS 48.1371 N"
WRITERS = 6


def picture():
    """A PNG of one pixel with a text beside it."""

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"tEXt", b"Comment\0" + SECRET) + chunk(b"IDAT", zlib.compress(b"\0\1\2\3")) + chunk(b"IEND", b"")


@on_both_engines
class SocialBrands:
    settings = {"limits.rates": "off", "social.sealingKeys": str(KEYS)}

    def setUp(self):
        self.acme = self.accounts.token("acme", "owner", "social")

    def ask(self, method, path, body=None, token=None, status=200, headers=None):
        answer = self.daemon.request("social", method, path, body, token or self.acme, headers)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json() if answer.body else None

    def join(self, email, role):
        """Makes a user a member of the other organization, or changes the role there."""
        self.daemon.ctl("user", "join", "--email", email, "--organization", "globex", "--role", role)

    def person(self, token):
        return self.daemon.request("social", "GET", "/api/auth/me", token=token).json()["user"]

    def new_brand(self, name):
        return self.ask("POST", "/api/brands", {"name": name}, status=201)["brandId"]

    def test_transfer_needs_a_membership_and_the_permission(self):
        email = "second@acme.example"
        self.acme = self.daemon.login(email, self.daemon.user(email, "acme", "owner")["password"], "social")
        brand = self.new_brand("Waiting")
        globex = self.accounts.token("globex", "owner", "social")
        other = self.ask("POST", "/api/brands", {"name": "Theirs"}, globex, 201)["organizationId"]
        transfer = f"/api/brands/{brand}/transfer-organization"
        self.ask("POST", transfer, {"organizationId": other}, status=404)
        self.join(email, "member")
        self.assertEqual(self.ask("POST", transfer, {"organizationId": other}, status=403)["code"], "permission_denied")
        self.join(email, "admin")
        self.assertEqual(self.ask("POST", transfer, {"organizationId": other})["brandId"], brand)

    def test_files_come_by_a_ticket_and_without_metadata(self):
        brand = self.new_brand("Pictures")
        content = picture()
        ticket = self.ask("POST", "/api/media/upload", {"brandId": brand, "fileName": "a.png", "contentType": "image/png", "size": len(content)})
        sent = self.put(ticket["uploadUrl"], content, ticket["headers"])
        self.assertEqual(sent.status, 200, sent.body)
        media = self.ask("POST", ticket["completeUrl"], {}, headers={"X-Brand-ID": brand})
        self.assertEqual((media["status"], media["width"], media["height"]), ("ready", 1, 1))
        served = self.daemon.request("social", "GET", self.path_of(media["url"]))
        self.assertEqual(served.status, 200)
        self.assertTrue(served.body.startswith(b"\x89PNG"))
        self.assertNotIn(SECRET, served.body)
        self.assertEqual(self.put(ticket["uploadUrl"], content, ticket["headers"]).status, 409)
        self.assertEqual(self.put(ticket["uploadUrl"].replace("len=", "len=1"), content, ticket["headers"]).status, 403)

    def test_a_rejected_upload_is_answered_before_its_body(self):
        brand = self.new_brand("Large")
        size = 400 << 20
        ticket = self.ask("POST", "/api/media/upload", {"brandId": brand, "fileName": "a.mp4", "contentType": "video/mp4", "size": size})
        forged = ticket["uploadUrl"].replace("sig=", "sig=x")
        # Not a byte of the body is sent.
        self.assertEqual(self.answer_to(forged, size).status, 403)
        self.assertEqual(self.answer_to(forged, size, "Expect: 100-continue\r\n").status, 403)
        self.assertEqual(self.answer_to(ticket["uploadUrl"], size + 1).status, 413)
        # A client that does not look up while it sends reads the response, too.
        self.assertEqual(self.answer_to(forged, size, pieces=[b"x" * 65536] * 64).status, 403)

    def answer_to(self, url, size, headers="", pieces=()):
        head = f"PUT {self.path_of(url)} HTTP/1.1\r\nHost: social.localhost\r\nContent-Type: video/mp4\r\nContent-Length: {size}\r\n{headers}\r\n"
        with socket.create_connection(("127.0.0.1", self.daemon.ports["social"]), timeout=60) as connection:
            for piece in (head.encode(), *pieces):
                connection.sendall(piece)
            response = http.client.HTTPResponse(connection, method="PUT")
            response.begin()
            return response

    def test_a_transfer_under_load_loses_nothing(self):
        """Clients of the old owner write until they are rejected. All acknowledged records exist at the new owner, and the old owner's key is rejected."""
        brand = self.new_brand("Moving")
        person = self.person(self.acme)
        key = self.daemon.request("social", "POST", "/api/auth/api-keys", {"name": "Readiness", "owner_type": "user", "owner_id": person["id"],
                                  "grants": [{"service_id": "social", "scopes": ["accounts.read"], "resources": []}]}, self.acme).json()["key"]  # fmt: skip
        readiness = f"/api/brands/{brand}/publishing-readiness"
        by_key = lambda: self.daemon.request("social", "GET", readiness, headers={"X-Api-Key": key}).status  # noqa: E731
        self.assertEqual(by_key(), 200)
        globex_owner = self.accounts.token("globex", "owner", "social")
        theirs = self.ask("POST", "/api/brands", {"name": "A home"}, globex_owner, 201)["organizationId"]
        self.join("owner@acme.example", "admin")
        written, refused, wrong = [0] * WRITERS, threading.Semaphore(0), []
        started = threading.Barrier(WRITERS + 1)

        def write(number):
            started.wait()
            while True:
                answer = self.daemon.request("social", "PATCH", f"/api/brands/{brand}", {"description": f"{number} {written[number]}"}, self.acme)
                if answer.status == 200:
                    written[number] += 1
                    continue
                if answer.status != 404:
                    wrong.append(answer.body)
                refused.release()
                return

        writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        started.wait()
        while sum(written) < WRITERS and not wrong:
            pass
        moved = self.ask("POST", f"/api/brands/{brand}/transfer-organization", {"organizationId": theirs})
        self.assertEqual(by_key(), 404)
        for writer in writers:
            writer.join()
        self.assertEqual(wrong, [])
        self.assertEqual((moved["brandId"], moved["organizationId"]), (brand, theirs))
        # Made, changed as often as was said, transferred.
        events = sum(written) + 2
        check = self.ask("GET", f"/api/content-ops/events/verify?brandId={brand}", token=globex_owner)
        self.assertEqual((check["ok"], check["events"]), (True, events))
        self.assertEqual(self.ask("GET", f"/api/brands/{brand}", token=globex_owner)["version"], events)
        self.ask("GET", f"/api/brands/{brand}", status=404)

    def path_of(self, url):
        parts = urllib.parse.urlsplit(url)
        return f"{parts.path}?{parts.query}"

    def put(self, url, content, headers):
        return self.daemon.request("social", "PUT", self.path_of(url), content, headers=headers)


if __name__ == "__main__":
    main()
