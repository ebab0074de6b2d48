"""Identity beside its peers: `/validate` and tokens beside nginx and npm's oidc-provider, refreshing, sign-ins beside libsodium's hash, a flood of wrong
passwords, inspection of permissions, open event streams, and what changes of one organization cost the callers of another."""
import base64, contextlib, ctypes, json, multiprocessing, os, pathlib, re, resource, secrets, selectors, socket, sqlite3, statistics, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from daemon import Daemon, PostgreSQL, free_ports  # noqa: E402
from measure import CLIENT_CORE, SERVER_CORE, Asker, Process, compare, nginx, peer, say, table, wrk  # noqa: E402

STREAMS = 10_000
SERVICES, PERMISSIONS = 5, 100
SETTINGS = {"limits.rates": "off", **{f"limits.streamsPer{each}": 0 for each in ("Caller", "Address", "Origin")}}
FORM = "application/x-www-form-urlencoded"


def basic(client, secret):
    return "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()


def posting(folder, name, body, kind=FORM, authorization=None):
    """A script that lets wrk post a body."""
    lines = ['wrk.method = "POST"', f"wrk.body = {json.dumps(body)}", f'wrk.headers["Content-Type"] = "{kind}"']
    if authorization:
        lines.append(f'wrk.headers["Authorization"] = "{authorization}"')
    script = folder / f"{name}.lua"
    script.write_text("\n".join(lines) + "\n")
    return script


@contextlib.contextmanager
def oidc_provider(*how):
    port, secret = free_ports(1), secrets.token_urlsafe(32)
    with peer("server.mjs", port, secret, *how, folder="oidc-provider") as server:
        yield server, f"http://127.0.0.1:{port}", basic("bench", secret)


def expect(answer, status):
    if answer.status != status:
        raise SystemExit(f"{answer.status} instead of {status}: {answer.body[:500]!r}")
    return answer.json() if answer.body else None


class Installation:
    """A daemon on the server core, with an owner in each of two organizations, a member, and an operator."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.passwords = {}
        for email, organization, role in (("owner@acme.example", "acme", "owner"), ("member@acme.example", "acme", "member"), ("owner@globex.example", "globex", "owner")):
            self.passwords[email] = daemon.user(email, organization, role)["password"]
        self.passwords["operator@portico.example"] = daemon.user("operator@portico.example", operator=True)["password"]
        self.process = Process(daemon.pid)
        self.process.threads_to(SERVER_CORE)

    def token(self, email="owner@acme.example", service="identity"):
        return self.daemon.login(email, self.passwords[email], service)

    def url(self, path, service="identity"):
        return f"http://127.0.0.1:{self.daemon.ports[service]}{path}"


def bench_tokens(made, folder, options, report):
    token = made.token(service="crm")
    client = expect(made.daemon.request("identity", "POST", "/api/oauth-clients",
                                        {"name": "Bench", "redirect_uris": [], "scopes": [], "grant_types": ["client_credentials"]}, made.token()), 201)
    ours = basic(client["client_id"], client["client_secret"])
    with nginx(folder, free_ports(1)) as peer, oidc_provider() as (provider, address, theirs), oidc_provider("signed") as (signer, signing, signers):
        port = re.search(r"listen 127.0.0.1:(\d+)", (folder / "nginx.conf").read_text()).group(1)
        issue = "grant_type=client_credentials"
        theirs_issue, signed_issue, ours_issue = (posting(folder, name, issue, authorization=who) for name, who in (("issue-peer", theirs), ("issue-signed", signers), ("issue", ours)))
        told = subprocess.run(["curl", "-sS", "-H", f"Authorization: {theirs}", "-d", issue, address + "/token"], capture_output=True, text=True, check=True).stdout
        look = posting(folder, "introspect-peer", "token=" + json.loads(told)["access_token"], authorization=theirs)
        validated = compare({"nginx return 200": (peer, f"http://127.0.0.1:{port}/", ()),
                             "oidc-provider introspection": (provider, address + "/token/introspection", (), look),
                             "portico /validate": (made.process, made.url("/validate"), (f"Authorization: Bearer {token}", "X-Service-ID: crm"))},
                            options.seconds, options.rounds)
        table("Is this token good? (64 connections, one core)", validated, "oidc-provider introspection")
        issued = compare({"oidc-provider, opaque": (provider, address + "/token", (), theirs_issue), "oidc-provider, ES256": (signer, signing + "/token", (), signed_issue),
                          "portico, ES256": (made.process, made.url("/oauth/token"), (), ours_issue)}, options.seconds, options.rounds)
        table("Tokens issued (client_credentials, 64 connections, one core)", issued, "oidc-provider, ES256")
    report["validate"], report["issue"] = validated, issued


class Refresher:
    """A signed-in browser that asks for its next token as soon as it has one."""

    def __init__(self, made, origin):
        connection = made.daemon.connect("crm")
        body = json.dumps({"identifier": "member@acme.example", "password": made.passwords["member@acme.example"], "service_id": "crm"})
        connection.request("POST", "/api/auth/login", body, {"Content-Type": "application/json", "Origin": origin, "X-Platform-Auth": "1"})
        answer = connection.getresponse()
        cookies = [each.split(";")[0] for each in answer.headers.get_all("Set-Cookie", []) if "platform_refresh=" in each]
        if answer.status != 200 or not cookies:
            raise SystemExit(f"no refresh cookie: {answer.status} {answer.read()[:300]!r}")
        connection.close()
        self._cookie, self._origin, self._asker = cookies[0], origin, Asker(made.daemon.ports["crm"])
        self.socket, self.refreshed = self._asker.socket, 0

    def ask(self):
        self._asker.ask("POST", "/api/auth/refresh", {}, {"Origin": self._origin, "X-Platform-Auth": "1", "X-Service-ID": "crm", "Cookie": self._cookie,
                                                          "Content-Type": "application/json"})

    def read(self):
        answer = self._asker.read()
        if answer is None:
            return
        cookie = re.search(rb"(?i)set-cookie: (\S*platform_refresh=[^;]+)", self._asker.head)
        if answer[0] != 200 or not cookie:
            raise SystemExit(f"a refresh gave {answer[0]}: {answer[1][:600]!r}")
        self._cookie = cookie.group(1).decode()
        self.refreshed += 1
        self.ask()


def rows(state):
    """Table -> number of rows, of identity's database."""
    found = next(each for each in state.rglob("identity*") if each.is_file() and each.read_bytes()[:15] == b"SQLite format 3")
    with contextlib.closing(sqlite3.connect(f"file:{found}?mode=ro", uri=True)) as read:
        names = [name for name, in read.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: read.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def bench_refresh(made, options, report):
    browsers = [Refresher(made, f"http://crm.localhost:{made.daemon.port}") for _ in range(32)]
    os.sched_setaffinity(0, {int(CLIENT_CORE)})
    before, cpu, begun = rows(made.daemon.state), made.process.cpu_seconds(), time.monotonic()
    with selectors.DefaultSelector() as selector:
        for each in browsers:
            selector.register(each.socket, selectors.EVENT_READ, each)
            each.ask()
        while time.monotonic() - begun < options.seconds * options.rounds:
            for key, _ in selector.select():
                key.data.read()
    seconds, cpu = time.monotonic() - begun, made.process.cpu_seconds() - cpu
    os.sched_setaffinity(0, {0, 1})
    for each in browsers:
        each.socket.close()
    count = sum(each.refreshed for each in browsers)
    after = rows(made.daemon.state)
    grown = {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}
    say(f"\n## Refresh: 32 browsers, each with a family of its own, synchronous=FULL\n{count / seconds:.0f}/s, {count / cpu:.0f} for each second of CPU; "
        f"{count} refreshes; tables that changed their size: {grown or 'none'}")
    report["refresh"] = {"rate": count / seconds, "per_cpu_second": count / cpu, "grown": grown}


def hashes(seconds):
    """libsodium's argon2id with our parameters, a second, on this core."""
    sodium = ctypes.CDLL("libsodium.so.23")
    sodium.sodium_init()
    text, password = ctypes.create_string_buffer(128), b"correct horse battery staple"
    begun, count = time.monotonic(), 0
    while time.monotonic() - begun < seconds:
        if sodium.crypto_pwhash_str_alg(text, password, ctypes.c_ulonglong(len(password)), ctypes.c_ulonglong(2), ctypes.c_size_t(19456 * 1024), 2) != 0:
            raise SystemExit("libsodium has no memory")
        count += 1
    return count / (time.monotonic() - begun)


def hash_rate(seconds):
    def work(out):
        os.sched_setaffinity(0, {int(SERVER_CORE)})
        out.send(hashes(seconds))
    mine, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=work, args=(theirs,))
    child.start()
    rate = mine.recv()
    child.join()
    return rate


def bench_login(made, folder, options, report):
    email = "member@acme.example"
    right = posting(folder, "login", json.dumps({"identifier": email, "password": made.passwords[email], "service_id": "crm"}), "application/json")
    wrong = folder / "wrong.lua"
    wrong.write_text("""local n = 0
request = function()
  n = n + 1
  return wrk.format("POST", nil, {["Content-Type"] = "application/json"}, '{"identifier":"nobody' .. n .. '@acme.example","password":"wrong wrong wrong","service_id":"crm"}')
end
""")
    pairs = []
    for _ in range(options.rounds):
        rate = hash_rate(options.seconds)
        result = wrk(made.url("/api/auth/login"), options.seconds, connections=4, lua=right)
        pairs.append((result["rate"] / rate, result["rate"], rate, result["bad"] + result["broken"]))
    ratio, logins, rate, bad = sorted(pairs)[len(pairs) // 2]
    say(f"\n## Sign-in: {logins:.1f}/s of libsodium's {rate:.1f} hashes/s on the same core, ratio {ratio:.2f}; not 2xx {bad}")
    header = (f"Authorization: Bearer {made.token(service='crm')}", "X-Service-ID: crm")
    quiet = wrk(made.url("/validate"), options.seconds, headers=header)
    flood = subprocess.Popen(["taskset", "-c", CLIENT_CORE, "wrk", "-t1", "-c64", f"-d{options.seconds + 2}s", made.url("/api/auth/login"), "-s", str(wrong)],
                             stdout=subprocess.DEVNULL)
    flooded = wrk(made.url("/validate"), options.seconds, headers=header)
    flood.wait()
    say(f"/validate beside 64 connections of wrong passwords: p99 {quiet['p99_ms']:.2f} -> {flooded['p99_ms']:.2f} ms, {quiet['rate']:.0f} -> {flooded['rate']:.0f}/s, "
        f"not 2xx {flooded['bad'] + flooded['broken']}")
    report["login"] = {"ratio": ratio, "rate": logins, "hashes": rate, "flooded": flooded, "quiet": quiet}


def bench_secrecy(build, options, report):
    """Measures whether response times reveal which addresses have an account. Known and unknown addresses alternate."""
    doors = {"sign-in": ("/api/auth/login", lambda email: {"identifier": email, "password": "wrong wrong wrong", "service_id": "crm"}),
             "forgotten password": ("/api/auth/password/forgot", lambda email: {"email": email}),
             "passkey options": ("/api/auth/passkeys/authenticate/options", lambda email: {"identifier": email})}
    say(f"\n## Who has an account? (the share of pairs in which the known one took longer: 0.5 tells nothing)\n{'':28}{'known ms':>10}{'unknown ms':>12}{'share':>8}")
    with Daemon({**SETTINGS, "identity.login.freeAttempts": 0}, build=build) as daemon:
        daemon.user("known@acme.example", "acme", "member")
        connection = daemon.connect("identity")

        def seconds(path, body):
            begun = time.perf_counter()
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            told = answer.status, answer.read()
            return told, time.perf_counter() - begun

        for name, (path, body) in doors.items():
            known, unknown = [], []
            for number in range(100 * options.rounds):
                said, took = seconds(path, body("known@acme.example"))
                other, taken = seconds(path, body(f"x{number:04}@acme.example"))
                if said[0] != other[0] or said[0] >= 500:
                    raise SystemExit(f"{path}: {said} and {other}")
                known.append(took), unknown.append(taken)
            share = sum((a > b) + (a == b) / 2 for a, b in zip(known, unknown)) / len(known)
            say(f"{name:28}{statistics.median(known) * 1000:10.2f}{statistics.median(unknown) * 1000:12.2f}{share:8.2f}")
            report.setdefault("secrecy", {})[name] = share


def manifest(number):
    service = f"bench{number}"
    names = [f"{service}.things{each // 4}:{('read', 'write', 'manage', 'purge')[each % 4]}" for each in range(PERMISSIONS)]
    return {"manifestVersion": 1, "service_id": service, "version": "1.0.0", "name": f"Bench {number}", "surface_kind": "application", "surface_group": "business",
            "contexts": ["organization"], "launchUrl": f"https://{service}.example/", "origins": [f"https://{service}.example"],
            "permissions": [{"permission": name, "title": name, "apiKeyExempt": not name.endswith("read"), "risk": "low" if name.endswith("read") else "high"} for name in names],
            "roleBundles": [{"id": f"{service}-{role}", "title": role, "roles": [role], "permissions": names[:: 4 if role == "guest" else 2 if role == "member" else 1]}
                            for role in ("guest", "member", "admin", "super_admin", "owner")],
            "apiKeyScopes": [{"scope": "things.read", "title": "Read", "permissions": [each for each in names if each.endswith("read")]}], "bindableResources": []}


def bench_inspection(made, report):
    operator = made.token("operator@portico.example")
    for number in range(SERVICES):
        expect(made.daemon.request("identity", "POST", "/api/services", manifest(number), operator), 201)
        answer = made.daemon.request("identity", "POST", f"/api/services/bench{number}/activate", {}, operator)
        if answer.status != 200:
            raise SystemExit(f"bench{number} is not open: {answer.body!r}")
    owner = made.token()
    user = expect(made.daemon.request("identity", "GET", "/api/auth/me", token=made.token("member@acme.example")), 200)["user"]["id"]
    connection = made.daemon.connect("identity")
    taken = []
    for _ in range(200):
        begun = time.perf_counter()
        connection.request("GET", f"/api/users/{user}/permissions", headers={"Authorization": f"Bearer {owner}"})
        answer = connection.getresponse()
        body = answer.read()
        taken.append((time.perf_counter() - begun) * 1000)
        if answer.status != 200:
            raise SystemExit(body.decode())
    told = len(re.findall(rb'"permission":"bench', body))
    say(f"\n## Inspection of a person over {SERVICES} more services of {PERMISSIONS} permissions: median {statistics.median(taken):.2f} ms, p99 {sorted(taken)[197]:.2f} ms, "
        f"{len(body)} bytes, {told} of their permissions named")
    report["inspection_ms"] = statistics.median(taken)


def bench_streams(made, report):
    resource.setrlimit(resource.RLIMIT_NOFILE, (STREAMS + 1000, max(STREAMS + 1000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    request = f"GET /api/auth/session-events HTTP/1.1\r\nHost: 127.0.0.1:{made.daemon.ports['identity']}\r\nAuthorization: Bearer {made.token()}\r\n\r\n".encode()
    threads = lambda: len(list(pathlib.Path(f"/proc/{made.daemon.pid}/task").iterdir()))  # noqa: E731
    before, had, streams = made.process.resident_mb(), threads(), []
    for count in range(STREAMS):
        stream = socket.create_connection(("127.0.0.1", made.daemon.ports["identity"]))
        stream.settimeout(20)
        stream.sendall(request)
        streams.append(stream)
        if count % 200 == 199:
            for waiting in streams[-200:]:
                text = b""
                while b"\r\n\r\n" not in text:
                    more = waiting.recv(4096)
                    if not more or not (text + more).startswith(b"HTTP/1.1 200"):
                        raise SystemExit(text + more)
                    text += more
    say(f"\n## {STREAMS} open event streams: {made.process.resident_mb() - before:.1f} MB, {threads() - had} more threads")
    report["streams"] = {"mb": made.process.resident_mb() - before, "threads": threads() - had}
    for each in streams:
        each.close()


def bench_other_tenants(build, folder, options, report):
    """Measures `/validate` during a thousand commits a second: commits that change the revision of one organization, and, to isolate the cost of the commits
    on two cores, commits to a row that no request reads."""
    with PostgreSQL() as server, server.daemon(SETTINGS, build=build) as daemon:
        made = Installation(daemon)
        organization = expect(daemon.request("identity", "GET", "/api/auth/me", token=made.token()), 200)["organizations"][0]["id"]
        environment = {**os.environ, "PGPASSWORD": server.password}
        server.sql("CREATE TABLE public.unread (id text PRIMARY KEY, value bigint NOT NULL);")
        scripts = {"alone": None}
        for name, changed in (("beside commits", "public.unread"), ("beside changes", "identity.tenant_revisions")):
            scripts[name] = folder / f"{changed}.sql"
            scripts[name].write_text(f"INSERT INTO {changed} AS row (id, value) VALUES ('{organization}', 1) ON CONFLICT (id) DO UPDATE SET value = row.value + 1;\n")
        readers = {who: (f"Authorization: Bearer {made.token(email, 'crm')}", "X-Service-ID: crm")
                   for who, email in (("of another organization", "owner@globex.example"), ("of the changed one", "owner@acme.example"))}
        samples = {(who, beside): [] for who in readers for beside in scripts}
        for who, beside in [each for _ in range(options.rounds) for each in samples]:
            script = scripts[beside]
            commits = subprocess.Popen(["taskset", "-c", CLIENT_CORE, server.bin / "pgbench", "-n", "-f", script, "-R", "1000", "-c", "4", "-T", str(options.seconds + 1), server.url],
                                       env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if script else None
            cpu = made.process.cpu_seconds()
            result = wrk(made.url("/validate"), options.seconds, headers=readers[who])
            result["cpu_us"] = (made.process.cpu_seconds() - cpu) / (result["rate"] * options.seconds) * 1e6
            if commits and commits.wait() != 0:
                raise SystemExit("pgbench failed")
            samples[who, beside].append(result)
        say("\n## PostgreSQL: /validate beside a thousand commits a second on the client's core, and beside as many changes of one organization")
        for who in readers:
            rate, cpu = ({beside: statistics.median(each[key] for each in samples[who, beside]) for beside in scripts} for key in ("rate", "cpu_us"))
            kept = rate["beside changes"] / rate["beside commits"]
            say(f"callers {who:24}{' -> '.join(f'{rate[each]:.0f}' for each in scripts)}/s ({kept:.2f} of beside commits); CPU of the daemon {' -> '.join(f'{cpu[each]:.1f}' for each in scripts)} us a request")
            report[f"tenant {who}"] = {"rate": kept, "cpu": cpu["beside changes"] / cpu["alone"]}


def bench(build, folder, options, report):
    mine = report["identity"] = {}
    with Daemon(SETTINGS, build=build) as daemon:
        made = Installation(daemon)
        bench_tokens(made, folder, options, mine)
        bench_refresh(made, options, mine)
        bench_login(made, folder, options, mine)
        bench_inspection(made, mine)
        bench_streams(made, mine)
    bench_secrecy(build, options, mine)
    bench_other_tenants(build, folder, options, mine)
