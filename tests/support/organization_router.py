"""A router for several databases. Each has the rows of some organizations, as Citus would distribute them. Clients use the protocol of PostgreSQL.

A statement that names tables of organizations is sent to the database of the organization that its parameters name. Statements about the host's own
tables and the catalog are sent to the coordinator, and definitions to all. A statement that joins rows of different organizations, names two of them, or
joins tables of organizations with tables of the host is refused with 0A000. A transaction begins in a database with its first statement there;
commits are made one after the other."""

import collections
import contextlib
import functools
import hashlib
import re
import socket
import struct
import threading

import tenant_joins

COORDINATOR = -1
QUERIES = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "VALUES", "EXPLAIN", "DECLARE")
OF_CURSORS = ("FETCH", "MOVE", "CLOSE")
NO_ENCRYPTION = (80877103, 80877104)
PROTOCOL = 196608
SYNC = b"S\0\0\0\4"
COUNTED = re.compile(rb"((?:INSERT 0|UPDATE|DELETE|SELECT) )(\d+)\0")
COUNT = re.compile(r"SELECT count\(", re.I)
Unit = collections.namedtuple("Unit", "sql name messages values")


class Refused(Exception):
    pass


def message(kind, content=b""):
    return kind + struct.pack("!i", len(content) + 4) + content


def read_exactly(stream, size):
    data = stream.read(size)
    if len(data) < size:
        raise ConnectionError("closed")
    return data


def read_message(stream):
    kind, length = struct.unpack("!ci", read_exactly(stream, 5))
    return kind, read_exactly(stream, length - 4)


def error_response(text):
    return message(b"E", b"SERROR\0VERROR\0C0A000\0M" + text.encode() + b"\0\0")


def bound(content):
    """Returns the name of the statement and the values of a Bind message; None for a value that is not a text."""
    _, name, rest = content.split(b"\0", 2)
    at = 2 + 2 * struct.unpack_from("!h", rest)[0]
    formats = struct.unpack_from(f"!{at // 2 - 1}h", rest, 2)
    (count,), at, values = struct.unpack_from("!h", rest, at), at + 2, []
    for number in range(count):
        (length,), at = struct.unpack_from("!i", rest, at), at + 4
        binary = formats[number if len(formats) > 1 else 0] if formats else 0
        values.append(None if binary or length < 0 else rest[at : at + length].decode())
        at += max(0, length)
    return name.decode(), values


class Backend:
    """A session of one database."""

    def __init__(self, socket_file, database):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(socket_file)
        self.stream = self.socket.makefile("rb")
        self.prepared, self.status = set(), b"I"
        options = f"user\0postgres\0database\0{database}\0\0".encode()
        self.socket.sendall(struct.pack("!ii", len(options) + 8, PROTOCOL) + options)
        self.greeting = [message(*each) for each in self.answer() if each[0] in b"SK"]

    def send(self, data):
        self.socket.sendall(data)

    def answer(self):
        """Returns the messages before ReadyForQuery."""
        found = []
        while (each := read_message(self.stream))[0] != b"Z":
            found.append(each)
        self.status = each[1]
        return found

    def query(self, sql):
        self.send(message(b"Q", sql.encode() + b"\0"))
        if failed := [each for each in self.answer() if each[0] == b"E"]:
            raise Refused(f"{sql}: {failed[0][1]!r}")

    def close(self):
        for each in (self.stream, self.socket):
            each.close()


class Session:
    """A client, and its sessions of the databases that its statements needed."""

    def __init__(self, router, client):
        self.router, self.client, self.stream = router, client, client.makefile("rb")
        self.backends, self.settings, self.texts, self.parses, self.cursors = {}, [], {}, {}, {}
        # State of a transaction: statements that a database runs when it joins, databases in it, and databases of the organizations that it has named.
        self.begun, self.joined, self.named = None, set(), set()

    def serve(self):
        try:
            if not self.greet():
                return
            unit, out, failed = [], [], False
            while (received := read_message(self.stream))[0] != b"X":
                kind, content = received
                if kind == b"Q":
                    self.client.sendall(b"".join(self.simple(content[:-1].decode())) + self.ready())
                    continue
                if kind == b"S":
                    self.client.sendall(b"".join(out) + self.ready())
                    unit, out, failed = [], [], False
                elif not failed and kind != b"H":
                    if kind == b"P":
                        out += self.parse(content)
                    elif kind == b"D" and not unit:
                        out += self.at(self.failed() or self.backend(COORDINATOR), message(kind, content) + SYNC)
                    else:
                        unit.append(message(kind, content))
                        if kind == b"E":
                            name, values = bound(unit[0][5:])
                            out += self.execute(Unit(self.texts[name], name, b"".join(unit), values))
                            unit = []
                    failed = bool(out) and out[-1][:1] == b"E"
        except (ConnectionError, OSError):
            pass
        finally:
            for each in (self.stream, self.client, *self.backends.values()):
                each.close()

    def greet(self):
        while True:
            (length,) = struct.unpack("!i", read_exactly(self.stream, 4))
            content = read_exactly(self.stream, length - 4)
            code = struct.unpack_from("!i", content)[0]
            if code in NO_ENCRYPTION:
                self.client.sendall(b"N")
            elif code == PROTOCOL:
                greeting = self.backend(COORDINATOR).greeting
                self.client.sendall(message(b"R", struct.pack("!i", 0)) + b"".join(greeting) + self.ready())
                return True
            else:
                return False

    def ready(self):
        status = b"I" if self.begun is None else b"E" if self.failed() else b"T"
        return message(b"Z", status)

    def failed(self):
        return next((self.backends[each] for each in self.joined if self.backends[each].status == b"E"), None)

    def backend(self, number):
        """Returns the session of a database, which joins the transaction."""
        if number not in self.backends:
            self.backends[number] = self.router.connect(number)
            for sql in self.settings:
                self.backends[number].query(sql)
        if self.begun is not None and number not in self.joined:
            for sql in self.begun:
                self.backends[number].query(sql)
            self.joined.add(number)
        return self.backends[number]

    @staticmethod
    def at(backend, data):
        backend.send(data)
        return [message(*each) for each in backend.answer()]

    def simple(self, sql):
        try:
            return self.run(sql, {}, lambda backend: message(b"Q", sql.encode() + b"\0"), ";" in sql.strip().rstrip(";"))
        except Refused as error:
            return [self.router.refuse(sql, error)]

    def parse(self, content):
        name, sql, _ = content.split(b"\0", 2)
        name = name.decode()
        self.texts[name], self.parses[name] = sql.decode(), message(b"P", content)
        for each in self.backends.values():
            each.prepared.discard(name)
        if not name:
            return [message(b"1")]
        backend = self.failed() or self.backend(COORDINATOR)
        backend.prepared.add(name)
        return self.at(backend, self.parses[name] + SYNC)

    def execute(self, unit):
        added = set()

        def data(backend):
            if unit.name and unit.name in backend.prepared:
                return unit.messages + SYNC
            backend.prepared.add(unit.name)
            added.add(backend)
            return self.parses[unit.name] + unit.messages + SYNC

        try:
            answers = self.run(unit.sql, {f"${place}": value for place, value in enumerate(unit.values, 1)}, data)
        except Refused as error:
            return [self.router.refuse(unit.sql, error)]
        return answers[1:] if added and answers[0][:1] == b"1" else answers

    def run(self, sql, values, data, several=False):
        words = sql.split(None, 2)
        word = words[0].upper().rstrip(";") if words else ""
        if word == "SET" and not (local := words[1].upper() == "LOCAL"):
            self.settings.append(sql)
            return self.broadcast(self.backends, data)
        if several and word != "SET":
            return self.broadcast(self.router.all, data)
        if word in ("BEGIN", "START"):
            answers = self.broadcast([COORDINATOR], data)
            self.begun, self.joined, self.named = [sql], {COORDINATOR}, set()
            return answers
        if word in ("COMMIT", "END", "ROLLBACK") and not (len(words) > 1 and words[1].upper() == "TO"):
            return self.end(word, data)
        if failed := self.failed():
            if word != "ROLLBACK":
                return self.at(failed, data(failed))
        if word in ("SAVEPOINT", "RELEASE", "ROLLBACK") or word == "SET" and local or "set_config(" in sql:
            answers = self.broadcast(self.joined, data)
            self.begun.append(sql)
            return answers
        if word == "DEALLOCATE":
            return self.deallocate(words[1], data)
        return self.route(sql, word, values, data)

    def end(self, word, data):
        if self.begun is None:
            return self.broadcast([COORDINATOR], data)
        if (failed := self.failed()) and word != "ROLLBACK":
            answers = self.at(failed, data(failed))
            for number in self.joined:
                if self.backends[number] is not failed:
                    self.backends[number].query("ROLLBACK")
        else:
            if word != "ROLLBACK":
                self.router.across += len(self.named) > 1
            for number in sorted(self.joined, reverse=True):  # the coordinator is the last one
                answers = self.at(self.backends[number], data(self.backends[number]))
        self.begun, self.joined = None, set()
        return answers

    def deallocate(self, name, data):
        having = [number for number, each in self.backends.items() if name in each.prepared]
        for number in having:
            self.backends[number].prepared.discard(name)
        return self.broadcast(having, data)

    def route(self, sql, word, values, data):
        if word in OF_CURSORS:
            return self.broadcast([self.cursors[sql.split()[-1]]], data)
        if word not in QUERIES:
            return self.broadcast(self.router.all if word else [COORDINATOR], data)
        numbers = self.router.databases_of(sql, values)
        if len(numbers) == 1:
            backend = self.backend(numbers[0])
            self.named |= {*numbers} - {COORDINATOR}
            if word == "DECLARE":
                self.cursors[sql.split()[1]] = numbers[0]
            return self.at(backend, data(backend))
        return self.gathered([*self.answers_of(numbers, data).values()], COUNT.match(sql))

    def answers_of(self, numbers, data):
        backends = {number: self.backend(number) for number in numbers}
        for each in backends.values():
            each.send(data(each))
        return {number: [message(*each) for each in backend.answer()] for number, backend in backends.items()}

    def broadcast(self, numbers, data):
        """Returns the answer of the coordinator, or the first error."""
        answers = self.answers_of(sorted(numbers), data)
        failed = [each for each in answers.values() if any(part[:1] == b"E" for part in each)]
        return failed[0] if failed else answers.get(COORDINATOR, next(iter(answers.values())))

    @staticmethod
    def gathered(answers, is_count):
        """Returns all rows of all databases, or the sum of their counts."""
        failed = [each for each in answers if any(part[:1] == b"E" for part in each)]
        if failed:
            return failed[0]
        rows = [part for each in answers for part in each if part[:1] == b"D"]
        head = [part for part in answers[0] if part[:1] not in (b"D", b"C")]
        if is_count:
            total = str(sum(int(row[11:]) for row in rows)).encode()
            rows = [message(b"D", struct.pack("!hi", 1, len(total)) + total)]
            return [*head, *rows, message(b"C", b"SELECT 1\0")]
        tags = [COUNTED.fullmatch(part[5:]) for each in answers for part in each if part[:1] == b"C"]
        return [*head, *rows, message(b"C", tags[0][1] + str(sum(int(tag[2]) for tag in tags)).encode() + b"\0")]


class OrganizationRouter:
    """`server` trusts local users. `tables`: those of organizations. `refused` has statements that need rows of several organizations or of the host, and
    `everywhere` those that name no organization. `used`: statements of each database; `across`: commits in several databases of organizations."""

    def __init__(self, server, databases, tables, host_tables=r"\bportico_\w+"):
        self.server, self.databases, self.tables = server, databases, tables
        self.all = range(COORDINATOR, len(databases))
        self.host_tables = re.compile(host_tables)
        self.refused, self.everywhere, self.used, self.across = [], collections.Counter(), collections.Counter(), 0
        self.statement = functools.cache(self._statement)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()

    @property
    def url(self):
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=Session(self, client).serve, daemon=True).start()

    def connect(self, number):
        database = "postgres" if number == COORDINATOR else self.databases[number]
        return Backend(f"{self.server.directory}/.s.PGSQL.{self.server.port}", database)

    def _statement(self, sql):
        """Returns True if it names tables of organizations, and the parameters and literals that name the organization."""
        found = tenant_joins.Statement(sql, self.tables)
        if not found.mentions:
            return False, ()
        if len(found.groups()) > 1:
            raise Refused(f"it joins rows of different organizations: {found.groups()}")
        if self.host_tables.search(sql):
            raise Refused("it names tables of organizations and of the host")
        return True, tuple({each for tie in found.ties for each in tie if isinstance(each, str)})

    def place(self, organization):
        return hashlib.sha256(organization.encode()).digest()[0] % len(self.databases)

    def databases_of(self, sql, values):
        of_organizations, names = self.statement(sql)
        if not of_organizations:
            return [COORDINATOR]
        organizations = {values.get(name, name.strip("'")) for name in names}
        if len(organizations) > 1:
            raise Refused(f"it names {organizations}")
        if not organizations:
            self.everywhere[" ".join(sql.split())] += 1
            return range(len(self.databases))
        number = self.place(organizations.pop() or "")
        self.used[number] += 1
        return [number]

    def refuse(self, sql, error):
        self.refused.append((str(error), " ".join(sql.split())))
        return error_response(str(error))
