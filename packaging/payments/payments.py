#!/usr/bin/python3
"""Stand-in for Stripe: the parts of its API that Portico calls, a checkout page, a portal page and signed webhooks. No money moves.

    payments.py --port 8086 --key-file FILE [--state DIR] [--webhook URL --webhook-secret-file FILE] [--while PID]

It listens on 127.0.0.1 only and rejects keys that begin with sk_live_. Deliveries: --shuffle SECONDS, --duplicate, --delay SECONDS, --seed N.
POST /_control/clock, /_control/delivery, /_control/faults, /_control/cards and /_control/pauses (JSON) change them while it runs; GET /_control shows them.
"""

import argparse
import html
import json
import pathlib
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
sys.dont_write_bytecode = True
import billing  # noqa: E402
import deliveries  # noqa: E402
import pages  # noqa: E402
import simulation  # noqa: E402
import subscriptions  # noqa: E402
from forms import ApiError, Params, decoded  # noqa: E402
from standin import Standin  # noqa: E402

LONGEST_BODY = 256 * 1024
HANG_SECONDS = 300


class Handler(simulation.Handler):
    note_header, note, indent = "X-Standin", pages.NOTE, 2
    standin = None

    def date_time_string(self, timestamp=None):
        """`Date` is the time of the stand-in's clock, as `created` of its objects is."""
        return super().date_time_string(self.standin.ledger.now() if timestamp is None else timestamp)

    def page(self, text, status=200):
        self.say(status, text, "text/html; charset=utf-8", Cache_Control="no-store",
                 Content_Security_Policy="default-src 'none'; style-src 'unsafe-inline'; form-action *; base-uri 'none'; frame-ancestors 'none'")

    def go(self, place):
        self.say(303, "", "text/plain", Location=place)

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.answer()

    def do_POST(self):
        self.answer()

    def do_DELETE(self):
        self.answer()

    def answer(self):
        url = urllib.parse.urlsplit(self.path)
        length = self.headers.get("Content-Length") or "0"
        if not length.isdigit() or int(length) > LONGEST_BODY or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            return self.json(413, {"error": {"type": "invalid_request_error", "message": "The body is too large."}})
        body = self.rfile.read(int(length))
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        if host.strip("[]") not in deliveries.LOOPBACK:
            return self.page(pages.page("This name does not lead here", ""), 421)
        with self.standin.ledger.lock:
            if subscriptions.catch_up(self.standin.ledger):
                self.standin.stored()
        if url.path.startswith("/v1/"):
            return self.api(url, body)
        if url.path.startswith("/_control"):
            return self.control(url.path, body)
        return self.people(url, body)

    # The API.
    def api(self, url, body):
        version = self.headers.get("Stripe-Version") or self.standin.ledger.version
        number = self.standin.ledger.id("req_", 14)
        fault = self.standin.fault(url.path)
        if fault and fault != "lost_response":
            return self.fail(fault)
        replayed = False
        try:
            status, value, replayed = self.standin.call(self.command, url, self.headers, body)
        except ApiError as error:
            status, value = error.status, {"error": {**error.error, "request_log_url": None}}
        if fault == "lost_response":
            self.close_connection = True
            return self.connection.close()
        return self.json(status, value, Request_Id=number, Stripe_Version=version, **({"Idempotent_Replayed": "true"} if replayed else {}))

    def fail(self, fault):
        if fault == "unavailable":
            return self.json(503, {"error": {"type": "api_error", "message": "The payment stand-in is set to be unavailable."}})
        if fault == "html":
            return self.page(pages.page("Bad gateway", ""), 200)
        if fault == "redirect":
            return self.say(302, "", "text/plain", Location=self.standin.origin + "/elsewhere")
        self.close_connection = True
        if fault == "truncated":
            return self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"id\": \"")
        return self.standin.stopped.wait(HANG_SECONDS)

    # Control of tests.
    def control(self, path, body):
        standin = self.standin
        if self.command == "POST":
            if (self.headers.get("Content-Type") or "").partition(";")[0] != "application/json":
                return self.json(415, {"error": "Send application/json."})
            try:
                standin.control(path, json.loads(body or b"{}"))
            except (ApiError, ValueError, TypeError, KeyError) as error:
                return self.json(400, {"error": f"{type(error).__name__}: {error}"})
        return self.json(200, standin.state())

    # Pages.
    def people(self, url, body):
        standin = self.standin
        if self.command == "POST" and self.headers.get("Origin") not in (None, standin.origin, standin.origin.replace("127.0.0.1", "localhost")):
            return self.page(pages.page("This form comes from another site", ""), 403)
        try:
            fields = {key: value for key, value in decoded(body.decode("utf-8", "replace") if self.command == "POST" else "").items() if isinstance(value, str)}
        except ApiError as error:
            return self.page(pages.page("The form cannot be read", html.escape(str(error))), 400)
        parts = url.path.strip("/").split("/")
        with standin.ledger.lock:
            if url.path == "/clock" and self.command == "POST" and fields.get("advance", "").isdigit():
                standin.control("/_control/clock", fields)
                return self.go("/")
            if url.path == "/healthz":
                return self.json(200, {"status": "ok", "note": pages.NOTE})
            if url.path == "/":
                return self.page(pages.overview(standin.ledger, standin.deliveries.pending()))
            if parts[:2] == ["c", "pay"] and len(parts) == 3:
                return self.checkout(standin.ledger.records.get(parts[2]), fields)
            if parts[:2] == ["p", "session"] and len(parts) == 3:
                return self.portal(next((each for each in standin.ledger.all("billing_portal.session") if each["_secret"] == parts[2]), None), fields)
        return self.page(pages.page("There is no such page", ""), 404)

    def checkout(self, session, fields):
        standin, known = self.standin, self.standin.ledger
        if not session or session["object"] != "checkout.session":
            return self.page(pages.page("There is no such checkout", ""), 404)
        lines = billing.line_items(known, session)
        action = fields.get("action")
        if session["status"] != "open" or self.command != "POST":
            return self.page(pages.checkout(session, lines, False))
        if action == "cancel" and session["cancel_url"]:
            return self.go(session["cancel_url"])
        if action != "pay" or fields.get("card") not in ("works", "later"):
            return self.page(pages.checkout(session, lines, True), 402)
        email = session["customer_email"] or fields.get("email", "")
        if not session["customer"] and "@" not in email:
            return self.page(pages.checkout(session, lines, False), 400)
        billing.complete(known, session, email, fields["card"] == "later")
        standin.stored()
        return self.go(session["success_url"].replace("{CHECKOUT_SESSION_ID}", session["id"]))

    def portal(self, session, fields):
        standin, known = self.standin, self.standin.ledger
        if not session:
            return self.page(pages.page("There is no such portal session", ""), 404)
        subscription = known.records.get(fields.get("subscription"))
        if self.command == "POST" and subscription and subscription["customer"] == session["customer"]:
            action = fields.get("action")
            if action in ("cancel", "resume"):
                billing.update_subscription(known, Params({"cancel_at_period_end": "true" if action == "cancel" else "false"}), subscription["id"])
            elif action in ("works", "declines"):
                known.records[subscriptions.method_of(known, subscription)]["_declines"] = action == "declines"
            standin.stored()
            return self.go(self.path)
        return self.page(pages.portal(known, known.records[session["customer"]], session["return_url"]))


class Server(simulation.Server):
    def server_close(self):
        self.standin.stopped.set()
        self.standin.deliveries.stop()
        super().server_close()


def serve(port, **options):
    """Returns a server that listens, with `standin` and `url`; the caller lets it serve."""
    server = Server(port, type("StandinHandler", (Handler,), {}))
    server.standin = server.RequestHandlerClass.standin = Standin(server.url, **options)
    server.standin.deliveries.start()
    return server


def main():
    parser = argparse.ArgumentParser(description="Stand-in for Stripe. No money moves.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--key-file", type=pathlib.Path, help="the secret key, sk_test_…; without it every test key is valid")
    parser.add_argument("--state")
    parser.add_argument("--webhook", help="address on this machine that events are sent to")
    parser.add_argument("--webhook-secret-file", type=pathlib.Path, help="one secret a line; events are signed with each of the first two")
    parser.add_argument("--shuffle", type=float, default=0, help="deliver events in random order within so many seconds")
    parser.add_argument("--duplicate", action="store_true", help="deliver each event twice")
    parser.add_argument("--delay", type=float, default=0, help="seconds before the first delivery")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--while", type=int, dest="process")
    arguments = parser.parse_args()
    key = arguments.key_file.read_text().strip() if arguments.key_file else None
    if key and not key.startswith("sk_test_"):
        sys.exit(f"{arguments.key_file} holds no key that begins with sk_test_: this is a stand-in, and no money moves.")
    secrets = arguments.webhook_secret_file.read_text().split()[:2] if arguments.webhook_secret_file else []
    server = serve(arguments.port, key=key, state=arguments.state, url=arguments.webhook, secrets=secrets, seed=arguments.seed)
    sending = server.standin.deliveries
    sending.shuffle_seconds, sending.duplicate, sending.delay_seconds = arguments.shuffle, arguments.duplicate, arguments.delay
    server.serve_while(arguments.process)


if __name__ == "__main__":
    main()
