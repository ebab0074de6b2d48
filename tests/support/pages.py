"""The commands of the documentation, as its readers find them: blocks (```console with prompts, ```sh as a script), and commands in the text.

    /usr/bin/python3 tests/support/pages.py PAGE PATTERN     prints the commands of PAGE's blocks that match a regular expression, one a line
"""

import dataclasses
import pathlib
import re
import shutil
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/site/lib"))
import console  # noqa: E402

# Every fence says what it holds; those of COMMANDS are run.
COMMANDS = ("console", "sh")
OTHERS = ("properties", "ini", "conf", "cron", "cpp", "cmake", "json", "html", "js", "tsx", "mustache", "sql")
FENCE = re.compile(r"^( *)```(\S*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^# (/\S+)\n")


@dataclasses.dataclass
class Block:
    line: int
    language: str
    text: str

    @property
    def file(self):
        """Returns the path in the first comment of a block that shows a file; None for other blocks."""
        found = FILE.match(self.text)
        return found and found[1]


@dataclasses.dataclass
class Command:
    """One that a page shows: in a block, or in a line of the text."""

    line: int
    text: str
    output: list
    prompt: str = ""


def all_pages():
    return [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")), *sorted(ROOT.glob("docs/*.md")), ROOT / "sdk/template/README.md"]


def blocks(text):
    return [Block(text.count("\n", 0, found.start()) + 1, found[2], textwrap.dedent(found[3])) for found in FENCE.finditer(text)]


def commands(block):
    if block.language == "sh":
        return [Command(block.line + 1, block.text.rstrip("\n"), [])]
    made, line = [], block.line + 1
    for entry in console.entries(block.text):
        made.append(Command(line, entry.command, entry.output, entry.prompt))
        line += entry.command.count("\n") + 1 + len(entry.output)
    return made


def spans(text):
    """(line, code) of everything in backticks outside of blocks."""
    hidden = FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)
    return [(hidden.count("\n", 0, found.start()) + 1, " ".join(found[1].split())) for found in re.finditer(r"`([^`]+)`", hidden)]


def is_command(code):
    """Whether code in a line of the text is a command and not the name of something: a known program with words behind it, or one of ours by its path."""
    first, _, rest = code.partition(" ")
    if first in ("porticoctl", "porticod"):
        return bool(rest)
    if re.match(r"(packaging|tests|docs|build)/", first):
        place = ROOT / first
        return first.startswith("build/") and "/bin/" in first or place.is_file() and place.stat().st_mode & 0o111 != 0
    # `key = value`, and paths of requests, are none.
    return bool(rest) and not rest.startswith("= ") and re.fullmatch("[a-z]+", first) is not None and shutil.which(first, path="/usr/sbin:/usr/bin:/sbin:/bin") is not None


def in_text(text):
    return [Command(line, code, []) for line, code in spans(text) if is_command(code)]


def settings(text):
    """(line, key, value) of every setting that stands in the text as `key = value`."""
    found = []
    for line, code in spans(text):
        if setting := re.fullmatch(r"([a-z][a-z-]*(?:\.[A-Za-z-]+)+) = (.+)", code):
            found.append((line, *setting.groups()))
    return found


def without_comment(command):
    """Returns a command in a form for comparison: on one line, without trailing comments."""
    return " ".join(re.sub(r"\s{2,}# .*$", "", command.replace("\\\n", " "), flags=re.MULTILINE).split())


def names(code, command):
    """Whether code in the text names a command that a block shows: its first words, where capitals (FOLDER) stand for any word."""
    pattern = " ".join(r"\S+" if re.fullmatch(r"[A-Z]{2,}", word) else re.escape(word) for word in code.split())
    return re.search(rf"(?:^|[;&|(] ?){pattern}(?=$|[\s;|)])", command) is not None


def main():
    page, pattern = sys.argv[1:]
    for block in blocks((ROOT / page).read_text(encoding="utf-8")):
        if block.language in COMMANDS:
            for command in commands(block):
                if re.search(pattern, command.text):
                    print(without_comment(command.text))


if __name__ == "__main__":
    main()
