#!/usr/bin/python3
"""Runs every command of the operator's pages in order on a separate machine (support/machine.py), and compares exit status and output with the page.
docs_checkout.py covers the pages for developers with a checkout, plugin_guide.py the guide."""

import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import machine  # noqa: E402
import pages  # noqa: E402
from blackbox import main  # noqa: E402
from daemon import BUILD  # noqa: E402
from followed import Following, Page  # noqa: E402
from machine import Machine  # noqa: E402

# As apt leaves it; not the one of outside, which may be running.
POSTGRESQL = """
cd /
version=$(ls /usr/lib/postgresql | sort -n | tail -n 1)
rm -rf /etc/postgresql/* /var/lib/postgresql/*
pg_createcluster --port 5432 "$version" main -- --no-sync
"""
START_POSTGRESQL = "pg_ctlcluster $(ls /usr/lib/postgresql | sort -n | tail -n 1) main start"
PASSWORD = "correct horse battery"
# Two dead jobs for the page's commands.
DEAD = """
import sqlite3, time
with sqlite3.connect("/var/lib/portico/data/crm.db") as database:
    for job in ("job_01m8068qwtp13gq87f4f5d3d32", "job_01m8068qwt3cwmmq1ja9y39swb"):
        database.execute("INSERT INTO portico_job (id, type, payload, due_at, attempt, max_attempts, created_at, last_error, dead_at) VALUES (?, ?, ?, ?, 8, 8, ?, ?, ?)",
                         (job, "crm.attachments.sweep", "{}", *[int(time.time() * 1000)] * 2, "No space left on device", int(time.time() * 1000)))
"""


class Server(unittest.TestCase):
    """Pages that are read at a server on which Portico has been installed."""

    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.close)

    def follow(self, page):
        problems = Following(page).follow(self.machine)
        problems += self.wrong_settings(page)
        if problems:
            self.fail("\n" + "\n".join(problems))

    def wrong_settings(self, page):
        """Those that stand in the text as `key = value`."""
        for line, key, value in pages.settings(page.text):
            checked = self.machine.run(f"porticod --check --set '{key}={value}'", check=False)
            if checked.returncode != 0:
                yield f"{page.name}:{line}: '{key} = {value}' is refused: {checked.stdout}"

    def test_configuring(self):
        self.machine.run(POSTGRESQL + START_POSTGRESQL)
        # The page's last file names a secret that is somebody else's.
        mail = "echo secret | install -m 600 -o portico /dev/stdin /etc/portico/secrets/mail-password"
        self.follow(Page("docs/configuring.md", ends={"porticod --check --set server.prot=8090": 78}, before={"systemctl stop portico": mail}))
        self.assertEqual("serving", json.loads(self.machine.run("porticoctl --json status").stdout)["state"])
        self.machine.run("porticoctl config check")
        # With sockets of systemd no connection is refused during a restart.
        answers = self.machine.run("""
            asking() { curl -s -o /dev/null -w '%{http_code}\n' --max-time 60 -H 'Host: crm.example.org' http://127.0.0.1:8080/healthz; }
            until [ -e /followed/restarted ]; do asking; done & asker=$!
            systemctl restart portico && touch /followed/restarted
            wait $asker
        """).stdout
        self.assertEqual({"200"}, set(answers.split()))

    def test_people(self):
        self.follow(Page("docs/people.md"))

    def test_operating(self):
        self.machine.path("/root/dead.py").write_text(DEAD, encoding="utf-8")
        self.follow(Page("docs/operating.md", before={"porticoctl jobs list": "/usr/bin/python3 dead.py"}, names=("kill -9",)))

    def test_backup(self):
        self.follow(Page("docs/backup.md"))
        [cron] = [block for block in pages.blocks(Page("docs/backup.md").text) if block.language == "cron"]
        self.machine.run("mkdir /var/backups/portico/portico-old; touch -d '15 days ago' /var/backups/portico/portico-old")
        # cron knows neither the rest of the PATH nor bash.
        command = cron.text.splitlines()[1].split(None, 6)[6]
        self.machine.path("/root/nightly").write_text(command + "\n", encoding="utf-8")
        self.machine.run("env -i PATH=/usr/bin:/bin HOME=/root sh nightly")
        [made] = self.machine.path("/var/backups/portico").iterdir()
        self.machine.run(f"porticoctl backup --verify /var/backups/portico/{made.name}")

    def test_securing(self):
        self.machine.run(f"cp -r {BUILD}/examples/acme-notes . && rm -f acme-notes/SHA256SUMS*")
        self.follow(Page("docs/securing.md", ends={"porticoctl verify acme-notes": 1}, foreground={"porticod --safe-mode": "ready"}, before={"porticod --safe-mode": "systemctl stop portico"}))

    def test_scaling_out(self):
        self.machine.run("for host in 10 11 20 30; do ip address add 10.0.0.$host/32 dev lo; done")
        self.addCleanup(self.machine.run, "for host in 10 11 20 30; do ip address del 10.0.0.$host/32 dev lo; done")
        self.machine.run(f"""
            {POSTGRESQL}
            echo "listen_addresses = '10.0.0.30'" >> $(ls /etc/postgresql/*/main/postgresql.conf)
            echo "host all all 10.0.0.0/24 scram-sha-256" >> $(ls /etc/postgresql/*/main/pg_hba.conf)
            {START_POSTGRESQL}
            runuser -u postgres -- psql -qc "CREATE ROLE portico LOGIN PASSWORD 'secret'" -c "CREATE DATABASE portico OWNER portico"
        """)
        # No second host answers here.
        self.follow(Page("docs/scaling-out.md", ends={"porticoctl --all status": 3, "porticoctl --all reload crm": 3}, before={
            "porticoctl config check": "echo secret | install -m 600 -o portico /dev/stdin /etc/portico/secrets/database-password; redis-server /etc/redis/redis.conf --daemonize yes"}))
        self.machine.run("systemctl start portico")
        status = json.loads(self.machine.run("porticoctl --json status").stdout)
        self.assertEqual(("redis://10.0.0.20:6379/0", True), (status["stateStore"], status["stateStoreAnswers"]))
        # With the other user that the page knows.
        [user] = [block.text for block in pages.blocks(Page("docs/scaling-out.md").text) if block.language == "conf" and not block.file]
        with open(self.machine.path("/etc/redis/redis.conf"), "a", encoding="utf-8") as file:
            file.write(user.replace(">choose-one-and-keep-it", ">secret"))
        self.machine.run("""
            redis-cli -h 10.0.0.20 -a choose-one-and-keep-it --no-auth-warning shutdown nosave
            redis-server /etc/redis/redis.conf --daemonize yes
            sed -i 's#redis://10.0.0.20#redis://portico@10.0.0.20#' /etc/portico/conf.d/site.properties
            echo secret | install -m 600 -o portico /dev/stdin /etc/portico/secrets/redis-password
            systemctl restart portico
        """)
        self.assertTrue(json.loads(self.machine.run("porticoctl --json status").stdout)["stateStoreAnswers"])

    def test_calling(self):
        self.follow(Page("docs/calling.md"))

    def test_moving_contacts(self):
        self.machine.run(f"porticoctl user create --email ann@example.org --organization zoo --role owner --password-stdin <<<'{PASSWORD}'")
        self.machine.path("/root/contacts.csv").write_text("First Name,Last Name,E-mail 1 - Label,E-mail 1 - Value\nAda,Lovelace,Work,ada@example.org\nBob,Wrong,Work,bob(at)x.example\n")
        self.machine.path("/root/adresses.csv").write_bytes("Prénom;Nom;Adresse de messagerie\nZoé;Lefèvre;zoe@example.org\n".encode("cp1252"))
        login = f"""{{"identifier":"ann@example.org","password":"{PASSWORD}","service_id":"crm"}}"""
        self.machine.environment["CRM"] = "http://crm.localhost:8080"
        self.machine.environment["TOKEN"] = self.machine.run(
            f"curl -fsS $CRM/api/auth/login -H 'Content-Type: application/json' -d '{login}' | jq -r .access_token").stdout.strip()
        self.follow(Page("docs/moving-contacts.md"))
        self.assertTrue([each.name for each in self.machine.path("/root").glob("*.csv") if each.name not in ("contacts.csv", "adresses.csv")])


class Examples(unittest.TestCase):
    def test_settings_beside_them(self):
        """What stands in the heads of packaging/examples for portico.properties is taken; proxies.py and two_hosts.py run the examples."""
        with Machine(start=False) as here:
            for example in sorted((pages.ROOT / "packaging/examples").iterdir()):
                if not example.is_file():
                    continue
                head = re.findall(r"^#   ([a-z][\w.-]+) = (\S+)", example.read_text(encoding="utf-8"), re.MULTILINE)
                self.assertGreaterEqual(len(head), 3, example.name)
                here.run("porticod --check " + " ".join(f"--set {key}={value}" for key, value in head))
                self.assertTrue(here.path(f"/usr/share/doc/portico/examples/{example.name}").is_file(), f"no package brings {example.name}")


class Written(Page):
    """A page that is not in the documentation."""

    content = ""

    @property
    def text(self):
        return self.content


class WhatIsFound(unittest.TestCase):
    """A page fails if its commands do not behave as shown."""

    @classmethod
    def setUpClass(cls):
        cls.machine = Machine(start=False)
        cls.addClassCleanup(cls.machine.close)

    def problems(self, text, **tables):
        page = Written("a page", **tables)
        page.content = text
        return Following(page).follow(self.machine)

    def assert_found(self, part, text, **tables):
        problems = self.problems(text, **tables)
        self.assertEqual(1, len(problems), problems)
        self.assertIn(part, problems[0])

    def test_correct_page(self):
        self.assertEqual([], self.problems("```console\n$ A=1\n$ echo $A of 12.5 ms   # said\n1 of 3 ms\n# printf 'a\\nb\\nc\\n'\na\n…\n```\n`key = value`, `user` and `GET /x`\n"))

    def test_a_command_that_fails(self):
        self.assert_found("a page:2: 'false' ended with 1, not 0", "```console\n$ false\n```\n")
        self.assert_found("ended with 0, not 3", "```console\n$ true\n```\n", ends={"true": 3})

    def test_a_script_that_fails_in_the_middle(self):
        self.assert_found("ended with 1, not 0", "```sh\ntrue\nfalse\ntrue\n```\n")

    def test_another_output(self):
        self.assert_found("'echo two' shows\none", "```console\n$ echo two\none\n```\n")
        self.assert_found("shows", "```console\n$ printf 'one\\ntwo\\n'\none\n```\n")
        self.assert_found("shows", "```console\n$ true\none\n```\n")

    def test_a_command_in_the_text(self):
        self.assert_found("a page:1: 'porticoctl no-such thing' ended with 2", "Type `porticoctl no-such thing`.\n")
        self.assert_found("'ls /no/such'", "Type `ls /no/such`.\n")

    def test_a_block_of_unknown_kind(self):
        self.assert_found("a block says what it holds", "```\n$ true\n```\n")
        self.assert_found("a block says what it holds", "```bash\ntrue\n```\n")

    def test_commands_that_the_page_does_not_have(self):
        for table in ("ends", "before", "elsewhere", "typed", "foreground"):
            self.assert_found(f"knows 'true' ({table})", "Nothing.\n", **{table: {"true": "x"}})
        self.assert_found("knows 'kill -9' (names)", "Nothing.\n", names=("kill -9",))

    def test_commands_that_run_elsewhere(self):
        self.assert_found("does not hold 'rm -rf'", "```console\n$ true\n```\n", elsewhere={"true": ("README.md", "rm -rf")})


# A page and why no suite follows it.
BY_HAND = {"docs/web.md": "its builds need npm and minutes: app_shell.py does them, and holds its examples against the files that they are from",
           "docs/debugging-plugins.md": "breakpoints, cores and a sanitizers' build: more than four minutes, and the kernel decides where a core goes",
           "docs/billing.md": "its one command is packaging/quickstart, which docs_checkout.py runs",
           "docs/mobile-shell.md": "its commands build packages and a library for arm64, which tests/packages/run does",
           "docs/rooms.md": "its one command writes the page, and check_shape.py compares the two"}


class Pages(unittest.TestCase):
    def test_every_page_is_followed(self):
        suites = "".join((pages.ROOT / "tests/http" / name).read_text(encoding="utf-8") for name in ("docs_commands.py", "docs_checkout.py", "plugin_guide.py"))
        for path in pages.all_pages():
            name = str(path.relative_to(pages.ROOT))
            if name in BY_HAND:
                print(f"{name} is not followed: {BY_HAND[name]}")
            elif any(block.language in pages.COMMANDS for block in pages.blocks(path.read_text(encoding="utf-8"))) or pages.in_text(path.read_text(encoding="utf-8")):
                self.assertIn(f'Page("{name}"', suites, f"no suite follows {name}")


if __name__ == "__main__":
    machine.apart()
    main()
