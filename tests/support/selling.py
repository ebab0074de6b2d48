"""The payment simulation in the process of a suite, and the settings of a daemon that sells plans with it.

    payments = Payments()
    with Daemon(payments.settings) as daemon:
        payments.deliver_to(daemon)
"""

import http.client
import pathlib
import sys
import tempfile
import threading
import time
import urllib.parse

from daemon import ROOT, free_ports

sys.path.insert(0, str(ROOT / "packaging/payments"))
import payments as simulation  # noqa: E402

KEY, SECRET = "sk_" + "test_of_a_suite", "whsec_of_a_suite"
SECONDS = 60


class Payments:
    def __init__(self):
        self._room = tempfile.TemporaryDirectory()
        room = pathlib.Path(self._room.name)
        for name, text in (("key", KEY), ("secret", SECRET)):
            file = room / name
            file.touch(mode=0o600)
            file.write_text(text + "\n")
        self.server = simulation.serve(free_ports(1), key=KEY, secrets=[SECRET], first_retry_seconds=0.05)
        self.url, self.standin = self.server.url, self.server.standin
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.settings = {"launchpad.billing.processor": "stripe", "launchpad.billing.url": self.url, "launchpad.billing.secretKeyFile": room / "key",
                         "launchpad.billing.webhookSecretsFile": room / "secret", "outbound.allowedAddresses": self.url.removeprefix("http://")}

    def deliver_to(self, daemon):
        """Sends events to a daemon from now on."""
        self.standin.deliveries.url = f"http://127.0.0.1:{daemon.ports['launchpad']}/api/webhooks/billing/stripe"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self._room.cleanup()

    def pay(self, address, **fields):
        """Sends the form of a checkout page, as its visitor does. @return where it leads"""
        place = urllib.parse.urlsplit(address)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=SECONDS)
        form = urllib.parse.urlencode({"action": "pay", "card": "works", "email": "payer@example.org", **fields})
        try:
            connection.request("POST", place.path, form, {"Content-Type": "application/x-www-form-urlencoded"})
            answer = connection.getresponse()
            answer.read()
        finally:
            connection.close()
        if answer.status != 303:
            raise AssertionError(f"the payment page answered {answer.status}")
        return answer.headers["Location"]

    def acknowledged(self):
        """Returns once every event that was emitted has been acknowledged."""
        deadline = time.monotonic() + SECONDS
        while self.standin.deliveries.pending():
            if time.monotonic() > deadline:
                raise AssertionError(f"events wait: {self.standin.deliveries.log[-5:]}")
            time.sleep(0.01)

    def subscriptions(self, owner):
        """Subscriptions of an owner as the processor has them."""
        with self.standin.ledger.lock:
            return [dict(each) for each in self.standin.ledger.all("subscription") if each["metadata"].get("owner_id") == owner]
