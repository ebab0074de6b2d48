"""Adds up what the suites of tests/run counted, from ctest's report; the last line is "N passed, N failed", the exit status 1 on any failure.

A suite that ends badly without a failed test of its own (a crash, a leak report, a time-out) counts as one failure more.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

COUNTS = re.compile(r"^\s*(\d+) passed, (\d+) failed\s*$", re.MULTILINE)


def counted(output, succeeded):
    found = COUNTS.findall(output)
    passed, failed = (int(found[-1][0]), int(found[-1][1])) if found else (1 if succeeded else 0, 0)
    return passed, failed if succeeded or failed else 1


def suites(report):
    if report.exists():
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            output = "".join(case.itertext())
            yield case.get("name"), counted(output, case.get("status") == "run")
    else:
        yield "ctest", (0, 1)


def main():
    passed = failed = 0
    for name, (good, bad) in suites(pathlib.Path(sys.argv[1])):
        print(f"{name:32} {good:6} passed {bad:4} failed")
        passed += good
        failed += bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
