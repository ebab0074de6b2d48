"""Adds up what the suites of tests/run counted, from ctest's report; the last line is "N passed, N failed", the exit status 1 on any failure.

    count.py tests.xml [line]...      lines that are shown before the last one
    count.py --times tests.xml        a table of the suites, longest first: tests, minutes, and processor time of the suite and what it started

A suite that crashes, leaks or times out without a failed test counts as one more failure. The failed tests and their
messages follow the counts, because a log of CI often shows its end only. A suite in `tests.again.xml` ran twice: its second result counts, and the
failures of the first remain in the output.
"""

import dataclasses
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

COUNTS = re.compile(r"^\s*(\d+) passed, (\d+) failed\s*$", re.MULTILINE)
PROCESSOR = re.compile(r"^processor time: ([\d.]+) s$", re.MULTILINE)
# Reports of CppUnit, of unittest and of steps in a browser.
CPPUNIT = re.compile(r"^(?P<message>.*:\s*(?:Assertion|Error)\nTest name: (?P<name>.+)\n(?:.+\n?)*)", re.MULTILINE)
UNITTEST = re.compile(r"^(?:FAIL|ERROR): (?P<name>.+)\n(?:.+\n)?-{70}\n(?P<message>(?s:.*?))(?=^[=-]{70}$|\Z)", re.MULTILINE)
STEP = re.compile(r"^FAILED (?P<name>(?!\((?:failures|errors)=).+)\n?(?P<message>(?:(?!\d+ passed, ).+\n?)*)", re.MULTILINE)
MOST_LINES = 40


@dataclasses.dataclass
class Failure:
    suite: str
    name: str
    message: list[str]

    def lines(self, most):
        return [f"failed: {self.suite} {self.name}".rstrip(), *(f"    {line.strip()[:200]}" for line in self.message[:most])]


def counted(output, succeeded):
    found = COUNTS.findall(output)
    passed, failed = (int(found[-1][0]), int(found[-1][1])) if found else (1 if succeeded else 0, 0)
    return passed, failed if succeeded or failed else 1


def of_traceback(text):
    """The place and the exception: what follows the last line that names a file."""
    lines = [line for line in text.splitlines() if line.strip()]
    places = [number for number, line in enumerate(lines) if line.startswith("  File ")]
    rest = lines[places[-1] :] if places else lines
    return rest[:1] + [line for line in rest[1:] if not line.startswith("    ")]


def of_cppunit(text):
    place, _, *lines = text.splitlines()
    return [place, *lines]


def failures(suite, output, reason):
    """The failed tests of a suite that failed; the end of its output if it names none."""
    found = []
    for pattern, read in ((CPPUNIT, of_cppunit), (UNITTEST, of_traceback), (STEP, str.splitlines)):
        found += [Failure(suite, each["name"], read(each["message"])) for each in pattern.finditer(output)]
    if found:
        return found
    lines = [line for line in output.splitlines() if line.strip() and not COUNTS.match(line)]
    return [Failure(suite, f"({reason})", lines[-6:])]


def shown(found):
    """At most MOST_LINES lines: every name, and as much of each message as fits."""
    for most in range(6, -1, -1):
        lines = [line for failure in found for line in failure.lines(most)]
        if len(lines) <= MOST_LINES:
            return lines
    return [*lines[: MOST_LINES - 1], f"… and {len(lines) - MOST_LINES + 1} more"]


def suites(report):
    """Name, seconds, counts, failures and processor seconds of each suite."""
    if not report.exists():
        yield "ctest", 0, (0, 1), [Failure("ctest", "(no report)", [])], None
        return
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        output = "".join(part.text or "" for part in case.iter("system-out")) or "".join(case.itertext())
        succeeded = case.get("status") == "run"
        failure = case.find("failure")
        reason = (failure.get("message") if failure is not None else None) or "failed"
        counts = counted(output, succeeded)
        found = failures(case.get("name"), output, reason) if counts[1] or not succeeded else []
        used = PROCESSOR.findall(output)
        yield case.get("name"), float(case.get("time") or 0), counts, found, float(used[-1]) if used else None


def times(report):
    """The suites as a table of Markdown, those of less than half a minute in one line."""

    def row(name, tests, seconds, used):
        return f"| {name} | {tests} | {seconds / 60:.1f} | {used / 60:.1f} |"

    every = sorted(((seconds, name, sum(counts), used or 0) for name, seconds, counts, _, used in suites(report)), reverse=True)
    short = [each for each in every if each[0] < 30]
    yield "| Suite | Tests | Minutes | Processor minutes |"
    yield "|---|---|---|---|"
    for seconds, name, tests, used in every[: len(every) - len(short)]:
        yield row(f"`{name}`", tests, seconds, used)
    for what, some in ((f"{len(short)} others", short), ("all", every)):
        yield row(what, *(sum(each[at] for each in some) for at in (2, 0, 3)))


def main():
    if sys.argv[1] == "--times":
        print(*times(pathlib.Path(sys.argv[2])), sep="\n")
        return 0
    passed = failed = 0
    found = []
    first = []
    report = pathlib.Path(sys.argv[1])
    second = report.with_suffix(".again.xml")
    again = {name: result for name, *result in suites(second)} if second.exists() else {}
    for name, *result in suites(report):
        if name in again:
            first += result[2]
            result = again[name]
        seconds, (good, bad), failing, _ = result
        print(f"{name:32} {good:6} passed {bad:4} failed {seconds:7.1f} s{' (second run)' if name in again else ''}")
        passed += good
        failed += bad
        found += failing
    for line in [*sys.argv[2:], *(f"first run: {line}" for line in shown(first)), *shown(found)]:
        print(line)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
