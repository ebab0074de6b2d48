"""A PgBouncer in front of a PostgreSQL of the tests."""

import contextlib
import socket
import subprocess
import time

from daemon import DaemonError, free_ports

CONFIGURATION = """[databases]
postgres = host=127.0.0.1 port={server} dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = {mode}
max_client_conn = 400
default_pool_size = {sessions}
{more}
"""


@contextlib.contextmanager
def pooler(server, mode, more="", sessions=60):
    """A PgBouncer in that mode, with so many sessions of the server at most; yields its address."""
    port = free_ports(1)
    folder = server.directory / f"bouncer-{port}"
    folder.mkdir()
    users = folder / "users"
    users.write_text(f'"postgres" "{server.password}"\n')
    configuration = folder / "pgbouncer.ini"
    configuration.write_text(CONFIGURATION.format(server=server.port, port=port, users=users, mode=mode, more=more, sessions=sessions))
    for path in (folder, users, configuration):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen([*server._as_user, "/usr/sbin/pgbouncer", str(configuration)], stdout=log, stderr=log, cwd="/")
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise DaemonError((folder / "log").read_text()) from None
                time.sleep(0.05)
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        process.terminate()
        process.wait(20)
