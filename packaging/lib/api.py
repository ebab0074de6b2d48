"""The surface that the SDK's headers offer, as lines of text, and what a difference of two of them means for plugins."""

import difflib
import json
import pathlib
import re
from dataclasses import dataclass, field

import ts_declarations
from cpp_declarations import NotUnderstood, declarations

INTERNAL = "portico/system/"
NUMBERS = ("PORTICO_SDK_EPOCH", "PORTICO_SDK_MINOR")
# Their order is known to compiled plugins: by place in the object, by place in the table of virtual functions, by number.
ORDERED = ("data", "virtual", "enumerator")
# Classes that plugins derive from: an older plugin has no entry for a new virtual function.
IMPLEMENTED_BY_PLUGINS = {"portico::Plugin", "portico::Handler", "portico::BodySource", "portico::ServiceInterface"}


class Unreadable(Exception):
    pass


@dataclass(frozen=True)
class Entry:
    scope: str
    kind: str
    place: int  # from 1, of what is ordered; else 0
    name: str
    text: str

    def line(self):
        return "\t".join([self.scope, self.kind, str(self.place), self.name, self.text])

    def __str__(self):
        return f"{self.scope or 'global'}: {self.text}"


@dataclass
class Surface:
    epoch: int
    minor: int
    entries: list = field(default_factory=list)
    # Of an SDK that nobody has been promised anything about.
    draft: bool = False

    def text(self):
        """To be kept; sorted, so that differences are readable."""
        lines = [entry.line() for entry in sorted(self.entries, key=lambda each: (each.scope, each.kind, each.place, each.text))]
        mark = " draft" if self.draft else ""
        return "\n".join(["# Written by packaging/check-api: what the headers of the SDK declare.", f"SDK {self.epoch}.{self.minor}{mark}", *lines, ""])

    @staticmethod
    def parse(text):
        lines = [line for line in text.splitlines() if line and not line.startswith("# ")]
        numbers = re.fullmatch(r"SDK (\d+)\.(\d+)( draft)?", lines[0]) if lines else None
        if not numbers:
            raise Unreadable("expected a first line 'SDK <epoch>.<minor>' in what was written down: take the file from the last tag")
        entries = []
        for line in lines[1:]:
            scope, kind, place, name, declared = line.split("\t")
            entries.append(Entry(scope, kind, int(place), name, declared))
        return Surface(int(numbers[1]), int(numbers[2]), entries, bool(numbers[3]))

    def scopes(self):
        """What an entry stands in, if that is a class or enum, with its kind of entries in order."""
        found = {}
        for entry in self.entries:
            found.setdefault((entry.scope, entry.kind), []).append(entry)
        return {key: sorted(entries, key=lambda each: each.place) for key, entries in found.items()}


def read_headers(folder):
    """@throws Unreadable that names the header"""
    folder = pathlib.Path(folder)
    found, numbers = set(), {}
    for header in sorted(folder.rglob("*.h")):
        name = str(header.relative_to(folder))
        # Agreements between the host and its own services: outside the promise.
        if name.startswith(INTERNAL):
            continue
        found.add(Entry("", "header", 0, name, f"#include \"{name}\""))
        places = {}
        try:
            declared = declarations(header.read_text(encoding="utf-8"))
        except NotUnderstood as error:
            raise Unreadable(f"{header}: cannot read {error}; teach packaging/lib/cpp_declarations.py") from error
        for each in declared:
            if each.kind == "macro" and each.name in NUMBERS:
                numbers[each.name] = int(each.text.split()[-1])
                continue
            place = 0
            if each.kind in ORDERED:
                place = places[each.scope, each.kind] = places.get((each.scope, each.kind), 0) + 1
            found.add(Entry(each.scope, each.kind, place, each.name, each.text))
    for name in NUMBERS:
        if name not in numbers:
            raise Unreadable(f"{folder}: expected a line '#define {name} <number>' in one of the headers, found none")
    return Surface(numbers[NUMBERS[0]], numbers[NUMBERS[1]], list(found))


def add_kit(surface, folder):
    """What the web kit exports, beside the headers; its packages have the SDK's numbers. @throws Unreadable"""
    expected = f"{surface.epoch}.{surface.minor}.0"
    for description in sorted(folder.glob("*/package.json")):
        found = json.loads(description.read_text(encoding="utf-8"))["version"]
        if found != expected:
            raise Unreadable(f"{description}: expected the version {expected}, that of the SDK, found {found}")
    try:
        surface.entries += sorted({Entry(each.scope, each.kind, 0, each.name, each.text) for each in ts_declarations.exported(folder)}, key=str)
    except ts_declarations.NotRead as error:
        raise Unreadable(f"{folder}: cannot read {error}; teach packaging/lib/ts_declarations.py") from error
    return surface


@dataclass
class Report:
    before: Surface
    now: Surface
    additions: list = field(default_factory=list)
    breaks: list = field(default_factory=list)

    @property
    def fits(self):
        return not self.remedy()

    def remedy(self):
        """What has to be done, or nothing."""
        before, now = self.before, self.now
        if before.draft and (now.epoch, now.minor) == (before.epoch, before.minor):
            return "that was never released, so write it down anew: packaging/check-api --update" if self.breaks or self.additions else ""
        if now.epoch < before.epoch or (now.epoch == before.epoch and now.minor < before.minor):
            return f"the numbers went back from {before.epoch}.{before.minor} to {now.epoch}.{now.minor}"
        if now.epoch > before.epoch:
            return "" if now.minor == 0 else "a new epoch begins with the minor 0: set PORTICO_SDK_MINOR"
        if self.breaks:
            return f"raise PORTICO_SDK_EPOCH to {before.epoch + 1} with the minor 0 and write its page in docs/decisions, or change back what is not an addition"
        if self.additions and now.minor == before.minor:
            return f"raise PORTICO_SDK_MINOR to {before.minor + 1} (portico/detail/Fingerprint.h)"
        return ""

    def lines(self):
        for what in self.breaks:
            yield f"epoch  {what}"
        for what in self.additions:
            yield f"minor  {what}"
        written = "written down" if self.before.draft else "released"
        numbers = f"SDK {self.before.epoch}.{self.before.minor} was {written}, the headers are {self.now.epoch}.{self.now.minor}"
        yield f"{numbers}: {self.remedy() or 'that fits'}."


def compare(before, now):
    report = Report(before, now)
    old, new = before.scopes(), now.scopes()
    existed = {"::".join(filter(None, [entry.scope, entry.name])) for entry in before.entries if entry.kind in ("class", "enum")}
    for key in sorted(set(old) | set(new)):
        was, is_now = old.get(key, []), new.get(key, [])
        if key[1] in ORDERED:
            compare_ordered(key, was, is_now, existed, report)
        else:
            compare_names(was, is_now, report, needed=key[1] == "member" and key[0] in {each.scope for each in before.entries})
    return report


def compare_ordered(key, old, new, existed, report):
    scope, kind = key
    matcher = difflib.SequenceMatcher(None, [each.text for each in old], [each.text for each in new], autojunk=False)
    for what, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if what == "equal":
            continue
        gone, come = old[old_from:old_to], new[new_from:new_to]
        if what == "replace" and len(gone) == len(come):
            report.breaks += [f"{scope}: {kind} {was.place} was '{was.text}', is '{now.text}'" for was, now in zip(gone, come)]
            continue
        report.breaks += [f"{each}: gone" for each in gone]
        if old_to < len(old):
            report.breaks += [f"{each}: new, in front of '{old[old_to].text}'" for each in come]
        else:
            append(scope, kind, old, come, existed, report)


def append(scope, kind, old, come, existed, report):
    """What stands behind all that was there."""
    for each in come:
        if scope not in existed or kind == "enumerator":
            report.additions.append(f"{each}: new")
        elif kind == "data":
            report.breaks.append(f"{each}: new, and with it the size of {scope}")
        elif not old or scope in IMPLEMENTED_BY_PLUGINS:
            report.breaks.append(f"{each}: new, and compiled plugins know another table of virtual functions")
        else:
            report.additions.append(f"{each}: new")


def compare_names(old, new, report, needed=False):
    gone = {each.text: each for each in old if each.text not in {other.text for other in new}}
    come = {each.text: each for each in new if each.text not in {other.text for other in old}}
    for each in gone.values():
        others = [other for other in come.values() if other.name == each.name]
        # One of the same name in its place is most likely the same thing, changed.
        if len(others) == 1:
            report.breaks.append(f"{each}: is now '{others[0].text}'")
            del come[others[0].text]
        else:
            report.breaks.append(f"{each}: gone")
    # What has to be given is missing where a page gave what was asked for.
    (report.breaks if needed else report.additions).extend(f"{each}: new" for each in come.values())
