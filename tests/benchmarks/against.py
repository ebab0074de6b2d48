"""Compares this tree with another checkout in one run: `tests/benchmarks/run --against CHECKOUT`. Rounds are interleaved, so that other load on the machine
affects both equally. The result is the daemon's CPU time per request."""
import statistics, urllib.request

CONTACTS = 2000
IMPORTED = 4000


def fill(portico, token):
    """Contacts to list, search and show on a board, the same in both."""
    rows = "".join(f"Given{i},Family{i % 97},person{i}@example.org,Company {i % 31}\r\n" for i in range(CONTACTS))
    send_file(portico, token, "First Name,Last Name,Email,Company\r\n" + rows)


def send_file(portico, token, text, query="?onDuplicate=create"):
    request = urllib.request.Request(portico.url("crm", "/api/contacts/import" + query), method="POST", data=text.encode(),
                                     headers={"Content-Type": "text/csv", "Authorization": "Bearer " + token})
    with urllib.request.urlopen(request) as answer:
        return answer.read()


def import_cpu(portico, token, turn):
    """Milliseconds of CPU of an import that makes new contacts only."""
    rows = "".join(f"Round{turn} {i},Imported{i % 89},round{turn}.{i}@example.net\r\n" for i in range(IMPORTED))
    before = portico.process.cpu_seconds()
    send_file(portico, token, "First Name,Last Name,Email\r\n" + rows)
    return (portico.process.cpu_seconds() - before) * 1000


def targets(portico, token):
    """Name -> URL and headers."""
    header = (f"Authorization: Bearer {token}",)
    contact = portico.call("crm", "GET", "/api/contacts?limit=1", token=token)["items"][0]["id"]
    pipeline = portico.call("crm", "GET", "/api/pipeline", token=token)["items"][0]["pipelineId"]
    return {"open route": ("/api", ()),
            "point read": (f"/api/contacts/{contact}", header),
            "list of 50": ("/api/contacts?limit=50", header),
            "search": ("/api/contacts?q=family12", header),
            "board": (f"/api/pipeline/{pipeline}/board", header),
            "validate": ("/api/auth/validate", header)}


def bench(contestants, wrk, options, report, say):
    """contestants: "before" and "after" -> Portico."""
    tokens = {name: portico.sign_in() for name, portico in contestants.items()}
    for name, portico in contestants.items():
        fill(portico, tokens[name])
    asked = {name: targets(portico, tokens[name]) for name, portico in contestants.items()}
    samples = {}
    for turn in range(options.rounds):
        for what in asked["after"]:
            for name, portico in contestants.items():
                path, headers = asked[name][what]
                before = portico.process.cpu_seconds()
                result = wrk(portico.url("crm", path), options.seconds, headers=headers)
                if result["bad"] or result["broken"]:
                    raise SystemExit(f"{what} of {name}: {result}")
                cpu = (portico.process.cpu_seconds() - before) / (result["rate"] * options.seconds) * 1e6
                samples.setdefault(what, {}).setdefault(name, []).append((cpu, result["p99_ms"]))
        for name, portico in contestants.items():
            samples.setdefault(f"import of {IMPORTED} rows", {}).setdefault(name, []).append((import_cpu(portico, tokens[name], turn) * 1000, 0))
    say(f"\n## Before and after, {options.rounds} interleaved rounds, 64 connections, one core: median CPU us a request (p99 in ms)")
    say(f"{'':24}{'before':>20}{'after':>20}{'ratio':>8}")
    report["against"] = {}
    for what, each in samples.items():
        cpu = {name: statistics.median(sample[0] for sample in taken) for name, taken in each.items()}
        p99 = {name: statistics.median(sample[1] for sample in taken) for name, taken in each.items()}
        say(f"{what:24}{cpu['before']:12.1f} ({p99['before']:5.2f}){cpu['after']:12.1f} ({p99['after']:5.2f}){cpu['after'] / cpu['before']:8.2f}")
        report["against"][what] = {"cpu_us": cpu, "p99_ms": p99}
