"""Shared code of the suites about failures: a daemon with accounts, and the expected form of an error."""

import contextlib
import pathlib
import re
import shutil
import tempfile
import time
import unittest

from blackbox import Accounts
from ledger import Client

SECONDS = 60
FREE = {"limits.rates": "off"}
BLOB = re.compile(r"^[0-9a-f]{16}-[0-9a-f]{32}$")


class Case(unittest.TestCase):
    def enter(self, context):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        return stack.enter_context(context)

    def folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="portico-faults-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def begin(self, daemon):
        """A running daemon with accounts in it."""
        self.daemon = self.enter(daemon)
        self.accounts = Accounts(self.daemon)
        self.sign_in()

    def sign_in(self):
        self.token = self.accounts.token()

    def call(self, method, path, body=None, headers=None, service="crm"):
        with Client(self.daemon, self.token, service) as client:
            return client.call(method, path, body, headers)

    def contact(self):
        status, _, body = self.call("POST", "/api/contacts", {"firstName": "Ada"})
        self.assertEqual(status, 201, body)
        return re.search(rb'"id":"([^"]+)"', body)[1].decode()

    def upload(self, contact, content):
        headers = {"Content-Type": "application/octet-stream", "X-File-Name": "a.bin"}
        return self.call("POST", f"/api/contacts/{contact}/attachments", content, headers)

    def attached(self, contact, content):
        status, _, body = self.upload(contact, content)
        self.assertEqual(status, 201, body)
        return re.search(rb'"downloadUrl":"([^"]+)"', body)[1].decode()

    def assert_refused(self, status, headers, body):
        """A clear 503 that reveals no internals."""
        self.assertEqual((status, headers["Content-Type"]), (503, "application/problem+json"), body)
        self.assertRegex(headers["Retry-After"] or "", "^[0-9]+$", body)
        for leak in ("SQLSTATE", "INSERT", "SELECT", "std::", "filesystem", str(self.daemon.state)):
            self.assertNotIn(leak, body.decode())

    def eventually(self, holds, what):
        deadline = time.monotonic() + SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, f"{what}\n{self.daemon.log_tail()}")
            time.sleep(0.02)

    def service(self, service="crm"):
        """What porticoctl services says of one."""
        return next(each for each in self.daemon.ctl("services")["services"] if each["service"] == service)

    def blobs(self):
        """Names of the files of attachments."""
        return {path.name for path in self.daemon.state.rglob("*") if BLOB.match(path.name)}
