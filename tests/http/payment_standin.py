#!/usr/bin/python3
"""The payment stand-in: npm's stripe drives it, its deliveries survive restarts, and it rejects live keys."""

import http.client
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from daemon import ROOT, free_ports  # noqa: E402
from npm import installed  # noqa: E402

sys.path.insert(0, str(ROOT / "packaging/payments"))
import deliveries  # noqa: E402
import invoices  # noqa: E402
import payments  # noqa: E402

KEY, SECRET = "sk_" + "test_of_this_suite", "whsec_of_this_suite"
STEPS = """products and prices
customers
idempotency keys
a lost response and its retry
errors
a checkout session has no subscription before it is paid
decline and cancel leave the session open
payment
webhooks
test header
another version shows the old shapes
a preview equals the invoice
items
another interval begins a period
a card that declines
pause and resume
portal
refund
the end of a subscription
expiry of a session
an amount above the minimum
lists
"""


class Receiver:
    """A webhook receiver that answers with the configured statuses."""

    def __init__(self, case):
        self.got, self.status, self.arrived = [], 200, threading.Condition()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with receiver.arrived:
                    receiver.got.append(event)
                    status = receiver.status
                    receiver.arrived.notify_all()
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        case.addCleanup(server.server_close)
        case.addCleanup(server.shutdown)

    def wait(self, fits):
        with self.arrived:
            return self.arrived.wait_for(lambda: fits(self.got), 30)


class PaymentStandin(unittest.TestCase):
    def serve(self, **options):
        server = payments.serve(0, key=KEY, secrets=[SECRET], first_retry_seconds=0.01, **options)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def call(self, server, path, headers=None, **fields):
        request = urllib.request.Request(server.url + path, urllib.parse.urlencode(fields).encode() if fields else None,
                                         {"Authorization": f"Bearer {KEY}", **(headers or {})})
        answer = self.open(request)
        return {**json.loads(answer.body), **({"status": answer.status} if answer.status >= 400 else {})}

    @staticmethod
    def open(request):
        """Sends a request. @return the answer of any status, with `body`"""
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            answer.body = answer.read()
        return answer

    def test_npms_stripe_drives_it(self):
        hook = free_ports(1)
        server = self.serve(url=f"http://127.0.0.1:{hook}/hook")
        payload, at = json.dumps({"id": "evt_1", "object": "event", "text": "ä ✓"}), 1_700_000_000
        environment = {**os.environ, "ORIGIN": server.url, "KEY": KEY, "WEBHOOK_SECRET": SECRET, "HOOK_PORT": str(hook), "PAYLOAD": payload, "AT": str(at),
                       "HEADER": deliveries.signature([SECRET], payload.encode(), at)}
        done = subprocess.run(["node", "flow.mjs"], cwd=installed(HERE / "stripe", "stripe"), env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stdout, STEPS, done.stderr)

    def test_events_arrive_shuffled_twice_and_after_failures(self):
        receiver = Receiver(self)
        receiver.status = 500
        server = self.serve(url=receiver.url, seed=7)
        sending = server.standin.deliveries
        sending.shuffle_seconds, sending.duplicate = 0.2, True
        made = [self.call(server, "/v1/customers", name=f"c{number}")["id"] for number in range(20)]
        self.assertTrue(receiver.wait(lambda got: len(got) >= 40))
        first = [event["data"]["object"]["id"] for event in receiver.got[:40]]
        self.assertNotEqual(first[:20], made)
        with receiver.arrived:
            receiver.got.clear()
            receiver.status = 200
        self.assertTrue(receiver.wait(lambda got: len(got) >= 40 and {event["data"]["object"]["id"] for event in got} == set(made)))

    def test_a_restart_delivers_what_was_not_acknowledged(self):
        receiver = Receiver(self)
        with tempfile.TemporaryDirectory() as state:
            server = self.serve(state=state, url=receiver.url)
            server.standin.deliveries.hold(True)
            made = self.call(server, "/v1/customers", email="kept@example.com")["id"]
            self.assertEqual(os.stat(pathlib.Path(state) / "payments.json").st_mode & 0o777, 0o600)
            self.assertEqual(receiver.got, [])
            again = self.serve(state=state, url=receiver.url)
            self.assertTrue(receiver.wait(lambda got: [event["data"]["object"]["id"] for event in got] == [made]))
            self.assertEqual(self.call(again, f"/v1/customers/{made}")["email"], "kept@example.com")

    def test_it_takes_nothing_that_is_live(self):
        server = self.serve()
        self.assertEqual(server.server_address[0], "127.0.0.1")
        for key in ("sk_" + "live_x", "rk_" + "live_x", "sk_test_other", ""):
            self.assertEqual(self.call(server, "/v1/customers", {"Authorization": f"Bearer {key}"})["status"], 401)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("sk_" + "live_x")
            file.flush()
            done = subprocess.run([ROOT / "packaging/payments/payments.py", "--port", str(free_ports(1)), "--key-file", file.name], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no money moves", done.stderr)
        with self.assertRaisesRegex(ValueError, "this machine only"):
            self.serve(url="http://192.0.2.1/hook")
        self.assertEqual(self.status(server, "/", {"Host": "portico.example"}), 421)
        self.assertEqual(self.status(server, "/clock", {"Origin": "https://elsewhere.example"}, b"advance=1"), 403)

    def status(self, server, path, headers, body=None):
        return self.open(urllib.request.Request(server.url + path, body, headers)).status

    def test_the_calls_of_the_launchpad_are_accepted(self):
        """Sends the forms that the launchpad writes, member by member."""
        server = self.serve()
        session = {"mode": "subscription", "client_reference_id": "chk_1", "line_items[0][quantity]": "2", "success_url": "http://launchpad.localhost/a", "cancel_url": "",
                   "expires_at": str(server.standin.ledger.now() + 86400), "metadata[package]": "five", "subscription_data[metadata][package]": "five"}
        price = {"currency": "usd", "unit_amount": "4900", "recurring[interval]": "month", "lookup_key": "portico_five", "product_data[name]": "Portico five"}
        search = "/v1/prices?active=true&limit=1&lookup_keys%5B0%5D=portico_five"
        self.assertEqual(self.call(server, search)["data"], [])
        session["line_items[0][price]"] = self.call(server, "/v1/prices", {"Idempotency-Key": "price"}, **price)["id"]
        self.assertEqual(len(self.call(server, search)["data"]), 1)
        made = self.call(server, "/v1/checkout/sessions", {"Idempotency-Key": "checkout"}, **session)
        self.pay(made["url"])
        done = self.call(server, f"/v1/checkout/sessions/{made['id']}")
        item = self.call(server, f"/v1/subscriptions/{done['subscription']}")["items"]["data"][0]
        at = str(server.standin.ledger.now())
        change = {"[id]": item["id"], "[price]": item["price"]["id"], "[quantity]": "3"}
        preview = {"customer": done["customer"], "subscription": done["subscription"], "subscription_details[proration_behavior]": "always_invoice",
                   "subscription_details[proration_date]": at, **{f"subscription_details[items][0]{key}": value for key, value in change.items()}}
        total = self.call(server, "/v1/invoices/create_preview", **preview)["total"]
        self.assertGreater(total, 0)
        wanted = {**{f"items[0]{key}": value for key, value in change.items()}, "proration_behavior": "always_invoice", "proration_date": at,
                  "payment_behavior": "error_if_incomplete", "metadata[package]": "five", "metadata[selectedServiceIds]": "crm", "metadata[seats]": "3"}
        self.call(server, f"/v1/subscriptions/{done['subscription']}", **wanted)
        self.assertEqual(self.call(server, f"/v1/invoices?subscription={done['subscription']}&limit=1")["data"][0]["total"], total)
        self.assertIn("/p/session/", self.call(server, "/v1/billing_portal/sessions", customer=done["customer"], return_url="http://launchpad.localhost/b")["url"])

    def pay(self, address):
        """Sends the form of a checkout page, without following where it leads."""
        place = urllib.parse.urlsplit(address)
        connection = http.client.HTTPConnection(place.hostname, place.port)
        connection.request("POST", place.path, "action=pay&card=works&email=a%40b.example", {"Content-Type": "application/x-www-form-urlencoded"})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        self.assertEqual(answer.status, 303)

    def test_every_page_says_that_no_money_moves(self):
        server = self.serve()
        customer = self.call(server, "/v1/customers", name="<b>&")["id"]
        portal = self.call(server, "/v1/billing_portal/sessions", customer=customer)["url"]
        for path in ("/", "/nowhere", "/c/pay/cs_none", "/p/session/none", portal.removeprefix(server.url)):
            answer = self.open(server.url + path)
            self.assertIn(b"No money moves", answer.body, path)
            self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])

    def test_periods_end_on_the_day_of_the_anchor(self):
        at = lambda text: int(time.mktime(time.strptime(text, "%Y-%m-%d")) - time.timezone)  # noqa: E731
        month = {"recurring": {"interval": "month", "interval_count": 1}}
        self.assertEqual([invoices.after(at("2026-01-31"), month, count) for count in (1, 2, 3)], [at("2026-02-28"), at("2026-03-31"), at("2026-04-30")])
        self.assertEqual(invoices.next_end(at("2026-01-31"), month, at("2026-02-28")), at("2026-03-31"))
        self.assertEqual([invoices.share(amount, 0, 2, 1) for amount in (1, 3, 5, 100)], [0, 2, 2, 50])


if __name__ == "__main__":
    main()
