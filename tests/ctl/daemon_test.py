#!/usr/bin/python3
"""porticod and porticoctl as an operator meets them: start, refusals, configuration, switches, signals, systemd's side."""

import json
import contextlib
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import BUILD, Daemon, free_ports  # noqa: E402

PORTICOD = str(BUILD / "bin" / "porticod")


def run(*words, environment=None):
    return subprocess.run([PORTICOD, *map(str, words)], capture_output=True, text=True, timeout=120, env={**os.environ, **(environment or {})})


class Refusals(unittest.TestCase):
    """A failed start reports its cause in one sentence, with the remedy and the exit status."""

    def setUp(self):
        self.state = pathlib.Path(tempfile.mkdtemp(prefix="portico-refusal-"))
        self.addCleanup(shutil.rmtree, self.state, ignore_errors=True)

    def test_port_in_use(self):
        with socket.socket() as holder:
            holder.bind(("127.0.0.1", free_ports(1)))
            holder.listen()
            port = holder.getsockname()[1]
            done = run("--state", self.state, "--set", f"server.port={port}", "--set", "server.bind=127.0.0.1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(str(port), done.stderr.splitlines()[-1])
        self.assertIn("choose another with --set server.port=N", done.stderr.splitlines()[-1])

    def test_second_instance(self):
        with Daemon() as daemon:
            done = run("--state", daemon.state)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"Another porticod (pid {daemon.pid}) uses the state directory", done.stderr)
            self.assertEqual(daemon.ctl("status")["pid"], daemon.pid)

    def test_a_socket_where_something_is(self):
        """A slip in a setting costs no file, and the sentence names the setting."""
        file = self.state / "precious"
        for key in ("control.socket", "server.unixSocket"):
            file.write_text("kept")
            done = run("--state", self.state / "state", "--set", f"server.port={free_ports(1)}", "--set", "server.bind=127.0.0.1", "--set", f"{key}={file}")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"{file}: Address already in use. Correct {key}", done.stderr.splitlines()[-1])
            self.assertEqual(file.read_text(), "kept")

    def test_an_address_of_another_machine(self):
        done = run("--state", self.state, "--set", f"server.port={free_ports(1)}", "--set", "server.bind=192.0.2.1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("Cannot assign requested address. Correct server.bind.", done.stderr.splitlines()[-1])

    def test_state_that_cannot_be_made(self):
        (self.state / "file").write_text("")
        done = run("--state", self.state / "file" / "below")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Cannot make the state directory", done.stderr)
        self.assertIn("name another with --state", done.stderr)

    def test_mistakes_in_the_configuration(self):
        file = self.state / "portico.properties"
        file.write_text("# settings\nserver.prot = 80\n\nlog.level = loud\n")
        for arguments in (("--check",), ()):
            done = run("--state", self.state, "--config", file, *arguments)
            self.assertEqual(done.returncode, 78, done.stderr)
            self.assertIn(f"{file}:2: server.prot: expected a known setting, found an unknown one. Did you mean server.port?", done.stderr)
            self.assertIn(f"{file}:4: log.level: expected one of debug, information, warning, error, found 'loud'", done.stderr)

    def test_a_configuration_that_cannot_be_read(self):
        """Another start changes nothing: the status is that of a wrong configuration."""
        missing = self.state / "missing.properties"
        for arguments in (("--check",), ()):
            for file, why in ((self.state, "it is a directory. Name the file in it."), (missing, "No such file or directory")):
                done = run("--state", self.state, "--config", file, *arguments)
                self.assertEqual(done.returncode, 78, done.stderr)
                self.assertEqual(done.stderr, f"porticod: Cannot read {file}: {why}\n")

    def test_setting_of_a_service_that_is_not_installed_is_a_warning(self):
        done = run("--check", "--state", self.state, "--set", "services.crn.origins=https://crm.example.org", "--set", "services.elsewhere.enabled=false")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: command line: services.crn.origins: expected the id of an installed service, found 'crn'. Did you mean crm?\n", done.stderr)
        self.assertIn("services.elsewhere.enabled: expected the id of an installed service, found 'elsewhere': it has no effect\n", done.stderr)

    def test_setting_with_unknown_service_is_reported(self):
        named = ("--set", "admin.console=admn", "--set", "server.frontDoor=crn")
        done = run("--check", "--state", self.state, *named)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: command line: admin.console: expected the id of an installed service, found 'admn'. Did you mean admin?\n", done.stderr)
        self.assertIn("server.frontDoor: expected the id of an installed service, found 'crn'. Did you mean crm?\n", done.stderr)
        done = run("--check", "--state", self.state, "--set", "admin.console=off", "--set", "server.frontDoor=page")
        self.assertNotIn("installed service", done.stderr)

    def test_a_directory_for_mails_that_cannot_be(self):
        self.state.mkdir(exist_ok=True)
        taken = self.state / "taken"
        taken.write_text("")
        done = run("--state", self.state, "--set", f"mail.directory={taken}/mails")
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn(f"mail.directory: expected a directory that the daemon can write to, or make, found '{taken}/mails'.\n", done.stderr)

    def test_check_of_a_right_configuration(self):
        done = run("--check", "--state", self.state)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(self.state.iterdir()), [], "a check leaves nothing behind")

    def test_wrong_usage(self):
        for words in (("--colour", "red"), ("serve",), ("--print-settings", "html")):
            done = run(*words)
            self.assertEqual(done.returncode, 64, words)
            self.assertIn("--help explains", done.stderr)

    def test_unreachable_database(self):
        port = free_ports(1)
        done = run("--state", self.state, "--set", f"database.url=postgresql://portico@127.0.0.1:{port}/portico")
        self.assertEqual(done.returncode, 1)
        self.assertIn("The database cannot be used", done.stderr)
        self.assertIn("Correct database.url", done.stderr)


class ForeignSocket(unittest.TestCase):
    """What porticoctl asks in a folder where somebody else has put a socket."""

    # Answers everybody, and says so.
    LISTENER = """import socket
listener = socket.socket(socket.AF_UNIX)
listener.bind(".portico/control.sock")
listener.listen()
print("listening", flush=True)
while True:
    peer, _ = listener.accept()
    if peer.recv(65536):
        peer.sendall(b'{"ok":true,"result":{"userId":"usr_1","organizationId":""}}\\n')
    peer.close()
"""

    def test_only_the_own_daemon_is_asked_where_none_is_named(self):
        if os.geteuid() != 0:
            self.skipTest("only root can act as somebody else")
        if pathlib.Path("/run/portico/control.sock").exists():
            self.skipTest("a packaged daemon runs here")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="portico-foreign-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / ".portico").mkdir()
        for each in (folder, folder / ".portico"):
            os.chown(each, 12345, 12346)
        words = ["setpriv", "--reuid=12345", "--regid=12346", "--clear-groups", sys.executable, "-c", self.LISTENER]
        with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as listener:
            self.addCleanup(listener.kill)
            self.assertEqual(listener.stdout.readline(), "listening\n")
            ctl = [str(BUILD / "bin" / "porticoctl")]
            user = ["user", "create", "--email", "a@example.org", "--name", "A", "--password-stdin"]
            ask = lambda *more: subprocess.run([*ctl, *more, *user], cwd=folder, input="secret word for root\n", capture_output=True, text=True, timeout=60)  # noqa: E731
            refused = ask()
            self.assertEqual(refused.returncode, 3, refused.stdout + refused.stderr)
            self.assertIn("is of another user (uid 12345): it is not asked unless --socket names it", refused.stderr)
            self.assertEqual(ask("--socket", ".portico/control.sock").returncode, 0)
            listener.kill()


class Printing(unittest.TestCase):
    def test_help_and_version(self):
        self.assertIn("--state", run("--help").stdout)
        self.assertRegex(run("--version").stdout, r"^porticod \d+\.\d+\.\d+$")

    def test_settings(self):
        self.assertIn("#server.port = 8080\n", run("--print-settings", "properties").stdout)


class Operation(unittest.TestCase):
    """One daemon for all: each test leaves it serving."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.close)

    def status_of(self, service):
        return next(each for each in self.daemon.ctl("services")["services"] if each["service"] == service)

    def test_ready_means_that_services_answer(self):
        self.assertEqual(self.daemon.ctl("status")["state"], "serving")
        for service in self.daemon.ctl("services")["services"]:
            self.assertEqual(service["status"], "serving", service["note"])
            self.assertEqual(self.daemon.request(service["service"], "GET", "/healthz").status, 200)

    def test_silent_connections_do_not_block_the_control_socket(self):
        for i in range(200):
            silent = socket.socket(socket.AF_UNIX)
            self.addCleanup(silent.close)
            silent.connect(str(self.daemon.state / "control.sock"))
            if i % 2:
                # Those that had to make room are closed already.
                with contextlib.suppress(BrokenPipeError):
                    silent.send(b'{"comm')
        self.assertEqual(self.daemon.ctl("status")["pid"], self.daemon.pid)

    def test_it_may_open_as_many_files_as_its_connections_need(self):
        """A shell lets a process have 1,024 unless it asks for more."""
        connections, wanted = 20000, 20000 + 1024
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        for hard in (4096, wanted if most == resource.RLIM_INFINITY else most):
            with self.subTest(hard=hard), Daemon() as daemon:
                daemon.stop()
                command = ["prlimit", f"--nofile=1024:{hard}", *daemon.command()]
                daemon.command = lambda command=command: command
                daemon.start()
                limits = pathlib.Path(f"/proc/{daemon.pid}/limits").read_text()
                self.assertEqual(re.search(r"Max open files +(\d+)", limits)[1], str(min(hard, wanted)))
                self.assertEqual("fewer files may be open than http.maxConnections needs" in daemon.log_tail(100), hard < connections)

    def test_files_are_private(self):
        # Copies of plugins and of their pages keep their modes: nobody else gets into their directories.
        copies = [self.daemon.state / name for name in ("generations", "pages")]
        for folder in copies:
            self.assertEqual(folder.stat().st_mode & 0o077, 0)
        for path in self.daemon.state.rglob("*"):
            if path.is_file() and path != self.daemon.log and not set(copies) & set(path.parents):
                self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def test_every_change_is_written_down_with_who_asked_for_it(self):
        user = self.daemon.ctl("user", "create", "--email", "written@down.example", "--organization", "down", "--role", "owner")["userId"]
        changes = [
            (("enable", "crm"), 0, "enable", "crm", ""),
            (("reload", "crm"), 0, "reload", "crm", ""),
            (("disable", "crm"), 0, "disable", "crm", ""),
            (("enable", "crm"), 0, "enable", "crm", ""),
            (("migrate", "crm"), 0, "migrate", "crm", ""),
            (("reload", "--all"), 0, "reload-all", "", ""),
            (("config", "reload"), 0, "config reload", "", "nothing has changed"),
            (("jobs", "retry", "job_none"), 1, "jobs retry", "", "job_none"),
            (("jobs", "discard", "job_none"), 1, "jobs discard", "", "job_none"),
        ]
        before = self.daemon.ctl("operations", "--limit", "1")["operations"][0]
        self.assertEqual((before["command"], before["messages"]), ("user create", [f"{user}, owner of down"]))
        for words, status, command, service, message in changes:
            self.assertEqual(self.daemon.ctl(*words, check=False).returncode, status, words)
            newest = self.daemon.ctl("operations", "--limit", "1")["operations"][0]
            self.assertEqual((newest["command"], newest["service"], newest["status"]), (command, service, "failed" if status else "done"))
            self.assertEqual(newest["id"], before["id"] + 1, "nothing is left out, and nothing stands twice")
            self.assertRegex(newest["requestedBy"], rf"^\S+ \(uid {os.geteuid()}, pid \d+\)$")
            self.assertIn(message, "".join(newest["messages"]))
            before = newest
        # What only looks is not in it, and a restart forgets nothing.
        for words in (("status",), ("services",), ("config", "show"), ("jobs", "list"), ("migrate", "--check"), ("operations",)):
            self.daemon.ctl(*words)
        self.assertEqual(self.daemon.ctl("operations", "--limit", "1")["operations"][0]["id"], before["id"])
        self.daemon.restart()
        commands = [each["command"] for each in self.daemon.ctl("operations", "--limit", "3")["operations"]]
        self.assertEqual(commands, ["start-all", "stop-all", "jobs discard"])
        self.assertTrue(all(each["service"] == "crm" for each in self.daemon.ctl("operations", "--service", "crm")["operations"]))

    def test_disable_holds_over_a_restart(self):
        self.daemon.ctl("disable", "crm")
        self.assertEqual(self.daemon.request("crm", "GET", "/api/contacts").status, 503)
        self.assertEqual(self.daemon.request("crm", "GET", "/api/contacts").json()["code"], "service_disabled")
        self.assertEqual(self.daemon.request("identity", "GET", "/healthz").status, 200)
        self.daemon.restart()
        self.assertEqual(self.status_of("crm")["status"], "disabled")
        self.daemon.ctl("enable", "crm")
        self.assertEqual(self.daemon.request("crm", "GET", "/api/contacts").status, 401)
        self.daemon.restart()
        self.assertEqual(self.status_of("crm")["status"], "serving")

    def test_a_switch_that_cannot_be_kept_is_done_and_said(self):
        """A full disk is no reason to leave on what fills it."""
        with Daemon(environment={"PORTICO_SERVICES_CRM_ENABLED": "true"}) as daemon:
            status = lambda: next(each["status"] for each in daemon.ctl("services")["services"] if each["service"] == "crm")  # noqa: E731
            (daemon.state / "conf.d").write_text("in the way")
            done = daemon.ctl("disable", "crm", check=False)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("The change holds until the next start only.", done.stdout + done.stderr)
            self.assertEqual(status(), "disabled")
            self.assertEqual(daemon.ctl("config", "check")["changes"], [])
            for words in (("config", "reload"), ("reload", "--all")):
                daemon.ctl(*words)
                self.assertEqual(status(), "disabled", words)
            # A switch that is stored lasts until the environment is read again.
            (daemon.state / "conf.d").unlink()
            for words in (("enable", "crm"), ("config", "reload")):
                daemon.ctl(*words)
                self.assertEqual(status(), "serving", words)
            messages = daemon.ctl("disable", "crm")["operations"][0]["messages"]
            self.assertIn("At the next reload of the configuration or start, the environment or the command line sets services.crm.enabled", messages[-1])
            daemon.ctl("config", "reload")
            self.assertEqual(status(), "serving")

    def test_failed_reset_leaves_the_service_on(self):
        with Daemon({"plugins.resettable": "crm"}) as daemon:
            mounted = daemon.state / "blobs/crm/mounted"
            mounted.mkdir(parents=True)
            if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "tmpfs", mounted], capture_output=True).returncode != 0:
                self.skipTest("cannot mount a file system, whose folder cannot be deleted")
            try:
                done = daemon.ctl("dev", "reset", "crm", check=False)
            finally:
                subprocess.run(["umount", mounted], check=True)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("Cannot delete all data of crm: ", json.loads(done.stdout)["error"]["message"])
            self.assertEqual({each["service"]: each["status"] for each in daemon.ctl("services")["services"]}["crm"], "serving")

    def test_reload_gives_a_new_generation(self):
        before = self.status_of("crm")["generation"]
        operation = self.daemon.ctl("reload", "crm")["operations"][0]
        self.assertEqual(operation["status"], "done")
        self.assertIn(f"uid {os.getuid()}", operation["requestedBy"])
        after = self.status_of("crm")
        self.assertGreater(after["generation"], before)
        # Under the sanitizers, and only there, the code of a replaced generation stays mapped on purpose.
        mapped = [g for g in after["generations"] if g["reason"] != "builds with sanitizers never unmap"]
        self.assertEqual(len(mapped), 1, after["generations"])

    def test_unknown_service_is_refused(self):
        done = self.daemon.ctl("reload", "crn", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("There is no service 'crn'. There are:", done.stderr)

    def test_sighup_applies_and_a_broken_file_changes_nothing(self):
        drop_in = self.daemon.state / "conf.d" / "50-test.properties"
        drop_in.parent.mkdir(exist_ok=True)
        self.addCleanup(lambda: (drop_in.unlink(missing_ok=True), self.daemon.ctl("config", "reload")))
        drop_in.write_text("log.level = debug\n")
        changes = self.daemon.ctl("config", "reload")["changes"]
        self.assertEqual(changes, [{"key": "log.level", "effect": "applied"}])
        self.assertEqual(self.daemon.ctl("config", "show", "log.level")["settings"][0]["value"], "debug")
        drop_in.write_text("log.level = debug\nhttp.loops = many\n")
        done = self.daemon.ctl("config", "reload", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(json.loads(done.stdout)["result"]["findings"]), 1)
        ctl = [str(BUILD / "bin/porticoctl"), "--socket", str(self.daemon.state / "control.sock")]
        done = subprocess.run([*ctl, "config", "reload"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"^error: \S+50-test\.properties:2: http\.loops: expected .*, found 'many'")
        self.assertEqual(done.stderr, "porticoctl: The configuration has mistakes; the one in force stays.\n")
        self.assertEqual(self.daemon.ctl("config", "check", check=False).returncode, 1)
        self.assertEqual(self.daemon.ctl("config", "show", "log.level")["settings"][0]["value"], "debug")
        drop_in.write_text("http.loops = 3\n")
        changes = {each["key"]: each["effect"] for each in self.daemon.ctl("config", "reload")["changes"]}
        self.assertEqual(changes, {"http.loops": "at the next start", "log.level": "applied"})

    def test_reload_fails_with_a_service_that_does_not_start(self):
        drop_in = self.daemon.state / "conf.d" / "zz-test.properties"
        drop_in.parent.mkdir(exist_ok=True)
        self.addCleanup(lambda: (drop_in.unlink(missing_ok=True), self.daemon.ctl("config", "reload", check=False), self.daemon.ctl("enable", "crm")))
        drop_in.write_text("services.crm.enabled = false\n")
        # Another reload reads the switch first.
        self.daemon.ctl("reload", "identity")
        self.assertEqual(self.status_of("crm")["status"], "serving")
        answer = self.daemon.ctl("config", "reload")
        self.assertEqual(answer["changes"], [{"key": "services.crm.enabled", "effect": "applied"}])
        self.assertEqual(self.status_of("crm")["status"], "disabled")
        drop_in.write_text("crm.attachments.maxMebibytes = many\nlog.level = debug\n")
        done = self.daemon.ctl("config", "reload", check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(done.stderr, "porticoctl: Failed: enable crm. Everything else was applied.\n")
        result = json.loads(done.stdout)["result"]
        effects = {each["key"]: each["effect"] for each in result["changes"]}
        self.assertEqual((effects["services.crm.enabled"], effects["log.level"]), ("failed", "applied"))
        self.assertEqual([(each["command"], each["service"], each["status"]) for each in result["operations"]], [("enable", "crm", "failed")])
        newest = self.daemon.ctl("operations", "--limit", "2")["operations"]
        self.assertEqual([(each["command"], each["status"]) for each in newest], [("enable", "failed"), ("config reload", "failed")])
        drop_in.write_text("crm.attachments.maxMebibytes = 5\nlog.level = debug\n")
        answer = self.daemon.ctl("config", "reload")
        self.assertEqual(answer["changes"], [{"key": "crm.attachments.maxMebibytes", "effect": "applied"}])
        self.assertEqual([(each["command"], each["service"], each["status"]) for each in answer["operations"]], [("enable", "crm", "done")])
        self.assertEqual(self.status_of("crm")["status"], "serving")

    def test_restart_is_requested_until_it_is_done(self):
        drop_in = self.daemon.state / "conf.d" / "50-test.properties"
        drop_in.parent.mkdir(exist_ok=True)
        self.addCleanup(lambda: (drop_in.unlink(missing_ok=True), self.daemon.restart()))
        drop_in.write_text("log.access = true\nhttp.loops = 3\nlog.level = debug\n")
        waiting = ["http.loops", "log.access"]
        effects = lambda words: {each["key"]: each["effect"] for each in self.daemon.ctl(*words)["changes"]}  # noqa: E731
        self.assertEqual(effects(("config", "check")), {"http.loops": "at the next start", "log.access": "at the next start", "log.level": "porticoctl config reload"})
        self.assertEqual(self.daemon.ctl("status")["restartNeededFor"], [], "nothing was read yet")
        self.assertEqual(effects(("config", "reload")), {"http.loops": "at the next start", "log.access": "at the next start", "log.level": "applied"})
        # Asked again, it still waits.
        self.assertEqual(sorted(effects(("config", "reload"))), waiting)
        self.assertEqual(self.daemon.ctl("status")["restartNeededFor"], waiting)
        shown = self.daemon.ctl("config", "show", "log.access")["settings"][0]
        self.assertEqual((shown["value"], shown["inForce"]), ("true", "false"))
        self.assertNotIn("inForce", self.daemon.ctl("config", "show", "log.level")["settings"][0])
        text = subprocess.run([str(BUILD / "bin/porticoctl"), "--socket", str(self.daemon.state / "control.sock"), "config", "check"], capture_output=True, text=True, timeout=60)
        self.assertIn("Restart the daemon for what takes effect at the next start", text.stdout)
        self.daemon.restart()
        self.assertEqual(self.daemon.ctl("status")["restartNeededFor"], [])
        self.assertEqual(self.daemon.ctl("config", "check")["changes"], [])
        self.assertNotIn("inForce", self.daemon.ctl("config", "show", "log.access")["settings"][0])

    def test_routes_and_openapi(self):
        routes = {(each["method"], each["path"]): each for each in self.daemon.ctl("routes", "crm")["routes"]}
        self.assertIn("crm.contacts:read", routes[("GET", "/api/contacts")]["access"])
        self.assertTrue(self.daemon.ctl("openapi", "crm")["openapi"].startswith("3.1"))

    def test_metrics(self):
        self.daemon.request("crm", "GET", "/healthz")
        text = self.daemon.ctl("metrics")["text"]
        self.assertIn('portico_service_serving{service="crm"} 1\n', text)
        self.assertRegex(text, r'portico_http_requests_total\{service="crm",.*status="200"\} [1-9]')
        names = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
        self.assertEqual(len(names), len(set(names)), "each metric is declared once")

    def test_nothing_is_pending(self):
        self.assertFalse(self.daemon.ctl("migrate", "--check")["pending"])

    def test_user_signs_in(self):
        made = self.daemon.user("anna@initech.example", "initech", "owner")
        self.assertTrue(self.daemon.login("anna@initech.example", made["password"]))
        for more in ((), ("--password-stdin",)):
            again = self.daemon.ctl("user", "create", "--email", "Anna@initech.example", *more, check=False, stdin="correct horse battery\n")
            self.assertEqual(again.returncode, 1, more)
            self.assertIn("There is an account with this address already", again.stderr)
            self.assertNotIn("password ", again.stdout, "none that does not work is shown")
        joined = self.daemon.ctl("user", "join", "--email", "anna@initech.example", "--organization", "globex", "--role", "admin")
        self.assertEqual(joined["userId"], made["userId"])
        self.assertTrue(self.daemon.login("anna@initech.example", made["password"]), "the password of an existing user stays")
        nobody = self.daemon.ctl("user", "join", "--email", "nobody@initech.example", "--organization", "globex", check=False)
        self.assertEqual((nobody.returncode, "There is no account with this address" in nobody.stderr), (1, True))

    def test_weak_password_is_refused_with_the_rule(self):
        done = self.daemon.ctl("user", "create", "--email", "bob@initech.example", "--password-stdin", check=False, stdin="short\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("password", done.stderr)

    def test_each_wrong_field_of_an_account_is_a_sentence(self):
        done = self.daemon.ctl("user", "create", "--email", "nobody", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "porticoctl: 1 field is not valid. email: Not an e-mail address.\n")

    def test_a_role_is_one_in_an_organization(self):
        done = self.daemon.ctl("user", "create", "--email", "a@example.org", "--role", "owner", check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--role is one in an organization: name it with --organization.", done.stderr)


class Log(unittest.TestCase):
    def test_mistakes_that_it_starts_with_are_records_too(self):
        with Daemon({"log.format": "json", "crn.currency": "EUR"}, environment={"PORTICO_NO_SUCH_THING": "1"}) as daemon:
            records = [json.loads(line) for line in daemon.log.read_text().splitlines()]
        levels = {record["message"].split(": expected")[0]: record["level"] for record in records}
        self.assertEqual(levels.get("command line: crn.currency"), "error", levels)
        self.assertEqual(levels.get("environment: PORTICO_NO_SUCH_THING"), "warning", levels)


    def test_file_is_reopened_with_the_configuration(self):
        with tempfile.TemporaryDirectory() as room:
            log, moved = pathlib.Path(room) / "log", pathlib.Path(room) / "log.1"
            with Daemon({"log.file": log}) as daemon:
                log.rename(moved)
                daemon.ctl("reload", "crm")
                before = moved.read_text()
                self.assertIn(" ready ", before)
                self.assertIn("change=replaced", before)
                daemon.ctl("config", "reload")
                daemon.ctl("reload", "identity")
                self.assertEqual(moved.read_text(), before)
                self.assertIn(" identity plugin changed ", log.read_text())
                log.unlink()
                log.mkdir()
                daemon.ctl("config", "reload")
                daemon.ctl("reload", "crm")


class ServiceManager(unittest.TestCase):
    def test_stop_by_command_and_by_signal(self):
        with Daemon() as daemon:
            daemon.ctl("stop")
            self.assertEqual(daemon.process.wait(60), 0)
            self.assertEqual(daemon.start().stop(), 0)
            self.assertFalse((daemon.state / "control.sock").exists())
            done = daemon.ctl("status", check=False)
            self.assertEqual(done.returncode, 3)

    def test_start_after_a_crash(self):
        with Daemon() as daemon:
            daemon.kill()
            daemon.start()
            self.assertEqual(daemon.ctl("status")["state"], "serving")

    def test_sockets_of_systemd_are_adopted(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", free_ports(1)))
            listener.listen()
            port = listener.getsockname()[1]
            daemon = Daemon(port=port)
            self.addCleanup(daemon.close)
            # A connection that waited before the daemon was there is answered all the same.
            waiting = socket.create_connection(("127.0.0.1", port))
            waiting.sendall(b"GET /healthz HTTP/1.1\r\nHost: crm.localhost:%d\r\nConnection: close\r\n\r\n" % port)
            launcher = pathlib.Path(daemon.state) / "adopt"
            launcher.write_text(f'#!/bin/sh\nexec 3<&{listener.fileno()}\nLISTEN_FDS=1 LISTEN_PID=$$ exec "$@"\n')
            launcher.chmod(0o700)
            words = daemon.command()
            process = subprocess.Popen([str(launcher), *words], pass_fds=[listener.fileno()], stderr=subprocess.DEVNULL)
            self.addCleanup(lambda: (process.terminate(), process.wait()))
            waiting.settimeout(60)
            self.assertIn(b" 200 ", waiting.recv(65536).split(b"\r\n")[0])
            waiting.close()

    def test_watchdog_is_fed(self):
        daemon, await_message, _ = self.notifying({"WATCHDOG_USEC": "600000"})
        self.assertIn(b"READY=1", await_message(b"WATCHDOG=1"))

    def test_variables_of_systemd_for_another_process_are_ignored(self):
        daemon, await_message, process = self.notifying({"WATCHDOG_USEC": "3000", "WATCHDOG_PID": "1", "LISTEN_FDS": "many", "LISTEN_PID": "1"})
        seen = await_message(b"READY=1")
        self.assertEqual(daemon.ctl("status")["state"], "serving")
        process.terminate()
        self.assertNotIn(b"WATCHDOG", seen + await_message(b"STOPPING=1"))

    def test_stop_may_take_as_long_as_the_drain(self):
        daemon, await_message, process = self.notifying({}, {"server.drainSeconds": 3600})
        await_message(b"READY=1")
        process.terminate()
        self.assertIn(b"EXTEND_TIMEOUT_USEC=3660000000\n", await_message(b"STOPPING=1"))

    def test_sighup_reads_the_configuration(self):
        daemon, await_message, process = self.notifying({})
        await_message(b"READY=1")
        drop_in = daemon.state / "conf.d" / "50-test.properties"
        drop_in.parent.mkdir(exist_ok=True)
        drop_in.write_text("log.level = warning\n")
        process.send_signal(signal.SIGHUP)
        await_message(b"RELOADING=1")
        await_message(b"READY=1")
        self.assertEqual(daemon.ctl("config", "show", "log.level")["settings"][0]["value"], "warning")

    def notifying(self, environment, settings=None):
        """A daemon whose messages to systemd are read by the function that is returned with it."""
        daemon = Daemon(settings)
        self.addCleanup(daemon.close)
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(notify.close)
        address = f"\0portico-notify-{os.getpid()}-{daemon.port}"
        notify.bind(address)
        notify.settimeout(60)
        variables = {**os.environ, **environment, "NOTIFY_SOCKET": "@" + address[1:]}
        process = subprocess.Popen(daemon.command(), stderr=subprocess.DEVNULL, env=variables)
        self.addCleanup(lambda: (process.terminate(), process.wait()))

        def await_message(wanted):
            seen = b""
            while wanted not in seen:
                seen += notify.recv(4096) + b"\n"
            return seen

        return daemon, await_message, process


if __name__ == "__main__":
    outcome = unittest.main(exit=False, verbosity=2).result
    failed = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - failed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)
