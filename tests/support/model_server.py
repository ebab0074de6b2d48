"""A stand-in for servers of OpenAI's form (images and chat completions), as its public documentation describes them in November 2026."""

import base64
import collections
import json
import struct
import zlib

from social_networks import Quiet, Server

KNOWN = {"model", "prompt", "n", "size", "quality", "background", "output_format", "output_compression", "moderation", "user"}


def picture(width, height):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + b"\x40" * width for _ in range(height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Models(Server):
    """Answers with pictures, and with `texts` in turn. `faults` are taken first: "html", "text" (not JSON), "large" (50 MB), "cut", or a status, with
    Retry-After for 429; None is no fault. `asked` has all bodies."""

    key = "sk-of-this-suite"

    def __init__(self):
        self.texts, self.faults, self.asked = collections.deque(), collections.deque(), []
        models = self

        class Handler(Quiet):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.headers.get("Authorization") != f"Bearer {models.key}":
                    return self.refuse(401, "invalid_api_key")
                models.asked.append((self.path, body))
                if models.faults and (fault := models.faults.popleft()):
                    return self.break_off(fault)
                if self.path == "/v1/images/generations":
                    return self.draw(body)
                if self.path == "/v1/chat/completions" and body.get("model") and body.get("messages"):
                    message = {"role": "assistant", "content": models.texts.popleft()}
                    return self.answer({"id": "chat-1", "object": "chat.completion", "created": 1, "model": body["model"],
                                        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
                return self.refuse(404, "unknown_url")

            def draw(self, body):
                unknown = sorted(set(body) - KNOWN) if body.get("model", "").startswith("gpt-image") else []
                if unknown or not body.get("prompt"):
                    return self.refuse(400, "unknown_parameter" if unknown else "missing_required_parameter")
                width, height = (int(each) for each in body.get("size", "auto").replace("auto", "1024x1024").split("x"))
                data = base64.b64encode(picture(width, height)).decode()
                return self.answer({"created": 1, "data": [{"b64_json": data}] * body.get("n", 1)})

            def answer(self, body, status=200, **headers):
                self.say(status, json.dumps(body).encode(), Content_Type="application/json", x_request_id=f"req_{len(models.asked)}", **headers)

            def refuse(self, status, code, **headers):
                self.answer({"error": {"message": code, "type": "invalid_request_error", "param": None, "code": code}}, status, **headers)

            def break_off(self, kind):
                if kind == "html":
                    self.say(200, b"<!doctype html><p>Sign in", Content_Type="text/html")
                elif kind == "text":
                    self.say(200, b"Here is your picture:", Content_Type="application/json")
                elif kind == "large":
                    self.say(200, b'{"data":[' + b" " * 50_000_000 + b"]}", Content_Type="application/json")
                elif kind == "cut":
                    self.close_connection = True
                    self.connection.close()
                elif kind == 429:
                    self.refuse(429, "rate_limit_exceeded", Retry_After="17")
                else:
                    self.refuse(kind, "server_error")

        super().__init__(Handler)
