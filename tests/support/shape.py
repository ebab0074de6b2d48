#!/usr/bin/python3
"""The shape of the tree in numbers: lines and files by room, lines of a resource and of pages, names of the SDK's inside in use outside, SQL without
tenant.

`tests/support/shape.py` prints tables; a folder as its argument is another tree to look at. tests/sdk/check_shape.py holds what must not grow.
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
import sql_texts  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {".cpp", ".h"}
COMMENT = re.compile(r'(?P<kept>R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|//[^\n]*|/\*.*?\*/', re.DOTALL)
DETAIL = re.compile(r"\bdetail\s*::\s*(\w+)|\bportico/(detail/\w+)|\b(?:using\s+namespace|namespace\s+\w+\s*=)\s+(?:\w+\s*::\s*)*(detail)\s*;")
# A string, or what begins as a regular expression, holds no comment; JSX's own are text between braces.
WEB_COMMENT = re.compile(
    r"""(?P<kept>`(?:\\.|[^`\\])*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?<=[(=,:\[!&|?;])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/)"""
    r"""|(?<!:)//[^\n]*|\{?/\*.*?\*/\}?""", re.DOTALL)
# What the pages of apps stand on; the rest of sdk/web is for others' pages and for building.
KIT = ("api", "app-shell", "auth-client", "ui")
# Most lines of TypeScript that somebody who learns them has to read.
WEB_GOALS = {"the kit": 9_000, "plugins/admin/web": 7_200, "plugins/calendar/web": 7_200, "plugins/crm/web": 7_200, "plugins/launchpad/web": 7_200}
# What is written against the SDK. The host implements its interfaces and may name its inside.
OUTSIDE = ("plugins", "sdk/template", "sdk/examples")
RESOURCES = (
    ("notes of CRM", ("plugins/crm/src/notes/*",)),
    ("notes of the template", ("sdk/template/src/Note*",)),
)


def sources(root, *folders):
    for folder in folders:
        yield from sorted(path for path in (root / folder).rglob("*") if path.suffix in SOURCES and path.is_file())


def without_comments(text):
    return COMMENT.sub(lambda match: match["kept"] or "\n" * match.group().count("\n"), text)


def counted(paths):
    """Files, lines without blanks and comments, lines."""
    texts = [path.read_text() for path in paths]
    code = sum(1 for text in texts for line in without_comments(text).splitlines() if line.strip())
    return len(texts), code, sum(len(text.splitlines()) for text in texts)


def room_of(path):
    """host/http, host/platform/redis, plugins/crm/src/notes, sdk/src."""
    parts = path.parts[:-1]
    return "/".join(parts[: 4 if parts[0] == "plugins" else 3 if parts[0] == "host" else 2])


def rooms(root):
    found = {}
    for path in sources(root, "host", "plugins", "sdk"):
        found.setdefault(room_of(path.relative_to(root)), []).append(path)
    return {room: counted(paths) for room, paths in sorted(found.items())}


def web_kind(path):
    """`code`, `style` or `texts` (catalogs); None for what is generated, for tests and for what only shows or builds."""
    inside = path.parts[2:] if path.parts[0] == "plugins" else path.parts[3:]
    if "src" not in inside or path.name.endswith(".d.ts") or path.suffix not in (".ts", ".tsx", ".css"):
        return None
    if "texts" in inside or path.name.startswith("texts."):
        return "texts"
    return "style" if path.suffix == ".css" else "code"


def web_rooms(root):
    """By kit package and by app, and of the whole kit: lines without blanks and comments of TypeScript, of styles, and of catalogs of texts."""
    found = {}
    for path in sorted([*root.glob("sdk/web/*/src/**/*"), *root.glob("plugins/*/web/src/**/*")]):
        kind = web_kind(path.relative_to(root)) if path.is_file() else None
        if kind:
            numbers = found.setdefault("/".join(path.relative_to(root).parts[:3]), dict.fromkeys(("code", "style", "texts"), 0))
            text = WEB_COMMENT.sub(lambda match: match["kept"] or "\n" * match.group().count("\n"), path.read_text())
            numbers[kind] += sum(1 for line in text.splitlines() if line.strip())
    kit = [found[f"sdk/web/{name}"] for name in KIT if f"sdk/web/{name}" in found]
    return {**found, "the kit": {kind: sum(each[kind] for each in kit) for kind in ("code", "style", "texts")}}


def web_table(root):
    print(f"{'PAGES':36}" + "".join(f"{name:>9}" for name in ("code", "most", "style", "texts")))
    for name, numbers in web_rooms(root).items():
        most = f"{WEB_GOALS[name]:9,}" if name in WEB_GOALS else " " * 9
        print(f"{name:36}{numbers['code']:9,}{most}{numbers['style']:9,}{numbers['texts']:9,}")
    print()


def detail_uses(root):
    """(file, line, name) of each name of the SDK's inside."""
    for path in sources(root, *OUTSIDE):
        for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
            for names in DETAIL.findall(line):
                yield str(path.relative_to(root)), number, next(filter(None, names))


def sql_without_tenant(root):
    """(file, line, text)."""
    tables = sql_texts.tenant_tables(sorted(root.glob("migrations/*/*.sql")))
    for path in sources(root, "plugins"):
        for line, text in sql_texts.without_tenant(path, tables):
            yield str(path.relative_to(root)), line, text


def table(heading, rows, width=36):
    print(f"{heading:{width}}" + "".join(f"{name:>9}" for name in ("files", "code", "lines")))
    for name, numbers in rows:
        print(f"{name:{width}}" + "".join(f"{number:9,}" for number in numbers))
    print()


def main():
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    found = rooms(root)
    for part in ("host", "plugins", "sdk"):
        inside = [(room, numbers) for room, numbers in found.items() if room.split("/")[0] == part]
        table("ROOM", [*inside, (f"{part}, all", tuple(map(sum, zip(*(numbers for _, numbers in inside)))))])
    services = sorted({"/".join(room.split("/")[:2]) for room in found if room.startswith("plugins/")})
    table("SERVICE", [(service, counted(sources(root, service))) for service in services])
    table("RESOURCE", [(name, counted([path for pattern in patterns for path in sorted(root.glob(pattern)) if path.suffix in SOURCES]))
                       for name, patterns in RESOURCES])
    web_table(root)
    uses = {}
    for file, _, name in detail_uses(root):
        uses.setdefault(file, []).append(name)
    print("NAMES OF portico::detail OUTSIDE OF THE SDK")
    for file, names in uses.items():
        print(f"{file:56} {len(names):3}  {', '.join(sorted(set(names)))}")
    print(f"{'all':56} {sum(map(len, uses.values())):3}\n\nSQL WITHOUT TENANT")
    places = sorted({(file, line) for file, line, _ in sql_without_tenant(root)})
    for file in sorted({file for file, _ in places}):
        print(f"{file:56} {sum(1 for place in places if place[0] == file):3}")
    print(f"{'all':56} {len(places):3}")


if __name__ == "__main__":
    main()
