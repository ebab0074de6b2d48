"""A reader of server-sent events for black-box tests."""

import json


class Follower:
    """An EventSource that reconnects only on command."""

    def __init__(self, daemon, service, path, token, last=None):
        headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
        if last:
            headers["Last-Event-ID"] = last
        self.connection = daemon.connect(service, timeout=60)
        self.connection.request("GET", path, headers=headers)
        self.answer = self.connection.getresponse()
        self.last, self.retry = last, None

    def next(self):
        """The next event as (type, data), or None when the stream has ended in order."""
        kind, data = "message", []
        while True:
            line = self.answer.readline()
            if not line:
                return None
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "id":
                self.last = value
            elif name == "retry":
                self.retry = int(value)
            elif name == "event":
                kind = value
            elif name == "data":
                data.append(value)
            elif not line.strip() and data:
                return kind, json.loads("\n".join(data))
            elif not line.strip():
                kind = "message"

    def close(self):
        self.connection.close()
