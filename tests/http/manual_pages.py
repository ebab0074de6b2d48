#!/usr/bin/python3
"""The manual pages and the help of porticoctl: every example in them is run, every command, option and exit status is one that there is. The page of
portico-mobile is compared with its usage. (The settings of portico.properties.5 are compared by ctl_tests, the form of the pages by
tests/ctl/packaging_test.)"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import machine  # noqa: E402
from blackbox import main  # noqa: E402
from daemon import BUILD, ROOT  # noqa: E402
from machine import Machine  # noqa: E402

MANUALS = ROOT / "packaging/man"
JOB = "job_01jd8x2m9r5qk3v7t1w4y6z8ab"
BACKUP = "/var/backups/portico/portico-20261121T184054Z"
# A job that gave up, in the table of crm.
DEAD = f"""
import sqlite3
with sqlite3.connect("/var/lib/portico/data/crm.db") as database:
    database.execute("INSERT OR REPLACE INTO portico_job (id, type, payload, due_at, attempt, max_attempts, created_at, dead_at) VALUES ('{JOB}', 'crm.attachments.sweep', '{{}}', 1, 8, 8, 1, 1)")
"""
RUNNING = "systemctl start portico"
STOPPED = "systemctl stop portico"
AGAIN = "rm -rf acme.key acme.pub acme-notes src/notes"
# Prerequisites of the examples.
BEFORE = {
    "porticoctl --socket ./.portico/control.sock stop": "porticod --set server.port=8090 >own.log 2>&1 & until grep -q ' ready ' own.log; do sleep 0.1; done",
    f"porticoctl jobs retry {JOB}": "/usr/bin/python3 dead.py",
    f"porticoctl jobs discard {JOB}": "/usr/bin/python3 dead.py",
    "porticoctl user create --email anna@example.org --organization acme --role owner --password-file ./anna.pw": "echo 'correct horse battery' >anna.pw; chmod 600 anna.pw",
    f"porticoctl backup --verify {BACKUP}": f"rm -rf /var/backups/portico; mkdir -p /var/backups/portico; porticoctl backup {BACKUP}",
    f"porticoctl restore {BACKUP}": f"{STOPPED}; mv /var/lib/portico/* /root/; rm -rf /var/lib/portico/.[a-z]*",
    f"porticoctl restore --force --state /var/lib/portico {BACKUP}": STOPPED,
    "porticoctl --json verify --signed acme-notes": f"{AGAIN}; cp -r stage/acme-notes . && porticoctl plugin keygen acme.key && porticoctl plugin sign --key acme.key acme-notes && cp acme.pub /etc/portico/trusted-keys.d/",
    "porticoctl reload crm": "porticoctl enable crm",
    "porticoctl plugin keygen acme.key": AGAIN,
    "porticoctl plugin sign --key acme.key stage/acme-notes": f"{AGAIN}; porticoctl plugin keygen acme.key",
    "porticoctl plugin verify /usr/lib/portico/plugins/acme-notes": "cp acme.pub /etc/portico/trusted-keys.d/ && cp -r stage/acme-notes /usr/lib/portico/plugins/",
    "porticoctl plugin verify --trusted-keys ./keys stage/acme-notes": "mkdir -p keys && cp acme.pub keys/",
    "porticoctl new-plugin acme-notes": AGAIN,
    "porticoctl openapi acme-notes --config build/porticod.properties --output acme-notes.json":
        "printf 'plugins.directories = /usr/lib/portico/plugins,/root/build/lib/portico/plugins\\nplugins.allowUnsigned = acme-notes\\n' >build/porticod.properties",
    "porticoctl dev reset crm": f"echo 'plugins.resettable = crm' >/etc/portico/conf.d/resettable.properties; {STOPPED}; {RUNNING}",
}


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = Machine()
        cls.addClassCleanup(cls.machine.close)
        cls.machine.path("/root/dead.py").write_text(DEAD, encoding="utf-8")
        cls.machine.run(f"mkdir -p stage build/lib/portico/plugins && cp -r {BUILD}/examples/acme-notes stage/ && cp -r stage/acme-notes build/lib/portico/plugins/")
        cls.help = {command: cls.machine.run(f"porticoctl {command} --help").stdout for command in cls.commands()}

    @classmethod
    def commands(cls):
        listed = re.search(r"^commands:\n(.*?)\n\n", cls.machine.run("porticoctl --help").stdout, re.MULTILINE | re.DOTALL)[1]
        return [re.match(r"  ([a-z-]+(?: [a-z]+)?)(?= )", line)[1] for line in listed.splitlines()]

    def test_examples_of_the_help(self):
        tried = set()
        for text in self.help.values():
            for example in text.partition("\nexamples:\n")[2].splitlines():
                tried.add(example.strip())
                self.example(example.strip())
        self.assertEqual(set(), set(BEFORE) - tried, "no help shows them")

    def test_examples_of_the_manual(self):
        shown = re.findall(r"^\.Dl (porticoctl .+)$", (MANUALS / "porticoctl.1").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertGreater(len(shown), 3)
        for example in shown:
            self.example(example)

    def test_settings_of_the_manual(self):
        text = (MANUALS / "portico.properties.5").read_text(encoding="utf-8")
        shown = text.split(".Sh EXAMPLES\n.Bd -literal\n")[1].split(".Ed")[0]
        self.machine.path("/root/shown.properties").write_text(shown, encoding="utf-8")
        secret = re.search(r"^database.passwordFile = (.+)$", shown, re.MULTILINE)[1]
        self.machine.run(f"mkdir -p {pathlib.Path(secret).parent} && echo secret >{secret} && chmod 600 {secret} && porticod --check --config shown.properties")

    def example(self, command):
        with self.subTest(command):
            self.machine.run(f"{RUNNING}\n{BEFORE.get(command, '')}")
            done = self.machine.run(f"set -o pipefail\n{command}", check=False)
            self.assertEqual(0, done.returncode, done.stdout)

    def test_every_command_and_option_is_real(self):
        text = (MANUALS / "porticoctl.1").read_text(encoding="utf-8")
        shared = self.machine.run("porticoctl --help").stdout
        described = set()
        for item in re.split(r"^\.It Ic ", text, flags=re.MULTILINE)[1:]:
            words = re.match(r"[a-z-]+(?: [a-z]+)*", item)[0]
            command = words if words in self.help else words.split()[0]
            self.assertIn(command, self.help, f"there is no porticoctl {words}")
            described.add(command)
            body = item.partition("\n.El")[0]
            for option in re.findall(r"Fl -([a-z-]+)", body):
                self.assertIn(f"--{option}", self.help[command] + shared, f"porticoctl {command} has no --{option}")
        self.assertEqual(set(self.help), described, "commands and their descriptions")

    def test_every_option_is_described(self):
        """Every option in the help of a command is in the manual page, except the options of `porticoctl user`."""
        text = (MANUALS / "porticoctl.1").read_text(encoding="utf-8")
        for command, said in self.help.items():
            if command.startswith("user "):
                continue
            for option in re.findall(r"^  --([a-z-]+)", said, re.MULTILINE):
                self.assertIn(f"Fl -{option}", text, f"porticoctl {command} --{option}")

    def test_options_of_the_daemon(self):
        text = (MANUALS / "porticod.8").read_text(encoding="utf-8")
        told = set(re.findall(r"^--([a-z-]+)", self.machine.run("porticod --help").stdout, re.MULTILINE))
        shown = set(re.findall(r"(?:Fl|\|) -([a-z-]+)", text))
        self.assertEqual(told, shown)

    def test_exit_statuses(self):
        self.assertEqual({0, 1, 2, 3}, self.statuses("porticoctl.1"))
        self.assertEqual({0, 1, 64, 78}, self.statuses("porticod.8"))
        self.machine.run(RUNNING)
        for status, command in ((0, "porticoctl status"), (1, "porticoctl reload nobody"), (2, "porticoctl reload"), (3, "porticoctl --socket /nowhere status"),
                                (0, "porticod --check"), (1, "porticod --state ./second"), (64, "porticod --nothing"), (78, "porticod --check --set server.port=x")):
            with self.subTest(command):
                done = self.machine.run(command, check=False)
                self.assertEqual(status, done.returncode, done.stdout)
                self.assertTrue(done.stdout)

    @staticmethod
    def statuses(page):
        text = (MANUALS / page).read_text(encoding="utf-8")
        section = text.split(".Sh EXIT STATUS\n")[1].split("\n.Sh ")[0]
        return {int(found) for found in re.findall(r"^\.It (\d+)$", section, re.MULTILINE)}


class MobileManual(unittest.TestCase):
    page = (MANUALS / "portico-mobile.1").read_text(encoding="utf-8")

    @staticmethod
    def run_tool(*words):
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run([BUILD / "bin/portico-mobile", *words, "--home", home], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    @classmethod
    def usage(cls):
        return subprocess.run([BUILD / "bin/portico-mobile", "--help"], capture_output=True, text=True, check=True).stdout

    def test_options(self):
        self.assertEqual(set(re.findall(r"--([a-z-]+)", self.usage())), set(re.findall(r"^\.It Fl -([a-z-]+)", self.page, re.MULTILINE)) - {"help"})

    def test_commands(self):
        listed = re.findall(r"^  portico-mobile ([a-z|-]+)", self.usage(), re.MULTILINE)
        self.assertEqual({command for each in listed for command in each.split("|")}, set(re.findall(r"^\.It Cm ([a-z-]+)", self.page, re.MULTILINE)))

    def test_exit_statuses(self):
        self.assertEqual({0, 1, 2}, Manual.statuses("portico-mobile.1"))
        origins = ("--issuer", "http://identity.localhost:1", "--launchpad", "http://launchpad.localhost:1")
        self.assertEqual(1, self.run_tool("catalog")[0], "no installation is known")
        self.assertEqual((1, "signed out\n", ""), self.run_tool("status", *origins))
        self.assertIn("PM_SIGNED_OUT", self.run_tool("catalog", "--offline", *origins)[2])
        for wrong in ((), ("--nothing",), ("launch", "crm", *origins), ("dance", *origins)):
            with self.subTest(wrong):
                status, _, message = self.run_tool(*wrong)
                self.assertEqual(2, status)
                self.assertIn(self.usage(), message)

    def test_examples(self):
        """The examples have the command lines that the tool accepts: without a sign-in they fail for that reason only."""
        shown = re.findall(r"^\.Dl portico-mobile (.+)$", self.page, re.MULTILINE)
        self.assertGreater(len(shown), 3)
        origins = ("--issuer", "http://identity.localhost:1", "--launchpad", "http://launchpad.localhost:1")
        for example in shown:
            words = example.split()
            with self.subTest(example):
                if words[0] == "sign-in":
                    status, printed, _ = self.run_tool(*words, "--open", "true", "--port", "0", "--seconds", "0")
                    self.assertEqual(1, status)
                    self.assertIn("https://identity.example.org/oauth/authorize?", printed)
                else:
                    status, _, message = self.run_tool(*words, *origins)
                    self.assertTrue(status == 0 or "PM_SIGNED_OUT" in message, message)


if __name__ == "__main__":
    machine.apart()
    main()
