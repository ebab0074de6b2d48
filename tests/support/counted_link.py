"""A connection to PostgreSQL that counts what the server answers: round trips and commits."""

import dataclasses
import re
import threading

from slow_link import SlowLink


@dataclasses.dataclass
class Answers:
    """What one session has been answered, up to the last whole message."""

    data: bytes = b""
    started: bool = False
    tags: list = dataclasses.field(default_factory=list)
    inside: bool = False
    wrote: bool = False


class Watched:
    """A socket that shows what it receives."""

    def __init__(self, inner, show):
        self._inner, self._show, self._session = inner, show, Answers()

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def recv(self, size):
        data = self._inner.recv(size)
        self._show(self._session, data)
        return data


class CountedLink(SlowLink):
    """Counts the answers that end with ReadyForQuery, without those to NOTIFY and to the start of a session, and transactions that changed rows. `log` has the
    command tags of each answer."""

    def __init__(self, target):
        super().__init__(target)
        self.trips = self.commits = 0
        self.log = []
        self._counting = threading.Lock()

    def counts(self):
        with self._counting:
            return self.trips, self.commits

    def _pass(self, source, sink, answers):
        super()._pass(Watched(source, self._count) if answers else source, sink, answers)

    def _count(self, session, data):
        session.data += data
        if not session.started:
            # To the questions for encryption, which the server of the tests lacks.
            session.data = session.data.lstrip(b"N")
        while len(session.data) >= 5 and len(session.data) > (length := int.from_bytes(session.data[1:5], "big")):
            kind, content, session.data = session.data[:1], session.data[5 : 1 + length], session.data[1 + length :]
            if kind == b"C":
                session.tags.append(content[:-1].decode())
            elif kind == b"Z":
                if session.started:
                    self._ended(session)
                session.started, session.tags = True, []

    def _ended(self, session):
        commits = 0
        for tag in session.tags:
            if tag == "BEGIN":
                session.inside, session.wrote = True, False
            elif re.fullmatch(r"(INSERT 0|UPDATE|DELETE) [1-9]\d*", tag):
                session.wrote = True
                commits += not session.inside
            elif tag in ("COMMIT", "ROLLBACK"):
                commits += session.inside and session.wrote and tag == "COMMIT"
                session.inside = False
        if session.tags == ["NOTIFY"]:
            return
        with self._counting:
            self.trips += 1
            self.commits += commits
            self.log.append(session.tags)
