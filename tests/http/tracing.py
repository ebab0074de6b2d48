#!/usr/bin/python3
"""W3C Trace Context over HTTP: incoming traces are continued or forwarded, spans reach a collector, and a slow or missing collector affects no request."""

import http.server
import json
import pathlib
import re
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main, on_both_engines  # noqa: E402
from daemon import Daemon, DaemonError, free_ports  # noqa: E402

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"
GOOD = f"00-{TRACE}-{PARENT}-01"
BAD = ("", "nonsense", GOOD.upper(), GOOD[:-1], GOOD + "0", GOOD + "-more", "ff" + GOOD[2:], f"00-{'0' * 32}-{PARENT}-01", f"00-{TRACE}-{'0' * 16}-01",
       f"00-{TRACE}-{PARENT}-0g", GOOD.replace("-", "_"), f"{GOOD},{GOOD}", "00" * 4000, "\u00fc" * 55, GOOD[:20] + "\t" + GOOD[21:])


class Collector:
    """Takes POST /v1/traces and keeps the spans; `answer` is called for each and may wait."""

    def __init__(self, port=0, answer=lambda: 200):
        self.requests, self.spans, self.changed = [], [], threading.Condition()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = answer()
                with collector.changed:
                    collector.requests.append((self.path, dict(self.headers)))
                    if status == 200:
                        for resource in json.loads(body)["resourceSpans"]:
                            attributes = {each["key"]: each["value"]["stringValue"] for each in resource["resource"]["attributes"]}
                            for span in resource["scopeSpans"][0]["spans"]:
                                span["attributes"] = {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}
                                collector.spans.append(span | {"resource": attributes})
                    collector.changed.notify_all()
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def wait_for(self, wanted, seconds=30):
        """Returns the spans that match `wanted`, waiting until there are some."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while not (found := [span for span in self.spans if wanted(span)]):
                if not self.changed.wait(deadline - time.monotonic()):
                    raise AssertionError(f"no such span within {seconds} s; there are {[span['name'] for span in self.spans]}")
            return found


def eventually(found, what, seconds=30):
    """What `found` finds, once it is something."""
    deadline = time.monotonic() + seconds
    while not (something := found()):
        if time.monotonic() > deadline:
            raise AssertionError(what)
        time.sleep(0.05)
    return something


def server_span(span):
    return span["kind"] == 2


@on_both_engines
class Recorded:
    collector = Collector(port=free_ports(1))
    settings = {"limits.rates": "off", "log.access": "true", "log.format": "json", "tracing.endpoint": f"http://127.0.0.1:{collector.port}"}

    def setUp(self):
        self.token = self.accounts.token()

    def ask(self, path, headers, method="GET", body=None):
        answer = self.daemon.request("crm", method, path, body, self.token, headers)
        answer.id = answer.headers["X-Request-Id"]
        return answer

    def span_of(self, answer):
        return self.collector.wait_for(lambda span: span["attributes"].get("portico.request_id") == answer.id)[0]

    def log_of(self, answer):
        """Written once the last byte was sent: the client may be faster."""
        return eventually(lambda: [json.loads(line) for line in self.daemon.log.read_text().splitlines() if answer.id in line], "the request is not in the log")

    def test_the_request_is_a_child_of_its_caller_and_parent_of_what_it_does(self):
        answer = self.ask("/api/contacts?q=secret", {"traceparent": GOOD, "tracestate": "rojo=1"})
        self.assertEqual(answer.status, 200)
        span = self.span_of(answer)
        self.assertEqual((span["traceId"], span["parentSpanId"], span["kind"], span["name"]), (TRACE, PARENT, 2, "GET /api/contacts"))
        expected = {"http.request.method": "GET", "http.route": "/api/contacts", "http.response.status_code": "200", "url.path": "/api/contacts",
                    "url.scheme": "http", "client.address": "127.0.0.1"}
        self.assertEqual(expected, {key: span["attributes"][key] for key in expected})
        self.assertNotIn("secret", json.dumps(span))
        self.assertEqual((span["resource"]["service.namespace"], span["resource"]["service.name"]), ("portico", "crm"))
        self.assertEqual(span["status"], {})
        begin, end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
        self.assertLessEqual(begin, end)
        self.assertLess(abs(end / 1e9 - time.time()), 600)
        children = self.collector.wait_for(lambda each: each.get("parentSpanId") == span["spanId"])
        database = next(each for each in children if each["attributes"].get("db.namespace") == "crm")
        self.assertEqual((database["traceId"], database["kind"], database["name"].split()[0]), (TRACE, 3, "database"))
        self.assertEqual(database["attributes"]["db.system.name"], self.engine)
        self.assertEqual(database["resource"]["service.name"], "crm")
        self.assertLessEqual(begin, int(database["startTimeUnixNano"]))

    def test_the_log_names_the_trace(self):
        answer = self.ask("/api/contacts/con_nobody", {"traceparent": GOOD})
        self.assertEqual([line["traceId"] for line in self.log_of(answer)], [TRACE])
        answer = self.ask("/api/contacts", {})
        self.assertEqual([line["traceId"] for line in self.log_of(answer)], [self.span_of(answer)["traceId"]])

    def test_unsampled_request_is_not_recorded(self):
        unwanted = self.ask("/api/contacts", {"traceparent": GOOD[:-1] + "0"})
        wanted = self.ask("/api/contacts", {"traceparent": f"00-{'a' * 32}-{PARENT}-01"})
        self.span_of(wanted)
        self.assertEqual([line["traceId"] for line in self.log_of(unwanted)], [TRACE])
        self.assertNotIn(unwanted.id, json.dumps(self.collector.spans))

    def test_malformed_traceparent_begins_a_new_trace(self):
        seen, answers = set(), []
        for bad in BAD:
            answer = self.ask("/api/contacts", {"traceparent": bad.encode(), "tracestate": b"rojo=1"})
            if answer.status == 400:
                # The server itself refuses what is no header.
                continue
            self.assertEqual(answer.status, 200, bad)
            answers.append((bad, answer))
        for bad, answer in answers:
            span = self.span_of(answer)
            self.assertNotIn("parentSpanId", span, bad)
            self.assertRegex(span["traceId"], "^[0-9a-f]{32}$")
            seen.add(span["traceId"])
        self.assertNotIn(TRACE, seen)
        self.assertGreater(len(seen), len(BAD) // 2)

    def test_two_traceparents_are_none(self):
        with socket.create_connection(("127.0.0.1", self.daemon.ports["crm"]), timeout=30) as connection:
            connection.sendall(f"GET /healthz HTTP/1.1\r\nHost: x\r\ntraceparent: {GOOD}\r\nTraceparent: {GOOD}\r\nConnection: close\r\n\r\n".encode())
            head = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        request = re.search(r"(?i)x-request-id: (\S+)", head).group(1)
        span = self.collector.wait_for(lambda each: each["attributes"].get("portico.request_id") == request)[0]
        self.assertNotEqual(span["traceId"], TRACE)

    def test_refusals_and_unknown_paths_are_spans_too(self):
        answer = self.ask("/no/such/path", {"traceparent": GOOD})
        span = self.span_of(answer)
        self.assertEqual((span["name"], span["attributes"]["http.response.status_code"]), ("GET", "404"))
        self.assertNotIn("http.route", span["attributes"])

    def test_jobs_are_traces_of_their_own(self):
        contact = self.ask("/api/contacts", {}, "POST", {"firstName": "Ada"}).json()["id"]
        made = self.ask(f"/api/contacts/{contact}/attachments", {"Content-Type": "text/plain", "X-File-Name": "a"}, "POST", b"text").json()
        self.ask(made["downloadUrl"], {}, "DELETE")
        job = self.collector.wait_for(lambda span: span["kind"] == 5 and span["resource"]["service.name"] == "crm")[0]
        self.assertNotIn("parentSpanId", job)
        self.assertTrue(job["name"].startswith("job "))

    def test_metrics_count_what_was_sent(self):
        self.span_of(self.ask("/api/contacts", {}))
        # The collector has them before the daemon knows.
        sent = lambda: float(re.search(r"^portico_trace_spans_sent_total (\S+)", self.daemon.ctl("metrics")["text"], re.M).group(1))  # noqa: E731
        self.assertGreaterEqual(eventually(sent, "nothing was counted"), 1)


class Off(unittest.TestCase):
    def test_without_a_collector_the_trace_is_in_the_log_only(self):
        with Daemon({"log.access": "true", "log.format": "json"}) as daemon:
            daemon.request("crm", "GET", "/healthz", headers={"traceparent": GOOD})
            daemon.request("crm", "GET", "/healthz", headers={"traceparent": "nonsense"})
            logged = lambda: [json.loads(line) for line in daemon.log.read_text().splitlines() if '"request"' in line]  # noqa: E731
            lines = eventually(lambda: logged() if len(logged()) == 2 else None, "the requests are not in the log")
            # Two connections: the second may be logged first.
            self.assertEqual(sorted(line.get("traceId", "") for line in lines), ["", TRACE])
            self.assertNotIn("portico_trace", daemon.ctl("metrics")["text"])


class Trouble(unittest.TestCase):
    def ask_many(self, daemon, count):
        for _ in range(count):
            self.assertEqual(daemon.request("crm", "GET", "/healthz").status, 200)

    def dropped(self, daemon):
        return sum(float(value) for value in re.findall(r"^portico_trace_spans_dropped_total\S* (\S+)", daemon.ctl("metrics")["text"], re.M))

    def test_a_collector_that_never_answers_holds_up_neither_requests_nor_the_end(self):
        release = threading.Event()
        asked = threading.Event()

        def never():
            asked.set()
            release.wait(120)
            return 200

        collector = Collector(answer=never)
        self.addCleanup(collector.close)
        self.addCleanup(release.set)
        with Daemon({"limits.rates": "off", "tracing.endpoint": f"http://127.0.0.1:{collector.port}"}) as daemon:
            self.ask_many(daemon, 5)
            self.assertTrue(asked.wait(30))
            self.ask_many(daemon, 20)
            self.assertEqual(daemon.stop(), 0)

    def test_a_collector_that_comes_back_is_used_again(self):
        port = free_ports(1)
        with Daemon({"limits.rates": "off", "tracing.endpoint": f"http://127.0.0.1:{port}"}) as daemon:
            self.ask_many(daemon, 3)
            eventually(lambda: self.dropped(daemon) >= 3, "what cannot be sent is not counted", 60)
            self.assertIn("the collector does not take traces", daemon.log.read_text())
            collector = Collector(port)
            self.addCleanup(collector.close)
            self.ask_many(daemon, 1)
            collector.wait_for(server_span)
            eventually(lambda: "the collector takes traces again" in daemon.log.read_text(), "nobody says that it works again")

    def test_headers_come_from_a_file_and_mistakes_are_named(self):
        collector = Collector()
        self.addCleanup(collector.close)
        endpoint = {"limits.rates": "off", "tracing.endpoint": f"http://127.0.0.1:{collector.port}/custom/path"}
        with Daemon(endpoint) as daemon:
            secret = daemon.state / "headers"
            secret.touch(mode=0o600)
            secret.write_text("Authorization: Bearer hunter2\n")
            daemon.settings["tracing.headersFile"] = secret
            daemon.restart()
            self.ask_many(daemon, 1)
            collector.wait_for(server_span)
            path, headers = collector.requests[-1]
            self.assertEqual((path, headers["Authorization"]), ("/custom/path", "Bearer hunter2"))
            self.assertNotIn("hunter2", daemon.log.read_text())
            daemon.stop()
            secret.write_text("hunter2\n")
            with self.assertRaises(DaemonError) as refused:
                daemon.start()
            self.assertIn("line 1 is not a header", str(refused.exception))
            self.assertNotIn("hunter2", str(refused.exception))
        for wrong in ("127.0.0.1:4318", "ftp://x", "http://", "http://user:secret@host:1", "http://x y"):
            daemon = Daemon({"tracing.endpoint": wrong})
            self.addCleanup(daemon.close)
            with self.assertRaises(DaemonError) as refused:
                daemon.start()
            self.assertIn("tracing.endpoint", str(refused.exception))


if __name__ == "__main__":
    main()
