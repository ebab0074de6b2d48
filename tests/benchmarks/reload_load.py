"""How long a plugin takes to be replaced by a new copy of itself while it is read from: part `reload` of tests/benchmarks/run."""
import hashlib, json, pathlib, shutil, statistics, subprocess, time

RELOADS = 100
CONNECTIONS = 4
# Drain waits for other people's requests, migrate for the database's tables: neither is the reload's own time.
OTHERS = {"drain", "migrate"}


def floor(plugin, folder):
    """Milliseconds of what cannot be left out: each file read, hashed and written."""
    began = time.monotonic()
    for source in (path for path in plugin.rglob("*") if path.is_file()):
        content = source.read_bytes()
        hashlib.sha256(content).digest()
        copy = folder / source.relative_to(plugin)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
    took = (time.monotonic() - began) * 1000
    shutil.rmtree(folder)
    return took


def reload(porticoctl, portico):
    """Milliseconds by step."""
    told = subprocess.run([porticoctl, "--socket", str(portico.state / "control.sock"), "--json", "reload", "crm"], check=True, capture_output=True, text=True).stdout
    return {step["name"]: step["microseconds"] / 1000 for step in json.loads(told)["operations"][0]["steps"]}


def taken(porticoctl, portico, plugin, folder):
    reloads, floors = [], []
    for _ in range(RELOADS):
        reloads.append(reload(porticoctl, portico))
        floors.append(floor(plugin, folder / "floor"))
    return reloads, floors


def own(steps):
    return sum(took for name, took in steps.items() if name not in OTHERS)


def tell(say, title, reloads, floors):
    middle, least = statistics.median(map(own, reloads)), statistics.median(floors)
    say(f"{title:24}{middle:8.2f}{sorted(map(own, reloads))[int(len(reloads) * 0.9)]:8.2f}{least:8.2f}{middle / least:8.2f}")
    return {"median_ms": middle, "floor_ms": least}


def bench(portico, porticoctl, folder, report, say):
    plugin = pathlib.Path(porticoctl).parent.parent / "lib/portico/plugins/crm"
    token = portico.sign_in()
    contact = portico.call("crm", "GET", "/api/contacts?limit=1", token=token)["items"][0]["id"]
    url = portico.url("crm", f"/api/contacts/{contact}")
    say(f"\n## Reload of crm, {sum(path.stat().st_size for path in plugin.rglob('*') if path.is_file()) / 2**20:.1f} MiB, without drain and migration; milliseconds")
    say(f"{'':24}{'median':>8}{'p90':>8}{'floor':>8}{'ratio':>8}   floor: its files read, hashed and written")
    quiet, floors = taken(porticoctl, portico, plugin, folder)
    report["reload"] = {"quiet": tell(say, "nobody else", quiet, floors)}
    load = subprocess.Popen(["wrk", "-t1", f"-c{CONNECTIONS}", "-d600s", "-H", f"Authorization: Bearer {token}", url], stdout=subprocess.PIPE, text=True)
    try:
        loaded, floors = taken(porticoctl, portico, plugin, folder)
    finally:
        load.send_signal(2)
        told = load.communicate()[0]
    report["reload"]["loaded"] = tell(say, f"{CONNECTIONS} connections read", loaded, floors)
    failed = [line.strip() for line in told.splitlines() if "Non-2xx" in line or "Socket errors" in line]
    rate = next(line.split()[1] for line in told.splitlines() if line.startswith("Requests/sec"))
    say(f"{rate} contacts/s were read meanwhile; failed: {'; '.join(failed) or 'none'}")
    names = dict.fromkeys(name for steps in loaded for name in steps)
    say("by step, loaded: " + ", ".join(f"{name} {statistics.median(steps.get(name, 0) for steps in loaded):.2f}" for name in names))
