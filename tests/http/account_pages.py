#!/usr/bin/python3
"""Somebody registers in a real Chromium: the page's script solves its challenge, and the form that it lets go is accepted."""

import json
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from chromium import Chromium, ChromiumError  # noqa: E402
from daemon import Daemon  # noqa: E402

EMAIL = "ada@new.example"
SECONDS = 30
FILL = """(() => {
  for (const [id, value] of Object.entries(%s)) document.getElementById(id).value = value;
  for (const box of document.querySelectorAll("input[required][type=checkbox]")) box.checked = true;
  document.querySelector("form").requestSubmit();
})()"""
SOLVED = """new Promise(done => {
  const button = document.getElementById("submit");
  const look = () => button.disabled || done(document.getElementById("proof").value.length);
  new MutationObserver(look).observe(button, {attributes: true});
  look();
})"""


class AccountPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.start()
        cls.origin = f"http://identity.localhost:{cls.daemon.port}"

    def browser(self):
        chromium = Chromium()
        self.addCleanup(chromium.close)
        return chromium

    def waits_for(self, chromium, text):
        """Waits until the next page has the text. While the page loads there is no document to query."""
        end = time.monotonic() + SECONDS
        seen = ""
        while text not in seen:
            self.assertLess(time.monotonic(), end, seen)
            try:
                seen = chromium.run("document.body.innerText") or ""
            except ChromiumError:
                pass

    def test_registers(self):
        chromium = self.browser()
        chromium.open(self.origin + "/register")
        self.assertGreater(chromium.run(SOLVED), 100)
        chromium.run(FILL % json.dumps({"displayName": "Ada", "email": EMAIL, "password": "plums and seven lighthouses"}))
        self.waits_for(chromium, "Check your mail")
        refused = self.daemon.request("identity", "POST", "/api/auth/login", {"identifier": EMAIL, "password": "plums and seven lighthouses", "service_id": "identity"})
        self.assertEqual("email_not_verified", refused.json()["code"])

    def test_asks_for_a_mail(self):
        chromium = self.browser()
        chromium.open(self.origin + "/login")
        chromium.open(self.origin + chromium.run('document.querySelector(\'a[href^="/forgot-password"]\').getAttribute("href")'))
        chromium.run(FILL % json.dumps({"email": EMAIL}))
        self.waits_for(chromium, "we sent a mail to it")


if __name__ == "__main__":
    main()
