"""Measures bookings beside peers: availability beside fastify, better-sqlite3 and luxon, holds and bookings beside bare commits of the same databases, the
first byte of a page, and the plugin's memory. Prints results with their goals, and never fails."""
import contextlib, datetime, json, os, pathlib, selectors, socket, sqlite3, statistics, subprocess, sys, time, urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from daemon import Daemon, PostgreSQL, free_ports  # noqa: E402
from measure import CLIENT_CORE, SERVER_CORE, Asker, Process, compare, peer, say, table, wrk  # noqa: E402

SETTINGS = {"limits.rates": "off", "server.trustedProxies": "127.0.0.1"}
ZONE, MINUTES, DAYS, BOOKINGS, HOSTS = "Europe/Berlin", 30, 31, 200, 32
WEEK = [{"weekday": weekday, "start": start, "end": end} for weekday in range(1, 8) for start, end in (("08:00", "11:30"), ("12:00", "15:30"), ("16:00", "19:30"))]
ALWAYS = [{"weekday": weekday, "start": "00:00", "end": "24:00"} for weekday in range(1, 8)]
# As in tests/benchmarks/run: until the daemon has given back what its start needed.
QUIET_SECONDS = 45


class Host:
    """Somebody with a page of one type of bookings, whose hours are these."""

    def __init__(self, daemon, number, rules, minutes):
        self.daemon, self.handle = daemon, f"host{number}"
        email = f"{self.handle}@acme.example"
        self.token = daemon.login(email, daemon.user(email, "acme", "admin")["password"], "calendar")
        made = self.ask("POST", "/api/admin/host", {"handle": self.handle, "displayName": self.handle, "timeZone": ZONE})
        self.ask("PUT", f"/api/admin/schedules/{made['defaultScheduleId']}", {"weeklyRules": rules})
        self.type = self.ask("POST", "/api/admin/event-types", {"slug": "intro", "title": "Intro", "durationMinutes": minutes, "minimumNoticeMinutes": 0,
                                                                "bookingWindow": {"kind": "rollingDays", "days": 365}})["eventTypeId"]

    def ask(self, method, path, body=None):
        answer = self.daemon.request("calendar", method, path, body, self.token)
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.body!r}")
        return answer.json()

    @property
    def page(self):
        return f"/api/public/{self.handle}/intro"

    def availability(self):
        first = datetime.date.today() + datetime.timedelta(days=2)
        return f"fromDate={first}&toDate={first + datetime.timedelta(days=DAYS - 1)}"


def read(url):
    with urllib.request.urlopen(url) as answer:
        return json.loads(answer.read())


def bench_availability(daemon, folder, options, report):
    """The peer reads rules and bookings of its own database; both must say the same before they are measured."""
    host = Host(daemon, 0, WEEK, MINUTES)
    query = host.availability()
    ours = f"http://127.0.0.1:{daemon.ports['calendar']}{host.page}/availability?{query}&timeZone={ZONE}"
    offered = read(ours)["slots"]
    booked = offered[:: max(1, len(offered) // BOOKINGS)][:BOOKINGS]
    for each in booked:
        host.ask("POST", "/api/admin/bookings", {"eventTypeId": host.type, "start": each["start"], "guest": {"name": "Grace", "email": "grace@example.org", "timeZone": ZONE}})
    with contextlib.closing(sqlite3.connect(folder / "slots.db")) as made, made:
        made.execute("CREATE TABLE rule (weekday INTEGER, start TEXT, end TEXT)")
        made.execute("CREATE TABLE booking (start TEXT, end TEXT)")
        made.execute("CREATE TABLE type (zone TEXT, minutes INTEGER)")
        made.executemany("INSERT INTO rule VALUES (:weekday, :start, :end)", WEEK)
        made.executemany("INSERT INTO booking VALUES (:start, :end)", booked)
        made.execute("INSERT INTO type VALUES (?, ?)", (ZONE, MINUTES))
    port = free_ports(1)
    theirs = f"http://127.0.0.1:{port}/availability?{query}"
    with peer("slots.mjs", port, folder / "slots.db") as node:
        one, other = ([each["start"] for each in read(url)["slots"]] for url in (ours, theirs))
        if one != other:
            raise SystemExit(f"the peer finds other times than we do: {sorted(set(one) ^ set(other))[:9]}")
        process = Process(daemon.pid)
        process.threads_to(SERVER_CORE)
        medians = compare({"fastify + luxon": (node, theirs, ()), "portico availability": (process, ours, ())}, options.seconds, options.rounds, connections=4)
    table(f"Availability of {DAYS} days, three rules a day, {len(booked)} bookings (4 connections, one core; goal: 100 times the peer)", medians, "fastify + luxon")
    loaded = [wrk(ours, options.seconds, lua=HERE / "p95.lua") for _ in range(options.rounds)]
    rate, p95, p99 = (statistics.median(each[key] for each in loaded) for key in ("rate", "p95_ms", "p99_ms"))
    say(f"64 connections (goal: p95 20 ms): {rate:.0f}/s, p95 {p95:.2f} ms, p99 {p99:.2f} ms")
    report["availability"] = {**medians, "loaded": loaded}
    bench_page(daemon, host, report)


def bench_page(daemon, host, report):
    """From the last byte of the request to the first of the answer, one reader."""
    asker = Asker(daemon.ports["calendar"])
    taken = []
    for _ in range(200):
        begun = time.perf_counter()
        asker.ask("GET", f"/{host.handle}/intro")
        asker.socket.recv(1, socket.MSG_PEEK)
        taken.append((time.perf_counter() - begun) * 1000)
        while (answer := asker.read()) is None:
            pass
        if answer[0] != 200:
            raise SystemExit(f"the page gave {answer[0]}")
    asker.socket.close()
    say(f"\n## First byte of a booking page (goal: 15 ms): median {statistics.median(taken):.2f} ms, p99 {sorted(taken)[197]:.2f} ms")
    report["page_first_byte_ms"] = statistics.median(taken)


class Guests:
    """Guests of one host, one after the other. Each guest holds the next time and books it."""

    def __init__(self, daemon, host, number):
        self.asker, self.page = Asker(daemon.ports["calendar"]), host.page
        self.headers = {"X-Forwarded-For": f"198.51.100.{number + 1}", "Content-Type": "application/json"}
        self.next = datetime.datetime.combine(datetime.date.today() + datetime.timedelta(days=2), datetime.time(), datetime.timezone.utc)
        self.booked, self.holding, self.taken = 0, False, []

    def hold(self):
        self.holding, self.began = True, time.perf_counter()
        self.asker.ask("POST", self.page + "/hold", {"start": self.next.strftime("%Y-%m-%dT%H:%M:%SZ"), "timeZone": "UTC"}, self.headers)
        self.next += datetime.timedelta(minutes=5)

    def read(self):
        """True once a time is booked."""
        answer = self.asker.read()
        if answer is None:
            return False
        status, body = answer
        if status != 201:
            raise SystemExit(f"{'a hold' if self.holding else 'a booking'} gave {status}: {body[:500]!r}")
        if self.holding:
            held, self.holding = json.loads(body), False
            self.asker.ask("POST", self.page + "/confirm", {"holdId": held["holdId"], "holdToken": held["holdToken"],
                                                            "guest": {"name": "Grace", "email": "grace@example.org", "timeZone": ZONE}}, self.headers)
            return False
        self.booked += 1
        self.taken.append(time.perf_counter() - self.began)
        return True


def booked_a_second(guests, seconds):
    before, begun = sum(each.booked for each in guests), time.monotonic()
    with selectors.DefaultSelector() as selector:
        for each in guests:
            selector.register(each.asker.socket, selectors.EVENT_READ, each)
            each.hold()
        while selector.get_map():
            for key, _ in selector.select():
                if key.data.read():
                    if time.monotonic() - begun < seconds:
                        key.data.hold()
                    else:
                        selector.unregister(key.fileobj)
    return (sum(each.booked for each in guests) - before) / (time.monotonic() - begun)


def sqlite_commits(folder, seconds):
    """Rows of one insert each, every one on disk before the next, as the daemon's database is set."""
    with contextlib.closing(sqlite3.connect(folder / "commits.db", isolation_level=None)) as bare:
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        bare.execute("CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, text TEXT)")
        begun, count = time.monotonic(), 0
        while time.monotonic() - begun < seconds:
            bare.execute("INSERT INTO row (text) VALUES (?)", ("x" * 500,))
            count += 1
        return count / (time.monotonic() - begun)


def postgresql_commits(server, folder, seconds):
    """The same by as many connections as the daemon's pool may have."""
    script = folder / "commit.sql"
    script.write_text("INSERT INTO bare (text) VALUES (repeat('x', 500));\n")
    said = subprocess.run([server.bin / "pgbench", "-n", "-f", script, "-c", "16", "-T", str(seconds), server.url], env={**os.environ, "PGPASSWORD": server.password},
                          capture_output=True, text=True, check=True).stdout
    return float(said.split("tps = ")[1].split()[0])


def bench_booking(engine, daemon, commits, options, report):
    guests = [Guests(daemon, Host(daemon, number, ALWAYS, 5), number) for number in range(1, HOSTS + 1)]
    # Rounds of both, one after the other: what else the disk does meets both alike.
    pairs = [(booked_a_second(guests, options.seconds), commits(options.seconds)) for _ in range(options.rounds)]
    booked, bare = (statistics.median(each) for each in zip(*pairs))
    say(f"\n## {engine}: a time held and booked, {HOSTS} hosts at once (goal: half of the bare commits): {booked:.0f}/s of {bare:.0f} commits/s, ratio {booked / bare:.2f}")
    report[f"booking {engine}"] = {"booked": booked, "commits": bare, "ratio": booked / bare}


def bench_memory(build, report):
    """Two daemons that only differ in this."""
    with Daemon({**SETTINGS, "services.calendar.enabled": "false"}, build=build) as without, Daemon(SETTINGS, build=build) as with_it:
        time.sleep(QUIET_SECONDS)
        grown = Process(with_it.pid).resident_mb() - Process(without.pid).resident_mb()
    say(f"\n## What the idle plugin keeps in memory (goal: 4 MB): {grown:.1f} MB")
    report["plugin_mb"] = grown


def bench(build, folder, options, report):
    mine = report["calendar"] = {}
    with Daemon(SETTINGS, build=build) as daemon:
        bench_availability(daemon, folder, options, mine)
        Process(daemon.pid).threads_to(f"{SERVER_CORE},{CLIENT_CORE}")
        bench_booking("SQLite", daemon, lambda seconds: sqlite_commits(folder, seconds), options, mine)
    with PostgreSQL() as server, server.daemon(SETTINGS, build=build) as daemon:
        server.sql("CREATE TABLE bare (id bigserial PRIMARY KEY, text text);")
        bench_booking("PostgreSQL", daemon, lambda seconds: postgresql_commits(server, folder, seconds), options, mine)
    bench_memory(build, mine)
