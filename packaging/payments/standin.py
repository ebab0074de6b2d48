"""The stand-in behind its HTTP server: keys, idempotency, routes, and what tests control."""

import base64
import hashlib
import json
import threading
import time

import billing
import deliveries
import ledger
import routes
import shapes
import subscriptions
from forms import ApiError, Params, decoded

FAULTS = ("unavailable", "html", "redirect", "hang", "lost_response", "truncated")


class Standin:
    """What the server works with."""

    def __init__(self, origin, key=None, state=None, real=time.time, **sending):
        self.origin, self.key, self.faults = origin, key, []
        self.ledger = ledger.Ledger(state, real)
        self.deliveries = deliveries.Deliveries(self.ledger, **sending)
        self.stopped = threading.Event()

    def stored(self):
        """Keeps what a request has done, then queues its events."""
        self.ledger.save()
        self.deliveries.flush()

    def fault(self, path):
        """The fault that an API request meets, if one is planned for its path."""
        for each in self.faults:
            if path.startswith(each["path"]) and each["count"] > 0:
                each["count"] -= 1
                return each["kind"]
        return None

    # The API.
    def require_key(self, authorization):
        scheme, _, sent = (authorization or "").partition(" ")
        if scheme.lower() == "basic":
            sent = base64.b64decode(sent + "==").decode("utf-8", "replace").partition(":")[0]
        if not sent:
            raise ApiError(401, "You did not provide an API key.")
        if sent.startswith(("sk_live_", "rk_live_")):
            raise ApiError(401, "This is a stand-in: it moves no money and takes no live keys. Use the key of demo.json.")
        if sent != self.key and (self.key or not sent.startswith("sk_test_")):
            raise ApiError(401, f"Invalid API Key provided: {sent[:8]}****")

    def call(self, method, url, headers, body):
        """Answers a request to the API. @return status, body, and whether an idempotency key has answered"""
        self.require_key(headers.get("Authorization"))
        match = routes.found(method, url.path)
        if not match:
            raise ApiError(404, f"Unrecognized request URL ({method}: {url.path}).")
        values = decoded(url.query)
        if body:
            if not (headers.get("Content-Type") or "").startswith("application/x-www-form-urlencoded"):
                raise ApiError(400, "Send the body as application/x-www-form-urlencoded.")
            values = {**values, **decoded(body.decode("utf-8", "replace"))}
        version = headers.get("Stripe-Version") or self.ledger.version
        wanted = headers.get("Idempotency-Key") if method == "POST" else None
        if not wanted:
            return 200, self.run(match, values, url.path, version, stored=method != "GET"), False
        if len(wanted) > 255:
            raise ApiError(400, "Idempotency keys have up to 255 characters.", kind="idempotency_error")
        return self.once(wanted, match, values, url.path, version)

    def once(self, wanted, match, values, path, version):
        """Answers a key that was used before as the first time. Errors of validation free the key."""
        print_of = hashlib.sha256(json.dumps([path, values], sort_keys=True).encode()).hexdigest()
        with self.ledger.lock:
            before = self.ledger.keys.get(wanted)
            if before and before["print"] != print_of:
                raise ApiError(400, "Keys for idempotent requests can only be used with the same parameters they were first used with.", kind="idempotency_error")
            if before:
                return before["status"], before["body"], True
            try:
                status, value = 200, self.run(match, values, path, version, stored=False)
            except ApiError as error:
                if error.status != 402:
                    raise
                status, value = error.status, {"error": error.error}
            self.ledger.keys[wanted] = {"print": print_of, "status": status, "body": value, "at": self.ledger.now()}
            self.stored()
            return status, value, False

    def run(self, match, values, path, version, stored):
        act, groups = match
        params = Params(values)
        expand = params.texts("expand")
        with self.ledger.lock:
            known = len(self.ledger.records)
            try:
                if isinstance(act, tuple):
                    value = shapes.page(params, act[1](self.ledger, params, *groups), path)
                else:
                    value = act(self.ledger, params, *groups, *([self.origin] if act in routes.WITH_ORIGIN else []))
                params.finish()
            except ApiError as error:
                if error.status != 402:
                    self.ledger.forget_since(known)
                    self.deliveries.fresh.clear()
                raise
            if value.get("object") == "checkout.session" and any(each.startswith("line_items") for each in expand):
                rows = billing.line_items(self.ledger, value)
                value = {**value, "line_items": {"object": "list", "has_more": False, "url": f"/v1/checkout/sessions/{value['id']}/line_items", "data": rows}}
            if stored:
                self.stored()
            return shapes.expanded(self.ledger, shapes.shaped(value, version), expand, version)

    # Control.
    def control(self, path, wanted):
        """What tests ask for. @param path /_control/…"""
        sending = self.deliveries
        with self.ledger.lock:
            if path == "/_control/clock":
                self.ledger.offset += int(wanted["advance"]) if "advance" in wanted else int(wanted["now"]) - self.ledger.now()
                subscriptions.catch_up(self.ledger)
            elif path == "/_control/delivery":
                sending.shuffle_seconds = float(wanted.get("shuffleSeconds", sending.shuffle_seconds))
                sending.delay_seconds = float(wanted.get("delaySeconds", sending.delay_seconds))
                sending.duplicate = bool(wanted.get("duplicate", sending.duplicate))
                sending.hold(bool(wanted.get("paused", sending.paused)))
            elif path == "/_control/faults":
                if wanted["kind"] not in FAULTS:
                    raise ValueError(f"the kinds are {', '.join(FAULTS)}")
                self.faults.append({"kind": wanted["kind"], "path": wanted.get("path", "/v1/"), "count": int(wanted.get("count", 1))})
            elif path == "/_control/cards":
                for each in self.ledger.all("payment_method"):
                    if each["customer"] == wanted["customer"]:
                        each["_declines"] = bool(wanted["declines"])
            elif path == "/_control/pauses":
                billing.pause(self.ledger, None, wanted["subscription"])
            else:
                raise ValueError("there is no such control")
            self.stored()

    def state(self):
        sending = self.deliveries
        with self.ledger.lock:
            return {"now": self.ledger.now(), "pending": sending.pending(), "faults": self.faults, "log": sending.log,
                    "delivery": {"shuffleSeconds": sending.shuffle_seconds, "duplicate": sending.duplicate, "delaySeconds": sending.delay_seconds, "paused": sending.paused}}
