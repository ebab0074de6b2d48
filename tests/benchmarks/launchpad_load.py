"""The dashboard: part `launchpad` of tests/benchmarks/run. Forty external apps, some of which hang: warm batches beside fastify with undici, cold batches,
and their effect on readers of CRM; store, launches and streams. Prints results with their goals, and never fails."""
import json, pathlib, resource, socket, statistics, sys, threading, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from daemon import Daemon, free_ports  # noqa: E402
from measure import CLIENT_CORE, SERVER_CORE, Process, compare, peer, say, table, wrk  # noqa: E402
from streams_load import memory, threads  # noqa: E402

APPS, CATALOG, STORE, STREAMS = 40, 500, 2_000, 5_000
# Seconds of a round: the p99 of a shorter one depends on a single pause. A longer one would outlast the five failures after which an app is skipped.
SHORTEST, LONGEST = 4, 7

EVERY_ROLE = ["guest", "member", "admin", "super_admin", "owner"]


def hanging(turn):
    """Five apps that do not answer, other ones each time."""
    return [f"app-{(3 + 8 * each + turn) % APPS}" for each in range(5)]


def manifest(service):
    """An app elsewhere, which every member may use."""
    return {"manifestVersion": 1, "service_id": service, "name": f"App {service}", "description": "An app of the benchmark", "surface_kind": "application", "surface_group": "business",
            "launchable": True, "contexts": ["organization"], "launchUrl": f"https://{service}.example/", "origins": [f"https://{service}.example"],
            "callbackUrls": [f"https://{service}.example/auth/callback"], "categories": ["sales"],
            "widget": {"url": "/api/widget", "widgets": [{"id": "overview", "title": "Overview"}]},
            "permissions": [{"permission": f"{service}.data:read", "title": "Read data"}],
            "roleBundles": [{"id": f"{service}-all", "title": "All", "roles": EVERY_ROLE, "permissions": [f"{service}.*:*"]}],
            "apiKeyScopes": [{"scope": "data.read", "title": "Read", "permissions": [f"{service}.data:read"], "bindable": []}]}


class Installation:
    """A daemon with forty apps that are installed for one organization."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.root = self.signed_in("root@x.example", None, "identity", operator=True)
        for number in range(APPS):
            self.register(f"app-{number}")
        self.token = self.signed_in("owner@acme.example", "owner")
        for number in range(APPS):
            self.ask("POST", "/api/installs", {"service_id": f"app-{number}", "scope": "organization"})
        self.registered = APPS

    def signed_in(self, email, role, service="launchpad", operator=False):
        password = self.daemon.user(email, "acme" if role else None, role or "member", operator=operator)["password"]
        return self.daemon.login(email, password, service)

    def ask(self, method, path, body=None, token=None, service="launchpad"):
        answer = self.daemon.request(service, method, path, body, token or self.token)
        if answer.status >= 300:
            raise SystemExit(f"{method} {path} gave {answer.status}: {answer.body[:500]!r}")
        return answer.json()

    def register(self, service):
        self.ask("POST", "/api/services", manifest(service), self.root, "identity")
        self.ask("POST", f"/api/services/{service}/activate", {"reason": "benchmark"}, self.root, "identity")

    def grow_to(self, count):
        while self.registered < count:
            self.register(f"more-{self.registered}")
            self.registered += 1

    def url(self, path, service="launchpad"):
        return f"http://127.0.0.1:{self.daemon.ports[service]}{path}"


BATCH = {"widgets": [{"service_id": f"app-{number}", "widgetId": "overview"} for number in range(APPS)], "refresh": False}


def script(folder, name, body):
    """A script of wrk that sends this body, and prints what 95 % stay below."""
    file = folder / f"{name}.lua"
    file.write_text(f'wrk.method = "POST"\nwrk.body = [==[{json.dumps(body)}]==]\nwrk.headers["Content-Type"] = "application/json"\n' + (HERE / "p95.lua").read_text())
    return file


def bench_warm(made, apps_port, folder, options, report):
    """Both have fetched all tiles once before they are measured."""
    organization = made.ask("GET", "/api/workspace/context")["organizationId"]
    port, lua = free_ports(1), script(folder, "batch", BATCH)
    header = (f"Authorization: Bearer {made.token}",)
    with peer("dashboard.mjs", port, made.token, organization, apps_port, APPS) as node:
        process = Process(made.daemon.pid)
        process.threads_to(SERVER_CORE)
        medians = compare({"fastify + undici": (node, f"http://127.0.0.1:{port}/api/widgets", header, lua),
                           "portico batch": (process, made.url("/api/widgets"), header, lua)}, options.seconds, options.rounds)
        process.threads_to(f"{SERVER_CORE},{CLIENT_CORE}")
    table(f"Warm batch of {APPS} tiles (64 connections, one core; goals: twice the peer, p95 15 ms)", medians, "fastify + undici")
    say(f"p95: portico {medians['portico batch']['p95_ms']:.2f} ms, peer {medians['fastify + undici']['p95_ms']:.2f} ms")
    report["warm"] = medians


def batch(made, token):
    begun = time.perf_counter()
    tiles = made.ask("POST", "/api/widgets", BATCH, token)["widgets"]
    return time.perf_counter() - begun, tiles


def bench_cold(made, guests, report):
    """Each guest has nothing in the cache. After five failures in a minute the breaker leaves the apps that hang alone, so the first batches count."""
    taken = []
    for token in guests:
        seconds, tiles = batch(made, token)
        wrong = [each["service_id"] for each in tiles if (each["source"] == "native") == (each["service_id"] in hanging(0))]
        taken.append((seconds, len(tiles), wrong))
    say(f"\n## Cold batch, {len(hanging(0))} of {APPS} apps hang (goal: all tiles by 2.0 s, none wrong)")
    for seconds, count, wrong in taken:
        say(f"{count} tiles after {seconds:.2f} s; wrong: {', '.join(wrong) or 'none'}")
    report["cold"] = taken


def reader_seconds(options):
    return min(max(options.seconds, SHORTEST), LONGEST)


def guests_for_a_round(options):
    """A dashboard with apps that hang takes at least 1.5 s."""
    return reader_seconds(options) * 2 // 3 + 1


def bench_readers(made, guests, apps_port, options, report):
    """Contacts are read while guests open their dashboards, one after the other. In each round other apps hang, so that none is skipped."""
    crm = made.daemon.login(*made.reader, "crm")
    contact = made.ask("POST", "/api/contacts", {"firstName": "Ada"}, crm, "crm")["id"]
    url, header, seconds = made.url(f"/api/contacts/{contact}", "crm"), (f"Authorization: Bearer {crm}",), reader_seconds(options)
    wrk(url, 1, 8, header)
    idle, busy, opened = [], [], []
    for turn in range(options.rounds):
        idle.append(wrk(url, seconds, 8, header)["p99_ms"])
        end = time.monotonic() + seconds

        def open_dashboards(tokens):
            for token in tokens:
                if time.monotonic() < end:
                    opened.append(batch(made, token)[0])

        count = guests_for_a_round(options)
        with peer("apps.mjs", apps_port, *hanging(turn + 1)):
            opening = threading.Thread(target=open_dashboards, args=(guests[turn * count:][:count],))
            opening.start()
            busy.append(wrk(url, seconds, 8, header)["p99_ms"])
            opening.join()
    calm, loaded = statistics.median(idle), statistics.median(busy)
    say(f"\n## p99 of CRM reads (8 connections): idle {calm:.2f} ms, while dashboards with apps that hang are opened {loaded:.2f} ms, ratio {loaded / calm:.2f} (goal: below 2)")
    say(f"rounds of {seconds} s: idle {', '.join(f'{each:.2f}' for each in idle)}; busy {', '.join(f'{each:.2f}' for each in busy)}; "
        f"{len(opened)} dashboards, the fastest after {min(opened):.2f} s")
    report["readers"] = {"idle_ms": idle, "busy_ms": busy, "opened_s": opened}


def bench_reads(made, folder, options, report):
    header = (f"Authorization: Bearer {made.token}",)
    lua, process = HERE / "p95.lua", Process(made.daemon.pid)

    def read(title, goal, path, headers=(), script_file=lua):
        # What was registered since is read by the first request, so in a short round these would be more than 5 %.
        wrk(made.url(path), 1, headers=headers, lua=script_file)
        before = process.cpu_seconds()
        taken = [wrk(made.url(path), options.seconds, headers=headers, lua=script_file) for _ in range(options.rounds)]
        rate, p95 = (statistics.median(each[key] for each in taken) for key in ("rate", "p95_ms"))
        cpu = (process.cpu_seconds() - before) / max(1, sum(each["rate"] for each in taken) * options.seconds) * 1e6
        say(f"{title:44}{rate:10.0f}/s  CPU {cpu:6.0f} us  p95 {p95:7.2f} ms (goal {goal} ms)  not 2xx {sum(each['bad'] + each['broken'] for each in taken)}")
        report[title] = {"rate": rate, "p95_ms": p95, "cpu_us": cpu}

    say("\n## Other routes, 64 connections")
    read("launch", 15, "/api/launch", header, script(folder, "launch", {"service_id": "app-0", "target": "web"}))
    made.grow_to(CATALOG)
    read(f"catalog of {CATALOG} services, a page of 50", 10, "/api/catalog?limit=50", header)
    read(f"store of {CATALOG} services, a page of 50", 10, "/api/store/catalog?limit=50")
    made.grow_to(STORE)
    read(f"search over {STORE} entries", 10, "/api/store/search?q=more-19")
    read(f"search over {STORE} entries, with a typo", 10, "/api/store/search?q=benchmork")


def bench_streams(made, report):
    resource.setrlimit(resource.RLIMIT_NOFILE, (STREAMS + 1000, max(STREAMS + 1000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    port = made.daemon.ports["launchpad"]
    request = f"GET /api/widgets/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {made.token}\r\n\r\n".encode()
    before, had, streams = memory(made.daemon.pid), threads(made.daemon.pid), []
    while len(streams) < STREAMS:
        some = [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]
        for each in some:
            each.sendall(request)
        for each in some:
            if not each.recv(4096).startswith(b"HTTP/1.1 200"):
                raise SystemExit("a stream was refused")
        streams += some
    grown = (memory(made.daemon.pid) - before) / 1e6
    say(f"\n## {STREAMS} streams of tiles (goal: 30 MB): {grown:.1f} MB, {threads(made.daemon.pid) - had} more threads")
    report["streams_mb"] = grown
    for each in streams:
        each.close()


def bench(build, folder, options, report):
    mine = report["launchpad"] = {}
    apps_port = free_ports(1)
    overrides = ",".join(f"app-{number}=http://127.0.0.1:{apps_port}/app-{number}/api/widget" for number in range(APPS))
    settings = {"limits.rates": "off", "limits.streamsPerCaller": 0, "outbound.allowedNetworks": "127.0.0.0/8", "launchpad.widgetHostOverrides": overrides}
    with Daemon(settings, build=build) as daemon:
        made = Installation(daemon)
        made.reader = ("reader@acme.example", daemon.user("reader@acme.example", "acme", "owner")["password"])
        with peer("apps.mjs", apps_port):
            bench_warm(made, apps_port, folder, options, mine)
        guests = [made.signed_in(f"guest{number}@acme.example", "member") for number in range(2 + options.rounds * guests_for_a_round(options))]
        with peer("apps.mjs", apps_port, *hanging(0)):
            bench_cold(made, guests[:2], mine)
        bench_readers(made, guests[2:], apps_port, options, mine)
        bench_reads(made, folder, options, mine)
        bench_streams(made, mine)
