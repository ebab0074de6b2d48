"""What the packages of the web kit export, read from their TypeScript: one entry for each name, one for each member of an interface.

Reads the form that the kit is written in (one `export` a declaration, at the start of a line), not any TypeScript."""

import json
import pathlib
import re
from dataclasses import dataclass

PACKAGES = ("api", "app-shell", "auth-client", "booking-embed", "ui")
DECLARED = re.compile(r"^export (?:async )?(function|interface|type|class|const) (\w+)", re.MULTILINE)
HANDED_ON = re.compile(r"^export (?:type )?\{([^}]*)\} from \"([^\"]+)\"", re.MULTILINE)
OPENING, CLOSING = "([{", ")]}"


class NotRead(Exception):
    pass


@dataclass(frozen=True)
class Exported:
    scope: str  # "@portico/ui", or "@portico/ui ListOptions" for its members
    kind: str
    name: str
    text: str


def without_comments(text):
    """Comments are blanks; what stands in strings is not looked into."""
    pattern = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|/\*.*?\*/|//[^\n]*"
    return re.sub(pattern, lambda found: " " if found[0].startswith("/") else found[0], text, flags=re.DOTALL)


def one_line(text):
    """The text on one line, without what a formatter adds where it breaks one."""
    text = re.sub(r"(?<=[=:(<]) \| (?=\S)", " ", " ".join(text.split()))
    return re.sub(r',?(?: (?=[)\]])|(?<=[\w"]) (?=>))', "", re.sub(r"(?<=[(\[<]) |;(?= \})", "", text))


def end_of(text, start, stops):
    """Where the first of `stops` stands that is in no brackets; arrows are no brackets."""
    depth, at = 0, start
    while at < len(text):
        letter = text[at]
        if depth == 0 and letter in stops:
            return at
        if letter in OPENING or letter == "<":
            depth += 1
        elif letter in CLOSING or (letter == ">" and text[at - 1] != "="):
            depth -= 1
        at += 1
    raise NotRead(text[start:start + 60])


def signature(text, start):
    """A function without its body, and without the names that it gives to the members of what it takes."""
    at = end_of(text, text.index("(", start) + 1, ")") + 1
    if text[at] == ":":
        at += len(text[at:]) - len(text[at + 1:].lstrip())
        if text[at] == "{":  # a result that is written out
            at = end_of(text, at + 1, "}") + 1
    end = end_of(text, at, "{")
    return re.sub(r"\{[^{}]*\}(?=: )", "_", one_line(text[start:end]))


def members(body):
    at = 0
    while body[at:].strip():
        end = end_of(body + ";", at, ";")
        member = one_line(body[at:end])
        if member:
            yield re.match(r"(?:readonly )?([\w$]+|\[.*?\]|\(|\")", member)[1], member
        at = end + 1


def declaration(scope, text, match):
    kind, name, start = match[1], match[2], match.start()
    if kind == "function":
        taken = signature(text, start)
        yield Exported(scope, kind, name, taken)
        # What it takes may be described beside it, under a name that is not handed on.
        for props in re.findall(r": (\w+)", taken):
            described = re.search(rf"^(?:export )?(interface) ({props})\b", text, re.MULTILINE)
            if described:
                yield from declaration(scope, text, described)
        return
    if kind in ("interface", "class"):
        opened = end_of(text, match.end(), "{")
        yield Exported(scope, kind, name, one_line(text[start:opened]))
        if kind == "interface":
            closed = end_of(text, opened + 1, "}")
            for member, declared in members(text[opened + 1:closed]):
                yield Exported(f"{scope} {name}", "optional" if re.match(r"(readonly )?\w+\?", declared) else "member", member, declared)
        return
    end = end_of(text, match.end(), ";" if kind == "type" else "=;")
    yield Exported(scope, kind, name, one_line(text[start:end]))


def exported(folder):
    """All of a kit's folder. @throws NotRead"""
    for package in PACKAGES:
        entries = json.loads((folder / package / "package.json").read_text())["exports"]
        for path, file in sorted(entries.items()):
            if not file.endswith((".ts", ".tsx")) or "texts" in file:
                continue
            entry = folder / package / file
            scope = "@portico/" + package + path[1:]
            text = without_comments(entry.read_text())
            wanted = [(entry, match[2]) for match in DECLARED.finditer(text)]
            for names, source in HANDED_ON.findall(text):
                if source.startswith("@portico/"):  # a package of the kit, where it is read
                    named = [name.strip().removeprefix("type ") for name in names.split(",") if name.strip()]
                    yield from (Exported(scope, "name", name, f'export {{ {name} }} from "{source}"') for name in named)
                    continue
                wanted += [((entry.parent / source), name.strip().removeprefix("type ")) for name in names.split(",") if name.strip()]
            for source, name in wanted:
                whole = without_comments(pathlib.Path(source).read_text())
                found = [match for match in DECLARED.finditer(whole) if match[2] == name]
                if not found:
                    raise NotRead(f"{source}: {name} is handed on, and is not declared there")
                yield from declaration(scope, whole, found[0])
