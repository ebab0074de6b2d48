"""What a backup of a large state costs those who are served meanwhile: part `backup` of tests/benchmarks/run."""
import json, os, pathlib, shutil, statistics, subprocess, threading, time, urllib.request

FILES, FILES_A_CONTACT, IMPORTS, CONTACTS = 480, 10, 2, 60_000
WRITES_A_SECOND = 20


def fill(portico, token, say):
    """About a gigabyte: files of a mebibyte, and contacts."""
    header = {"Authorization": "Bearer " + token}
    for number in range(FILES):
        if number % FILES_A_CONTACT == 0:
            contact = portico.call("crm", "POST", "/api/contacts", {"firstName": f"Files {number}"}, token)["id"]
        request = urllib.request.Request(portico.url("crm", f"/api/contacts/{contact}/attachments"), method="POST", data=os.urandom(1 << 20),
                                         headers={**header, "X-File-Name": f"{number}.bin", "Content-Type": "application/octet-stream"})
        urllib.request.urlopen(request).read()
    for part in range(IMPORTS):
        rows = "First Name,Last Name,E-mail 1 - Value,Notes\n" + "".join(
            f"Name{i % 977},Family{part}{i},person{part}.{i}@example.org,\"{'Lorem ipsum dolor sit amet. ' * 20}\"\n" for i in range(CONTACTS))
        request = urllib.request.Request(portico.url("crm", "/api/contacts/import"), method="POST", data=rows.encode(),
                                         headers={**header, "X-File-Name": "people.csv", "Content-Type": "text/csv"})
        made = json.loads(urllib.request.urlopen(request).read())
        while made["status"] not in ("completed", "failed"):
            time.sleep(1)
            made = portico.call("crm", "GET", f"/api/contacts/imports/{made['importId']}", token=token)
        if made["status"] == "failed":
            raise SystemExit(f"The import failed: {made}")
    size = sum(path.stat().st_size for folder in ("data", "blobs") for path in (portico.state / folder).rglob("*") if path.is_file())
    say(f"state of {size / 2**20:.0f} MiB, the CRM's database {(portico.state / 'data/crm.db').stat().st_size / 2**20:.0f} MiB")
    return contact


class Writer(threading.Thread):
    """Contacts at a steady rate; the milliseconds that each took, from when it was due."""

    def __init__(self, portico, token):
        super().__init__()
        self.portico, self.token, self.over, self.took = portico, token, threading.Event(), []

    def run(self):
        due = time.monotonic()
        while not self.over.is_set():
            time.sleep(max(0, due - time.monotonic()))
            self.portico.call("crm", "POST", "/api/contacts", {"firstName": "Writer"}, self.token)
            self.took.append((time.monotonic() - due) * 1000)
            due += 1 / WRITES_A_SECOND

    def p99(self):
        return sorted(self.took)[int(len(self.took) * 0.99)] if self.took else 0


class Backups(threading.Thread):
    """Sends requests one after the other until the backup ends."""

    def __init__(self, porticoctl, portico, folder):
        super().__init__()
        self.command = [str(porticoctl), "--socket", str(portico.state / "control.sock"), "--json", "backup", str(folder / "backup")]
        self.target, self.over, self.made = folder / "backup", threading.Event(), []

    def run(self):
        while not self.over.is_set():
            done = subprocess.run(self.command, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"porticoctl backup failed: {done.stderr}")
            self.made.append(json.loads(done.stdout))
            shutil.rmtree(self.target)


def measure(portico, token, path, wrk, seconds, backups):
    writer = Writer(portico, token)
    writer.start()
    if backups:
        backups.start()
        time.sleep(0.5)
    try:
        result = wrk(portico.url("crm", path), seconds, connections=16, headers=(f"Authorization: Bearer {token}",))
    finally:
        writer.over.set()
        writer.join()
        if backups:
            backups.over.set()
            backups.join()
    return {"rate": result["rate"], "read_p99_ms": result["p99_ms"], "write_p99_ms": writer.p99(), "bad": result["bad"] + result["broken"]}


def bench(portico, porticoctl, folder, wrk, options, report, say):
    token = portico.sign_in()
    contact = fill(portico, token, say)
    path, seconds = f"/api/contacts/{contact}", max(8, options.seconds)
    alone, during, made = [], [], []
    for _ in range(options.rounds):
        alone.append(measure(portico, token, path, wrk, seconds, None))
        backups = Backups(porticoctl, portico, folder)
        during.append(measure(portico, token, path, wrk, seconds, backups))
        made += backups.made
    median = lambda samples: {key: statistics.median(each[key] for each in samples) for key in samples[0]}
    without, with_backup = median(alone), median(during)
    say(f"\n## Backup of {made[0]['bytes'] / 2**20:.0f} MiB in {made[0]['files']} files while it serves (16 readers, {WRITES_A_SECOND} writes a second)")
    say(f"{'':28}{'reads/s':>12}{'read p99 ms':>14}{'write p99 ms':>14}{'not 2xx':>9}")
    for name, m in (("alone", without), ("with a backup", with_backup)):
        say(f"{name:28}{m['rate']:12.0f}{m['read_p99_ms']:14.2f}{m['write_p99_ms']:14.2f}{m['bad']:9.0f}")
    ratios = {key: with_backup[key] / without[key] for key in ("read_p99_ms", "write_p99_ms")}
    say(f"ratio {'':22}{with_backup['rate'] / without['rate']:12.2f}{ratios['read_p99_ms']:14.2f}{ratios['write_p99_ms']:14.2f}")
    say(f"a backup took {statistics.median(each['seconds'] for each in made):.1f} s (median of {len(made)})")
    report["backup"] = {"alone": without, "with": with_backup, "ratios": ratios, "seconds": [each["seconds"] for each in made]}
