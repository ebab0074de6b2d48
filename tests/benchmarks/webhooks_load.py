"""Selling: part `sales` of tests/benchmarks/run. Pages for visitors; webhooks of the payment processor, acknowledged ones beside raw durable commits of the
same kind of database, and beside fastify with stripe and better-sqlite3. Prints results with their goals, and never fails."""
import hashlib, hmac, itertools, json, pathlib, re, sqlite3, statistics, sys, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from daemon import Daemon, free_ports  # noqa: E402
from measure import CLIENT_CORE, SERVER_CORE, Process, peer, say, table, wrk  # noqa: E402
from selling import SECRET, Payments  # noqa: E402

# More than a round acknowledges: a repeated event would be cheaper.
EVENTS_A_SECOND, SUBSCRIPTIONS = 15_000, 50
NUMBERS = itertools.count()


def event(number, kind):
    """An event as Stripe sends it, of about a kilobyte."""
    subscription = f"sub_{number % SUBSCRIPTIONS}"
    item = {"id": f"si_{number % SUBSCRIPTIONS}", "object": "subscription_item", "quantity": 10, "current_period_start": 1_795_420_800, "current_period_end": 1_798_012_800,
            "price": {"id": "price_1", "object": "price", "unit_amount": 4900, "currency": "usd", "lookup_key": None, "recurring": {"interval": "month", "interval_count": 1}}}
    thing = {"id": subscription, "object": "subscription", "status": "active", "customer": "cus_1", "created": 1_795_420_800, "livemode": False, "currency": "usd",
             "cancel_at_period_end": False, "items": {"object": "list", "has_more": False, "data": [item]}, "metadata": {"package": "everything", "seats": "10"}}
    return json.dumps({"id": f"evt_{number}", "object": "event", "api_version": "2025-03-31.basil", "created": 1_795_420_800 + number, "livemode": False, "pending_webhooks": 1,
                       "request": {"id": None, "idempotency_key": None}, "type": kind, "data": {"object": thing}})


def signed(folder, secret, kind, seconds):
    """A script of wrk that sends signed events, each once."""
    events, now = folder / "events.txt", int(time.time())
    with open(events, "w") as file:
        for number in itertools.islice(NUMBERS, int(EVENTS_A_SECOND * seconds)):
            body = event(number, kind)
            file.write(f"t={now},v1={hmac.new(secret.encode(), f'{now}.{body}'.encode(), hashlib.sha256).hexdigest()}\t{body}\n")
    script = folder / "webhooks.lua"
    script.write_text(f'local lines = io.lines("{events}")\nfunction request()\n    local header, body = lines():match("^([^\\t]*)\\t(.*)$")\n'
                      '    return wrk.format("POST", nil, {["Content-Type"] = "application/json", ["Stripe-Signature"] = header}, body)\nend\n')
    return script


def raw_commits(folder, seconds):
    """Commits a second of one row each, with full durability, one after the other."""
    file = folder / "raw.db"
    database = sqlite3.connect(file, isolation_level=None)
    database.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS event (id TEXT PRIMARY KEY, payload TEXT NOT NULL) WITHOUT ROWID")
    body, count, end = event(0, "customer.updated"), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        database.execute("INSERT INTO event VALUES (?, ?)", (f"evt_{next(NUMBERS)}", body))
        count += 1
    database.close()
    return count / seconds


def quiet(process):
    """Waits until the daemon has processed what it acknowledged."""
    while True:
        before = process.cpu_seconds()
        time.sleep(1)
        if process.cpu_seconds() - before < 0.05:
            return


def bench_webhooks(daemon, secret, folder, options, report):
    port, hook = free_ports(1), f"http://127.0.0.1:{daemon.ports['launchpad']}/api/webhooks/billing/stripe"
    process = Process(daemon.pid)
    process.threads_to(SERVER_CORE)
    samples, raw = {}, []
    with peer("webhooks.mjs", port, secret, folder / "peer.db") as node:
        contestants = (("fastify + stripe + sqlite", node, f"http://127.0.0.1:{port}/hook", "customer.updated"), ("portico, stored", process, hook, "customer.updated"),
                       ("portico, processed", process, hook, "customer.subscription.updated"))
        for _ in range(options.rounds):
            raw.append(raw_commits(folder, options.seconds))
            for name, server, url, kind in contestants:
                script, before = signed(folder, secret, kind, options.seconds), server.cpu_seconds()
                result = wrk(url, options.seconds, lua=script)
                result["cpu_us"] = (server.cpu_seconds() - before) / max(1, result["rate"] * options.seconds) * 1e6
                samples.setdefault(name, []).append(result)
                quiet(process)
    process.threads_to(f"{SERVER_CORE},{CLIENT_CORE}")
    medians = {name: {key: statistics.median(each[key] for each in taken) for key in taken[0]} for name, taken in samples.items()}
    table("Webhooks acknowledged (64 connections, one core; goals: twice the peer, half of the raw commits)", medians, "fastify + stripe + sqlite")
    commits = statistics.median(raw)
    say(f"raw durable commits of sqlite3: {commits:.0f}/s; portico acknowledges {medians['portico, stored']['rate'] / commits:.2f} of them")
    report["webhooks"] = {**medians, "raw_commits": commits}


def bench_pages(daemon, options, report):
    """Pages for visitors, which are small: the last byte is the first one, too."""
    say("\n## Pages for visitors, 64 connections (goal: first byte 15 ms, scripts 20 KiB)")
    for path in ("/", "/pricing", "/checkout?package=everything"):
        taken = [wrk(f"http://127.0.0.1:{daemon.ports['launchpad']}{path}", options.seconds, lua=HERE / "p95.lua") for _ in range(options.rounds)]
        rate, p95 = (statistics.median(each[key] for each in taken) for key in ("rate", "p95_ms"))
        say(f"{path:44}{rate:10.0f}/s  p95 {p95:7.2f} ms  not 2xx {sum(each['bad'] + each['broken'] for each in taken)}")
        report[path] = {"rate": rate, "p95_ms": p95}
    page = daemon.request("launchpad", "GET", "/waitlist").body.decode()
    scripts = [len(daemon.request("launchpad", "GET", path).body) for path in re.findall(r'<script[^>]*src="([^"]+)"', page)]
    say(f"scripts of a form: {sum(scripts) / 1024:.1f} KiB")
    report["script_bytes"] = sum(scripts)


def bench(build, folder, options, report):
    mine = report["sales"] = {}
    payments = Payments()
    with Daemon({**payments.settings, "limits.rates": "off"}, build=build) as daemon:
        bench_pages(daemon, options, mine)
        # The processor is away: what the events say is written.
        payments.close()
        bench_webhooks(daemon, SECRET, folder, options, mine)
