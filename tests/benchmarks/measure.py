"""What the parts of tests/benchmarks/run share: servers on one core and load on the other, interleaved rounds, and tables of ratios."""
import contextlib, json, os, pathlib, re, socket, statistics, subprocess, time, urllib.error, urllib.request

HERE = pathlib.Path(__file__).resolve().parent
SERVER_CORE, CLIENT_CORE = "0", "1"
TICK = os.sysconf("SC_CLK_TCK")


def say(text):
    print(text, flush=True)


def free_port():
    for port in range(21000, 31000, 10):
        with contextlib.suppress(OSError):
            for offset in range(6):
                with socket.socket() as s:
                    s.bind(("127.0.0.1", port + offset))
            return port
    raise SystemExit("No free ports between 21000 and 31000")


class Process:
    """A server whose CPU time and memory are read from /proc, children included."""

    def __init__(self, pid):
        self.pid = pid

    def _pids(self):
        children = subprocess.run(["pgrep", "-P", str(self.pid)], capture_output=True, text=True).stdout.split()
        return [str(self.pid), *children]

    def cpu_seconds(self):
        total = 0
        for pid in self._pids():
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
            # Includes children that have ended.
            total += sum(map(int, fields[11:15] if pid == str(self.pid) else fields[11:13]))
        return total / TICK

    def resident_mb(self):
        total = 0
        for pid in self._pids():
            total += int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1))
        return total / 1024

    def threads_to(self, core):
        for pid in self._pids():
            subprocess.run(["taskset", "-a", "-p", "-c", core, pid], stdout=subprocess.DEVNULL, check=True)


def wrk(url, seconds, connections=64, headers=(), lua=None):
    command = ["taskset", "-c", CLIENT_CORE, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", url]
    for header in headers:
        command += ["-H", header]
    if lua:
        command += ["-s", str(lua)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))
    # The one of 95 % only by p95.lua.
    latency = {part: float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit] for part, value, unit in re.findall(r"^\s*(\d+)%\s+([\d.]+)(us|ms|s) *$", out, re.M)}
    errors = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", out)
    return {"rate": rate, "p99_ms": latency["99"], **({"p95_ms": latency["95"]} if "95" in latency else {}), "bad": int(errors.group(1)) if errors else 0,
            "broken": sum(map(int, broken.groups())) if broken else 0}


def compare(contestants, seconds, rounds, connections=64, beside=None):
    """contestants: name -> (process, url, headers) or (process, url, headers, script of wrk). Interleaved rounds; medians of rate, p99 and CPU microseconds a
    request. `beside`: name -> another process that works for it, for example its database."""
    samples = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, (process, url, headers, *script) in contestants.items():
            measured = {"cpu_us": process, **({"beside_us": beside[name]} if beside and name in beside else {})}
            before = {key: each.cpu_seconds() for key, each in measured.items()}
            result = wrk(url, seconds, connections, headers=headers, lua=script[0] if script else None)
            result.update({key: (each.cpu_seconds() - before[key]) / max(1, result["rate"] * seconds) * 1e6 for key, each in measured.items()})
            samples[name].append(result)
    medians = {}
    for name, results in samples.items():
        medians[name] = {key: statistics.median(r[key] for r in results) for key in results[0]}
    return medians


def table(title, medians, reference):
    say(f"\n## {title}")
    say(f"{'':28}{'requests/s':>12}{'ratio':>8}{'CPU us':>8}{'p99 ms':>8}{'not 2xx':>9}")
    for name, m in medians.items():
        say(f"{name:28}{m['rate']:12.0f}{m['rate'] / medians[reference]['rate']:8.2f}{m['cpu_us']:8.1f}{m['p99_ms']:8.2f}{m['bad'] + m['broken']:9.0f}")


class Asker:
    """A keep-alive connection that sends one request after the other and reads the responses as they arrive."""

    def __init__(self, port):
        self._host, self._answer = f"127.0.0.1:{port}", b""
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.head = b""

    def ask(self, method, path, body=None, headers=None):
        text = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self._host}", f"Content-Length: {len(text)}", *(f"{name}: {value}" for name, value in (headers or {}).items())]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + text)

    def read(self):
        """Status and body once they are whole, whose head is `head` then; None until then."""
        self._answer += self.socket.recv(65536)
        head, end, body = self._answer.partition(b"\r\n\r\n")
        if not end or len(body) < int(re.search(rb"(?i)content-length: (\d+)", head).group(1)):
            return None
        self.head, self._answer = head, b""
        return int(head.split(b" ", 2)[1]), body


@contextlib.contextmanager
def served(process):
    """A server on its core, ended with its use."""
    try:
        server = Process(process.pid)
        server.threads_to(SERVER_CORE)
        yield server
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def peer(script, *words, folder="fastify"):
    """A program of a folder beside this file, once it says that it is ready."""
    process = subprocess.Popen(["node", script, *map(str, words)], cwd=HERE / folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with served(process) as server:
        if process.stdout.readline().strip() != b"ready":
            raise SystemExit(f"The peer {script} did not start")
        yield server


@contextlib.contextmanager
def nginx_with(config, port):
    """nginx, once it answers."""
    process = subprocess.Popen(["nginx", "-c", str(config)], stderr=subprocess.DEVNULL)
    with served(process) as server:
        wait_for(f"http://127.0.0.1:{port}/")
        # Its workers, too.
        server.threads_to(SERVER_CORE)
        yield server


@contextlib.contextmanager
def nginx(folder, port):
    config = folder / "nginx.conf"
    config.write_text(f"""
worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log; daemon off;
events {{ worker_connections 20000; }}
http {{ access_log off; keepalive_requests 100000000;
  server {{ listen 127.0.0.1:{port}; location / {{ default_type application/json; return 200 '{{"status":"ok"}}'; }} }} }}
""")
    with nginx_with(config, port) as server:
        yield server


def wait_for(url, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            time.sleep(0.02)
    raise SystemExit(f"{url} does not answer")
