"""What the simulations of other servers share (`packaging/payments`, `packaging/sandbox`): an HTTP server on 127.0.0.1, answers that say what the server
is, pages, private files, and an end together with another process."""

import html
import http.server
import json
import os
import select
import sys
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers requests. A subclass names its header and its note, which every answer has."""

    protocol_version = "HTTP/1.1"
    note_header, note, indent = "X-Simulation", "", None

    def log_message(self, *_):
        pass

    def say(self, status, body, content_type="application/json; charset=utf-8", **headers):
        data = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header(self.note_header, self.note)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def json(self, status, value, **headers):
        self.say(status, json.dumps(value, indent=self.indent), **headers)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port, handler):
        super().__init__(("127.0.0.1", port), handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*_)

    def serve_while(self, process):
        """Serves until a process ends; None: until it is stopped."""
        if process:
            threading.Thread(target=self._end_with, args=(process,), daemon=True).start()
        self.serve_forever()

    def _end_with(self, process):
        try:
            select.select([os.pidfd_open(process)], [], [])
        except ProcessLookupError:
            pass
        self.shutdown()


def page(title, body, note, mark, style):
    """The HTML of a page. Its title and a note at its top say what the server is."""
    name = html.escape(title)
    return (f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>{name} ({mark})</title><style>{style}</style>"
            f"<p class=note role=note><strong>{note}</strong></p><main><h1>{name}</h1>{body}</main></html>")


def write_private(file, value):
    """Replaces a file by the JSON of a value. Only its owner can read it."""
    fresh = file.with_suffix(".new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        json.dump(value, out)
    fresh.replace(file)
