#!/usr/bin/python3
"""Open pages of the CRM receive the changes of other users: types and ids, only for callers who may read contacts, and only as long as they may."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402
from event_stream import Follower  # noqa: E402


class Changes:
    settings = {"http.streamCheckSeconds": 1, "http.streamBeatSeconds": 1}

    def setUp(self):
        self.token = self.accounts.token()

    def call(self, method, path, body=None, status=200, token=None, service="crm"):
        answer = self.daemon.request(service, method, path, body, token or self.token)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json() if answer.body else None

    def follow(self, token=None, last=None):
        follower = Follower(self.daemon, "crm", "/api/changes", token or self.token, last)
        self.addCleanup(follower.close)
        return follower

    def make(self, **members):
        return self.call("POST", "/api/contacts", members, 201)["id"]

    def test_sends_types_and_ids(self):
        page, foreign = self.follow(), self.follow(self.accounts.token("globex"))
        self.assertEqual((page.answer.status, page.answer.getheader("Content-Type")), (200, "text/event-stream"))
        contact, other = self.make(firstName="Ada"), self.make(firstName="Ada")
        self.assertEqual(page.next(), ("crm.contact.created", {"contactId": contact}))
        self.assertEqual(page.next(), ("crm.contact.created", {"contactId": other}))
        self.call("PUT", f"/api/contacts/{contact}", {"jobTitle": "Countess"})
        self.assertEqual(page.next(), ("crm.contact.updated", {"contactId": contact}))
        note = self.call("POST", f"/api/contacts/{contact}/notes", {"body": "con_01jd0000000000000000000000"}, 201)["noteId"]
        self.assertEqual(page.next(), ("crm.note.created", {"noteId": note, "contactId": contact}))
        self.call("PUT", f"/api/contacts/{contact}/notes/{note}", {"pinned": True})
        self.assertEqual(page.next(), ("crm.note.updated", {"noteId": note, "contactId": contact}))
        self.call("DELETE", f"/api/contacts/{contact}/notes/{note}")
        self.assertEqual(page.next(), ("crm.note.deleted", {"noteId": note, "contactId": contact}))
        merge = self.call("POST", f"/api/contacts/{contact}/merge", {"sourceIds": [other]})
        self.assertEqual(page.next(), ("crm.contact.merged", {"contactId": contact, "mergedIds": [other]}))
        self.call("POST", f"/api/contacts/merges/{merge['mergeId']}/undo")
        self.assertEqual({page.next()[0], page.next()[0]}, {"crm.contact.updated", "crm.contact.restored"})
        # A rejected change publishes no event; the next event shows this.
        self.call("PUT", f"/api/contacts/{contact}", {"birthday": "never"}, 400)
        self.call("DELETE", f"/api/contacts/{contact}")
        self.assertEqual(page.next(), ("crm.contact.deleted", {"contactId": contact}))
        # The other organization has heard nothing of all this.
        mine = self.call("POST", "/api/contacts", {"firstName": "Eve"}, 201, self.accounts.token("globex"))["id"]
        self.assertEqual(foreign.next(), ("crm.contact.created", {"contactId": mine}))

    def test_sends_every_move_on_a_board(self):
        page = self.follow()
        first, second = self.make(firstName="Grace"), self.make(firstName="Edsger")
        # Events are published after the response. Waits for them, so that later events concern the board.
        self.assertEqual([page.next()[0], page.next()[0]], ["crm.contact.created"] * 2)
        pipeline = next(each for each in self.call("GET", "/api/pipeline")["items"] if each["isDefault"])
        board, stages = pipeline["pipelineId"], [stage["stageId"] for stage in pipeline["stages"]]

        def move(contact, stage, **more):
            return self.call("PUT", f"/api/pipeline/{contact}/move", {"pipelineId": board, "stageId": stage, **more})

        for contact, stage in ((first, stages[0]), (second, stages[0])):
            done = move(contact, stage)
            self.assertEqual(page.next(), ("crm.pipeline.moved", {"historyId": done["historyId"], "contactId": contact, "pipelineId": board, "toStageId": stage}))
        move(second, stages[0], beforeContactId=first)
        self.assertEqual(page.next(), ("crm.pipeline.card_changed", {"contactId": second, "pipelineId": board, "stageId": stages[0]}))
        move(second, stages[0], beforeContactId=first, value=1200)
        self.assertEqual(page.next(), ("crm.pipeline.card_changed", {"contactId": second, "pipelineId": board, "stageId": stages[0]}))
        # A move to the same stage changes nothing.
        move(second, stages[0], beforeContactId=first)
        done = move(first, stages[1], note="con_01jd0000000000000000000000")
        self.assertEqual(page.next(), ("crm.pipeline.moved", {"historyId": done["historyId"], "contactId": first, "pipelineId": board,
                                                              "fromStageId": stages[0], "toStageId": stages[1]}))

    def test_misses_nothing_over_a_reload(self):
        page = self.follow()
        first = self.make(firstName="Ada")
        self.assertEqual(page.next(), ("crm.contact.created", {"contactId": first}))
        self.daemon.ctl("reload", "crm")
        missed = self.make(firstName="Grace")
        self.assertIsNone(page.next())
        back = self.follow(last=page.last)
        self.assertEqual(back.next(), ("crm.contact.created", {"contactId": missed}))

    def test_is_for_people_who_may_read_contacts(self):
        self.assertEqual(self.daemon.request("crm", "GET", "/api/changes").status, 401)
        guest = self.daemon.request("crm", "GET", "/api/changes", token=self.accounts.token(role="guest"))
        self.assertEqual((guest.status, guest.json()["code"]), (403, "permission_denied"))
        document = self.daemon.request("crm", "GET", "/openapi.json").json()["paths"]["/api/changes"]["get"]
        self.assertIn("text/event-stream", document["responses"]["200"]["content"])

    def test_ends_with_the_right(self):
        password = self.daemon.user("brief@acme.example", "acme", "member")["password"]
        token = self.daemon.login("brief@acme.example", password)
        page = self.follow(token)
        self.assertEqual(page.answer.status, 200)
        admin = self.accounts.token(service="identity")
        me = self.call("GET", "/api/auth/me", token=token)
        organization, user = me["activeContext"]["organizationId"], me["user"]["id"]
        self.call("PATCH", f"/api/organizations/{organization}/members/{user}", {"role": "guest"}, 200, admin, "identity")
        self.assertIsNone(page.next())
        self.assertEqual(self.follow(token).answer.status, 403)

    def test_ends_with_the_context(self):
        password = self.daemon.user("both@acme.example", "acme", "member")["password"]
        token = self.daemon.login("both@acme.example", password)
        page = self.follow(token)
        self.assertEqual(page.answer.status, 200)
        identity = self.daemon.login("both@acme.example", password, "identity")
        own = self.call("POST", "/api/organizations", {"name": "Own", "slug": f"own-{self.engine}"}, 201, identity, "identity")["id"]
        # The session goes on, and may read contacts: those of another organization.
        switched = self.call("PUT", "/api/auth/context", {"kind": "organization", "organizationId": own}, token=token)
        self.assertIsNone(page.next())
        self.assertEqual(self.follow(switched["access_token"], page.last).answer.status, 200)


on_both_engines(Changes)

if __name__ == "__main__":
    main()
