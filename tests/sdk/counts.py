#!/usr/bin/python3
"""Tests the end of what tests/run prints: counts, failed tests, and the line that CI reads."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from blackbox import main  # noqa: E402

CPPUNIT = """portico::tests::SeatTest::opensThePortal : OK
portico::tests::SeatTest::limitsSeats : assertion
/src/tests/launchpad/SeatTest.cpp:58:Assertion
Test name: portico::tests::SeatTest::limitsSeats
equality assertion failed
- Expected: 10
- Actual  : 9

Failures !!!
Run: 2   Failure total: 1   Failures: 1   Errors: 0
1 passed, 1 failed
"""
UNITTEST = """test_goes (__main__.Bulk.test_goes) ... ok
test_stops (__main__.Bulk.test_stops) ... FAIL

======================================================================
FAIL: test_stops (__main__.Bulk.test_stops)
A sentence on the test
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/src/tests/http/bulk.py", line 40, in test_stops
    self.stop()
  File "/src/tests/http/bulk.py", line 60, in stop
    self.assertEqual(1, 2)
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 2 tests in 0.1s

FAILED (failures=1)
failed: test_stops (__main__.Bulk.test_stops)
1 passed, 1 failed
"""
STEP = """FAILED opens the menu
AssertionError: the page complained
    at step (browser.mjs:40:7)
3 passed, 1 failed
"""


class Counts(unittest.TestCase):
    def printed(self, *cases, again=(), times=False):
        """Lines and exit status after suites: (name, output, reason of the failure or None). `again`: suites that ran a second time. `times`: their table."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "tests.xml")
            self.write(report, cases)
            if again:
                self.write(report.with_suffix(".again.xml"), again)
            words = ["--times", report] if times else [report, "Tested"]
            done = subprocess.run(["/usr/bin/python3", "-B", ROOT / "tests/support/count.py", *words], capture_output=True, text=True)
        return done.stdout.splitlines(), done.returncode

    @staticmethod
    def write(report, cases):
        top = ElementTree.Element("testsuite")
        for name, output, reason in cases:
            case = ElementTree.SubElement(top, "testcase", name=name, status="fail" if reason else "run", time="90" if "long" in name else "12.25")
            if reason:
                ElementTree.SubElement(case, "failure", message=reason)
            ElementTree.SubElement(case, "properties")
            ElementTree.SubElement(case, "system-out").text = output
        ElementTree.ElementTree(top).write(report)

    def test_a_run_without_failures_ends_in_counts(self):
        lines, status = self.printed(("good_tests", "4 passed, 0 failed\n", None), ("check", "", None))
        self.assertEqual(["good_tests                            4 passed    0 failed    12.2 s", "check                                 1 passed    0 failed    12.2 s", "Tested", "5 passed, 0 failed"], lines)
        self.assertEqual(0, status)

    def test_failed_tests_stand_before_the_last_line(self):
        lines, status = self.printed(
            ("launchpad_tests", CPPUNIT, "Failed"), ("good_tests", "4 passed, 0 failed\n", None), ("bulk.py", UNITTEST, "Failed"), ("pages.py", STEP, "Failed")
        )
        self.assertEqual(1, status)
        self.assertEqual(
            [
                "failed: launchpad_tests portico::tests::SeatTest::limitsSeats",
                "    /src/tests/launchpad/SeatTest.cpp:58:Assertion",
                "    equality assertion failed",
                "    - Expected: 10",
                "    - Actual  : 9",
                "failed: bulk.py test_stops (__main__.Bulk.test_stops)",
                '    File "/src/tests/http/bulk.py", line 60, in stop',
                "    AssertionError: 1 != 2",
                "failed: pages.py opens the menu",
                "    AssertionError: the page complained",
                "    at step (browser.mjs:40:7)",
                "9 passed, 3 failed",
            ],
            lines[5:],
        )

    def test_a_crash_and_a_time_out_show_their_last_words(self):
        lines, status = self.printed(("crashed", "begins\nSUMMARY: AddressSanitizer: heap-use-after-free\n", "SEGFAULT"), ("slow.py", "", "Timeout"))
        self.assertEqual(
            ["failed: crashed (SEGFAULT)", "    begins", "    SUMMARY: AddressSanitizer: heap-use-after-free", "failed: slow.py (Timeout)", "0 passed, 2 failed"], lines[3:]
        )
        self.assertEqual(1, status)

    def test_the_second_run_of_a_suite_counts_and_its_first_failures_are_named(self):
        first = (("good_tests", "4 passed, 0 failed\n", None), ("pages.py", STEP, "Failed"), ("crashed", "begins\n", "SEGFAULT"))
        lines, status = self.printed(*first, again=(("pages.py", "4 passed, 0 failed\n", None), ("crashed", "begins\n", "SEGFAULT")))
        self.assertEqual("pages.py                              4 passed    0 failed    12.2 s (second run)", lines[1])
        self.assertEqual(
            [
                "Tested",
                "first run: failed: pages.py opens the menu",
                "first run:     AssertionError: the page complained",
                "first run:     at step (browser.mjs:40:7)",
                "first run: failed: crashed (SEGFAULT)",
                "first run:     begins",
                "failed: crashed (SEGFAULT)",
                "    begins",
                "8 passed, 1 failed",
            ],
            lines[3:],
        )
        self.assertEqual(1, status)

    def test_many_failures_take_forty_lines(self):
        lines, _ = self.printed(*((f"suite{number}", CPPUNIT, "Failed") for number in range(15)))
        self.assertEqual(15, sum(line.startswith("failed: ") for line in lines))
        self.assertLessEqual(len(lines) - 15 - 2, 40)
        lines, _ = self.printed(*((f"suite{number}", CPPUNIT, "Failed") for number in range(60)))
        self.assertEqual(["failed: suite38 portico::tests::SeatTest::limitsSeats", "… and 21 more", "60 passed, 60 failed"], lines[-3:])

    def test_times_are_a_table_of_the_long_suites(self):
        short, long = "4 passed, 0 failed\nprocessor time: 6 s\n", "processor time: 3.0 s\nprocessor time: 30.0 s\n9 passed, 1 failed\n"
        lines, status = self.printed(("short", short, None), ("long", long, "Failed"), ("other", "", None), times=True)
        rows = ["| `long` | 10 | 1.5 | 0.5 |", "| 2 others | 5 | 0.4 | 0.1 |", "| all | 15 | 1.9 | 0.6 |"]
        self.assertEqual((rows, 0), (lines[2:], status))

    def test_a_missing_report_is_a_failure(self):
        done = subprocess.run(["/usr/bin/python3", "-B", ROOT / "tests/support/count.py", "/nowhere/tests.xml"], capture_output=True, text=True)
        self.assertTrue(done.stdout.endswith("\nfailed: ctest (no report)\n0 passed, 1 failed\n"), done.stdout)
        self.assertEqual(1, done.returncode)


if __name__ == "__main__":
    main()
