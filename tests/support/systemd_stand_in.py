#!/usr/bin/python3
"""Replaces systemd on a machine without one: runs the units of a machine (support/machine.py) as far as Portico's units need it.

    systemctl COMMAND [UNIT]       as it is called there; also as journalctl
    systemd_stand_in.py --serve    the manager, one in a machine

What it does not know it refuses, so that no command of the documentation passes by it. Hardening is left out: tests/ctl/packaging_test looks at it.
"""

import json
import os
import pathlib
import pwd
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

CONTROL = "/run/stand-in-systemd"
JOURNAL = pathlib.Path("/run/stand-in-journal")
FOLDERS = (pathlib.Path("/usr/lib/systemd/system"), pathlib.Path("/etc/systemd/system"))


class Refused(Exception):
    """What systemctl says; `status` is its exit status."""

    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def unit_file(name):
    """Settings of a unit with its drop-ins: (section, key) to the list of its values."""
    base = next((folder / name for folder in reversed(FOLDERS) if (folder / name).exists()), None)
    if base is None:
        raise Refused(f"Unit {name} could not be found.", 4)
    settings = {}
    for path in [base, *sorted((FOLDERS[1] / f"{name}.d").glob("*.conf"))]:
        section = ""
        for line in path.read_text().splitlines():
            line = line.strip()
            if not line or line[0] in "#;":
                continue
            if line[0] == "[":
                section = line.strip("[]")
                continue
            key, _, value = line.partition("=")
            values = settings.setdefault((section, key), [])
            values.append(value) if value else values.clear()
    return settings


class Unit:
    def __init__(self, manager, name):
        self.manager, self.name = manager, name
        self.settings = unit_file(name)
        self.lock = threading.RLock()
        self.process = None
        self.wanted = False
        self.listeners = []

    def last(self, section, key, default=""):
        return (self.settings.get((section, key)) or [default])[-1]

    def service(self, key, default=""):
        return self.last("Service", key, default)

    @property
    def active(self):
        return bool(self.listeners) or self.process is not None and self.process.poll() is None

    def start(self):
        with self.lock:
            if self.active:
                return
            self.listen() if self.name.endswith(".socket") else self.run()

    def listen(self):
        if self.manager.unit(self.name.replace(".socket", ".service")).active:
            raise Refused(f"{self.name}: Socket service {self.name.replace('.socket', '.service')} already active, refusing.")
        for address in self.settings["Socket", "ListenStream"]:
            host, _, port = address.rpartition(":")
            listener = socket.socket(socket.AF_INET6 if "[" in host else socket.AF_INET)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if "[" in host:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listener.bind((host.strip("[]"), int(port)))
            listener.listen(4096)
            self.listeners.append(listener)

    def directories(self, user):
        """Those that systemd makes, and the variables that tell of them."""
        told = {}
        for kind, parent in (("State", "/var/lib"), ("Runtime", "/run")):
            if name := self.service(f"{kind}Directory"):
                path = pathlib.Path(parent, name)
                path.mkdir(parents=True, exist_ok=True)
                path.chmod(int(self.service(f"{kind}DirectoryMode", "0755"), 8))
                os.chown(path, user.pw_uid, user.pw_gid)
                told[f"{kind.upper()}_DIRECTORY"] = str(path)
        credentials = self.settings.get(("Service", "LoadCredential"), [])
        if credentials:
            folder = pathlib.Path("/run/credentials", self.name)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for each in credentials:
                name, _, source = each.partition(":")
                (folder / name).write_bytes(pathlib.Path(source).read_bytes())
                os.chown(folder / name, user.pw_uid, user.pw_gid)
                (folder / name).chmod(0o400)
            os.chown(folder, user.pw_uid, user.pw_gid)
            folder.chmod(0o500)
            told["CREDENTIALS_DIRECTORY"] = str(folder)
        return told

    def run(self):
        """Returns once the service is ready."""
        user = pwd.getpwnam(self.service("User", "root"))
        variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "LANG": "C.UTF-8", "USER": user.pw_name, "LOGNAME": user.pw_name, "HOME": user.pw_dir}
        variables.update(self.directories(user))
        for line in self.settings.get(("Service", "Environment"), []):
            variables.update(each.split("=", 1) for each in shlex.split(line))
        held = self.manager.unit(self.name.replace(".service", ".socket"), missing_ok=True)
        sockets = [each.fileno() for each in held.listeners] if held else []
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind("\0stand-in-notify-" + os.urandom(6).hex())
        notify.settimeout(0.1)
        variables["NOTIFY_SOCKET"] = "@" + notify.getsockname()[1:].decode()
        words = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--init-groups", "--inh-caps=-all", *shlex.split(self.service("ExecStart"))]
        script = f"umask {self.service('UMask', '0022')}; "
        if sockets:
            script += f"export LISTEN_PID=$$ LISTEN_FDS={len(sockets)}; " + "".join(f"exec {3 + i}<&{100 + i}; " for i in range(len(sockets)))
        for i, number in enumerate(sockets):
            os.dup2(number, 100 + i)
        JOURNAL.mkdir(exist_ok=True)
        with open(JOURNAL / self.name, "ab") as log:
            self.process = subprocess.Popen(["bash", "-c", script + "exec " + shlex.join(words)], env=variables, cwd="/", stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, start_new_session=True, pass_fds=[100 + i for i in range(len(sockets))])
        self.wanted = True
        process = self.process
        deadline = time.monotonic() + float(self.service("TimeoutStartSec", "90"))
        while process.poll() is None and time.monotonic() < deadline:
            try:
                if b"READY=1" in notify.recv(4096).split(b"\n"):
                    threading.Thread(target=self.watch, args=(process, notify), daemon=True).start()
                    return
            except TimeoutError:
                continue
        process.kill()
        threading.Thread(target=self.watch, args=(process, notify), daemon=True).start()
        raise Refused(f"Job for {self.name} failed because the control process exited with error code.\n"
                      f'See "systemctl status {self.name}" and "journalctl -xeu {self.name}" for details.')

    def watch(self, process, notify):
        """Starts it again after a failure, as Restart=on-failure says."""
        status = process.wait()
        notify.close()
        held_back = [int(word) for word in self.service("RestartPreventExitStatus").split()]
        if not self.wanted or status == 0 or status in held_back or self.service("Restart") != "on-failure":
            return
        time.sleep(float(self.service("RestartSec", "0.1")))
        with self.lock:
            if self.wanted and not self.active:
                try:
                    self.run()
                except Refused:
                    return

    def stop(self):
        with self.lock:
            self.wanted = False
            for listener in self.listeners:
                listener.close()
            self.listeners = []
            if self.process is not None and self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                self.process.wait(float(self.service("TimeoutStopSec", "90")))

    def reload(self):
        if not self.active:
            raise Refused(f"Job for {self.name} failed: Unit {self.name} is not active, cannot reload.")
        done = subprocess.run(shlex.split(self.service("ExecReload")), capture_output=True, text=True)
        if done.returncode != 0:
            raise Refused(done.stderr + done.stdout)

    def status(self):
        lines = [f"● {self.name} - {self.last('Unit', 'Description')}", f"     Loaded: loaded (/usr/lib/systemd/system/{self.name}; {'enabled' if self.enabled else 'disabled'})"]
        if not self.active:
            raise Refused("\n".join([*lines, "     Active: inactive (dead)"]), 3)
        lines.append("     Active: active (listening)" if self.listeners else f"     Active: active (running)\n   Main PID: {self.process.pid} (porticod)")
        return "\n".join(lines)

    @property
    def link(self):
        return FOLDERS[1] / (self.last("Install", "WantedBy") + ".wants") / self.name

    @property
    def enabled(self):
        return self.link.is_symlink()

    def enable(self):
        if not self.enabled:
            self.link.parent.mkdir(parents=True, exist_ok=True)
            self.link.symlink_to(FOLDERS[0] / self.name)

    def disable(self):
        self.link.unlink(missing_ok=True)


class Manager:
    def __init__(self):
        self.units = {}

    def unit(self, name, missing_ok=False):
        name = name if re.search(r"\.(service|socket)$", name) else name + ".service"
        if name not in self.units:
            try:
                self.units[name] = Unit(self, name)
            except Refused:
                if missing_ok:
                    return None
                raise
        return self.units[name]

    def systemctl(self, words):
        now = "--now" in words
        command, *names = [word for word in words if word not in ("--now", "--no-pager", "--system", "--quiet")]
        if any(word.startswith("-") for word in names) or command not in ("start", "stop", "restart", "reload", "status", "enable", "disable", "is-active", "daemon-reload"):
            raise Refused(f"the stand-in for systemctl does not know: systemctl {' '.join(words)}")
        if command == "daemon-reload":
            for unit in self.units.values():
                unit.settings = unit_file(unit.name)
            return ""
        return "\n".join(filter(None, (self.one(command, self.unit(name), now) for name in names)))

    def one(self, command, unit, now):
        if command == "restart":
            unit.stop()
            unit.start()
        elif command == "is-active":
            if not unit.active:
                raise Refused("inactive", 3)
            return "active"
        else:
            said = getattr(unit, command)()
            if now:
                unit.start() if command == "enable" else unit.stop()
            return said
        return ""

    def serve(self):
        pathlib.Path(CONTROL).unlink(missing_ok=True)
        server = socket.socket(socket.AF_UNIX)
        server.bind(CONTROL)
        server.listen()
        print("ready", flush=True)
        while True:
            connection, _ = server.accept()
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        with connection, connection.makefile("rw") as stream:
            words = json.loads(stream.readline())
            try:
                status, said = 0, self.systemctl(words)
            except Refused as refused:
                status, said = refused.status, str(refused)
            except Exception as error:
                status, said = 1, f"the stand-in for systemctl failed: {error!r}"
            stream.write(json.dumps([status, said]) + "\n")


def ask(words):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(CONTROL)
        with connection.makefile("rw") as stream:
            stream.write(json.dumps(words) + "\n")
            stream.flush()
            status, said = json.loads(stream.readline())
    if said:
        print(said)
    return status


def journalctl(words):
    """`journalctl -u UNIT [-n N] [-o cat]`."""
    options = dict(zip(words[::2], words[1::2]))
    if len(words) % 2 or set(options) - {"-u", "-n", "-o"} or "-u" not in options:
        sys.exit(f"the stand-in for journalctl does not know: journalctl {' '.join(words)}")
    name = options["-u"] if "." in options["-u"] else options["-u"] + ".service"
    lines = (JOURNAL / name).read_text().splitlines()
    if options.get("-o") != "cat":  # as journald does, which is nothing that a page could show
        lines = [f"{time.strftime('%b %d %H:%M:%S')} host porticod[1]: {line}" for line in lines]
    print("\n".join(lines[-int(options["-n"]):] if "-n" in options else lines))
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        Manager().serve()
    sys.exit(journalctl(sys.argv[1:]) if pathlib.Path(sys.argv[0]).name == "journalctl" else ask(sys.argv[1:]))
