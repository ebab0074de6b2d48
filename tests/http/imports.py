#!/usr/bin/python3
"""Imports through the real door: a long file, a crash in its middle, readers meanwhile, and the way back."""

import json
import os
import pathlib
import re
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402

HEADER = b"First Name,Last Name,Email,Phone,Company,Tags,externalIds.erp\r\n"
# Long enough for a crash in the middle; PORTICO_IMPORT_ROWS=200000 for the longest file that is taken.
ROWS = int(os.environ.get("PORTICO_IMPORT_ROWS", 10_000))


def row(number):
    if number % 1000 == 999:
        return b"Nobody,,no address,,,,\r\n"
    if number % 1000 == 998:  # the one before it again
        number -= 1
    return b"First%d,Last%d,person%d@example%d.org,+49 170 %d,Company %d,bulk,%d\r\n" % (number % 97, number % 89, number, number % 500, 1000000 + number, number % 500, number)


def file(rows):
    """The file in pieces: it is never in memory."""
    piece = bytearray(HEADER)
    for number in range(rows):
        piece += row(number)
        if len(piece) > 65536:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)


class Reader(threading.Thread):
    """Reads a contact repeatedly, like a user at a desk, and measures each request."""

    def __init__(self, daemon, path, token):
        super().__init__(daemon=True)
        self.call = lambda: daemon.request("crm", "GET", path, token=token)
        self.seconds, self.failures, self.ended = [], [], threading.Event()

    def run(self):
        while not self.ended.is_set():
            began = time.monotonic()
            try:
                answer = self.call()
                if answer.status != 200:
                    self.failures.append(answer.body)
            except OSError as error:
                self.failures.append(error)
            self.seconds.append(time.monotonic() - began)
            self.ended.wait(0.005)

    def stop(self):
        self.ended.set()
        self.join()
        return sorted(self.seconds)[int(len(self.seconds) * 0.99)]


class Imports:
    # Limits the rate: two hundred reads a second are not what this measures.
    settings = {"limits.rates": "off"}

    def setUp(self):
        self.token = self.accounts.token()

    def call(self, method, path, body=None, token=None, headers=None):
        return self.daemon.request("crm", method, path, body, self.token if token is None else token, headers)

    def send(self, path, body, headers=None, seconds=300):
        """Sends a body in pieces, or a request with a long response."""
        connection = self.daemon.connect("crm", timeout=seconds)
        try:
            connection.request("POST", path, body=body, headers={"Authorization": f"Bearer {self.token}", **(headers or {})}, encode_chunked=not isinstance(body, bytes))
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def problem(self, answer, status, code):
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (status, "application/problem+json"), answer.body)
        document = answer.json()
        self.assertEqual(document["code"], code, document)
        for leak in ("SELECT", "INSERT", "/usr/", "std::", ".cpp"):
            self.assertNotIn(leak, answer.body.decode())
        return document

    def report(self, import_id):
        answer = self.call("GET", f"/api/contacts/imports/{import_id}")
        self.assertEqual(answer.status, 200, answer.body)
        report = answer.json()
        totals = report["totals"]
        self.assertEqual(totals["rows"], totals["created"] + totals["updated"] + totals["skipped"] + totals["failed"])
        return report

    def wait(self, import_id, until, seconds=600):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            report = self.report(import_id)
            if until(report):
                return report
            time.sleep(0.05)
        self.fail(f"the import did not come so far: {report}\n{self.daemon.log_tail()}")

    def resident_mb(self):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.daemon.pid}/status").read_text()).group(1)) / 1024

    def count(self):
        return self.call("GET", "/api/contacts?limit=1&include=total").json()["total"]

    def test_a_long_file_survives_a_crash_and_can_be_undone(self):
        rows = ROWS
        expected = {"rows": rows, "created": rows - 2 * (rows // 1000), "updated": 0, "skipped": rows // 1000, "failed": rows // 1000}
        mine = self.call("POST", "/api/contacts", {"firstName": "Here before"}).json()
        before = self.count()
        # Warm: what is used once is no growth.
        status, small = self.send("/api/contacts/import", b"First Name\r\nWarm\r\n", {"Content-Type": "text/csv"})
        self.assertEqual((status, small["status"]), (200, "completed"))
        self.assertEqual(self.send(f"/api/contacts/imports/{small['importId']}/undo", b"")[0], 200)
        resident = [self.resident_mb()]

        status, started = self.send("/api/contacts/import", file(rows), {"Content-Type": "text/csv", "Transfer-Encoding": "chunked"})
        self.assertEqual((status, started["status"]), (200, "running"), started)
        reader = Reader(self.daemon, f"/api/contacts/{mine['id']}", self.token)
        reader.start()

        def watched(wanted):
            def until(report):
                resident.append(self.resident_mb())
                return report["totals"]["rows"] >= wanted or report["status"] != "running"

            return until

        began = time.monotonic()
        # Early enough that it still runs when a slow look returns.
        half = self.wait(started["importId"], watched(rows // 10))
        rate = half["totals"]["rows"] / (time.monotonic() - began)
        p99 = reader.stop()
        self.assertEqual((half["status"], reader.failures), ("running", []))
        self.daemon.kill()

        self.daemon.start()
        self.token = self.accounts.token()
        after_crash = self.report(started["importId"])
        self.assertGreaterEqual(after_crash["totals"]["rows"], half["totals"]["rows"])
        resident_again = [self.resident_mb()]
        done = self.wait(started["importId"], lambda report: resident_again.append(self.resident_mb()) or report["status"] != "running")
        self.assertEqual((done["status"], done["totals"]), ("completed_with_errors", expected))
        self.assertEqual(self.count(), before + expected["created"])
        self.assertEqual((done["duplicatesInFile"], done["errorCount"]), (rows // 1000, 2 * (rows // 1000)))
        growth = max(max(resident) - resident[0], max(resident_again) - resident_again[0])
        print(f"{self.engine}: {rate:.0f} rows/s beside {len(reader.seconds)} reads, p99 of a read {p99 * 1000:.1f} ms, memory +{growth:.0f} MB of {resident[0]:.0f} MB", flush=True)
        # The file alone has more than a dozen.
        self.assertLess(growth, 96)

        errors = self.call("GET", f"/api/contacts/imports/{started['importId']}/errors.csv")
        self.assertEqual(errors.headers["Content-Type"], "text/csv; charset=utf-8")
        lines = errors.body.split(b"\r\n")
        self.assertEqual((lines[0], len(lines)), (HEADER.strip() + b",_errorCode,_errorMessage", 2 + 2 * (rows // 1000)))

        began = time.monotonic()
        status, undone = self.send(f"/api/contacts/imports/{started['importId']}/undo", b"", {"Idempotency-Key": f"undo-{self.engine}"})
        print(f"{self.engine}: undone in {time.monotonic() - began:.1f} s", flush=True)
        self.assertEqual((status, undone["undone"], undone["kept"]), (200, {"deleted": expected["created"], "restored": 0}, []))
        self.assertEqual(self.count(), before)
        self.assertEqual(self.send(f"/api/contacts/imports/{started['importId']}/undo", b"")[0], 409)
        again = self.send(f"/api/contacts/imports/{started['importId']}/undo", b"", {"Idempotency-Key": f"undo-{self.engine}"})
        self.assertEqual(again, (200, undone))

    def test_a_form_with_options(self):
        body = (b'--x\r\nContent-Disposition: form-data; name="options"\r\n\r\n{"tags":["fair"],"dryRun":true}\r\n'
                b'--x\r\nContent-Disposition: form-data; name="file"; filename="g\xc3\xa4ste.csv"\r\nContent-Type: text/csv\r\n\r\nFirst Name\r\nAda\r\n\r\n--x--\r\n')
        answer = self.call("POST", "/api/contacts/import", body, headers={"Content-Type": "multipart/form-data; boundary=x"})
        self.assertEqual(answer.status, 200, answer.body)
        report = answer.json()
        self.assertEqual((report["fileName"], report["dryRun"], report["totals"]["created"]), ("gäste.csv", True, 1))
        self.assertEqual(answer.headers["ETag"], f'"{report["version"]}"')

    def test_a_repeated_key_imports_once(self):
        headers = {"Content-Type": "text/csv", "Idempotency-Key": f"once-{self.engine}"}
        body = b"First Name,Email\r\nOnce,once@example.org\r\n"
        first = self.call("POST", "/api/contacts/import?onDuplicate=create", body, headers=headers)
        second = self.call("POST", "/api/contacts/import?onDuplicate=create", body, headers=headers)
        self.assertEqual((first.status, second.status, second.headers["Idempotency-Replayed"]), (200, 200, "true"))
        self.assertEqual(first.body, second.body)
        self.assertEqual(len(self.call("GET", "/api/contacts?email=once%40example.org").json()["items"]), 1)
        other = self.call("POST", "/api/contacts/import?onDuplicate=create", body + b"More,\r\n", headers=headers)
        self.problem(other, 422, "idempotency_key_reused")

    def test_refusals(self):
        csv = {"Content-Type": "text/csv"}
        self.problem(self.call("POST", "/api/contacts/import", b"", headers=csv), 400, "validation_failed")
        self.problem(self.call("POST", "/api/contacts/import", b"\x89PNG\r\n\x1a\n\0\0\0", headers={"Content-Type": "image/png"}), 400, "validation_failed")
        self.problem(self.call("POST", "/api/contacts/import?dryrun=true", b"First Name\r\nx\r\n", headers=csv), 400, "unknown_parameter")
        self.problem(self.call("POST", "/api/contacts/import", b"First Name\r\nx\r\n", token=self.accounts.token("acme", "guest"), headers=csv), 403, "permission_denied")
        large = self.daemon.connect("crm")
        large.putrequest("POST", "/api/contacts/import")
        large.putheader("Authorization", f"Bearer {self.token}")
        large.putheader("Content-Type", "text/csv")
        large.putheader("Content-Length", str(50 * 1024 * 1024 + 1))
        large.endheaders()
        answer = large.getresponse()
        self.assertEqual(answer.status, 413)
        self.assertEqual(json.loads(answer.read())["details"], {"fields": [{"field": "file", "code": "too_large", "limit": 52428800}]})
        large.close()
        made = self.call("POST", "/api/contacts/import", b"First Name,Email\r\nEve,nobody\r\n", headers=csv).json()
        foreign = self.accounts.token("globex", "owner")
        for method, path in (("GET", ""), ("GET", "/errors.csv"), ("POST", "/undo")):
            self.problem(self.call(method, f"/api/contacts/imports/{made['importId']}{path}", token=foreign), 404, "not_found")

    def test_a_client_that_goes_away_leaves_nothing(self):
        imports = len(self.call("GET", "/api/contacts/imports?limit=200").json()["items"])
        connection = self.daemon.connect("crm")
        connection.putrequest("POST", "/api/contacts/import")
        connection.putheader("Authorization", f"Bearer {self.token}")
        connection.putheader("Content-Type", "text/csv")
        connection.putheader("Content-Length", "1000000")
        connection.endheaders()
        connection.send(HEADER + row(1) * 100)
        connection.close()
        self.assertEqual(self.call("GET", "/api/contacts?q=First1").json()["items"], [])
        self.assertEqual(len(self.call("GET", "/api/contacts/imports?limit=200").json()["items"]), imports)


class ImportsBesideOthers:
    """Several imports at the same time, each short enough to finish before its response, and a user of another organization who writes."""

    settings = {"limits.rates": "off", "http.workers": 2}
    imports = 6

    def call(self, method, path, token, body=None, headers=None):
        connection = self.daemon.connect("crm", timeout=600)
        try:
            body = body if body is None or isinstance(body, bytes) else json.dumps(body)
            connection.request(method, path, body, {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **(headers or {})})
            answer = connection.getresponse()
            report = json.loads(answer.read())
        finally:
            connection.close()
        self.assertIn(answer.status, (200, 201), report)
        return report

    def test_another_organization_is_served_during_an_import(self):
        importer, other = self.accounts.token(), self.accounts.token("globex", "owner")
        mine = self.call("POST", "/api/contacts", other, {"firstName": "Writes"})["id"]
        bodies = [HEADER + b"".join(row(first + number) for number in range(5000)) for first in range(0, 5000 * self.imports, 5000)]
        reports, seconds = [], []

        def send(body):
            reports.append(self.call("POST", "/api/contacts/import", importer, body, {"Content-Type": "text/csv"}))

        def write():
            began = time.monotonic()
            self.call("PUT", f"/api/contacts/{mine}", other, {"jobTitle": str(len(seconds))})
            seconds.append(time.monotonic() - began)

        threads = [threading.Thread(target=send, args=(body,)) for body in bodies]
        for thread in threads:
            thread.start()
        while not self.call("GET", "/api/contacts/imports?status=running", importer)["items"] and not reports:
            pass
        # Writes that completed between the ends of two imports, while more imports ran than there are shared threads.
        served = 0
        while any(thread.is_alive() for thread in threads):
            before = len(reports)
            write()
            served += before == len(reports) <= self.imports - 3
        for thread in threads:
            thread.join()
        seconds.sort()
        print(f"{self.engine}: {len(seconds)} writes beside {self.imports} imports, p50 {seconds[len(seconds) // 2] * 1000:.1f} ms, "
              f"p99 {seconds[len(seconds) * 99 // 100] * 1000:.1f} ms, longest {seconds[-1] * 1000:.1f} ms", flush=True)
        self.assertEqual([(each["status"], each["totals"]["rows"]) for each in reports], [("completed_with_errors", 5000)] * self.imports)
        self.assertGreater(served, self.imports)


Imports = on_both_engines(Imports)
ImportsBesideOthers = on_both_engines(ImportsBesideOthers)

if __name__ == "__main__":
    main()
