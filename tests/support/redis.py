"""A Redis of the tests' own: nothing on disk, a password, a free port."""

import pathlib
import secrets
import shutil
import socket
import subprocess
import tempfile
import time

from daemon import free_ports

READY_SECONDS = 30


class Redis:
    def __init__(self, address="127.0.0.1"):
        self.address = address
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="portico-redis-"))
        self.port = free_ports(1)
        self.password = secrets.token_urlsafe(18)
        self.url = f"redis://{address}:{self.port}/1"
        self.process = None

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self):
        command = ["redis-server", "--port", str(self.port), "--bind", self.address, "--save", "", "--appendonly", "no", "--dir", str(self.directory),
                   "--requirepass", self.password, "--maxmemory-policy", "noeviction"]
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if self.ask("PING") == "+PONG":
                    return self
            except OSError:
                time.sleep(0.02)  # between two looks
        raise RuntimeError("Redis (package redis-server) does not start:\n" + (self.directory / "log").read_text(encoding="utf-8"))

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def ask(self, *words):
        """The first line of the answer."""
        with socket.create_connection((self.address, self.port), 10) as connection, connection.makefile("rwb") as stream:
            for command in (("AUTH", self.password), ("SELECT", "1"), words):
                stream.write(f"*{len(command)}\r\n".encode() + b"".join(f"${len(word)}\r\n{word}\r\n".encode() for word in command))
                stream.flush()
                line = stream.readline().decode().strip()
            return line

    def settings(self, folder):
        """Settings of a daemon that uses it. On a machine with several suites an answer may take longer than the default allows."""
        return {"state.store": "redis", "state.redis.url": self.url, "state.redis.passwordFile": self.secret(folder), "state.redis.timeoutMilliseconds": 10_000}

    def secret(self, folder):
        """A file with the password."""
        file = folder / "redis-password"
        file.touch(mode=0o600)
        file.write_text(self.password + "\n", encoding="utf-8")
        return file
