"""Networks of Linux for suites that separate a host from the others. Needs the rights of root."""

import ctypes
import os
import subprocess

OURS, THEIRS = "10.77.0.1", "10.77.0.2"
NEW_NETWORK = 0x40000000  # CLONE_NEWNET
NOWHERE = "02:00:00:00:00:01"
C = ctypes.CDLL(None, use_errno=True)


def leave_the_machine():
    """Moves this process into a new network, so that suites can use the same addresses at the same time. Returns False without the right to do so."""
    if C.unshare(NEW_NETWORK) != 0:
        return False
    ip("link", "set", "lo", "up")
    return True


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class FarNetwork:
    """A network behind one cable. This process has the address OURS on it. Within `with`, the thread's new sockets and processes have THEIRS."""

    def __init__(self):
        self._here = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        C.unshare(NEW_NETWORK)
        self._there = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        try:
            ip("link", "set", "lo", "up")
            ip("link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", f"/proc/{os.getpid()}/fd/{self._here}")
            self._plug_in(THEIRS)
        finally:
            self.__exit__()
        self._plug_in(OURS)

    @staticmethod
    def _plug_in(address):
        ip("addr", "add", f"{address}/24", "dev", "cable")
        ip("link", "set", "cable", "up")

    def __enter__(self):
        C.setns(self._there, NEW_NETWORK)

    def __exit__(self, *_):
        C.setns(self._here, NEW_NETWORK)

    def close(self):
        for file in (self._here, self._there):
            os.close(file)

    def cut(self):
        """Drops all packets from now on. Neither side is notified."""
        self._both("replace", "lladdr", NOWHERE, "dev", "cable", "nud", "permanent")

    def mend(self):
        self._both("del", "dev", "cable")

    def _both(self, action, *words):
        ip("neigh", action, THEIRS, *words)
        with self:
            ip("neigh", action, OURS, *words)
