#!/usr/bin/python3
"""A change of many contacts through the real daemon: killed in the middle, it goes on, adds up, and is taken back."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402

CONTACTS = 6_000
PATIENCE_SECONDS = 240


class Bulk:
    settings = {"limits.rates": "off"}

    def setUp(self):
        self.token = self.accounts.token()

    def call(self, method, path, body=None, status=200, headers=None):
        answer = self.daemon.request("crm", method, path, body, self.token, headers)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json()

    def wait(self, path, until):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            report = self.call("GET", path)
            if until(report):
                return report
            self.assertLess(time.monotonic(), deadline, report)
            time.sleep(0.02)  # between two looks

    def count(self, query):
        return self.call("GET", f"/api/contacts?limit=1&include=total&{query}")["total"]

    def test_survives_a_kill(self):
        file = "First Name,Tags\r\n" + "".join(f"Person {i},many\r\n" for i in range(CONTACTS))
        made = self.call("POST", "/api/contacts/import", file.encode(), headers={"Content-Type": "text/csv"})
        self.wait(f"/api/contacts/imports/{made['importId']}", lambda report: report["status"] != "running")
        self.assertEqual(self.count("tag=many"), CONTACTS)
        stage = self.call("GET", "/api/pipeline")["items"][0]["stages"][1]["stageId"]

        change = {"filter": {"tag": ["many"]}, "change": {"addTags": ["gold"], "removeTags": ["many"], "lifecycle": "customer", "stageId": stage}}
        started = self.call("POST", "/api/contacts/bulk", change, 202)
        self.assertEqual((started["status"], started["selected"]), ("running", CONTACTS))
        path = f"/api/contacts/bulk/{started['bulkId']}"
        half = self.wait(path, lambda report: report["totals"]["contacts"] >= CONTACTS // 4)
        self.assertEqual(half["status"], "running")
        self.daemon.kill()

        self.daemon.start()
        self.token = self.accounts.token()
        after_crash = self.call("GET", path)
        self.assertGreaterEqual(after_crash["totals"]["contacts"], half["totals"]["contacts"])
        # What the report counts is what is there.
        done = self.wait(path, lambda report: report["status"] != "running")
        self.assertEqual((done["status"], done["totals"]), ("completed", {"contacts": CONTACTS, "changed": CONTACTS, "unchanged": 0, "failed": 0}))
        self.assertEqual((self.count("tag=many"), self.count(f"tag=gold&lifecycle=customer&stageId={stage}")), (0, CONTACTS))
        one = self.call("GET", "/api/contacts?tag=gold&limit=1")["items"][0]
        self.assertEqual(one["version"], 2)
        history = self.call("GET", f"/api/pipeline/{one['id']}/history")["items"]
        self.assertEqual([each["toStageId"] for each in history], [stage])

        self.call("PUT", f"/api/contacts/{one['id']}", {"jobTitle": "Countess"})
        key = {"Idempotency-Key": f"undo-{self.engine}"}
        undone = self.call("POST", f"{path}/undo", {}, headers=key)
        self.assertEqual((undone["undone"], undone["kept"]), (CONTACTS - 1, [one["id"]]))
        self.assertEqual((self.count("tag=many"), self.count("tag=gold"), self.count(f"stageId={stage}")), (CONTACTS - 1, 1, 1))
        # An answer that was lost is asked for again.
        self.assertEqual(self.call("POST", f"{path}/undo", {}, headers=key), undone)
        self.assertEqual(self.call("POST", f"{path}/undo", {}, 409)["code"], "conflict")


on_both_engines(Bulk)

if __name__ == "__main__":
    main()
