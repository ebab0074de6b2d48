"""Services on PostgreSQL beside SQLite, nginx and a fastify peer on the same PostgreSQL, in one run: `/validate`, a contact, a list, a change, availability and
bookings. Per request: CPU of the process and of PostgreSQL, round trips of one request alone, p99. `--before BUILD` measures the programs of an older
tree, too. Servers use both cores, the load generator the second one."""
import contextlib, datetime, json, os, re, statistics, sys, time, types

import calendar_load
from calendar_load import ALWAYS, BOOKINGS, DAYS, HERE, HOSTS, MINUTES, WEEK, ZONE, Guests, Host, booked_a_second
from measure import CLIENT_CORE, SERVER_CORE, Asker, Process, compare, nginx, peer, say, wrk

sys.path.insert(0, str(HERE.parent / "support"))
from counted_link import CountedLink  # noqa: E402
from daemon import Daemon, PostgreSQL, free_ports  # noqa: E402

SETTINGS = {**calendar_load.SETTINGS, "identity.login.freeAttempts": 100}
CONTACTS = 2000
ALONE = 15
WAIT_SECONDS = 120
CORES = f"{SERVER_CORE},{CLIENT_CORE}"
# An older tree, measured on another machine: requests/s on PostgreSQL and on SQLite, CPU us and p99 ms on PostgreSQL.
BEFORE = {"/validate": (5400, 60600, 115, 16), "contact": (10250, 78400, 61, 9), "booking": (281, 514, None, None)}
# Goals: multiple of the rate before, multiple of the peer's rate, CPU us and p99 ms.
GOALS = {"/validate": (6, 4, 20, 5), "contact": (2.5, 4, 35, 5), "booking": (3, None, None, None)}
PEER_TABLES = """
CREATE SCHEMA peer;
CREATE TABLE peer.contact (LIKE crm.contact INCLUDING ALL);
INSERT INTO peer.contact SELECT * FROM crm.contact;
CREATE TABLE peer.event (id text PRIMARY KEY, type text NOT NULL, data text NOT NULL);
CREATE TABLE peer.type (zone text, minutes int);
CREATE TABLE peer.rule (weekday int, start text, "end" text);
CREATE TABLE peer.booking (id text PRIMARY KEY, host text NOT NULL, start text NOT NULL, "end" text NOT NULL, guest text, UNIQUE (host, start));
CREATE TABLE peer.hold (id text PRIMARY KEY, host text NOT NULL, start text NOT NULL, expires_at timestamptz NOT NULL, UNIQUE (host, start));
CREATE TABLE peer.mail (id text PRIMARY KEY, recipient text NOT NULL, data text NOT NULL);
"""


def eventually(condition, what):
    deadline = time.monotonic() + WAIT_SECONDS
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise SystemExit(f"{what} took more than {WAIT_SECONDS} s")
        time.sleep(0.05)  # between two looks
    return found


class Office:
    """A daemon with an organization, its contacts and its hosts."""

    def __init__(self, daemon):
        self.daemon = daemon
        password = daemon.user("owner@acme.example", "acme", "owner")["password"]
        self.token = daemon.login("owner@acme.example", password)
        me = self.ask("GET", "/api/auth/me", service="identity", token=daemon.login("owner@acme.example", password, "identity"))
        self.person, self.organization = me["user"]["id"], me["organizations"][0]["id"]
        rows = "".join(f"Given{i},Family{i % 97},person{i}@example.org,Company {i % 31}\r\n" for i in range(CONTACTS))
        text = ("First Name,Last Name,Email,Company\r\n" + rows).encode()
        self.ask("POST", "/api/contacts/import?onDuplicate=create", text, headers={"Content-Type": "text/csv"})
        self.ids = eventually(self.contacts, "the import")
        host = Host(daemon, 0, WEEK, MINUTES)
        self.availability = f"{host.page}/availability?{host.availability()}&timeZone={ZONE}"
        self.query = host.availability()
        free = self.ask("GET", self.availability, service="calendar")["slots"]
        self.booked = free[:: max(1, len(free) // BOOKINGS)][:BOOKINGS]
        for each in self.booked:
            host.ask("POST", "/api/admin/bookings", {"eventTypeId": host.type, "start": each["start"],
                                                     "guest": {"name": "Grace", "email": "grace@example.org", "timeZone": ZONE}})
        self.hosts = [Host(daemon, number, ALWAYS, 5) for number in range(1, HOSTS + 1)]

    def ask(self, method, path, body=None, service="crm", token=None, headers=None):
        answer = self.daemon.request(service, method, path, body, token or (self.token if service == "crm" else None), headers)
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {answer.body[:500]!r}")
        return answer.json()

    def contacts(self):
        """Returns the ids once all contacts exist, before that None."""
        ids, cursor = [], ""
        while cursor is not None:
            page = self.ask("GET", f"/api/contacts?limit=100{cursor and '&cursor=' + cursor}")
            ids += [each["id"] for each in page["items"]]
            cursor = page["nextCursor"]
        return ids if len(ids) == CONTACTS else None


class Contestant:
    """Ports, process and credentials of a program that answers the requests of the benchmark."""

    def __init__(self, office, process, ports, validate="/validate", availability=None):
        self.office, self.process, self.ports = office, process, ports
        self.headers = {"Authorization": f"Bearer {office.token}"}
        contact = office.ids[len(office.ids) // 2]
        self.requests = {"/validate": ("identity", "GET", validate, None), "contact": ("crm", "GET", f"/api/contacts/{contact}", None),
                         "list of 50": ("crm", "GET", "/api/contacts?limit=50", None),
                         "contact PUT": ("crm", "PUT", f"/api/contacts/{contact}", {"jobTitle": "Engineer"}),
                         "availability": ("calendar", "GET", availability or office.availability, None)}

    def guests(self, first=0):
        """Returns one guest for each host."""
        return [Guests(types.SimpleNamespace(ports=self.ports), host, number) for number, host in enumerate(self.office.hosts, first)]

    def answer(self, what, number=0):
        """Sends one request on the connection of its service, and returns the JSON of the answer."""
        service, method, path, body = self.requests[what]
        if service not in self.__dict__.setdefault("askers", {}):
            self.askers[service] = Asker(self.ports[service])
        asker = self.askers[service]
        asker.ask(method, path, {**body, "jobTitle": f"Engineer {number}"} if body else None,
                  {**self.headers, "X-Service-ID": "crm", **({"Content-Type": "application/json"} if body else {})})
        while (answer := asker.read()) is None:
            pass
        if answer[0] != 200:
            raise SystemExit(f"{what} gave {answer[0]}: {answer[1][:500]!r}")
        return json.loads(answer[1])

    def load(self, what, folder):
        """Returns a contestant for `compare`."""
        service, method, path, body = self.requests[what]
        headers = [f"{name}: {value}" for name, value in self.headers.items()] + ["X-Service-ID: crm"]
        if what == "availability":
            headers = []
        script = []
        if method == "PUT":
            script = [folder / f"put-{self.ports[service]}.lua"]
            ids = ", ".join(json.dumps(each) for each in self.office.ids)
            script[0].write_text(f"""local ids, n = {{{ids}}}, 0
wrk.headers["Content-Type"] = "application/json"
request = function()
  n = n + 1
  return wrk.format("PUT", "/api/contacts/" .. ids[n % #ids + 1], nil, '{{"jobTitle":"Engineer ' .. n .. '"}}')
end
""")
        return self.process, f"http://127.0.0.1:{self.ports[service]}{path}", headers, *script


def is_idle(server):
    """Returns True if no job and no event of a booking waits."""
    jobs = "SELECT count(*) FROM calendar.portico_job WHERE lease IS NOT NULL OR due_at <= extract(epoch FROM now()) * 1000"
    return server.sql(f"SELECT ({jobs}) + (SELECT count(*) FROM calendar.portico_event WHERE dispatched_at IS NULL);") == ["0"]


def trips_alone(contestant, link, server):
    """Returns the median round trips of each request without load. A booking includes its event and its mails."""
    def median(one):
        taken = []
        for number in range(ALONE):
            before = link.counts()[0]
            one(number)
            taken.append(link.counts()[0] - before)
        return statistics.median(taken[ALONE // 3:])  # the first ones open sessions and prepare statements

    guest = contestant.guests(100)[0]
    guest.next += datetime.timedelta(days=300)  # after those of the load

    def book(_):
        guest.hold()
        while not guest.read():
            pass
        eventually(lambda: is_idle(server), "a booking")

    trips = {what: median(lambda number, what=what: contestant.answer(what, number)) for what in contestant.requests}
    trips["booking"] = median(book)
    guest.asker.socket.close()
    return trips


@contextlib.contextmanager
def postgresql_daemon(build):
    """Yields a server, a contestant with data on it, and its round trips."""
    with PostgreSQL() as server, CountedLink(server.port) as link, server.daemon(SETTINGS, build=build) as daemon:
        office = Office(daemon)
        eventually(lambda: is_idle(server), "the first bookings")
        daemon.settings["database.url"] = f"postgresql://postgres@127.0.0.1:{link.port}/postgres"
        daemon.restart()
        trips = trips_alone(Contestant(office, None, daemon.ports), link, server)
        daemon.settings["database.url"] = server.url
        daemon.restart()
        yield server, Contestant(office, Process(daemon.pid), daemon.ports), trips


@contextlib.contextmanager
def fastify(server, url, office):
    port = free_ports(1)
    os.environ["PGPASSWORD"] = server.password
    with peer("postgres.mjs", port, url, office.token, office.person, office.organization) as node:
        node.threads_to(CORES)
        yield Contestant(office, node, dict.fromkeys(("identity", "crm", "calendar"), port), availability=f"/availability?{office.query}")


def make_peer_tables(server, office):
    rules = ", ".join(f"({each['weekday']}, '{each['start']}', '{each['end']}')" for each in WEEK)
    booked = ", ".join(f"('booked{number}', 'host0', '{each['start']}', '{each['end']}')" for number, each in enumerate(office.booked))
    server.sql(f"{PEER_TABLES} INSERT INTO peer.type VALUES ('{ZONE}', {MINUTES}); INSERT INTO peer.rule VALUES {rules};"
               f"INSERT INTO peer.booking (id, host, start, \"end\") VALUES {booked}; ANALYZE;")


def check_alike(ours, theirs):
    """Fails unless both give the same answers."""
    for what in ours.requests:
        one, other = ours.answer(what), theirs.answer(what)
        seen = {"/validate": lambda _: 0, "list of 50": lambda page: [each["id"] for each in page["items"]],
                "availability": lambda found: [each["start"] for each in found["slots"]]}.get(what, lambda each: (each["id"], each["jobTitle"]))
        if seen(one) != seen(other):
            raise SystemExit(f"the peer answers {what} otherwise: {seen(one)} and {seen(other)}")


def bookings(contestants, options, beside):
    samples = {name: [] for name in contestants}
    guests = {name: each.guests() for name, each in contestants.items()}
    for _ in range(options.rounds):
        for name, each in contestants.items():
            for guest in guests[name]:
                guest.taken.clear()
            cpu, others, before = each.process.cpu_seconds(), beside[name].cpu_seconds() if name in beside else 0, sum(guest.booked for guest in guests[name])
            rate = booked_a_second(guests[name], options.seconds)
            count = sum(guest.booked for guest in guests[name]) - before
            taken = sorted(seconds for guest in guests[name] for seconds in guest.taken)
            samples[name].append({"rate": rate, "cpu_us": (each.process.cpu_seconds() - cpu) / count * 1e6, "bad": 0, "broken": 0,
                                  "p99_ms": taken[len(taken) * 99 // 100] * 1000,
                                  "beside_us": ((beside[name].cpu_seconds() if name in beside else 0) - others) / count * 1e6})
    return {name: {key: statistics.median(each[key] for each in taken) for key in taken[0]} for name, taken in samples.items()}


def print_table(what, medians, trips):
    say(f"\n## {what}\n{'':22}{'requests/s':>11}{'of nginx':>9}{'of peer':>8}{'CPU us':>8}{'PG us':>7}{'p99 ms':>8}{'trips':>6}{'not 2xx':>8}")
    for name, each in medians.items():
        of_nginx = f"{each['rate'] / medians['nginx']['rate']:.3f}" if "nginx" in medians else "-"
        say(f"{name:22}{each['rate']:11.0f}{of_nginx:>9}{each['rate'] / medians['fastify + pg']['rate']:8.2f}{each['cpu_us']:8.1f}{each.get('beside_us', 0):7.0f}"
            f"{each['p99_ms']:8.2f}{trips.get(name, {}).get(what, 0):6.0f}{each['bad'] + each['broken']:8.0f}")
    if what not in GOALS:
        return
    now, (times, of_peer, cpu, p99) = medians["portico PostgreSQL"], GOALS[what]
    on_postgresql, on_sqlite, cpu_before, p99_before = BEFORE[what]
    if "before PostgreSQL" in medians:
        was, scale = medians["before PostgreSQL"]["rate"], "in this run"
    else:
        # The rates on SQLite show how much faster this machine is.
        was, scale = medians["portico SQLite"]["rate"] * on_postgresql / on_sqlite, f"{on_postgresql}/s of {on_sqlite}/s on SQLite"
    lines = [f"of before ({scale}) {now['rate'] / was:.2f} (goal {times})"]
    if of_peer:
        lines += [f"of the peer {now['rate'] / medians['fastify + pg']['rate']:.2f} ({of_peer})", f"CPU {now['cpu_us']:.1f} us, was {cpu_before} ({cpu})",
                  f"p99 {now['p99_ms']:.2f} ms, was {p99_before} ({p99})"]
    say("; ".join(lines))


def print_checks(contestant, options, folder):
    """Statements that look for revisions while /validate is loaded, and the requests that share one."""
    def counts():
        text = contestant.office.daemon.ctl("metrics")["text"]
        return [float(re.search(rf"(?m)^portico_shared_{name}_total\S* (\S+)", text)[1]) for name in ("read_statements", "reads")]

    _, url, headers = contestant.load("/validate", folder)
    before = counts()
    wrk(url, options.seconds, headers=headers)
    statements, reads = (after - begun for begun, after in zip(before, counts()))
    say(f"\nstatements for revisions under /validate: {statements / options.seconds:.0f} a second (goal: below 2000), each for {reads / max(1, statements):.1f} requests")
    return statements / options.seconds


def bench(build, folder, options, report):
    mine, trips, beside = report.setdefault("postgresql", {}), {}, {}
    with contextlib.ExitStack() as started:
        server, ours, trips["portico PostgreSQL"] = started.enter_context(postgresql_daemon(build))
        beside["portico PostgreSQL"] = beside["fastify + pg"] = Process(int((server.data / "postmaster.pid").read_text().split()[0]))
        make_peer_tables(server, ours.office)
        with CountedLink(server.port) as link, fastify(server, f"postgresql://postgres@127.0.0.1:{link.port}/postgres", ours.office) as counted:
            check_alike(ours, counted)
            trips["fastify + pg"] = trips_alone(counted, link, server)
        theirs = started.enter_context(fastify(server, server.url, ours.office))
        sqlite = started.enter_context(Daemon(SETTINGS, build=build))
        daemons = {"portico SQLite": Contestant(Office(sqlite), Process(sqlite.pid), sqlite.ports), "portico PostgreSQL": ours}
        if options.before:
            old_server, old, trips["before PostgreSQL"] = started.enter_context(postgresql_daemon(options.before))
            beside["before PostgreSQL"] = Process(int((old_server.data / "postmaster.pid").read_text().split()[0]))
            old_sqlite = started.enter_context(Daemon(SETTINGS, build=options.before))
            daemons |= {"before SQLite": Contestant(Office(old_sqlite), Process(old_sqlite.pid), old_sqlite.ports), "before PostgreSQL": old}
        port = free_ports(1)
        web = started.enter_context(nginx(folder, port))
        web.threads_to(CORES)
        contestants = {"fastify + pg": theirs, **daemons}
        say(f"\nServices on PostgreSQL: 64 connections, both cores shared with the server; load of the machine {os.getloadavg()[0]:.1f}; resident "
            + ", ".join(f"{name} {each.process.resident_mb():.1f} MB" for name, each in contestants.items()))
        for what in ours.requests:
            medians = compare({"nginx": (web, f"http://127.0.0.1:{port}/", ()), **{name: each.load(what, folder) for name, each in contestants.items()}},
                              options.seconds, options.rounds, beside=beside)
            print_table(what, medians, trips)
            mine[what] = medians
        mine["booking"] = bookings(contestants, options, beside)
        print_table("booking", mine["booking"], trips)
        mine["checks"] = print_checks(ours, options, folder)
    mine["trips"] = trips
