#!/usr/bin/python3
"""Files of contacts over HTTP, on SQLite and PostgreSQL: uploads as curl and browsers send them, limits before the body is read, ranges, and no leftovers
after aborted uploads, deletions and kill -9."""

import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import engine, main, on_both_engines  # noqa: E402
from daemon import Answer  # noqa: E402
from s3 import Bucket  # noqa: E402
from social_networks import png  # noqa: E402

MEBIBYTE = 1024 * 1024
BLOB = re.compile(r"^[0-9a-f]{16}-[0-9a-f]{32}$")


def memory_kb(pid, what):
    return int(re.search(rf"{what}:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1))


class Client:
    """What both classes of tests need: a contact to attach files to, and curl."""

    def setUp(self):
        self.token = self.accounts.token()
        self.contact = self.call("POST", "/api/contacts", {"firstName": "Ada"}).json()["id"]
        self.path = f"/api/contacts/{self.contact}/attachments"

    def call(self, method, path, body=None, headers=None, token=None):
        return self.daemon.request("crm", method, path, body, self.token if token is None else token, headers)

    def upload(self, content, name="file.bin", content_type="application/octet-stream", **more):
        return self.call("POST", self.path, content, {"Content-Type": content_type, "X-File-Name": name}, **more)

    def curl(self, *words, path=None):
        """Status, headers by lower-case name, and the parsed body."""
        url = f"http://127.0.0.1:{self.daemon.ports['crm']}{path or self.path}"
        with tempfile.NamedTemporaryFile() as headers:
            done = subprocess.run(["curl", "-sS", "-D", headers.name, "-H", f"Authorization: Bearer {self.token}", *words, url],
                                  capture_output=True, timeout=300, check=True)
            lines = pathlib.Path(headers.name).read_bytes().decode().split("\r\n\r\n")[-2].splitlines()
        fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        return int(lines[0].split()[1]), fields, json.loads(done.stdout) if "json" in fields.get("content-type", "") else done.stdout

    def raw(self, head, *pieces, token=None):
        """A request written by hand; `pieces` until the server answers or hangs up."""
        text = f"POST {self.path} HTTP/1.1\r\nHost: crm.localhost\r\nAuthorization: Bearer {token or self.token}\r\nX-File-Name: a\r\n{head}\r\n\r\n"
        connection = socket.create_connection(("127.0.0.1", self.daemon.ports["crm"]), timeout=60)
        connection.sendall(text.encode())
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for piece in pieces:
                connection.sendall(piece)
        return connection

    def answer_of(self, connection):
        response = http.client.HTTPResponse(connection, method="POST")
        response.begin()
        answer = Answer(response)
        connection.close()
        return answer

    def problem(self, answer, status, code):
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (status, "application/problem+json"), answer.body)
        document = answer.json()
        self.assertEqual(document["code"], code, document)
        for leak in ("SELECT", "INSERT", str(self.daemon.state), "std::", "exception"):
            self.assertNotIn(leak, answer.body.decode())
        return document

    def blobs(self):
        return {path.name for path in self.daemon.state.rglob("*") if BLOB.match(path.name)}

    def open_files(self):
        """Unlinked files that the daemon holds: uploads that wait."""
        links = []
        for link in pathlib.Path(f"/proc/{self.daemon.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                links.append(os.readlink(link))
        return [each for each in links if each.startswith(str(self.daemon.state)) and each.endswith("(deleted)")]

    def eventually(self, holds, what):
        deadline = time.monotonic() + 30
        while not holds():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)


class Attachments(Client):
    settings = {"crm.attachments.maxMebibytes": 1, "limits.rates": "off"}

    def test_curl_sends_forms(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "scan"
            file.write_bytes(b"%PDF-1.7\r\n--\r\n" + os.urandom(200_000))
            status, headers, made = self.curl("-F", "description=signed \u2713", "-F", f'file=@{file};type=application/x-pdf;filename="b\u00fcro \\"2\\".pdf"')
            self.assertEqual(status, 201, made)
            self.assertEqual(made["fileName"], 'b\u00fcro "2".pdf')
            self.assertEqual((made["contentType"], made["declaredType"], made["description"]), ("application/pdf", "application/x-pdf", "signed \u2713"))
            self.assertEqual((made["size"], made["sha256"]), (file.stat().st_size, hashlib.sha256(file.read_bytes()).hexdigest()))
            self.assertEqual(headers["location"], made["downloadUrl"])
            status, headers, body = self.curl(path=made["downloadUrl"])
            self.assertEqual((status, body), (200, file.read_bytes()))
        self.assertEqual(self.call("GET", f"/api/contacts/{self.contact}").json()["counts"]["attachments"], 1)

    def test_curl_sends_raw_and_chunked(self):
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            file.write(b"name,phone\r\n" * 30_000)
            file.flush()
            name = ["-H", "X-File-Name: UTF-8''f%C3%BCr%20alle.csv", "-H", "Content-Type: text/csv"]
            for words in (["--data-binary", f"@{file.name}"], ["-X", "POST", "-T", file.name, "-H", "Transfer-Encoding: chunked"]):
                status, _, made = self.curl(*name, *words)
                self.assertEqual((status, made["fileName"], made["contentType"], made["size"]), (201, "f\u00fcr alle.csv", "text/csv", 360_000), made)

    def test_downloads_in_parts(self):
        content = bytes(range(256)) * 40
        made = self.upload(content, "notes.bin").json()
        whole = self.call("GET", made["downloadUrl"])
        self.assertEqual((whole.status, whole.body, whole.headers["Content-Length"]), (200, content, str(len(content))))
        self.assertEqual(whole.headers["ETag"], f'"{hashlib.sha256(content).hexdigest()}"')
        self.assertEqual(whole.headers["Accept-Ranges"], "bytes")
        for asked, first, last in (("0-9", 0, 9), ("100-", 100, len(content) - 1), ("-7", len(content) - 7, len(content) - 1), ("5-99999999", 5, len(content) - 1)):
            part = self.call("GET", made["downloadUrl"], headers={"Range": f"bytes={asked}"})
            self.assertEqual((part.status, part.body), (206, content[first:last + 1]), asked)
            self.assertEqual(part.headers["Content-Range"], f"bytes {first}-{last}/{len(content)}")
        beyond = self.call("GET", made["downloadUrl"], headers={"Range": f"bytes={len(content)}-"})
        self.problem(beyond, 416, "range_not_satisfiable")
        self.assertEqual(beyond.headers["Content-Range"], f"bytes */{len(content)}")
        same = self.call("GET", made["downloadUrl"], headers={"If-None-Match": whole.headers["ETag"]})
        self.assertEqual((same.status, same.body, same.headers["ETag"]), (304, b"", whole.headers["ETag"]))
        stale = self.call("GET", made["downloadUrl"], headers={"Range": "bytes=0-9", "If-Range": '"other"'})
        self.assertEqual((stale.status, stale.body), (200, content))
        head = self.call("HEAD", made["downloadUrl"])
        self.assertEqual((head.status, head.headers["Content-Length"], head.body), (200, str(len(content)), b""))

    def test_nothing_runs_in_a_browser(self):
        for content, sniffed in ((b"<!doctype html><script>alert(1)</script>", "text/html"), (b"<svg onload='alert(1)'>", "image/svg+xml"),
                                 (b"alert(1)", "text/plain")):
            for declared in ("image/png", "text/html", "text/javascript"):
                made = self.upload(content, "x.html", declared).json()
                self.assertEqual((made["contentType"], made["declaredType"]), (sniffed, declared))
                answer = self.call("GET", made["downloadUrl"])
                self.assertTrue(answer.headers["Content-Disposition"].startswith("attachment;"))
                self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
                self.assertEqual(answer.headers["Content-Security-Policy"], "sandbox")
                self.assertEqual(answer.headers["Cache-Control"], "private, no-cache")
                self.assertIsNone(answer.headers["Content-Encoding"])

    def test_hostile_names(self):
        for sent, kept in (("../../../etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"), ("a\u202etxt.exe", "atxt.exe"),
                           ("UTF-8''%2e%2e%2fx%0d%0aSet-Cookie%3A%20a", "xSet-Cookie: a"), ("%00", "%00"), ('";filename=evil', '";filename=evil')):
            made = self.upload(b"x", sent.encode("utf-8").decode("latin-1"))
            self.assertEqual(made.status, 201, made.body)
            self.assertEqual(made.json()["fileName"], kept)
            disposition = self.call("GET", made.json()["downloadUrl"]).headers
            self.assertIsNone(disposition["Set-Cookie"])
            self.assertEqual(disposition["Content-Disposition"].count('"'), 2)
        for sent in ("..", "/", "UTF-8''%ff", "\xff", "a" * 256):
            self.problem(self.upload(b"x", sent), 400, "validation_failed")
        status, _, made = self.curl("-F", "file=@/dev/null;filename=../../up.txt")
        self.assertEqual((status, made["fileName"], made["size"]), (201, "up.txt", 0))

    def test_malformed_forms_are_refused(self):
        before = self.blobs()
        head = b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
        form = {"Content-Type": "multipart/form-data; boundary=b"}
        for body in (b"", b"--b", b"--b--", head, head + b"x", head + b"x\r\n--b", head + b"x\r\n--bb--", b"\x00" * 1000, b"--b\r\n\r\nx\r\n--b--",
                     b"--b\r\n" + b"A: b\r\n" * 5000 + b"\r\n--b--", (head + b"x\r\n") * 2 + b"--b--", (head + b"x\r\n") * 500 + b"--b--"):
            self.problem(self.call("POST", self.path, body, form), 400, "validation_failed")
        for wrong in ("multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=" + "b" * 71):
            self.problem(self.call("POST", self.path, head + b"x\r\n--b--", {"Content-Type": wrong}), 400, "validation_failed")
        self.assertEqual(self.blobs(), before)

    def too_large(self, answer):
        document = self.problem(answer, 413, "payload_too_large")
        self.assertEqual(document["details"], {"fields": [{"field": "file", "code": "too_large", "limit": MEBIBYTE}]})

    def test_the_limit_holds_before_the_body(self):
        self.assertEqual(self.upload(b"x" * MEBIBYTE).status, 201)
        before = self.blobs()
        # Not a byte of the body is sent.
        self.too_large(self.answer_of(self.raw(f"Content-Length: {MEBIBYTE + 1}")))
        self.too_large(self.answer_of(self.raw(f"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {MEBIBYTE + 65537}")))
        self.too_large(self.answer_of(self.raw(f"Expect: 100-continue\r\nContent-Length: {MEBIBYTE + 1}")))
        # Chunked: as soon as the limit is passed, without the end of the body.
        chunk = b"4000\r\n" + b"x" * 0x4000 + b"\r\n"
        self.too_large(self.answer_of(self.raw("Transfer-Encoding: chunked", *[chunk] * 64, b"1\r\n")))
        # A form may be longer than its file, which may not be longer than the limit.
        status, _, made = self.curl("-F", "description=x", *self.sized(MEBIBYTE))
        self.assertEqual(status, 201, made)
        status, _, made = self.curl(*self.sized(MEBIBYTE + 1))
        self.assertEqual((status, made["details"]["fields"][0]["limit"]), (413, MEBIBYTE))
        self.assertEqual(len(self.blobs() - before), 1)

    def sized(self, size):
        """Words that have curl send a form with a file of a size."""
        file = tempfile.NamedTemporaryFile()
        file.write(b"x" * size)
        file.flush()
        self.addCleanup(file.close)
        return ["-F", f"file=@{file.name};filename=a"]

    def test_upload_requires_permission(self):
        before = self.blobs()
        guest = self.accounts.token("acme", "guest")
        for token, status in ((guest, 403), ("nonsense", 401)):
            refused = self.answer_of(self.raw("Expect: 100-continue\r\nContent-Length: 1000", token=token))
            self.assertEqual(refused.status, status)
        other = self.accounts.token("globex", "owner")
        self.problem(self.upload(b"x", token=other), 404, "not_found")
        made = self.upload(b"secret").json()
        self.problem(self.call("GET", made["downloadUrl"], token=other), 404, "not_found")
        self.problem(self.call("DELETE", made["downloadUrl"], token=other), 404, "not_found")
        self.problem(self.call("GET", made["downloadUrl"], token=guest), 403, "permission_denied")
        self.assertEqual(len(self.blobs() - before), 1)

    def test_aborted_upload_leaves_nothing(self):
        before = self.blobs()
        for head in (f"Content-Length: {MEBIBYTE}", "Transfer-Encoding: chunked"):
            piece = b"80000\r\n" + b"x" * 0x80000 + b"\r\n" if "chunked" in head else b"x" * 0x80000
            connection = self.raw(head, piece)
            self.eventually(self.open_files, "the upload does not wait in a file")
            connection.close()
            self.eventually(lambda: not self.open_files(), "the file of a lost upload is still open")
        self.assertEqual(self.blobs(), before)
        self.assertEqual(self.call("GET", self.path).json()["items"], [])

    def test_repeats_with_a_key_make_one_file(self):
        headers = {"Content-Type": "text/plain", "X-File-Name": "a.txt", "Idempotency-Key": f"upload-{self.contact}"}
        first, again = (self.call("POST", self.path, b"hello" * 50_000, headers) for _ in range(2))
        self.assertEqual((first.status, again.status, again.headers["Idempotency-Replayed"]), (201, 201, "true"))
        self.assertEqual(first.body, again.body)
        self.problem(self.call("POST", self.path, b"other", headers), 422, "idempotency_key_reused")
        self.assertEqual(len(self.call("GET", self.path).json()["items"]), 1)

    def test_files_go_with_what_they_belong_to(self):
        before = self.blobs()
        first, second = self.upload(b"first").json(), self.upload(b"second").json()
        self.assertEqual(self.call("DELETE", first["downloadUrl"]).json(), {"id": first["id"], "deleted": True})
        self.problem(self.call("GET", first["downloadUrl"]), 404, "not_found")
        self.eventually(lambda: len(self.blobs() - before) == 1, "the file of a deleted attachment is still there")
        self.call("DELETE", f"/api/contacts/{self.contact}")
        self.problem(self.call("GET", second["downloadUrl"]), 404, "not_found")
        self.call("POST", f"/api/contacts/{self.contact}/restore")
        self.assertEqual(self.call("GET", second["downloadUrl"]).body, b"second")
        shown = self.call("GET", f"/api/contacts/{self.contact}?include=attachments").json()
        self.assertEqual([each["id"] for each in shown["attachments"]], [second["id"]])
        self.assertEqual(self.call("DELETE", f"/api/contacts/{self.contact}?permanent=true").status, 200)
        self.eventually(lambda: self.blobs() == before, "the files of a purged contact are still there")

    def test_kill_9_loses_nothing_and_leaves_nothing(self):
        acknowledged, end = [], threading.Event()

        def work(number):
            turn = 0
            while not end.is_set():
                content = f"{number}/{turn}/".encode() * 20_000
                turn += 1
                try:
                    answer = self.upload(content, f"{number}-{turn}")
                    if answer.status == 201:
                        acknowledged.append((answer.json(), hashlib.sha256(content).hexdigest()))
                        if turn % 3 == 0:
                            self.call("DELETE", answer.json()["downloadUrl"])
                except OSError:
                    return

        for _ in range(3):
            end.clear()
            known = len(acknowledged)
            threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            self.eventually(lambda: len(acknowledged) > known + 20, "uploads do not get on")  # noqa: B023
            self.daemon.kill()
            end.set()
            for thread in threads:
                thread.join()
            self.daemon.start()
        self.token = self.accounts.token()
        listed, cursor = {}, ""
        while cursor is not None:
            page = self.call("GET", f"{self.path}?limit=200{cursor}").json()
            listed.update({each["id"]: each for each in page["items"]})
            cursor = page["nextCursor"] and "&cursor=" + page["nextCursor"]
        for made, digest in acknowledged:
            self.assertEqual(made["sha256"], digest)
            if made["id"] in listed:
                self.assertEqual(hashlib.sha256(self.call("GET", made["downloadUrl"]).body).hexdigest(), digest)
        # A file that is not listed was deleted by a client that may not have received the response.
        missing = [made["fileName"] for made, _ in acknowledged if made["id"] not in listed]
        self.assertTrue(all(int(name.split("-")[1]) % 3 == 0 for name in missing), missing)
        self.assertEqual(self.call("GET", f"/api/contacts/{self.contact}").json()["counts"]["attachments"], len(listed))
        self.assertEqual(list(self.daemon.state.rglob("unfinished/*")), [])
        if self.engine != "postgresql":
            self.assertLessEqual(self.blobs(), self.known_blobs())

    def known_blobs(self):
        """Keys in the table of attachments and in that of blobs that wait for being removed."""
        with contextlib.closing(sqlite3.connect(next(self.daemon.state.rglob("crm.db")))) as database:
            return {key for (key,) in database.execute("SELECT blob_key FROM attachment UNION SELECT blob_key FROM unowned_blob")}


class LargeAttachments(Client):
    settings = {"crm.attachments.maxMebibytes": 128, "limits.rates": "off"}
    size = 100 * MEBIBYTE

    def setUp(self):
        super().setUp()
        # What is needed anyway is there before the measuring.
        self.upload(os.urandom(2 * MEBIBYTE))

    def test_a_hundred_mebibytes_need_no_memory(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "large.bin"
            block = os.urandom(MEBIBYTE)
            with open(file, "wb") as out:
                for _ in range(100):
                    out.write(block)
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            before = memory_kb(self.daemon.pid, "VmRSS")
            pathlib.Path(f"/proc/{self.daemon.pid}/clear_refs").write_text("5")  # VmHWM begins anew
            raw = ["-H", "X-File-Name: large.bin", "-H", "Content-Type: application/octet-stream", "-X", "POST", "-T", str(file)]
            for words in (["-F", f"file=@{file}"], raw, [*raw, "-H", "Transfer-Encoding: chunked"]):
                status, _, made = self.curl(*words)
                self.assertEqual((status, made["size"], made["sha256"]), (201, self.size, digest), made)
                got = hashlib.sha256(self.call("GET", made["downloadUrl"]).body).hexdigest()
                self.assertEqual(got, digest)
                self.call("DELETE", made["downloadUrl"])
            self.assertLess(memory_kb(self.daemon.pid, "VmHWM") - before, 16 * 1024)
        self.eventually(lambda: not self.open_files(), "an upload's file is still open")

    def test_the_limit_of_a_chunked_body(self):
        before = self.blobs()
        chunk = b"100000\r\n" + b"x" * MEBIBYTE + b"\r\n"
        answer = self.answer_of(self.raw("Transfer-Encoding: chunked", *[chunk] * 129))
        self.assertEqual(self.problem(answer, 413, "payload_too_large")["details"]["fields"][0]["limit"], 128 * MEBIBYTE)
        self.eventually(lambda: not self.open_files(), "the refused upload's file is still open")
        self.assertEqual(self.blobs(), before)


class OnBucket:
    """The same files in a bucket, on SQLite: the databases know nothing of it."""

    engine = "bucket"
    seconds = 30

    @classmethod
    def setUpClass(cls):
        cls._stack = contextlib.ExitStack()
        cls.bucket = cls._stack.enter_context(Bucket())
        folder = pathlib.Path(cls._stack.enter_context(tempfile.TemporaryDirectory()))
        cls.daemon, cls.accounts = cls._stack.enter_context(engine("sqlite", cls.settings | cls.bucket.settings(folder, cls.seconds)))

    @classmethod
    def tearDownClass(cls):
        cls._stack.close()

    def tearDown(self):
        self.assertEqual((self.bucket.uploads, self.bucket.faults), ({}, []))
        super().tearDown()

    def blobs(self):
        return self.bucket.keys()


class AttachmentsOnBucket(OnBucket, Attachments, unittest.TestCase):
    # A bucket that hangs is given up after these.
    seconds = 3

    def test_faults_that_pass_are_not_seen(self):
        for fault, times in ((503, 2), (500, 1), ("cut", 1), ("hang", 1)):
            self.bucket.fault(fault, times)
            made = self.upload(b"content")
            self.assertEqual(made.status, 201, (fault, made.body))
            self.bucket.fault(fault, times)
            self.assertEqual(self.call("GET", made.json()["downloadUrl"]).body, b"content", fault)

    def test_faults_that_last_are_503_and_change_nothing(self):
        kept, before = self.upload(b"kept").json(), self.blobs()
        for fault, reason in ((403, "AccessDenied"), (404, "NoSuchBucket"), ("html", "not an answer of S3")):
            self.bucket.fault(fault)
            self.problem(self.upload(b"lost"), 503, "overloaded")
            self.bucket.fault(fault)
            self.problem(self.call("GET", kept["downloadUrl"]), 503, "overloaded")
            self.assertIn(reason, self.daemon.log.read_text())
        self.assertEqual((self.call("GET", kept["downloadUrl"]).body, self.blobs()), (b"kept", before))
        self.assertEqual([each["id"] for each in self.call("GET", self.path).json()["items"]], [kept["id"]])
        self.assertNotIn(self.bucket.secret, self.daemon.log.read_text())

    def test_health_names_the_bucket(self):
        health = self.daemon.request("identity", "GET", "/health").json()
        self.assertIn("blobs", json.dumps(health["dependencies"]))


class LargeAttachmentsOnBucket(OnBucket, LargeAttachments, unittest.TestCase):
    pass


class ClientsAtBucket(OnBucket, Client, unittest.TestCase):
    """Clients reach the bucket by URLs that are signed for a while; they have no other credential for it."""

    settings = {"limits.rates": "off"}

    @classmethod
    def setUpClass(cls):
        cls._stack = contextlib.ExitStack()
        cls.bucket = cls._stack.enter_context(Bucket())
        folder = pathlib.Path(cls._stack.enter_context(tempfile.TemporaryDirectory()))
        cls.daemon, cls.accounts = cls._stack.enter_context(
            engine("sqlite", cls.settings | cls.bucket.settings(folder) | {"blobs.s3.publicEndpoint": cls.bucket.endpoint}))

    def at_bucket(self, url, method="GET", body=None, **headers):
        self.assertTrue(url.startswith(f"{self.bucket.endpoint}/files/test/"), url)
        place = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(place.netloc, timeout=30)
        connection.request(method, f"{place.path}?{place.query}", body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def test_attachments_are_downloaded_from_the_bucket(self):
        made = self.upload(b"%PDF-1.7 content", "b\u00fcro.pdf".encode().decode("latin-1")).json()
        answer = self.call("GET", made["downloadUrl"])
        self.assertEqual((answer.status, answer.body, answer.headers["Cache-Control"]), (302, b"", "private, no-store"))
        url = answer.headers["Location"]
        whole = self.at_bucket(url)
        self.assertEqual((whole.status, whole.body, whole.headers["Content-Type"]), (200, b"%PDF-1.7 content", "application/pdf"))
        self.assertIn("attachment; filename", whole.headers["Content-Disposition"])
        self.assertEqual(self.at_bucket(url, Range="bytes=0-3").body, b"%PDF")
        for altered in (url.replace("application%2Fpdf", "text%2Fhtml"), url.replace("/crm/", "/social/"), url.replace("X-Amz-Expires=60", "X-Amz-Expires=600")):
            self.assertEqual(self.at_bucket(altered).status, 403, altered)
        # The URL is for GET: anything else goes through the host, and refusals come before it.
        self.assertEqual(self.at_bucket(url, "DELETE").status, 403)
        self.assertEqual(self.call("HEAD", made["downloadUrl"]).status, 200)
        self.assertEqual(self.call("GET", made["downloadUrl"], token="forged").status, 401)
        self.call("DELETE", made["downloadUrl"])
        self.eventually(lambda: self.at_bucket(url).status == 404, "the blob of a deleted attachment is still there")

    def test_media_are_uploaded_to_the_bucket(self):
        token = self.accounts.token(service="social")
        brand = self.daemon.request("social", "POST", "/api/brands", {"name": "Acme"}, token).json()["brandId"]
        picture = png(30)
        ticket = self.daemon.request("social", "POST", "/api/media/upload", {"brandId": brand, "fileName": "a.png", "contentType": "image/png", "size": len(picture),
                                                                             "sha256": hashlib.sha256(picture).hexdigest()}, token).json()
        self.assertEqual(self.at_bucket(ticket["uploadUrl"], "PUT", picture, Content_Type="image/gif").status, 403)
        self.assertEqual(self.at_bucket(ticket["uploadUrl"], "PUT", picture + b"x", Content_Type="image/png").status, 403)
        self.assertEqual(self.at_bucket(ticket["uploadUrl"], "PUT", picture, Content_Type="image/png").status, 200)
        media = self.daemon.request("social", "POST", ticket["completeUrl"], {}, token).json()
        self.assertEqual((media["status"], media["width"]), ("ready", 30), media)
        place = urllib.parse.urlsplit(media["url"])
        answer = self.daemon.request("social", "GET", f"{place.path}?{place.query}")
        served = self.at_bucket(answer.headers["Location"])
        self.assertEqual((answer.status, served.headers["Content-Type"], hashlib.sha256(served.body).hexdigest()), (302, "image/png", media["sha256"]))
        self.assertNotIn(b"SECRET-GPS", served.body)
        self.assertFalse(any(picture == content for content in self.bucket.objects.values()), "the bytes as they came are gone")
        # Pages may reach the bucket, and nothing else.
        policy = self.daemon.request("social", "GET", "/overview", headers={"Accept": "text/html"}).headers["Content-Security-Policy"]
        for directive in ("img-src", "connect-src"):
            self.assertIn(f" {self.bucket.endpoint}", re.search(rf"{directive}[^;]*", policy)[0])


Attachments = on_both_engines(Attachments)
LargeAttachments = on_both_engines(LargeAttachments)

if __name__ == "__main__":
    main()
