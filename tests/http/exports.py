#!/usr/bin/python3
"""Exports over HTTP, on SQLite and PostgreSQL. Third-party parsers find the same data as GET, every format follows its specification, and an export is one
snapshot that is streamed, and aborted if the client stops reading."""

import contextlib
import csv
import http.client
import io
import json
import os
import pathlib
import re
import socket
import sqlite3
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE / "exchange")]
from blackbox import main, on_both_engines  # noqa: E402
import expected  # noqa: E402
from readers import Readers, vobject_card_of, vobject_cards  # noqa: E402

# Texts that break writers. All but the last few go into every text of a contact.
TEXTS = ["Ada", "two words", '"', '""', 'say "a;b", "c"', "line\nbreak", "two\r\nlines", "lone\rreturn", "semi;colon", "com,ma", "back\\slash", "end\\", "\\n", "\\,",
         "\\\\", "=1+1", "+cmd|' /C calc'!A0", "-2+A1", "@SUM(A1)", "'=quoted", "''=twice", "'", "-12.5", "+49 (0)30 1234-567 x12", "\t=tab", "x y\tz",
         "\U0001f469\u200d\U0001f4bb\U0001f3fd", "\u0645\u0631\u062d\u0628\u0627 abc", "\u05d0\u05d1, \u05d2", "\u674e\u5c0f\u9f8d", "e\u0301", "\ufb01", "x",
         "\u00a0x", "a\x01b", "a\x7fb", "BEGIN:VCARD", "END:VCARD", "a:b", "a:b,c", "^n^^", "[]", '{"a":1}', "null", "#", "%0A", "sep=;", "=3D=", "<b>&amp;", "\u2028x", "x|y",
         "item1.TEL", "\u00e4" * 37, "\u20ac" * 25, "\U0001f600" * 20, "xx" + "\U0001f600" * 20, "y" * 49]

# vcard4 4.0.5 takes quotation marks in a value for those of a parameter, undoes `\\n` in the wrong order, takes what is before a colon for the scheme
# of a URL, splits a file at every BEGIN:VCARD, also within a value, and loses what ends in an escaped separator. vobject reads all of these.
VCARD4_MISREADS = re.compile(r'["\\:]|[,;]$')


def hostile(number, text):
    """A contact with one text wherever a text may be."""
    return {"firstName": text[:100], "middleName": text[:100], "lastName": text[:100], "prefix": text[:7], "suffix": text[:7], "nickname": text[:100],
            "companyName": text, "jobTitle": text, "department": text, "displayName": text, "sourceDetail": text,
            "emails": [{"address": f"h{number}@x.example", "label": "work"}, {"address": f"i{number}@x.example", "label": ("l" + text)[:40]}],
            "addresses": [{"street": text, "street2": text, "city": text, "region": text, "postalCode": text, "country": text[:80], "label": "home"}],
            "socialProfiles": [{"service": "mastodon", "value": "v" + text}], "tags": ["hostile", text[:50]],
            "externalIds": [{"system": "erp", "id": f"{number}" + text}], "customFields": {"remark": text}}


def whole(number):
    """A contact with every member, in forms that every program knows."""
    return {"firstName": "Ada", "middleName": "King", "lastName": f"Lovelace {number}", "prefix": "Dr.", "suffix": "FRS", "nickname": "Countess",
            "companyName": "Analytical, Engines; Ltd", "jobTitle": "Mathematician", "department": "R&D", "birthday": ("1815-12-10", "--12-10")[number % 2],
            "emails": [{"address": f"ada{number}@x.example", "label": "work"}, {"address": f"ada{number}@home.example", "label": "home", "primary": number % 2 == 0},
                       {"address": f"ada{number}@other.example", "label": "other"}],
            "phones": [{"number": "+49 (0)30 1234-567", "label": "work"}, {"number": "0170 1234567", "label": "mobile", "primary": number % 2 == 1},
                       {"number": "+1 202-555-0147 x12", "label": "home"}, {"number": "030 7654", "label": "work fax"}, {"number": "112", "label": "other"}],
            "addresses": [{"street": "Platz 1", "street2": "c/o Babbage", "city": "K\u00f6ln", "region": "NW", "postalCode": "50667", "country": "DE", "label": "work"},
                          {"street": "Low\nRoad", "city": "London", "country": "GB", "label": "home"}],
            "websites": ["https://x.example/ada?a=b&c=d", "http://ada.example/"],
            "socialProfiles": [{"service": "mastodon", "value": "@ada@x.example"}, {"service": "Own \"one\"", "value": "https://o.example/ada"}],
            "tags": ["whole", "vip"], "source": "form", "sourceDetail": "Fair 2026", "lifecycle": "customer", "doNotContact": {"email": True, "sms": True},
            "externalIds": [{"system": "hubspot", "id": f"{700 + number}"}, {"system": "vcard", "id": f"urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b{number}"}],
            "customFields": {"remark": "a\nb", "size": -3.5, "since": "2026-11-21", "vip": True, "colours": ["red", "=green; or"]}}


SPARSE = [{"firstName": "Only first"}, {"companyName": "Only company"}, {"emails": [{"address": "only@x.example"}]}, {"phones": [{"number": "030 1"}]},
          {"displayName": "Only shown"}, {"lastName": "L", "department": "Only department"}]

FIELDS = [{"key": "remark", "type": "text"}, {"key": "size", "type": "number"}, {"key": "since", "type": "date"}, {"key": "vip", "type": "boolean"},
          {"key": "colours", "type": "multi_select", "options": ["red", "=green; or"]}]


class Client:
    maxDiff = None
    # On a busy machine a reader may rest for longer than usual.
    settings = {"limits.rates": "off", "http.writeSeconds": 600}

    def setUp(self):
        if not hasattr(type(self), "contacts"):
            type(self).token = self.accounts.token()
            self.prepare()

    def call(self, method, path, body=None, headers=None, token=None):
        return self.daemon.request("crm", method, path, body, self.token if token is None else token, headers)

    def export(self, query, status=200, **more):
        answer = self.call("GET", f"/api/contacts/export?{query}", **more)
        self.assertEqual(answer.status, status, answer.body[:500])
        return answer

    def problem(self, answer, status, code):
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (status, "application/problem+json"), answer.body)
        self.assertEqual(answer.json()["code"], code, answer.body)

    def eventually(self, holds, what):
        deadline = time.monotonic() + 30
        while not holds():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)


class Exports(Client):
    @classmethod
    def prepare(cls):
        """Contacts of all kinds, once for each engine."""
        cls.readers = Readers()
        token = cls.token
        for field in FIELDS:
            made = cls.daemon.request("crm", "POST", "/api/custom-fields", {"label": field["key"], **field}, token)
            assert made.status == 201, made.body
        cls.contacts = {}
        everybody = [*(hostile(number, text) for number, text in enumerate(TEXTS)), *map(whole, range(4)),
                     *({"tags": ["sparse"], **each} for each in SPARSE)]
        for contact in everybody:
            made = cls.daemon.request("crm", "POST", "/api/contacts", contact, token)
            assert made.status == 201, (contact, made.body)
            read = cls.daemon.request("crm", "GET", f"/api/contacts/{made.json()['id']}", token=token).json()
            cls.contacts.setdefault(contact["tags"][0], []).append(read)

    def of(self, *kinds):
        return [contact for kind in kinds for contact in self.contacts[kind]]

    # What others read.

    def test_csv_parse_finds_every_member(self):
        for kind in ("hostile", "whole", "sparse"):
            contacts = self.of(kind)
            rows = self.readers.csv(self.export(f"format=csv&tag={kind}").body)
            self.assertEqual(len(rows), len(contacts))
            for contact, row in zip(contacts, rows):
                self.assertLessEqual(expected.generic_paths(contact), row.keys())
                for name, cell in row.items():
                    self.assertEqual(cell, expected.generic_cell(contact, name), (name, contact["displayName"]))

    def test_csv_parse_finds_the_columns_of_other_programs(self):
        rows_of = {"google": expected.google_row, "outlook": expected.outlook_row, "hubspot": expected.hubspot_row}
        for preset, row_of in rows_of.items():
            contacts = self.of("whole")
            rows = self.readers.csv(self.export(f"format=csv&preset={preset}&tag=whole").body)
            self.assertEqual(len(rows), len(contacts))
            for contact, row in zip(contacts, rows):
                filled = {name: cell for name, cell in row.items() if cell}
                # HubSpot has four places for phones; which one gets which is up to us.
                if preset == "hubspot":
                    filled = {name: cell for name, cell in filled.items() if not name.endswith(("Phone Number", "Fax Number"))}
                self.assertEqual(filled, row_of(contact), preset)

    def test_other_programs_get_a_name_for_everybody(self):
        for preset in ("google", "outlook", "hubspot"):
            rows = self.readers.csv(self.export(f"format=csv&preset={preset}&tag=sparse").body)
            named = [next((row[name] for name in ("First Name", "Last Name", "Organization Name", "Company", "Company name", "E-mail 1 - Value", "E-mail Address", "Email",
                                                  "Phone 1 - Value", "Other Phone", "Phone Number") if row.get(name)), "") for row in rows]
            self.assertEqual(named, ["Only first", "Only company", "only@x.example", "030 1", "Only shown", "L"], preset)

    def test_guarded_texts_of_other_programs(self):
        for preset, columns in (("google", ("First Name", "Organization Name", "Address 1 - Street")), ("outlook", ("First Name", "Company", "Home Street")),
                                ("hubspot", ("First Name", "Company name", "Street Address"))):
            rows = self.readers.csv(self.export(f"format=csv&preset={preset}&tag=hostile").body)
            for contact, row in zip(self.of("hostile"), rows, strict=True):
                found = [row[name] for name in columns]
                self.assertEqual(found, [expected.guarded(text) for text in (contact["firstName"], contact["companyName"], contact["addresses"][0]["street"])])
                for cell in row.values():
                    self.assertFalse(re.match(r"[=@\t\r]|[+-](?![\d (])", cell), cell)

    def test_vobject_finds_every_member(self):
        for kind in ("hostile", "whole", "sparse"):
            cards = vobject_cards(self.export(f"format=vcard&tag={kind}").body)
            for contact, card in zip(self.of(kind), cards, strict=True):
                found = expected.vobject_card(card)
                wanted = expected.vcard_of(contact)
                # It does not know RFC 6868, by which quotation marks are written into parameters.
                for profile in found["profiles"]:
                    profile["service"] = profile["service"].replace("^'", '"')
                self.assertEqual(found, wanted, contact["displayName"])

    def test_vcard4_finds_every_member(self):
        compared = 0
        for kind in ("hostile", "whole", "sparse"):
            cards = self.readers.vcards(self.export(f"format=vcard&tag={kind}").body)
            for contact, card in zip(self.of(kind), cards, strict=True):
                if kind == "hostile" and VCARD4_MISREADS.search(contact["companyName"]):
                    continue
                self.assertIsInstance(card, list, (card, contact["displayName"]))
                wanted = expected.vcard_of(contact)
                found = expected.vcard4_card(card)
                # It looks for a typographic apostrophe where RFC 6868 has a plain one.
                for each in wanted["profiles"]:
                    each["service"] = each["service"].replace('"', "'")
                self.assertEqual(found, wanted, contact["displayName"])
                compared += 1
        self.assertGreater(compared, 40)

    def test_json_is_what_get_gives(self):
        beside = {"companyId", "photoAttachmentId", "createdBy", "version", "deletedAt", "pipelines", "counts"}
        contacts = self.of("hostile", "whole", "sparse")
        wanted = [{name: value for name, value in contact.items() if name not in beside} for contact in contacts]
        self.assertEqual(self.export("format=json").json(), wanted)
        lines = self.export("format=ndjson").body.decode().split("\n")
        self.assertEqual(lines.pop(), "")
        self.assertEqual([json.loads(line) for line in lines], wanted)
        asked = self.export("format=json&tag=whole&fields=displayName,counts,createdBy,version").json()
        self.assertEqual(asked, [{name: contact[name] for name in ("id", "displayName", "counts", "createdBy", "version")} for contact in self.of("whole")])

    # What others write.

    def written(self):
        """Texts that say something, without control characters, which have no place in a vCard."""
        return [text for text in TEXTS if text.strip("\u00a0\u2028\ufeff \t") == text and not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)]

    def imported(self, file, content_type):
        """What an organization has after the import of a file into it: all of it, and nothing else."""
        token = self.accounts.token("globex", "owner")
        report = self.call("POST", "/api/contacts/import?onDuplicate=create", file, {"Content-Type": content_type}, token).json()
        self.assertEqual((report["status"], report["totals"]["created"]), ("completed", report["totals"]["rows"]), report)
        contacts = self.export("format=json", token=token).json()
        self.assertEqual(self.call("POST", f"/api/contacts/imports/{report['importId']}/undo", {}, token=token).status, 200)
        return contacts

    def test_cards_of_vobject_are_read(self):
        cards = [vobject_card_of(number, text) for number, text in enumerate(self.written())]
        contacts = self.imported("".join(cards).encode(), "text/vcard")
        self.assertEqual(len(contacts), len(cards))
        for number, (text, contact) in enumerate(zip(self.written(), contacts)):
            found = [contact[name] for name in ("displayName", "firstName", "lastName", "companyName", "department", "jobTitle", "birthday", "tags")]
            self.assertEqual(found, [text, text, "L" + text, text, "D", text, "1815-12-10", [text.replace("\n", " "), "t"]])
            address, = contact["addresses"]
            self.assertEqual([address[part] for part in ("street", "city", "label")], [text, "C" + text, "home"])
            self.assertEqual([(each["address"], each["label"]) for each in contact["emails"]], [(f"v{number}@x.example", "work")])
            self.assertEqual(contact["externalIds"], [{"system": "vcard", "id": f"uid-{number}"}])

    def test_tables_of_python_are_read(self):
        texts = [*self.written(), "two\r\nlines", " spaces ", "x\ty"]
        for dialect in ("excel", "excel-tab", "unix"):
            out = io.StringIO()
            rows = csv.writer(out, dialect)
            rows.writerow(["Name", "Company", "Job Title", "E-Mail"])
            for number, text in enumerate(texts):
                rows.writerow([f"N {number}", text, text, f"c{number}@x.example"])
            contacts = self.imported(out.getvalue().encode(), "text/csv")
            wanted = [expected.unguarded(text) for text in texts]
            self.assertEqual([contact["companyName"] for contact in contacts], wanted, dialect)
            self.assertEqual([contact["jobTitle"] for contact in contacts], wanted, dialect)

    # The forms themselves.

    def test_vcard_by_the_book(self):
        file = self.export("format=vcard").body
        text = file.decode("utf-8")
        self.assertTrue(file.endswith(b"\r\n"))
        self.assertEqual(file.count(b"\n"), file.count(b"\r\n"))
        self.assertEqual(file.count(b"\r"), file.count(b"\r\n"))
        lines = file[:-2].split(b"\r\n")
        for line in lines:
            self.assertLessEqual(len(line), 75)
            line.decode("utf-8")  # no character is cut
            self.assertFalse(re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", line), line)
        self.assertTrue(any(line.startswith(b" ") and len(line) >= 72 for line in lines))
        unfolded = text.replace("\r\n ", "").split("\r\n")
        self.assertEqual(unfolded.count("BEGIN:VCARD"), len(self.of("hostile", "whole", "sparse")))
        starts = [at for at, line in enumerate(unfolded) if line == "BEGIN:VCARD"]
        for at in starts:
            self.assertEqual(unfolded[at + 1], "VERSION:4.0")
            card = unfolded[at:unfolded.index("END:VCARD", at)]
            for name in ("UID", "FN", "PRODID", "REV"):
                self.assertEqual(sum(bool(re.match(rf"{name}[:;]", line)) for line in card), 1, (name, card))
            for line in card:
                self.assertRegex(line, r'^([A-Za-z0-9-]+\.)?[A-Za-z0-9-]+(;[A-Za-z0-9-]+=("[^"]*"|[^":;]*))*:')

    def test_csv_by_the_book(self):
        for preset in ("generic", "google", "outlook", "hubspot"):
            for mark, query in ((preset == "outlook", ""), (True, "&bom=true")):
                file = self.export(f"format=csv&preset={preset}{query}").body
                self.assertEqual(file.startswith(b"\xef\xbb\xbf"), mark, (preset, query))
                self.assertNotIn(b"\xef\xbb\xbf", file[3:200])
                self.assertTrue(file.endswith(b"\r\n"))
        rows = self.export("format=csv&tag=whole&fields=firstName,jobTitle").body.decode().split("\r\n")
        # Quotes only where they must be.
        self.assertEqual(rows[0], "id,firstName,jobTitle")
        self.assertEqual(rows[1].split(",", 1)[1], "Ada,Mathematician")

    def test_headers(self):
        for format_, content_type, extension in (("csv", "text/csv; charset=utf-8; header=present", "csv"), ("vcard", "text/vcard; charset=utf-8", "vcf"),
                                                 ("json", "application/json", "json"), ("ndjson", "application/x-ndjson", "ndjson")):
            answer = self.export(f"format={format_}")
            today = time.strftime("%Y%m%d", time.gmtime())
            self.assertEqual(answer.headers["Content-Type"], content_type)
            self.assertRegex(answer.headers["Content-Disposition"], rf'^attachment; filename="contacts-20\d{{6}}\.{extension}"')
            self.assertIn(today[:6], answer.headers["Content-Disposition"])
            self.assertEqual((answer.headers["Transfer-Encoding"], answer.headers["Content-Length"]), ("chunked", None))
            self.assertEqual((answer.headers["Cache-Control"], answer.headers["X-Content-Type-Options"]), ("no-store", "nosniff"))
            # More than the sessions that there are: none of them stays taken.
            for _ in range(12):
                head = self.call("HEAD", f"/api/contacts/export?format={format_}")
                self.assertEqual((head.status, head.body, head.headers["Content-Type"]), (200, b"", content_type))
        self.assertEqual(self.export("").headers["Content-Type"].split(";")[0], "text/csv")
        self.problem(self.export("format=xml", 400), 400, "validation_failed")
        self.problem(self.export("colour=red", 400), 400, "unknown_parameter")
        self.problem(self.call("POST", "/api/contacts/export", {}), 405, "method_not_allowed")

    # Which contacts.

    def test_filters_are_those_of_the_list(self):
        first = self.of("whole")[0]
        for query in ("q=lovelace", "tag=whole,sparse", "email=ada1%40x.example", "phone=%2B12025550147", "lifecycle=customer", "source=form", "hasEmail=false",
                      f"createdFrom={first['createdAt']}", f"createdTo={first['createdAt']}", f"updatedFrom={first['updatedAt']}&q=only", "tag=nobody", "archived=true",
                      "ownerUserId=usr_00000000000000000000000000", "pipelineId=pip_00000000000000000000000000"):
            listed, cursor = [], ""
            while cursor is not None:
                page = self.call("GET", f"/api/contacts?{query}&sort=createdAt&limit=200&fields=displayName{cursor}").json()
                listed += [each["id"] for each in page["items"]]
                cursor = page["nextCursor"] and "&cursor=" + page["nextCursor"]
            self.assertEqual([each["id"] for each in self.export(f"format=json&{query}&fields=displayName").json()], listed, query)
            self.assertEqual([row["id"] for row in self.readers.csv(self.export(f"format=csv&{query}").body)], listed, query)

    def test_only_who_may(self):
        for role in ("member", "guest"):
            self.problem(self.export("", 403, token=self.accounts.token("acme", role)), 403, "permission_denied")
        self.problem(self.daemon.request("crm", "GET", "/api/contacts/export"), 401, "authentication_required")
        self.assertEqual(self.export("format=json", token=self.accounts.token("globex", "owner")).body, b"[]\n")
        identity = self.accounts.token(service="identity")
        organization = self.daemon.request("identity", "GET", "/api/auth/me", token=identity).json()["activeContext"]["organizationId"]
        for scope, status in (("contacts.read", 200), ("contacts.write", 403), ("notes.read", 403)):
            made = self.daemon.request("identity", "POST", "/api/api-keys", {"name": scope, "environment": "live", "owner_type": "organization", "owner_id": organization,
                                       "grants": [{"service_id": "crm", "scopes": [scope], "resources": []}]}, identity)
            answer = self.daemon.request("crm", "GET", "/api/contacts/export?format=json&tag=whole", headers={"X-Api-Key": made.json()["key"]})
            self.assertEqual(answer.status, status, answer.body)
            if status == 200:
                self.assertEqual(len(answer.json()), 4)
            else:
                self.problem(answer, 403, "insufficient_scope")


class LongExports(Client):
    """Files that do not fit into the buffers between us and their reader."""

    count = 4800  # whole batches; more than the kernel takes on the way, which is up to 4 MB

    @classmethod
    def prepare(cls):
        cls.contacts = {}
        lines = ["firstName,jobTitle,department,companyName,sourceDetail,email"]
        lines += [f"First {number},{'j' * 150},{'d' * 150},{'c' * 200},{'s' * 200},long{number}@x.example" for number in range(cls.count)]
        made = cls.daemon.request("crm", "POST", "/api/contacts/import", "\r\n".join(lines).encode(), cls.token, {"Content-Type": "text/csv"})
        assert made.json()["totals"]["created"] == cls.count, made.body

    def open(self, query="format=ndjson", token=None):
        """An export whose response head was read, but not its body."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(60)
        connection.connect(("127.0.0.1", self.daemon.ports["crm"]))
        connection.sendall(f"GET /api/contacts/export?{query} HTTP/1.1\r\nHost: crm.localhost\r\nAuthorization: Bearer {token or self.token}\r\nConnection: close\r\n\r\n".encode())
        response = http.client.HTTPResponse(connection, method="GET")
        response.begin()
        self.addCleanup(connection.close)
        return connection, response

    def snapshot_is_open(self):
        """One that would keep the database from being tidied up. Of PostgreSQL tests/crm asks."""
        if self.engine != "sqlite":
            return False
        with contextlib.closing(sqlite3.connect(next(self.daemon.state.rglob("crm.db")))) as database:
            busy, *_ = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return busy != 0

    def drop(self, connection, response):
        response.close()
        connection.close()

    def test_one_snapshot(self):
        for format_ in ("ndjson", "json", "csv", "vcard"):
            connection, response = self.open(f"format={format_}")
            begun = response.read(1000)
            late = self.call("POST", "/api/contacts", {"firstName": "Late", "emails": [{"address": "late@x.example"}], "websites": ["late.example"]}).json()
            last = self.call("GET", "/api/contacts?sort=-createdAt&limit=2&source=import").json()["items"]
            changed = self.call("PUT", f"/api/contacts/{last[0]['id']}", {"jobTitle": "Changed"})
            gone = self.call("DELETE", f"/api/contacts/{last[1]['id']}")
            self.assertEqual((changed.status, gone.status), (200, 200))
            text = (begun + response.read()).decode()
            self.drop(connection, response)
            for absent in ("Late", "late@x.example", "websites[0]", "Changed"):
                self.assertNotIn(absent, text, format_)
            self.assertIn(last[1]["emails"][0]["address"], text, format_)
            self.assertEqual(len(set(re.findall(r"long\d+@x.example", text))), self.count, format_)
            after = self.export("format=json&email=late%40x.example").json()
            self.assertEqual([each["id"] for each in after], [late["id"]])
            self.call("DELETE", f"/api/contacts/{late['id']}?permanent=true")
            self.call("POST", f"/api/contacts/{last[1]['id']}/restore")
            self.call("PUT", f"/api/contacts/{last[0]['id']}", {"jobTitle": "j" * 150})

    def test_two_at_a_time(self):
        held = [self.open(), self.open()]
        refused = self.export("format=json", 503)
        self.problem(refused, 503, "overloaded")
        self.assertGreater(int(refused.headers["Retry-After"]), 0)
        # All other clients work, also with exports, and no database session stays open for stalled readers.
        others = self.accounts.token("globex", "owner")
        self.eventually(lambda: self.call("GET", "/api/contacts/export?format=json", token=others).status == 200, "an export is refused for those of another organization")
        self.eventually(lambda: not self.snapshot_is_open(), "a snapshot is kept for a reader who rests")
        self.assertEqual(self.call("GET", "/api/contacts?limit=5").status, 200)
        self.assertEqual(self.call("POST", "/api/contacts", {"firstName": "While", "tags": ["while"]}).status, 201)
        for connection, response in held:
            self.assertGreater(len(response.read()), 5_000_000)
            self.drop(connection, response)
        self.export("format=csv&tag=while")

    def test_aborted_download_leaves_nothing(self):
        self.export("format=csv&tag=nobody")
        before = len(os.listdir(f"/proc/{self.daemon.pid}/fd"))
        # More than there are sessions.
        for turn in range(24):
            def opened():
                try:
                    self.connection = self.open(("format=ndjson", "format=csv", "format=vcard&bom=true")[turn % 3])  # noqa: B023
                    return self.connection[1].status == 200
                except http.client.HTTPException:
                    return False
            self.eventually(opened, "an export that nobody reads is still running")
            self.connection[1].read(1 if turn % 2 else 100_000)
            self.drop(*self.connection)
        self.eventually(lambda: self.call("GET", "/api/contacts/export?tag=nobody").status == 200, "exports that nobody reads are still running")
        self.eventually(lambda: len(os.listdir(f"/proc/{self.daemon.pid}/fd")) <= before + 4, "their connections or sessions are still open")
        self.assertEqual(len(self.export("format=json&source=import").json()), self.count)
        self.assertFalse(self.snapshot_is_open())

    def test_a_cut_file_is_noticed(self):
        if self.engine != "sqlite":
            return
        with contextlib.closing(sqlite3.connect(next(self.daemon.state.rglob("crm.db")))) as database:
            (bad, document), = database.execute("SELECT id, document FROM contact ORDER BY created_at DESC, id DESC LIMIT 1").fetchall()
            database.execute("UPDATE contact SET document = '{' WHERE id = ?", (bad,))
            database.commit()
            try:
                connection, response = self.open("format=vcard")
                with self.assertRaises((http.client.IncompleteRead, ConnectionResetError)):
                    response.read()
                self.drop(connection, response)
            finally:
                database.execute("UPDATE contact SET document = ? WHERE id = ?", (document, bad))
                database.commit()
        self.export("format=json")


Exports = on_both_engines(Exports)
LongExports = on_both_engines(LongExports)

if __name__ == "__main__":
    main()
