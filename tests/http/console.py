#!/usr/bin/python3
"""The operator's console shows the host and runs the commands of porticoctl, only for operators after a step-up. It cannot disable the services that it
needs."""

import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main, on_both_engines  # noqa: E402

SECONDS = 60
READS = ("status", "services", "operations", "jobs", "log", "log?requestId=1", "samples", "installed", "operations/opn_01jd0000000000000000000000")
CHANGES = ("services/crm/reload", "services/crm/enable", "services/crm/disable", "jobs/job_01jd0000000000000000000000/retry", "jobs/job_01jd0000000000000000000000/discard", "configuration/reload")


@on_both_engines
class Console:
    settings = {"log.access": "true", "limits.rates": "off"}

    def setUp(self):
        if not hasattr(type(self), "operator"):
            type(self).operator = self.account("operator@portico.example", operator=True)
            type(self).owner = self.account("owner@console.example", organization="console", role="owner")

    def account(self, email, **rights):
        return {"email": email, **self.daemon.user(email, **rights)}

    def until(self, look):
        """What `look` finds; asked again until it does."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if found := look():
                return found
            time.sleep(0.02)
        self.fail("it did not come")

    def ask(self, method, path, token=None, **more):
        return self.daemon.request("admin", method, f"/api/system/{path}", {} if method == "POST" else None, token, **more)

    def token(self, user, elevated=False):
        """Of one sign-in for each: an address may not sign in as often as tests ask."""
        known = type(self).__dict__.get("tokens") or {}
        if (user["email"], elevated) not in known:
            token = self.daemon.login(user["email"], user["password"], "admin")
            if elevated:
                proof = {"factor": "password", "password": user["password"]}
                token = self.daemon.request("admin", "POST", "/api/auth/step-up", proof, token).json()["access_token"]
            known[user["email"], elevated] = token
            type(self).tokens = known
        return known[user["email"], elevated]

    def refused(self, status, code, answer):
        self.assertEqual((answer.status, answer.json().get("code")), (status, code), answer.body)

    def done(self, path, state="succeeded"):
        """Begins a change and returns how it ended."""
        began = self.ask("POST", path, self.token(self.operator, True))
        self.assertEqual(began.status, 202, began.body)
        place = f"operations/{began.json()['id']}"

        def ended():
            # What is reloaded may be the console itself: its successor answers.
            answer = self.ask("GET", place, self.token(self.operator))
            return answer.json() if answer.status == 200 and answer.json()["state"] != "running" else None

        outcome = self.until(ended)
        self.assertEqual(outcome["state"], state, outcome)
        return outcome

    def test_shows_the_host(self):
        token = self.token(self.operator)
        status = self.ask("GET", "status", token).json()
        self.assertEqual(status["state"], "serving")
        self.assertNotIn("password", status["database"])
        services = {each["service"]: each for each in self.ask("GET", "services", token).json()["services"]}
        self.assertEqual({services[each]["status"] for each in ("identity", "crm", "admin")}, {"serving"})
        self.assertEqual(services["crm"]["generations"][0]["provenance"], "built-in")
        self.assertEqual(self.ask("GET", "operations?limit=1", token).json()["operations"][0]["status"], "done")
        self.assertEqual(self.ask("GET", "jobs?status=dead&service=crm", token).json()["jobs"], [])
        self.refused(404, "unknown_service", self.ask("GET", "jobs?service=nowhere", token))
        self.refused(400, "invalid_request", self.ask("GET", "jobs?status=strange", token))

    def test_is_for_operators_only(self):
        owner = self.token(self.owner)
        for method, paths in (("GET", READS), ("POST", CHANGES)):
            for path in paths:
                self.refused(403, "permission_denied", self.ask(method, path, owner))
                self.assertEqual(self.ask(method, path).status, 401)
        key = {"name": "k", "environment": "live", "owner_type": "user", "owner_id": self.operator["userId"], "grants": [{"service_id": "crm", "scopes": ["contacts.read"], "resources": []}]}
        made = self.daemon.request("identity", "POST", "/api/api-keys", key, self.daemon.login(self.operator["email"], self.operator["password"], "identity")).json()["key"]
        self.refused(403, "bearer_required", self.ask("GET", "status", headers={"X-Api-Key": made}))

    def test_a_change_asks_who_it_is_again(self):
        token = self.token(self.operator)
        for path in CHANGES:
            if "job_" not in path:
                self.refused(403, "step_up_required", self.ask("POST", path, token))
        self.assertNotIn("operator", str([each["requestedBy"] for each in self.ask("GET", "operations", token).json()["operations"] if each["command"] == "reload"]))

    def test_reload_is_recorded_with_its_operator(self):
        outcome = self.done("services/crm/reload")
        self.assertEqual([each["service"] for each in outcome["result"]["operations"]], ["crm"])
        self.assertIn("publish", [each["name"] for each in outcome["result"]["operations"][0]["steps"]])
        listed = self.ask("GET", "operations?service=crm&limit=1", self.token(self.operator)).json()["operations"][0]
        self.assertEqual(listed["command"], "reload")
        self.assertTrue(listed["requestedBy"].startswith(f"{self.operator['userId']} (console, ses_"), listed)
        entries = self.daemon.request("identity", "GET", "/api/audit-events?type=system.reload", token=self.daemon.login(self.operator["email"], self.operator["password"], "identity")).json()["items"]
        self.assertEqual((entries[0]["target"], entries[0]["actor"]["id"]), ("crm", self.operator["userId"]), entries[0])

    def log(self, query=""):
        answer = self.ask("GET", f"log?{query}", self.token(self.operator))
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def test_finds_what_the_log_says_of_a_request(self):
        answer = self.daemon.request("crm", "GET", "/api/nowhere")
        found = self.until(lambda: self.log(f"requestId={answer.headers['X-Request-Id']}")["records"])
        self.assertEqual({each["requestId"] for each in found}, {answer.headers["X-Request-Id"]})
        line = found[0]
        self.assertEqual((line["service"], line["level"]), ("crm", "information"), line)
        self.assertIn({"name": "status", "value": "404"}, line["fields"])
        self.assertIn(line["time"], self.daemon.log.read_text())
        self.assertEqual(self.log("requestId=01jd0000000000000000000000")["records"], [])

    def test_shows_the_log_by_service_and_level(self):
        self.done("services/crm/reload")
        records = self.log("service=crm&limit=500")["records"]
        self.assertEqual({each["service"] for each in records}, {"crm"})
        numbers = [each["number"] for each in records]
        self.assertEqual(numbers, sorted(numbers))
        self.assertNotIn("information", [each["level"] for each in self.log("level=warning")["records"]])
        self.assertTrue(self.log("service=host&limit=1")["records"])
        self.refused(404, "unknown_service", self.ask("GET", "log?service=nowhere", self.token(self.operator)))
        self.refused(400, "invalid_request", self.ask("GET", "log?level=loud", self.token(self.operator)))

    def test_goes_on_in_the_log_where_it_stopped(self):
        began = self.log("limit=1")
        self.assertEqual(len(began["records"]), 1)
        self.done("services/crm/reload")
        page = self.log(f"after={began['next']}&limit=1")
        self.assertEqual((page["records"][0]["number"], page["missed"]), (began["next"] + 1, 0))
        reloads = self.until(lambda: [each for each in self.log(f"after={began['next']}&limit=500")["records"] if {"name": "command", "value": "reload"} in each["fields"] or each["service"] == "crm"])
        self.assertTrue(all(each["number"] > began["next"] for each in reloads))
        self.daemon.restart()
        page = self.log(f"after={began['next']}&limit=500")
        self.assertGreater(page["records"][0]["number"], reloads[-1]["number"])

    def test_lists_installed_plugins_that_do_not_run(self):
        def differences():
            return {each["service"]: each["text"] for each in self.ask("GET", "installed", self.token(self.operator)).json()["differences"]}

        self.assertEqual(differences(), {})
        with tempfile.TemporaryDirectory() as room:
            broken = pathlib.Path(room, "broken")
            broken.mkdir()
            (broken / "manifest.json").write_text("{")
            self.daemon.stop()
            self.daemon.settings["plugins.directories"] = f"{self.daemon.build / 'lib/portico/plugins'},{room}"
            self.daemon.start()
            try:
                self.assertIn("cannot be read", differences()["broken"])
                shutil.rmtree(broken)
                self.assertEqual(differences(), {"broken": "It is installed no more."})
            finally:
                self.daemon.stop()
                del self.daemon.settings["plugins.directories"]
                self.daemon.start()

    def test_shows_the_load_of_the_last_hour(self):
        def counted():
            answer = self.ask("GET", "samples", self.token(self.operator)).json()
            return answer if sum(answer["requests"]) else None

        load = self.until(counted)
        self.assertEqual(load.pop("intervalSeconds"), 5)
        self.assertEqual({len(each) for each in load.values()}, {len(load["at"])}, load)
        self.assertEqual(load["at"], sorted(load["at"]))
        busy = next(at for at, requests in enumerate(load["requests"]) if requests)
        self.assertTrue(0 < load["p50Microseconds"][busy] <= load["p99Microseconds"][busy], load)
        self.assertGreater(load["residentKiB"][-1], 1024)

    def test_switches_a_service_off_and_on(self):
        self.done("services/crm/disable")
        self.assertEqual(self.daemon.request("crm", "GET", "/api").status, 503)
        self.done("services/crm/enable")
        self.assertEqual(self.daemon.request("crm", "GET", "/api").status, 200)

    def test_reloads_itself(self):
        before = self.generation("admin")
        self.done("services/admin/reload")
        self.assertEqual(self.generation("admin"), before + 1)

    def generation(self, service):
        services = self.ask("GET", "services", self.token(self.operator)).json()["services"]
        return next(each["generation"] for each in services if each["service"] == service)

    def test_keeps_the_services_that_it_needs(self):
        token = self.token(self.operator, True)
        for service in ("identity", "admin"):
            self.refused(409, "use_porticoctl", self.ask("POST", f"services/{service}/disable", token))
        self.refused(404, "unknown_service", self.ask("POST", "services/nowhere/reload", token))
        self.refused(404, "not_found", self.ask("GET", "operations/opn_01jd0000000000000000000000", token))
        self.assertEqual(self.done("jobs/job_01jd0000000000000000000000/retry", "failed")["error"]["code"], "not_found")

    def test_reads_the_configuration_again(self):
        self.done("configuration/reload")

    def test_is_given_to_the_plugin_that_the_operator_names(self):
        self.daemon.stop()
        self.daemon.settings["admin.console"] = "off"
        self.daemon.start()
        try:
            for path in READS:
                self.refused(503, "console_off", self.ask("GET", path, self.token(self.operator)))
        finally:
            self.daemon.stop()
            del self.daemon.settings["admin.console"]
            self.daemon.start()


if __name__ == "__main__":
    main()
