#!/usr/bin/python3
"""What open event streams cost, and how long an event takes to reach them: opens them on the tasks example of build/check (or PORTICO_BUILD) and prints figures.

    tests/benchmarks/streams_load.py [STREAMS]
"""
import pathlib
import resource
import selectors
import shutil
import socket
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import BUILD, Daemon  # noqa: E402

PUBLISHED = 300


def memory(pid):
    """Bytes of the process's own: what is anonymous and in memory."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith(("Private_Dirty", "Private_Clean")))


def threads(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/task").iterdir()))


def open_streams(daemon, token, count):
    request = f"GET /api/tasks/events HTTP/1.1\r\nHost: 127.0.0.1:{daemon.ports['tasks']}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    streams = []
    for _ in range(count):
        stream = socket.create_connection(("127.0.0.1", daemon.ports["tasks"]))
        stream.sendall(request)
        streams.append(stream)
        if len(streams) % 200 == 0 or len(streams) == count:
            for waiting in streams[-200:]:
                text = b""
                while b"\nid: " not in text:
                    text += waiting.recv(4096)
                if not text.startswith(b"HTTP/1.1 200"):
                    raise SystemExit(text.decode())
    return streams


def reach(daemon, token, streams):
    """Milliseconds from the request that publishes to the event at the first and at the last of the streams."""
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            stream.setblocking(False)
            selector.register(stream, selectors.EVENT_READ)
        connection = daemon.connect("tasks")
        first, last = [], []
        for number in range(PUBLISHED if len(streams) < 10 else 5):
            begun = time.perf_counter()
            connection.request("POST", "/api/tasks", body=b'{"title":"x"}', headers={"Content-Type": "application/json", "Authorization": f"Bearer {token}"})
            waiting = set(streams)
            while waiting:
                for key, _ in selector.select():
                    if b"event: created" in key.fileobj.recv(65536):
                        if len(waiting) == len(streams):
                            first.append((time.perf_counter() - begun) * 1000)
                        waiting.discard(key.fileobj)
            last.append((time.perf_counter() - begun) * 1000)
            connection.getresponse().read()
    return first, last


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 1000, max(count + 1000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    room = pathlib.Path(tempfile.mkdtemp(prefix="portico-streams-"))
    shutil.copytree(BUILD / "examples/tasks", room / "tasks")
    settings = {"plugins.directories": f"{BUILD}/lib/portico/plugins,{room}", "plugins.allowUnsigned": "tasks", "limits.rates": "off", "limits.streamsPerCaller": 0}
    try:
        with Daemon(settings, more=("tasks",)) as daemon:
            password = daemon.user("ann@acme.example", "acme", "owner")["password"]
            token = daemon.login("ann@acme.example", password, "tasks")
            one = open_streams(daemon, token, 1)
            first, _ = reach(daemon, token, one)
            print(f"one stream: an event is there after {statistics.median(first):.2f} ms (p99 {sorted(first)[int(len(first) * 0.99)]:.2f} ms), with the request that makes it")
            before, had = memory(daemon.pid), threads(daemon.pid)
            streams = open_streams(daemon, token, count)
            print(f"{count} streams: {(memory(daemon.pid) - before) / count:.0f} bytes each, {threads(daemon.pid) - had} more threads")
            first, last = reach(daemon, token, streams)
            print(f"{count} streams: an event is at the first after {statistics.median(first):.1f} ms, at the last after {statistics.median(last):.1f} ms")
            begun = time.perf_counter()
            daemon.ctl("reload", "tasks")
            print(f"reload with {count} streams: {(time.perf_counter() - begun) * 1000:.0f} ms")
    finally:
        shutil.rmtree(room)


if __name__ == "__main__":
    main()
