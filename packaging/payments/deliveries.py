"""Signed webhooks: each event is sent until it is acknowledged. Deliveries can be shuffled, duplicated, delayed and held back."""

import hashlib
import heapq
import hmac
import http.client
import itertools
import json
import random
import threading
import time
import urllib.parse

import shapes

LOOPBACK = ("127.0.0.1", "localhost", "::1")
ATTEMPTS, LONGEST_WAIT_SECONDS, TIMEOUT_SECONDS = 20, 60, 10


def signature(secrets, body, at):
    """The header `Stripe-Signature` of a body, with one value for each secret."""
    values = [hmac.new(secret.encode(), str(at).encode() + b"." + body, hashlib.sha256).hexdigest() for secret in secrets]
    return f"t={at}," + ",".join(f"v1={value}" for value in values)


class Deliveries:
    """Sends events from one thread. Thread-safe."""

    def __init__(self, ledger, url=None, secrets=(), seed=None, first_retry_seconds=1.0):
        if url and urllib.parse.urlsplit(url).hostname not in LOOPBACK and not urllib.parse.urlsplit(url).hostname.endswith(".localhost"):
            raise ValueError(f"Webhooks go to this machine only, not to {url}")
        self.ledger, self.url, self.secrets, self.first_retry_seconds = ledger, url, list(secrets), first_retry_seconds
        self.shuffle_seconds, self.duplicate, self.delay_seconds, self.paused = 0.0, False, 0.0, False
        self.random, self.condition, self.queue, self.number, self.stopped = random.Random(seed), threading.Condition(), [], itertools.count(), False
        self.fresh, self.log, self.sending = [], [], 0
        ledger.emitted = self.fresh.append
        for event in ledger.all("event"):
            if event["pending_webhooks"]:
                self.fresh.append(event)
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self):
        self.thread.start()
        self.flush()

    def stop(self):
        with self.condition:
            self.stopped = True
            self.condition.notify_all()
        self.thread.join()

    def flush(self):
        """Queues the events that were emitted and stored since the last call. The caller has the ledger's lock."""
        fresh, self.fresh[:] = list(self.fresh), []
        if not self.url:
            for event in fresh:
                event["pending_webhooks"] = 0
            return
        with self.condition:
            for event in fresh:
                for _ in range(2 if self.duplicate else 1):
                    wait = self.delay_seconds + (self.random.uniform(0, self.shuffle_seconds) if self.shuffle_seconds else 0)
                    heapq.heappush(self.queue, (time.monotonic() + wait, next(self.number), event["id"], 1))
            self.condition.notify_all()

    def pending(self):
        with self.condition:
            return len(self.queue) + self.sending

    def hold(self, paused):
        with self.condition:
            self.paused = paused
            self.condition.notify_all()

    def run(self):
        while True:
            with self.condition:
                while not self.stopped and (self.paused or not self.queue or self.queue[0][0] > time.monotonic()):
                    self.condition.wait(None if self.paused or not self.queue else max(0, self.queue[0][0] - time.monotonic()))
                if self.stopped:
                    return
                _, _, wanted, attempt = heapq.heappop(self.queue)
                self.sending = 1
            status = self.send(wanted)
            with self.condition:
                self.sending = 0
                if status // 100 != 2 and attempt < ATTEMPTS:
                    wait = min(self.first_retry_seconds * 2 ** (attempt - 1), LONGEST_WAIT_SECONDS)
                    heapq.heappush(self.queue, (time.monotonic() + wait, next(self.number), wanted, attempt + 1))
                self.log = [*self.log[-999:], {"event": wanted, "attempt": attempt, "status": status}]
            with self.ledger.lock:
                event = self.ledger.records.get(wanted)
                if event and status // 100 == 2:
                    event["pending_webhooks"] = 0

    def send(self, wanted):
        """@return the status of the answer; 0 without one"""
        with self.ledger.lock:
            event = self.ledger.records.get(wanted)
            body = json.dumps(shapes.shaped(event, event["api_version"]), indent=2).encode() if event else None
        if not body:
            return 200
        place = urllib.parse.urlsplit(self.url)
        at = int(time.time())
        connection = http.client.HTTPConnection(place.hostname, place.port or 80, timeout=TIMEOUT_SECONDS)
        try:
            connection.request("POST", place.path or "/", body, {"Content-Type": "application/json; charset=utf-8", "Stripe-Signature": signature(self.secrets, body, at),
                                                                 "User-Agent": "Stripe/1.0 (payment stand-in; no money moves)"})
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()
