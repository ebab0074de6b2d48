#!/usr/bin/python3
"""Compares metrics and logs of a running daemon with docs/operating.md and the Grafana dashboard."""

import json
import pathlib
import re
import sys
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main, on_both_engines  # noqa: E402
from daemon import ROOT, free_ports  # noqa: E402

DASHBOARD = ROOT / "packaging" / "examples" / "grafana" / "portico.json"
MANUAL = (ROOT / "docs" / "operating.md").read_text()
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf'^({NAME})(?:\{{((?:{NAME}="(?:[^"\\\n]|\\.)*",?)*)\}})? (-?[0-9.e+-]+|NaN|[+-]Inf)$')
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count")}
# Words of PromQL that stand where a metric could.
PROMQL = {"sum", "min", "max", "by", "le", "rate", "histogram_quantile", "topk", "without", "and", "or", "unless", "on", "ignoring", "group_left"}


def table(heading):
    """The first two or three columns of the table below a heading of the manual."""
    section = re.split(r"\n##+ ", MANUAL.split(f"### {heading}\n")[1])[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")]
    return rows[2:]


class Exposition:
    """The text format, read strictly: families by name with their labels, their kind and their help."""

    def __init__(self, test, text):
        self.kinds, self.help, self.labels, self.values = {}, {}, {}, {}
        series = set()
        for line in text.splitlines():
            if line.startswith("# HELP "):
                name, _, help_ = line[7:].partition(" ")
                test.assertNotIn(name, self.help, "told twice")
                self.help[name] = help_
            elif line.startswith("# TYPE "):
                name, kind = line[7:].split(" ")
                test.assertIn(kind, ("counter", "gauge", "histogram"))
                test.assertNotIn(name, self.kinds, "told twice")
                self.kinds[name] = kind
            elif line:
                found = SAMPLE.match(line)
                test.assertTrue(found, line)
                test.assertNotIn(line.rsplit(" ", 1)[0], series, "one series twice")
                series.add(line.rsplit(" ", 1)[0])
                family = self.family(found.group(1))
                test.assertIsNotNone(family, f"no TYPE before {line}")
                labels = dict(re.findall(rf'({NAME})="((?:[^"\\]|\\.)*)"', found.group(2) or ""))
                self.labels.setdefault(family, set()).update(set(labels) - {"le"})
                self.values[found.group(1), tuple(sorted(labels.items()))] = float(found.group(3))

    def family(self, sample):
        if sample in self.kinds:
            return sample
        for suffix in SUFFIXES["histogram"]:
            if sample.endswith(suffix) and self.kinds.get(sample[: -len(suffix)]) == "histogram":
                return sample[: -len(suffix)]
        return None

    def value(self, name, **labels):
        return self.values.get((name, tuple(sorted(labels.items()))))


@on_both_engines
class Metrics:
    endpoint = free_ports(1)
    settings = {"limits.rates": "off", "log.format": "json", "log.access": "true", "metrics.listen": f"127.0.0.1:{endpoint}", "tracing.endpoint": "http://127.0.0.1:9"}

    def scrape(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.endpoint}/metrics", timeout=30) as answer:
            self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            return Exposition(self, answer.read().decode())

    def busy(self):
        """Scraped when everything has happened once that is counted when it happens first."""
        token = self.accounts.token()
        contact = self.daemon.request("crm", "POST", "/api/contacts", {"firstName": "Ada"}, token).json()["id"]
        made = self.daemon.request("crm", "POST", f"/api/contacts/{contact}/attachments", b"text", token, {"Content-Type": "text/plain", "X-File-Name": "a"}).json()
        self.daemon.request("crm", "DELETE", made["downloadUrl"], None, token)
        self.daemon.request("crm", "GET", "/no/such/path", None, token)
        deadline = time.monotonic() + 60
        while True:
            seen = self.scrape()
            if {"portico_job_seconds", "portico_jobs_waiting", "portico_state_bytes"} <= set(seen.kinds):
                return seen
            self.assertLess(time.monotonic(), deadline, sorted(seen.kinds))
            time.sleep(0.1)

    def test_metrics_and_manual_agree(self):
        seen = self.busy()
        told = {}
        for names, labels, _ in table("Metrics"):
            for name in re.findall(r"`([^`]+)`", names):
                told[name] = {label.strip() for label in labels.split(",") if label.strip()}
        own = {name for name in seen.kinds if not re.match(r"portico_(crm|identity|launchpad|social)_", name)}
        # Runs of helpers begin with the first picture, and a bucket is an operator's choice.
        bucket = {f"portico_blob_store_{name}" for name in ("up", "requests_total", "request_seconds")}
        # SQLite reads without a round trip, so that no read is shared.
        shared = {"portico_shared_read_statements_total", "portico_shared_reads_total"} if self.engine == "sqlite" else set()
        self.assertEqual(own | {"portico_helper_runs_total"} | bucket | shared, set(told))
        for name in sorted(own):
            self.assertTrue(seen.help.get(name), f"{name} has no help")
            # One that nothing was counted for has no series yet.
            if name in seen.labels:
                self.assertEqual(seen.labels[name], told[name], name)
        for name in re.findall(r"`((?:portico|process)_[a-z_]+)(?: == 0)?`", MANUAL):
            self.assertIn(name, told)

    def test_the_dashboard_uses_what_there_is(self):
        seen = self.busy()
        dashboard = json.loads(DASHBOARD.read_text())
        expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
        self.assertGreater(len(expressions), 30)
        for expression in expressions:
            bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)
            self.assertEqual([bare.count(each) for each in "({["], [bare.count(each) for each in ")}]"], expression)
            grouped = set(re.findall(NAME, " ".join(re.findall(r"\bby \(([^)]*)\)", bare)))) - {"le"}
            names = set()
            for name, matchers in re.findall(rf"({NAME})\{{([^}}]*)\}}", bare):
                family = seen.family(name)
                self.assertIsNotNone(family, f"{name} is not exposed: {expression}")
                kind = seen.kinds[family]
                self.assertEqual(kind == "histogram", name != family, f"{name} needs one of _bucket, _sum, _count: {expression}")
                self.assertEqual("rate(" in bare, kind != "gauge", f"rate() is for counters, and only for these: {expression}")
                used = (set(re.findall(rf"({NAME})=", matchers)) | grouped) - {"instance"}
                self.assertLessEqual(used, seen.labels[family] if family in seen.labels else used, expression)
                names.add(name)
            others = set(re.findall(NAME, re.sub(r"\{[^}]*\}|\[[^]]*\]|by \([^)]*\)", "", bare))) - PROMQL - names
            self.assertEqual(others, set(), f"not known: {expression}")
        ids = [panel["id"] for panel in dashboard["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                metric, label = re.fullmatch(rf"label_values\(({NAME}), ({NAME})\)", variable["query"]["query"]).groups()
                self.assertIn(metric, seen.kinds)
                self.assertTrue(label == "instance" or label in seen.labels[metric])

    def test_numbers_are_right(self):
        before, token = self.scrape(), self.accounts.token()
        for _ in range(3):
            self.assertEqual(self.daemon.request("crm", "GET", "/api/contacts", None, token).status, 200)
        labels = {"service": "crm", "route": "GET /api/contacts"}
        deadline = time.monotonic() + 30
        # A request is counted when its last byte was sent: the client may be faster.
        while (after := self.scrape()).value("portico_http_requests_total", **labels, status="200") != (before.value("portico_http_requests_total", **labels, status="200") or 0) + 3:
            self.assertLess(time.monotonic(), deadline, "three requests are not counted")
            time.sleep(0.05)
        self.assertEqual(after.value("portico_http_request_seconds_bucket", **labels, le="+Inf"), after.value("portico_http_request_seconds_count", **labels))
        self.assertEqual(after.value("portico_service_serving", service="crm"), 1)
        generation = after.value("portico_service_generation", service="crm")
        self.daemon.ctl("reload", "crm")
        reloaded = self.scrape()
        self.assertGreater(reloaded.value("portico_service_generation", service="crm"), generation)
        self.assertGreaterEqual(reloaded.value("portico_http_requests_total", **labels, status="200"), after.value("portico_http_requests_total", **labels, status="200"))
        writer = reloaded.value("portico_database_sessions_limit", service="crm", pool="writer")
        self.assertEqual(writer, 1 if self.engine == "sqlite" else None)
        self.assertGreater(reloaded.value("portico_database_sessions_opened_total", service="crm", pool="sessions"), 0)
        for lane in "heavy", "long":
            self.assertGreater(reloaded.value("portico_http_workers", lane=lane), 0)
        self.assertGreater(reloaded.value("process_resident_memory_bytes"), 1_000_000)

    def test_every_field_of_the_log_is_in_the_manual(self):
        self.busy()
        told = {"time", "level", "service", "message"}
        for names, _ in table("Log"):
            told.update(re.findall(r"`([^`]+)`", names))
        for line in self.daemon.log.read_text().splitlines():
            self.assertLessEqual(set(json.loads(line)), told, line)


class Sources(unittest.TestCase):
    def test_every_field_that_the_host_can_log_is_in_the_manual(self):
        told = {"service"}
        for names, _ in table("Log"):
            told.update(re.findall(r"`([^`]+)`", names))
        found = set()
        for source in (ROOT / "host").rglob("*.cpp"):
            for call in re.findall(r"(?:\.|->)(?:information|warning|error|debug|write)\((.*?)\);", source.read_text(), re.S):
                # Those of porticoctl write to the control socket, not to the log.
                if "ctl" not in source.parts:
                    found.update(re.findall(r'\{"([a-zA-Z0-9]+)",', call))
        self.assertGreater(len(found), 20)
        self.assertEqual(found - told, set())


if __name__ == "__main__":
    main()
