"""A real Chromium without a window, driven over a pipe (Chrome DevTools Protocol), with a virtual authenticator for passkeys."""

import json
import os
import select
import shutil
import subprocess
import tempfile

ANSWER_SECONDS = 120
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
# For Playwright: the engine without the browser around it, where it is installed. A new page of it takes a third of the processor time.
PROGRAM = shutil.which("chromium-headless-shell") or BROWSER


class ChromiumError(Exception):
    pass


class Chromium:
    """One browser with one page. As a context manager it ends with the block."""

    def __init__(self):
        if not BROWSER:
            raise ChromiumError("chromium is not installed")
        self._profile = tempfile.mkdtemp(prefix="portico-chromium-")
        browser_reads, self._write = os.pipe()
        self._read, browser_writes = os.pipe()
        # The browser reads from descriptor 3 and writes to 4. Other shells duplicate descriptors of one digit only.
        words = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--remote-debugging-pipe", f"--user-data-dir={self._profile}", "about:blank"]
        shell = ["bash", "-c", f'exec "$@" 3<&{browser_reads} 4>&{browser_writes}', "chromium", *words]
        self._process = subprocess.Popen(shell, pass_fds=(browser_reads, browser_writes), stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(browser_reads)
        os.close(browser_writes)
        self._buffer, self._next, self._session = b"", 0, None
        target = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.close(self._write)
        os.close(self._read)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _message(self):
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], ANSWER_SECONDS)[0]:
                raise ChromiumError(f"the browser says nothing for {ANSWER_SECONDS} s")
            chunk = os.read(self._read, 65536)
            if not chunk:
                raise ChromiumError("the browser has ended")
            self._buffer += chunk
        text, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self._next += 1
        sent = {"id": self._next, "method": method, "params": parameters}
        if self._session:
            sent["sessionId"] = self._session
        os.write(self._write, json.dumps(sent).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise ChromiumError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def open(self, url):
        self.call("Page.enable")
        self.call("Page.navigate", url=url)
        self.run("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', () => done()))")

    def run(self, script):
        """The value of an expression; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            raise ChromiumError(result["exceptionDetails"].get("exception", {}).get("description", result["exceptionDetails"]["text"]))
        return result["result"].get("value")

    def add_authenticator(self, **options):
        """One that belongs to the device and verifies its user; `options` change that."""
        self.call("WebAuthn.enable")
        settings = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True,
                    "automaticPresenceSimulation": True, **options}
        return self.call("WebAuthn.addVirtualAuthenticator", options=settings)["authenticatorId"]
