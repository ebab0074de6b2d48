"""Measures the pages in a real Chromium with 200,000 contacts and a board of 5,000 cards, and the daemon's CPU time for pages. Prints results with their
goals, and never fails."""
import contextlib, json, pathlib, re, resource, shutil, socket, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from chromium import BROWSER  # noqa: E402
from daemon import Daemon, free_ports  # noqa: E402
from measure import SERVER_CORE, Process, compare, nginx_with, say, table  # noqa: E402
from npm import present  # noqa: E402
from streams_load import memory, threads  # noqa: E402

CONTACTS, CARDS, STREAMS = 200_000, 5_000, 1_000
# As in tests/benchmarks/run: until the daemon has given back what its start needed.
QUIET_SECONDS = 45
SETTINGS = {"limits.rates": "off", "admin.console": "admin", **{f"limits.streamsPer{each}": 0 for each in ("Caller", "Address", "Origin")}}


def expect(answer, *statuses):
    if answer.status not in statuses:
        raise SystemExit(f"{answer.status}: {answer.body[:500]!r}")
    return answer.json()


def finished(daemon, token, path):
    while True:
        report = expect(daemon.request("crm", "GET", path, token=token), 200)
        if report["status"] != "running":
            return report
        time.sleep(0.2)


def fill(daemon, token):
    """Contacts by import, of which every fortieth is put on the board by a change of many."""
    stages = expect(daemon.request("crm", "GET", "/api/pipeline", token=token), 200)["items"][0]["stages"]
    rows = ["First Name,Last Name,Email,Company,Tags"]
    every = CONTACTS // CARDS
    for i in range(CONTACTS):
        tag = f"board{i // every % len(stages)}" if i % every == 0 else f"t{i % 50}"
        rows.append(f"First{i * 7919 % 1999},Last{i * 104729 % 4999},person{i}@example{i % 500}.org,Company {i % 3000},{tag}")
    made = expect(daemon.request("crm", "POST", "/api/contacts/import", "\r\n".join(rows).encode(), token, {"Content-Type": "text/csv"}), 200, 202)
    finished(daemon, token, f"/api/contacts/imports/{made['importId']}")
    for at, stage in enumerate(stages):
        change = {"filter": {"tag": [f"board{at}"]}, "change": {"stageId": stage["stageId"]}}
        bulk = expect(daemon.request("crm", "POST", "/api/contacts/bulk", change, token), 202)
        finished(daemon, token, f"/api/contacts/bulk/{bulk['bulkId']}")


def bench_browser(daemon, email, password, options, report):
    work = ROOT / "build/web/work"
    present()
    if not (work / "node_modules/playwright-core").is_dir():
        subprocess.run([ROOT / "sdk/web/build", "--fast", "crm"], check=True)
    shutil.copy(HERE / "web_load.mjs", work)
    wanted = {"program": BROWSER, "origin": f"http://crm.localhost:{daemon.port}", "email": email, "password": password, "rounds": max(5, options.rounds), "cards": CARDS, "rows": [CONTACTS // 40, CONTACTS // 2]}
    with subprocess.Popen(["node", "web_load.mjs", json.dumps(wanted)], cwd=work, stdout=subprocess.PIPE, text=True) as browser:
        for line in browser.stdout:
            row = json.loads(line)
            report.setdefault("web", []).append(row)
            say(f"{row['what']:58}{row['goal']:>14}  {row['measured']}")
    if browser.returncode:
        raise SystemExit("the browser's part ended early")


@contextlib.contextmanager
def nginx_pages(folder, pages):
    port = free_ports(1)
    (folder / "pages.conf").write_text(f"""
worker_processes 1; pid {folder}/pages.pid; error_log {folder}/pages.log; daemon off; events {{ worker_connections 1000; }}
http {{ access_log off; sendfile on; gzip_static on; keepalive_requests 100000000; types {{ text/javascript js; }} open_file_cache max=100;
  server {{ listen 127.0.0.1:{port}; root {pages}; location /assets/ {{ add_header Cache-Control "public, max-age=31536000, immutable"; }} }} }}
""")
    with nginx_with(folder / "pages.conf", port) as server:
        yield server, port


def bench_file(build, daemon, folder, options, report):
    """A hashed script as browsers ask for it, compressed; nginx reads the same files."""
    pages = shutil.copytree(build / "lib/portico/plugins/crm/web", folder / "pages")
    folder.chmod(0o755)
    file = max(pages.glob("assets/*.js"), key=lambda each: each.stat().st_size).relative_to(pages)
    process = Process(daemon.pid)
    process.threads_to(SERVER_CORE)
    header = ("Accept-Encoding: gzip",)
    with nginx_pages(folder, pages) as (peer, port):
        medians = compare({"nginx gzip_static": (peer, f"http://127.0.0.1:{port}/{file}", header), "portico": (process, f"http://127.0.0.1:{daemon.ports['crm']}/{file}", header)},
                          options.seconds, options.rounds)
    table(f"A hashed file of {(pages / f'{file}.gz').stat().st_size / 1024:.0f} KiB, gzip (goal: 0.9 of nginx)", medians, "nginx gzip_static")
    report["web_file"] = medians


def bench_streams(daemon, token, report):
    """What many tabs cost that watch a board."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, STREAMS + 500), most))
    port = daemon.ports["crm"]
    expect(daemon.request("crm", "GET", "/api/contacts?limit=1", token=token), 200)
    before, began_threads = memory(daemon.pid), threads(daemon.pid)
    request = f"GET /api/changes HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    with contextlib.ExitStack() as held:
        for _ in range(STREAMS):
            stream = held.enter_context(socket.create_connection(("127.0.0.1", port)))
            stream.sendall(request)
            if not re.match(rb"HTTP/1.1 200", stream.recv(4096)):
                raise SystemExit("a stream was refused")
        grown, more = memory(daemon.pid) - before, threads(daemon.pid) - began_threads
        began = time.perf_counter()
        expect(daemon.request("crm", "GET", "/api/contacts?limit=1", token=token), 200)
        read = time.perf_counter() - began
    say(f"{f'{STREAMS} open streams of changes':58}{'10 MiB':>14}  {grown / 2**20:.1f} MiB, {more} threads more; a read meanwhile {read * 1000:.1f} ms")
    report["web_streams"] = {"bytes": grown, "threads": more, "read_s": read}


def bench(build, folder, options, report):
    say("\n## Pages (goal, measured)")
    with Daemon(SETTINGS, build=build) as daemon:
        email = "owner@acme.example"
        password = daemon.user(email, "acme", "owner")["password"]
        token = daemon.login(email, password)
        time.sleep(QUIET_SECONDS)
        resident = Process(daemon.pid).resident_mb()
        say(f"{'idle with admin, resident':58}{'28 MB':>14}  {resident:.1f} MB")
        report["web_idle_mb"] = resident
        fill(daemon, token)
        bench_browser(daemon, email, password, options, report)
        token = daemon.login(email, password)
        bench_streams(daemon, token, report)
        bench_file(build, daemon, folder, options, report)
