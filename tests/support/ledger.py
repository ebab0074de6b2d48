"""Clients that write to crm during a failure, and the check of the data afterwards.

    with Ledger(daemon, token) as ledger:
        …                       # whatever shall go wrong
    ledger.verify(test, token)  # everything that was answered 2xx

Each record is written by one thread, so what may be read of it is known: what was answered last and, if there was no answer or a refusal, that
or what was asked for.
"""

import collections
import contextlib
import hashlib
import http.client
import itertools
import json
import random
import threading
import time

WAIT_SECONDS = 120
JSON = {"Content-Type": "application/json"}


class Client:
    """One keep-alive connection to a service; it is opened again after a break."""

    def __init__(self, daemon, token, service="crm", timeout=60):
        self.headers = {"Authorization": f"Bearer {token}"}
        self.connection = http.client.HTTPConnection("127.0.0.1", daemon.ports[service], timeout=timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def call(self, method, path, body=None, headers=None):
        """Status, headers and body of the answer."""
        sent = {**self.headers, **(headers or {})}
        if body is not None and not isinstance(body, bytes):
            body, sent = json.dumps(body).encode(), {**sent, **JSON}
        try:
            self.connection.request(method, path, body=body, headers=sent)
            answer = self.connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except BaseException:
            self.connection.close()
            raise


class Broken(Exception):
    """The writer cannot go on."""


class Ledger:
    """`outage` means that refusals by a 503 with Retry-After are expected from now on; `dying` that the daemon is being killed."""

    def __init__(self, daemon, token, writers=4, file_bytes=100_000, seed=0):
        self.daemon, self.token, self.file_bytes = daemon, token, file_bytes
        self.expected = {}
        self.wrong, self.codes = [], collections.Counter()
        self.acknowledged = self.refused = 0
        self.outage = self.dying = False
        self._lock, self._end = threading.Lock(), threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(f"{seed}-{number}",)) for number in range(writers)]
        with Client(daemon, token) as client:
            status, _, body = client.call("GET", "/api/pipeline")
        assert status == 200, body
        self.stages = [each["stageId"] for each in next(each for each in json.loads(body)["items"] if each["isDefault"])["stages"]]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self._end.set()
        for thread in self._threads:
            thread.join()

    def kill(self):
        """The daemon, at once and without a word."""
        self.dying = True
        self.daemon.kill()

    def wait_for(self, more=0, refused=0):
        """Until so many more requests have been answered 2xx, or refused by 503."""
        good, bad, deadline = self.acknowledged + more, self.refused + refused, time.monotonic() + WAIT_SECONDS
        while (self.acknowledged < good or self.refused < bad) and not self.wrong:
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.acknowledged} of {good} writes acknowledged, {self.refused} of {bad} refused: {self.codes}\n{self.daemon.log_tail()}")
            time.sleep(0.005)

    def _write(self, name):
        chance = random.Random(name)
        with Client(self.daemon, self.token) as client, contextlib.suppress(Broken):
            for turn in itertools.count():
                if self._end.is_set():
                    break
                self._round(client, chance, f"{name}/{turn}")

    def _round(self, client, chance, text):
        contact = self._make(client, "/api/contacts", {"firstName": text, "jobTitle": "0"}, lambda made: ("contact", made["id"]), "0")
        if contact is None:
            return
        path = f"/api/contacts/{contact[1]}"
        note = self._make(client, f"{path}/notes", {"body": text}, lambda made: ("note", f"{path}/notes/{made['noteId']}"), text)
        for job in ("1", "2"):
            self._change(client, contact, job, "PUT", path, {"jobTitle": job})
        stage = ("stage", contact[1])
        with self._lock:
            self.expected[stage] = {None}
        for at in chance.sample(self.stages, 2):
            self._change(client, stage, at, "PUT", f"/api/pipeline/{contact[1]}/move", {"stageId": at})
        content = chance.randbytes(chance.randrange(self.file_bytes))
        file = self._make(client, f"{path}/attachments", content, lambda made: ("file", made["downloadUrl"]), hashlib.sha256(content).hexdigest(),
                          {"Content-Type": "application/octet-stream", "X-File-Name": "file.bin"})
        if note and chance.random() < 0.3:
            self._change(client, note, None, "DELETE", note[1])
        if file and chance.random() < 0.3:
            self._change(client, file, None, "DELETE", file[1])
        other = self._make(client, "/api/contacts", {"firstName": "gone " + text, "jobTitle": "0"}, lambda made: ("contact", made["id"]), "0")
        if other and chance.random() < 0.5:
            self._change(client, other, None, "DELETE", f"/api/contacts/{other[1]}")

    def _make(self, client, path, body, key, value, headers=None):
        """The key of a record if its making was acknowledged."""
        made = self._ask(client, "POST", path, body, headers)
        if made is None:
            return None
        with self._lock:
            self.expected[key(made)] = {value}
        return key(made)

    def _change(self, client, key, value, method, path, body=None):
        with self._lock:
            self.expected[key].add(value)
        if self._ask(client, method, path, body) is not None:
            with self._lock:
                self.expected[key] = {value}

    def _ask(self, client, method, path, body, headers=None):
        """The answer's JSON, or None for a refusal."""
        if self._end.is_set() or self.wrong:
            raise Broken
        try:
            status, fields, text = client.call(method, path, body, headers)
        except OSError as error:
            return self._broken(error)
        except http.client.HTTPException as error:
            return self._broken(error)
        with self._lock:
            if 200 <= status < 300:
                self.acknowledged += 1
                return json.loads(text)
            self.refused += 1
            self.codes[status, json.loads(text).get("code")] += 1
            # Not found: what was refused before, or what a failed deletion has deleted after all.
            if not (self.outage and (status == 503 and fields["Retry-After"] or status == 404)):
                self.wrong.append((method, path, status, text))
        return None

    def _broken(self, error):
        if not self.dying:
            with self._lock:
                self.wrong.append(repr(error))
        raise Broken from error

    def verify(self, test, token=None):
        """Reads every record; one that is not as acknowledged fails the test."""
        test.assertEqual(self.wrong[:3], [])
        with Client(self.daemon, token or self.token) as client:
            for (kind, place), allowed in self.expected.items():
                found = getattr(self, f"_read_{kind}")(client, place)
                test.assertIn(found, allowed, (kind, place))

    @staticmethod
    def _get(client, path):
        status, _, body = client.call("GET", path)
        assert status in (200, 404), (path, status, body)
        return body if status == 200 else None

    def _read_contact(self, client, place):
        body = self._get(client, f"/api/contacts/{place}")
        return body and json.loads(body)["jobTitle"]

    def _read_stage(self, client, place):
        places = json.loads(self._get(client, f"/api/contacts/{place}?include=history"))["pipelines"]
        return places[0]["stageId"] if places else None

    def _read_note(self, client, place):
        body = self._get(client, place)
        return body and json.loads(body)["body"]

    def _read_file(self, client, place):
        body = self._get(client, place)
        return None if body is None else hashlib.sha256(body).hexdigest()
