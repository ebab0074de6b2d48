"""A TCP connection to a server that delays answers and breaks when a test says so."""

import contextlib
import random
import socket
import threading
import time


class SlowLink:
    """Listens on a port and passes everything on to another. `delay`: an answer arrives up to so many seconds late."""

    def __init__(self, target):
        self.target, self.delay = target, 0.0
        self._pairs, self._lock = set(), threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()
        self.cut()

    def cut(self):
        """Breaks all connections; new ones can be made."""
        with self._lock:
            pairs = list(self._pairs)
        for one in pairs:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self.target), 5)
                except OSError:
                    client.close()
                    continue
                server.settimeout(None)
                for one in (client, server):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self._lock:
                    self._pairs |= {client, server}
                threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
                threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source, sink, answers):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if answers and self.delay:
                    time.sleep(random.uniform(0, self.delay))  # what this link is for
                sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            if answers:
                one.close()
                with self._lock:
                    self._pairs.discard(one)
