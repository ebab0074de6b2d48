#!/usr/bin/python3
"""Runs the commands of docs/plugin-guide.md, all of them in their order in one shell, as somebody who follows it would."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import ROOT, free_ports  # noqa: E402
from workshop import Workshop  # noqa: E402

GUIDE = ROOT / "docs/plugin-guide.md"
# The shell goes on when the daemon has said that it is ready, as the guide's reader does.
READY = """
until [ "$(porticoctl --json status 2>/dev/null | jq -r .state)" = serving ]; do
    kill -0 $! || { cat build/porticod.log; exit 1; }
    sleep 0.1
done
"""


def commands(text):
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block + (READY if block.rstrip().endswith("&") else "") for block in blocks]


class Guide(unittest.TestCase):
    def setUp(self):
        self.workshop = Workshop()
        self.addCleanup(self.workshop.close)

    def test_every_command_works(self):
        port = free_ports(1)
        script = "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null && wait' EXIT\n"
        for number, block in enumerate(commands(GUIDE.read_text())):
            script += f"echo; echo '== {number}'\n{block}"
        script += "echo; echo '== end'\n"
        script = script.replace(":8080", f":{port}").replace("/usr/share/", f"{self.workshop.prefix}/share/")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PORTICO_")}
        environment.update(self.workshop.environment, PORTICO_SERVER_PORT=str(port), PATH=f"{self.workshop.prefix}/bin:{os.environ['PATH']}")
        done = self.run_script(script, environment)
        self.assertEqual(done.returncode, 0, done.stdout)
        said = re.split(r"^== \w+\n", done.stdout, flags=re.MULTILINE)[1:]
        self.assertEqual(len(said), script.count("echo '== "))
        everything = "\n".join(said)
        for part in ('"title":"Feed the lions"', "reload acme-notes: done", "tests passed, 0 tests failed", '"assignedAt":"', "Signed acme-notes", "portico-plugin-abi-1 (>="):
            self.assertIn(part, everything)

    def run_script(self, script, environment):
        """In a session of its own, so that nothing of it is left."""
        process = subprocess.Popen(["bash", "-c", script], cwd=self.workshop.root, env=environment, start_new_session=True, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            output, _ = process.communicate(timeout=300)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, output)

    def test_it_has_commands_to_run(self):
        self.assertGreater(len(commands(GUIDE.read_text())), 6)
        self.assertTrue(shutil.which("jq"))


if __name__ == "__main__":
    main()
