"""Records of the stand-in: objects by ID, events, answers to idempotency keys, and the clock. Kept in a file if there is a state directory."""

import copy
import json
import pathlib
import secrets
import string
import threading
import time

import simulation
from forms import ApiError

# Version of the API that events are written in; requests may ask for another one.
API_VERSION = "2026-10-28.endive"
KEPT_EVENTS = 5000
KEY_SECONDS = 24 * 3600
LETTERS = string.ascii_letters + string.digits
# Events that follow a change of a record, by its type.
UPDATED = {"customer": "customer.updated", "subscription": "customer.subscription.updated", "product": "product.updated", "price": "price.updated"}


class Ledger:
    """Thread-safe while its `lock` is taken. Members that begin with `_` are never shown."""

    def __init__(self, state=None, real=time.time, version=API_VERSION):
        self.lock, self.real, self.version = threading.RLock(), real, version
        self.file = pathlib.Path(state) / "payments.json" if state else None
        self.records, self.keys, self.offset, self.at, self.emitted = {}, {}, 0, None, lambda event: None
        if self.file and self.file.exists():
            kept = json.loads(self.file.read_text())
            self.records, self.keys, self.offset = kept["records"], kept["keys"], kept["offset"]

    def save(self):
        events = [each["id"] for each in self.all("event")]
        for old in events[:-KEPT_EVENTS]:
            del self.records[old]
        self.keys = {key: each for key, each in self.keys.items() if self.now() - each["at"] < KEY_SECONDS}
        if not self.file:
            return
        simulation.write_private(self.file, {"records": self.records, "keys": self.keys, "offset": self.offset})

    # The clock.
    def now(self):
        """Seconds since 1970: the real time with the offset, or the moment that is being caught up."""
        return self.at if self.at is not None else int(self.real() + self.offset)

    # Records.
    @staticmethod
    def id(prefix, length=24):
        return prefix + "".join(secrets.choice(LETTERS) for _ in range(length))

    def add(self, kind, prefix, **members):
        record = {"id": self.id(prefix), "object": kind, "created": self.now(), "livemode": False, **members}
        self.records[record["id"]] = record
        return record

    def forget_since(self, count):
        """Removes the records that a rejected request has added."""
        for added in list(self.records)[count:]:
            del self.records[added]

    def all(self, kind):
        """Records of one kind, the oldest first."""
        return [each for each in self.records.values() if each["object"] == kind]

    def get(self, kind, wanted, param="id", status=404):
        record = self.records.get(wanted) if isinstance(wanted, str) else None
        if not record or record["object"] != kind:
            raise ApiError(status, f"No such {kind.replace('checkout.', 'checkout ')}: '{wanted}'", "resource_missing", param)
        return record

    # Events.
    def emit(self, kind, record, previous=None):
        data = {"object": copy.deepcopy(record)}
        if previous is not None:
            data["previous_attributes"] = previous
        event = self.add("event", "evt_1", api_version=self.version, data=data, type=kind, pending_webhooks=1, request={"id": None, "idempotency_key": None})
        self.emitted(event)
        return event

    def change(self, record, **members):
        """Changes a record and emits what has changed. Does nothing for values that are equal."""
        previous = {key: copy.deepcopy(record.get(key)) for key, value in members.items() if record.get(key) != value}
        record.update(members)
        shown = {key: value for key, value in previous.items() if not key.startswith("_")}
        if shown and record["object"] in UPDATED:
            self.emit(UPDATED[record["object"]], record, shown)
