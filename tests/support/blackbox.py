"""What the black-box suites of tests/http share: one class of tests run on SQLite and on PostgreSQL, and the closing line that CI counts."""

import contextlib
import os
import pathlib
import resource
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from daemon import Daemon, PostgreSQL  # noqa: E402

PASSWORD_USERS = (("acme", "owner"), ("acme", "member"), ("acme", "guest"), ("globex", "owner"))


class Accounts:
    """Users of two organizations, made over the control socket, and their tokens."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.users = {}
        for organization, role in PASSWORD_USERS:
            email = f"{role}@{organization}.example"
            self.users[organization, role] = (email, daemon.user(email, organization, role)["password"])

    def token(self, organization="acme", role="owner", service="crm"):
        email, password = self.users[organization, role]
        return self.daemon.login(email, password, service)


@contextlib.contextmanager
def engine(name, settings=None):
    """A daemon on the named database with the accounts in it."""
    with contextlib.ExitStack() as stack:
        if name == "sqlite":
            daemon = stack.enter_context(Daemon(settings))
        else:
            daemon = stack.enter_context(stack.enter_context(PostgreSQL()).daemon(settings))
        yield daemon, Accounts(daemon)


def on_both_engines(test_class):
    """Replaces a class of tests by one for each engine; each starts its daemon once."""
    module = sys.modules[test_class.__module__]
    for name in ("sqlite", "postgresql"):

        def set_up(cls, name=name):
            cls._stack = contextlib.ExitStack()
            cls.daemon, cls.accounts = cls._stack.enter_context(engine(name, getattr(cls, "settings", None)))

        def tear_down(cls):
            cls._stack.close()

        members = {"setUpClass": classmethod(set_up), "tearDownClass": classmethod(tear_down), "engine": name}
        made = type(f"{test_class.__name__}_{name}", (test_class, unittest.TestCase), members)
        setattr(module, made.__name__, made)
    return None


class TookTooLong(Exception):
    """No OSError or AssertionError: those a test may take for a try that failed."""


def end_in_time():
    """Ends a suite by itself shortly before tests/run would kill it: what it has started ends with it, and it says where it was. The list gets
    what is then wrong."""
    wrong = []

    def over(*_):
        wrong.append(f"the suite took {seconds} s")
        for result in unittest.signals._results:
            result.stop()
        raise TookTooLong(wrong[0])

    seconds = int(os.environ.get("PORTICO_SUITE_SECONDS", 0))
    signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    return wrong


class TimedResult(unittest.TextTestResult):
    """Keeps the seconds of each test."""

    seconds = {}

    def startTest(self, test):
        super().startTest(test)
        self.seconds[str(test)] = -time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        self.seconds[str(test)] += time.monotonic()


def print_processor_time():
    """For tests/support/count.py: of this process, the children that have ended, and the PostgreSQL servers that have stopped."""
    used = [resource.getrusage(each) for each in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = PostgreSQL.processor_seconds + sum(each.ru_utime + each.ru_stime for each in used)
    print(f"processor time: {seconds:.1f} s", flush=True)


def main():
    wrong = end_in_time()
    program = unittest.main(module="__main__", exit=False, testRunner=unittest.TextTestRunner(verbosity=2, resultclass=TimedResult))
    signal.alarm(0)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    if wrong and not failed:
        # The test took it for something else, and the rest did not run.
        failed = 1
        print(f"failed: {wrong[0]}")
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    sys.stderr.flush()
    # Last, where a log that is cut still has them.
    for test, _ in result.failures + result.errors:
        print(f"failed: {test}")
    for test, seconds in sorted(TimedResult.seconds.items(), key=lambda each: -each[1])[:10]:
        if seconds > 5:
            print(f"slow: {seconds:5.1f} s {test}")
    print_processor_time()
    print(f"{max(0, result.testsRun - failed)} passed, {failed} failed", flush=True)
    sys.exit(1 if failed or result.testsRun == 0 else 0)
