"""A bucket in memory that checks every signature: a stand-in for an S3 service, with an independent signer (AWS Signature Version 4).

It speaks what porticod uses: objects, ranges, lists in pages, uploads in parts. `fault` answers the next requests with something else."""

import datetime
import hashlib
import hmac
import http.server
import re
import socket
import threading
import urllib.parse
import xml.sax.saxutils

PAGE = 100
MINIMUM_PART = 5 * 1024 * 1024


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signature(secret, region, time_text, method, path, query, headers, signed, payload):
    """The signature of a request, from its raw path and its decoded query."""
    pairs = sorted((urllib.parse.quote(name, safe="-_.~"), urllib.parse.quote(value, safe="-_.~")) for name, value in query)
    canonical = "\n".join([method, urllib.parse.quote(urllib.parse.unquote(path), safe="/-_.~"), "&".join(f"{name}={value}" for name, value in pairs),
                           *(f"{name}:{' '.join(headers[name].split())}" for name in signed), "", ";".join(signed), payload])
    scope = f"{time_text[:8]}/{region}/s3/aws4_request"
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = _hmac(key, part)
    return _hmac(key, "\n".join(["AWS4-HMAC-SHA256", time_text, scope, hashlib.sha256(canonical.encode()).hexdigest()])).hex()


class Bucket:
    """Objects in `objects`. Used as a context; `settings` are those of a daemon."""

    key_id, secret, region, name = "AKIDPORTICOTEST", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "eu-test-1", "files"

    def __init__(self):
        self.objects, self.uploads, self.faults, self.requests = {}, {}, [], []
        # CORS rules in the form of the service: AllowedOrigins, AllowedMethods, AllowedHeaders.
        self.cors = []
        self.lock = threading.Lock()
        bucket = self

        class Handler(_Handler):
            owner = bucket

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                """A client that was killed is no news."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def settings(self, folder, seconds=30):
        """The daemon repeats a request that takes more seconds: on a slow machine an upload in parts would begin twice."""
        file = folder / "bucket-key"
        file.write_text(f"{self.key_id}\n{self.secret}\n", encoding="utf-8")
        file.chmod(0o600)
        return {"blobs.store": "s3", "blobs.s3.endpoint": self.endpoint, "blobs.s3.region": self.region, "blobs.s3.bucket": self.name,
                "blobs.s3.prefix": "test/", "blobs.s3.accessKeyFile": str(file), "blobs.s3.timeoutSeconds": seconds}

    def keys(self):
        """The last component of each object's name."""
        with self.lock:
            return {name.rsplit("/", 1)[1] for name in self.objects}

    def fault(self, kind, times=1):
        """Answers the next requests with a status, "html", "hang" or "cut"; probes are left alone."""
        with self.lock:
            self.faults += [kind] * times


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        if self.rule_for(self.command):
            self.send_header("Access-Control-Allow-Origin", self.headers["Origin"])
        for name, value in headers:
            self.send_header(name, value)
        if not any(name == "Content-Length" for name, _ in headers):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code, headers=()):
        self.answer(status, f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>{code}</Message></Error>'.encode(),
                    [("Content-Type", "application/xml"), *headers])

    def injected(self, kind):
        if kind == "hang":
            self.connection.recv(1)  # until the client gives up
            self.close_connection = True
        elif kind == "cut":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif kind == "html":
            self.answer(200, b"<html><body>Sign in</body></html>", [("Content-Type", "text/html")])
        else:
            self.refuse(kind, {403: "AccessDenied", 404: "NoSuchBucket", 500: "InternalError", 503: "SlowDown"}[kind])

    def fault_in_signature(self, path, query, body):
        """None where the request is authorized, by header or by URL."""
        owner, headers = self.owner, {name.lower(): value for name, value in self.headers.items()}
        inside = dict(query)
        if "X-Amz-Signature" in inside:
            given, signed, credential, time_text = (inside[f"X-Amz-{each}"] for each in ("Signature", "SignedHeaders", "Credential", "Date"))
            query = [pair for pair in query if pair[0] != "X-Amz-Signature"]
            payload, seconds = "UNSIGNED-PAYLOAD", int(inside["X-Amz-Expires"])
        else:
            match = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=([0-9a-f]{64})", headers.get("authorization", ""))
            if match is None:
                return "AccessDenied"
            credential, signed, given = match.groups()
            time_text, payload, seconds = headers.get("x-amz-date", ""), headers.get("x-amz-content-sha256", ""), 900
            if hashlib.sha256(body).hexdigest() != payload:
                return "XAmzContentSHA256Mismatch"
        signed = signed.split(";")
        if signed != sorted(signed) or "host" not in signed or any(name.startswith("x-amz-") and name not in signed for name in headers):
            return "SignatureDoesNotMatch"
        then = datetime.datetime.strptime(time_text, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        if not -900 <= (datetime.datetime.now(datetime.timezone.utc) - then).total_seconds() <= seconds:
            return "RequestTimeTooSkewed"
        if credential != f"{owner.key_id}/{time_text[:8]}/{owner.region}/s3/aws4_request":
            return "InvalidAccessKeyId"
        made = signature(owner.secret, owner.region, time_text, self.command, path, query, headers, signed, payload)
        return None if hmac.compare_digest(made, given) else "SignatureDoesNotMatch"

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path, _, text = self.path.partition("?")
        query = urllib.parse.parse_qsl(text, keep_blank_values=True)
        owner = self.owner
        with owner.lock:
            kind = owner.faults.pop(0) if owner.faults and "max-keys" not in text else None
            owner.requests.append(f"{self.command} {self.path}")
        if kind is not None:
            self.injected(kind)
            return
        wrong = self.fault_in_signature(path, query, body)
        if wrong:
            self.refuse(403, wrong)
            return
        _, name, *rest = urllib.parse.unquote(path).split("/", 2)
        if name != owner.name:
            self.refuse(404, "NoSuchBucket")
            return
        with owner.lock:
            self.serve(rest[0] if rest else "", dict(query), body)

    def rule_for(self, method):
        return next((rule for rule in self.owner.cors if self.headers["Origin"] in rule["AllowedOrigins"] and method in rule["AllowedMethods"]), None)

    def do_OPTIONS(self):
        """A preflight: a browser asks before a page of another origin may send."""
        method, asked = self.headers.get("Access-Control-Request-Method"), self.headers.get("Access-Control-Request-Headers", "")
        with self.owner.lock:
            self.owner.requests.append(f"OPTIONS {self.path}")
        rule = self.rule_for(method)
        if rule is None or not {name.strip().lower() for name in asked.split(",") if name} <= {name.lower() for name in rule["AllowedHeaders"]}:
            self.refuse(403, "AccessForbidden")
            return
        self.answer(200, headers=[("Access-Control-Allow-Origin", self.headers["Origin"]), ("Access-Control-Allow-Methods", ", ".join(rule["AllowedMethods"])),
                                  ("Access-Control-Allow-Headers", asked)])

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_one

    def serve(self, name, query, body):
        owner, tag = self.owner, f'"{hashlib.md5(body).hexdigest()}"'
        if self.command == "GET" and not name:
            self.list(query)
        elif self.command == "POST" and "uploads" in query:
            upload = f"u/{len(owner.uploads)}+&=é"
            owner.uploads[upload] = {}
            self.answer(200, f"<InitiateMultipartUploadResult><UploadId>{xml.sax.saxutils.escape(upload)}</UploadId></InitiateMultipartUploadResult>".encode())
        elif "uploadId" in query and query["uploadId"] not in owner.uploads:
            self.refuse(404, "NoSuchUpload")
        elif self.command == "PUT" and "uploadId" in query:
            owner.uploads[query["uploadId"]][int(query["partNumber"])] = (tag, body)
            self.answer(200, headers=[("ETag", tag)])
        elif self.command == "POST":
            self.complete(name, query["uploadId"], body)
        elif self.command == "DELETE" and "uploadId" in query:
            del owner.uploads[query["uploadId"]]
            self.answer(204)
        elif self.command == "PUT":
            owner.objects[name] = body
            self.answer(200, headers=[("ETag", tag)])
        elif self.command == "DELETE":
            owner.objects.pop(name, None)
            self.answer(204)
        elif name not in owner.objects:
            self.refuse(404, "NoSuchKey")
        else:
            self.send_object(owner.objects[name], query)

    def send_object(self, content, query):
        headers = [("ETag", f'"{len(content)}"'), ("Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT"),
                   *((f"Content-{name}", query[f"response-content-{name.lower()}"]) for name in ("Type", "Disposition") if f"response-content-{name.lower()}" in query)]
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if asked is None:
            self.answer(200, content, headers)
            return
        first, last = int(asked[1]), min(int(asked[2]), len(content) - 1)
        if first >= len(content):
            self.refuse(416, "InvalidRange", [("Content-Range", f"bytes */{len(content)}")])
            return
        self.answer(206, content[first:last + 1], [*headers, ("Content-Range", f"bytes {first}-{last}/{len(content)}")])

    def complete(self, name, upload, body):
        parts = self.owner.uploads[upload]
        asked = [(int(number), tag) for number, tag in re.findall(r"<PartNumber>(\d+)</PartNumber><ETag>([^<]+)</ETag>", body.decode())]
        if [number for number, _ in asked] != sorted(parts) or any(parts[number][0] != tag for number, tag in asked):
            self.refuse(400, "InvalidPart")
        elif any(len(parts[number][1]) < MINIMUM_PART for number, _ in asked[:-1]):
            self.refuse(400, "EntityTooSmall")
        else:
            self.owner.objects[name] = b"".join(parts[number][1] for number, _ in asked)
            del self.owner.uploads[upload]
            self.answer(200, b'<CompleteMultipartUploadResult><ETag>"x-2"</ETag></CompleteMultipartUploadResult>')

    def list(self, query):
        names = sorted(name for name in self.owner.objects if name.startswith(query.get("prefix", "")))
        names = [name for name in names if name > query.get("continuation-token", "")]
        page, more = names[:PAGE], len(names) > PAGE
        entries = "".join(f"<Contents><Key>{name}</Key><Size>{len(self.owner.objects[name])}</Size></Contents>" for name in page)
        token = f"<NextContinuationToken>{page[-1]}</NextContinuationToken>" if more else ""
        self.answer(200, f'<?xml version="1.0"?><ListBucketResult><IsTruncated>{str(more).lower()}</IsTruncated>{token}{entries}</ListBucketResult>'.encode())
