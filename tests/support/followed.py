"""Follows a page of the documentation: every command in order in one shell, then every command that the text names and no block shows.

With PORTICO_DOCS_SHOW=1 it prints what each one said: for whoever writes a page.
"""

import dataclasses
import os
import pathlib
import re
import shlex

import pages

HERE = "/root"
# What differs from one time to the next; both what is shown and what is seen are compared with these in the place.
MASKS = (
    (r"\b[a-z]{3}_[0-9a-z]{26}\b", "ID"),
    (r"\b[0-9a-hjkmnp-tv-z]{26}\b", "ID"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?", "TIME"),
    (r"\b\d{8}T\d{6}Z", "TIME"),
    (r"\b\d+(\.\d+)? ?(ns|µs|us|ms|s|min|B|KiB|MiB|GiB)\b", "N"),
    (r"\bpid \d+", "pid N"),
    (r"\b[0-9a-f]{64}\b", "HASH"),
    (r"\bv?0\.1\.0(-\w+)?\b", "VERSION"),
    (r"\b\d+\.\d+(?=\s|$)", "N"),
)


@dataclasses.dataclass
class Page:
    """A page, and what its commands need beyond the page. A key of a table without a command on the page is a failure."""

    name: str
    #: command to how it ends, where that is not 0
    ends: dict = dataclasses.field(default_factory=dict)
    #: command to what is done before it and not shown, as a script
    before: dict = dataclasses.field(default_factory=dict)
    #: command that stays in the foreground to what it says once it is ready; it gets SIGTERM then
    foreground: dict = dataclasses.field(default_factory=dict)
    #: command to (file, text): run there, which is looked at
    elsewhere: dict = dataclasses.field(default_factory=dict)
    #: code in the text that looks like a command and is none
    names: tuple = ()
    #: command to what a reader would type in the place of what it leaves open
    typed: dict = dataclasses.field(default_factory=dict)

    @property
    def text(self):
        return (pages.ROOT / self.name).read_text(encoding="utf-8")


def masked(text):
    for pattern, word in MASKS:
        text = re.sub(pattern, word, text)
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def shows(wanted, seen):
    """Returns whether the output matches the page, except for parts that differ each time."""
    pattern = ""
    for line in masked("\n".join(wanted)):
        pattern += r"(?:[^\n]*\n)*?" if line == "…" else r"[^\n]*".join(map(re.escape, line.split("…"))) + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in masked(seen))) is not None


class Following:
    """Yields the commands of a page with the expected output; `problems` lists output that was missing."""

    def __init__(self, page):
        self.page = page
        self.problems = []
        self.used = set()
        self.shown = []
        self.blocks = pages.blocks(page.text)

    def problem(self, line, text):
        self.problems.append(f"{self.page.name}:{line}: {text}")

    def look_up(self, table, command):
        for key, value in getattr(self.page, table).items():
            if key == command:
                self.used.add((table, key))
                return value
        return None

    def check_fences(self):
        for block in self.blocks:
            if block.language not in (*pages.COMMANDS, *pages.OTHERS):
                self.problem(block.line, f"a block says what it holds: one of {', '.join((*pages.COMMANDS, *pages.OTHERS))}, not '{block.language}'")

    def is_elsewhere(self, line, command):
        there = self.look_up("elsewhere", command)
        if there is None:
            return False
        file, text = there
        if text not in (pages.ROOT / file).read_text(encoding="utf-8"):
            self.problem(line, f"'{command}' should be run by {file}, which does not hold '{text}'")
        return True

    def script(self):
        """Returns the page as one bash script, which writes output and exit status of each command into the folder /followed."""
        said = ["mkdir -p /followed; set -o pipefail"]
        for block in self.blocks:
            if block.file and block.language in pages.OTHERS:
                said.append(self.write(block))
            elif block.language in pages.COMMANDS:
                said += [self.step(command) for command in pages.commands(block)]
        blocks = self.everywhere()
        for command in pages.in_text(self.page.text):
            if command.text in self.page.names:
                self.used.add(("names", command.text))
            elif not any(pages.names(command.text, each) for each in blocks):
                said.append(self.step(command))
        return "\n".join(said) + "\n"

    @staticmethod
    def everywhere():
        """The commands of all pages' blocks: what one shows another may name."""
        found = []
        for path in pages.all_pages():
            for block in pages.blocks(path.read_text(encoding="utf-8")):
                if block.language in pages.COMMANDS:
                    found += [pages.without_comment(command.text) for command in pages.commands(block)]
        return found

    def write(self, block):
        """A file that the page shows. The folders of Portico have come with it; those of others are made."""
        folder = "" if block.file.startswith("/etc/portico/") else f"mkdir -p {pathlib.Path(block.file).parent}; "
        return f"{folder}printf %s {shlex.quote(block.text)} > {block.file} || exit"

    def step(self, command):
        key = pages.without_comment(command.text)
        if self.is_elsewhere(command.line, key):
            return ":"
        number = len(self.shown)
        self.shown.append(command)
        before = self.look_up("before", key)
        typed = self.look_up("typed", key) or command.text
        ready = self.look_up("foreground", key)
        if ready:
            typed = f"in_foreground {shlex.quote(typed)} {shlex.quote(ready)} /followed/{number}"
        hidden = f"{{ {before}\n}} >/followed/{number}.before 2>&1 || echo $? >/followed/{number}.failed\n" if before else ""
        # What fails in the middle of a script counts, too.
        return f"{hidden}failed=0; trap 'failed=$?' ERR; {{ {typed}\n}} >/followed/{number} 2>&1 </dev/null; trap - ERR; echo $failed >/followed/{number}.status"

    HELP = """
in_foreground() { # COMMAND TEXT LOG: until it says that, then as Ctrl-C does
    bash -c "exec $1" & local pid=$! i
    for ((i = 0; i < 3000; i++)); do
        if grep -q "$2" "$3"; then kill "$pid"; wait "$pid"; return; fi
        if ! kill -0 "$pid" 2>/dev/null; then break; fi
        sleep 0.1 # between two looks
    done
    kill "$pid"; wait "$pid"; return 99
}
"""

    def follow(self, machine, cwd=HERE):
        self.check_fences()
        script = self.HELP + self.script()
        machine.path("/followed.sh").write_text(script, encoding="utf-8")
        done = machine.run("bash /followed.sh", check=False, cwd=cwd)
        if done.returncode != 0 or done.stdout:
            self.problem(0, f"the shell ended with {done.returncode} and said: {done.stdout}")
        for number, command in enumerate(self.shown):
            self.compare(machine, number, command)
        for table in ("ends", "before", "foreground", "elsewhere", "names", "typed"):
            for key in getattr(self.page, table):
                if (table, key) not in self.used:
                    self.problem(0, f"the suite knows '{key}' ({table}), which the page does not show")
        return self.problems

    def said(self, machine):
        """What all commands said."""
        return "\n".join(machine.path(f"/followed/{number}").read_text(encoding="utf-8", errors="replace") for number in range(len(self.shown)))

    def compare(self, machine, number, command):
        def left(kind):
            path = machine.path(f"/followed/{number}{kind}")
            return path.read_text(encoding="utf-8", errors="replace") if path.exists() else None
        if left(".failed"):
            self.problem(command.line, f"what the suite does before '{command.text}' failed: {left('.before')}")
        said, status = left("") or "", left(".status")
        if "PORTICO_DOCS_SHOW" in os.environ:
            print(f"{self.page.name}:{command.line}: {command.text}\n{said}", flush=True)
        key = pages.without_comment(command.text)
        ends = self.look_up("ends", key) or 0
        if status is None or int(status) != ends:
            self.problem(command.line, f"'{command.text}' ended with {(status or 'nothing').strip()}, not {ends}, and said:\n{said}")
        elif command.output and not shows(command.output, said):
            self.problem(command.line, f"'{command.text}' shows\n" + "\n".join(command.output) + f"\nand said\n{said}")
