#!/usr/bin/python3
"""Pipelines through the real door: moving contacts along, reading boards, keys that are bound to one pipeline; on SQLite and on PostgreSQL."""

import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402


class Pipelines:
    def setUp(self):
        self.token = self.accounts.token()
        self.standard = next(each for each in self.get("/api/pipeline")["items"] if each["isDefault"])
        self.stages = {each["name"]: each["stageId"] for each in self.standard["stages"]}

    def call(self, method, path, body=None, token=None, headers=None):
        return self.daemon.request("crm", method, path, body, self.token if token is None else token, headers)

    def get(self, path, **arguments):
        answer = self.call("GET", path, **arguments)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def problem(self, answer, status, code):
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (status, "application/problem+json"), answer.body)
        document = answer.json()
        self.assertEqual((document["status"], document["code"]), (status, code), document)
        for leak in ("SELECT", "INSERT", "/usr/", "std::", "exception", ".cpp"):
            self.assertNotIn(leak, answer.body.decode())
        return document

    def contact(self, name, **members):
        answer = self.call("POST", "/api/contacts", {"firstName": name, **members})
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json()["id"]

    def move(self, contact, stage, **members):
        return self.call("PUT", f"/api/pipeline/{contact}/move", {"stageId": self.stages.get(stage, stage), **members})

    def column(self, stage, query=""):
        board = self.get(f"/api/pipeline/{self.standard['pipelineId']}/board{query}")
        return next(each for each in board["columns"] if each["stageId"] == self.stages[stage])

    def pipeline(self, **members):
        answer = self.call("POST", "/api/pipeline", {"name": "Other", "stages": [{"name": "In"}, {"name": "Out", "kind": "won"}], **members})
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual(answer.headers["Location"], f"/api/pipeline/{answer.json()['pipelineId']}")
        return answer.json()

    def test_a_contact_goes_its_way(self):
        contact = self.contact("Ada", tags=["way"])
        entered = self.move(contact, "New", value=120000, note="met at a fair")
        self.assertEqual((entered.status, entered.json()["fromStageId"]), (200, None), entered.body)
        self.assertEqual(self.move(contact, "Won", expectedStageId=self.stages["New"]).status, 200)
        changed = self.problem(self.move(contact, "Lost", expectedStageId=self.stages["New"]), 400, "stage_changed")
        self.assertEqual(changed["details"], {"currentStageId": self.stages["Won"]})
        column = self.column("Won", "?tag=way")
        self.assertEqual((column["count"], column["valueSum"], column["weightedSum"]), (1, 120000, 120000))
        self.assertEqual(column["items"][0]["displayName"], "Ada")
        history = self.get(f"/api/pipeline/{contact}/history?include=total")
        self.assertEqual((history["total"], [each["toStageId"] for each in history["items"]]), (2, [self.stages["Won"], self.stages["New"]]))
        read = self.get(f"/api/contacts/{contact}?include=history")
        self.assertEqual((read["pipelines"][0]["stageId"], read["history"]), (self.stages["Won"], history["items"]))
        self.assertEqual([each["id"] for each in self.get(f"/api/contacts?stageId={self.stages['Won']}&tag=way")["items"]], [contact])
        self.assertEqual(self.call("DELETE", f"/api/contacts/{contact}").status, 200)
        self.assertEqual(self.column("Won", "?tag=way")["count"], 0)
        self.problem(self.call("GET", f"/api/pipeline/{contact}/history"), 404, "not_found")
        self.problem(self.move(contact, "New"), 404, "not_found")
        self.assertEqual(self.call("POST", f"/api/contacts/{contact}/restore").status, 200)
        self.assertEqual(self.column("Won", "?tag=way")["count"], 1)

    def test_an_undo_restores_the_card(self):
        contact = self.contact("Undone", tags=["undo"])
        self.assertEqual(self.move(contact, "New", value=120000).status, 200)
        self.assertEqual(self.move(self.contact("Below", tags=["undo"]), "New").status, 200)
        before = self.column("New", "?tag=undo")["items"]
        removed = self.move(contact, None)
        self.assertEqual(removed.status, 200, removed.body)
        undo = {"undoHistoryId": removed.json()["historyId"]}
        self.assertEqual(self.move(contact, "New", **undo).status, 200)
        self.assertEqual(self.column("New", "?tag=undo")["items"], before)
        self.problem(self.move(contact, "New", **undo), 400, "stage_changed")

    def test_columns_page(self):
        tag = "columns"
        ids = [self.contact(f"C{i}", tags=[tag]) for i in range(7)]
        for each in ids:
            self.assertEqual(self.move(each, "Qualified").status, 200)
        query = f"?tag={tag}&limitPerStage=3"
        column = self.column("Qualified", query)
        seen = [each["contactId"] for each in column["items"]]
        cursor = column["nextCursor"]
        self.problem(self.call("GET", f"/api/pipeline/{self.standard['pipelineId']}/board{query}&cursor={cursor}"), 400, "invalid_cursor")
        while column["nextCursor"]:
            column = self.column("Qualified", f"{query}&stageId={self.stages['Qualified']}&cursor={column['nextCursor']}")
            seen += [each["contactId"] for each in column["items"]]
        self.assertEqual(seen, ids)
        other = self.accounts.token("acme", "member")
        path = f"/api/pipeline/{self.standard['pipelineId']}/board{query}&stageId={self.stages['Qualified']}&cursor={cursor}"
        self.problem(self.call("GET", path, token=other), 400, "invalid_cursor")

    def test_moves_at_once_keep_one_order(self):
        ids = [self.contact(f"T{i}", tags=["at-once"]) for i in range(12)]
        answers = []
        first = self.contact("First", tags=["at-once"])
        self.move(first, "Proposal")

        def work(part):
            for each in part:
                answers.append(self.move(each, "Proposal", beforeContactId=first).status)

        threads = [threading.Thread(target=work, args=(ids[i::4],)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [200] * 12)
        items = self.column("Proposal", "?tag=at-once")["items"]
        self.assertEqual((len(items), len({each["position"] for each in items}), items[-1]["contactId"]), (13, 13, first))
        self.assertEqual({each["contactId"] for each in items}, {first, *ids})

    def test_stages_and_pipelines_go_with_their_cards_cared_for(self):
        other = self.pipeline()
        inside, outside = (each["stageId"] for each in other["stages"])
        contact = self.contact("Moved along")
        self.assertEqual(self.move(contact, inside, pipelineId=other["pipelineId"]).status, 200)
        path = f"/api/pipeline/{other['pipelineId']}"
        without = {"stages": [other["stages"][1]]}
        self.problem(self.call("PUT", path, without), 409, "conflict")
        changed = self.call("PUT", path, {**without, "moveTo": {inside: outside}}, headers={"If-Match": '"1"'})
        self.assertEqual((changed.status, changed.headers["ETag"]), (200, '"2"'), changed.body)
        self.problem(self.call("PUT", path, {"name": "x"}, headers={"If-Match": '"1"'}), 412, "version_conflict")
        self.assertEqual([each["count"] for each in self.get(path)["stages"]], [1])
        self.problem(self.call("DELETE", path), 409, "conflict")
        self.assertEqual(self.call("DELETE", f"{path}?moveTo={self.stages['New']}").json(), {"pipelineId": other["pipelineId"], "deleted": True})
        self.assertEqual([each["source"] for each in self.get(f"/api/pipeline/{contact}/history")["items"]], ["automation"] * 3 + ["board"])
        self.assertEqual(self.get(f"/api/contacts/{contact}")["pipelines"][0]["stageId"], self.stages["New"])

    def test_rights(self):
        member, guest = self.accounts.token("acme", "member"), self.accounts.token("acme", "guest")
        contact = self.contact("Rights")
        path = f"/api/pipeline/{self.standard['pipelineId']}"
        self.assertEqual(self.call("GET", path, token=member).status, 200)
        self.assertEqual(self.call("PUT", f"/api/pipeline/{contact}/move", {"stageId": self.stages["New"]}, token=member).status, 200)
        for method, where, body in (("POST", "/api/pipeline", b"{ not json"), ("PUT", path, {"name": "x"}), ("DELETE", path, None)):
            self.problem(self.call(method, where, body, token=member), 403, "permission_denied")
        self.problem(self.call("GET", path, token=guest), 403, "permission_denied")
        foreign = self.accounts.token("globex", "owner")
        for method, where, body in (("GET", path, None), ("GET", path + "/board", None), ("PUT", path, {"name": "x"}), ("DELETE", path, None),
                                    ("GET", f"/api/pipeline/{contact}/history", None), ("PUT", f"/api/pipeline/{contact}/move", {"stageId": None})):
            self.problem(self.call(method, where, body, token=foreign), 404, "not_found")

    def test_a_key_stays_on_its_pipeline(self):
        other, contact = self.pipeline(name="Bound"), self.contact("Bound")
        identity = self.accounts.token(service="identity")
        organization = self.daemon.request("identity", "GET", "/api/auth/me", token=identity).json()["activeContext"]["organizationId"]
        grant = {"service_id": "crm", "scopes": ["contacts.read", "pipeline.read", "pipeline.write"], "resources": [{"type": "pipeline", "id": other["pipelineId"]}]}
        made = self.daemon.request("identity", "POST", "/api/api-keys", {"name": "bound", "environment": "live", "owner_type": "organization",
                                   "owner_id": organization, "grants": [grant]}, identity)
        self.assertEqual(made.status, 201, made.body)
        key = {"X-Api-Key": made.json()["key"]}
        ask = lambda method, path, body=None: self.daemon.request("crm", method, path, body, headers=key)  # noqa: E731
        self.assertEqual([each["pipelineId"] for each in ask("GET", "/api/pipeline").json()["items"]], [other["pipelineId"]])
        self.assertEqual(ask("GET", f"/api/pipeline/{other['pipelineId']}/board").status, 200)
        for elsewhere in (self.standard["pipelineId"], "pip_00000000000000000000000000"):
            self.problem(ask("GET", f"/api/pipeline/{elsewhere}"), 403, "resource_not_bound")
            self.problem(ask("PUT", f"/api/pipeline/{contact}/move", {"stageId": None, "pipelineId": elsewhere}), 403, "resource_not_bound")
        self.problem(ask("PUT", f"/api/pipeline/{contact}/move", {"stageId": self.stages["New"]}), 403, "resource_not_bound")
        moved = ask("PUT", f"/api/pipeline/{contact}/move", {"stageId": other["stages"][0]["stageId"], "pipelineId": other["pipelineId"]})
        self.assertEqual(moved.status, 200, moved.body)
        self.assertEqual(ask("GET", f"/api/pipeline/{contact}/history").json()["items"][0]["source"], "api")
        # Its other scopes are not narrowed.
        self.assertEqual(ask("GET", f"/api/contacts/{contact}").status, 200)
        self.problem(ask("POST", "/api/pipeline", {"name": "x"}), 403, "insufficient_scope")


Pipelines = on_both_engines(Pipelines)

if __name__ == "__main__":
    main()
