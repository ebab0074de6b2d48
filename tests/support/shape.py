#!/usr/bin/python3
"""The shape of the tree in numbers: lines and files by room, lines of a resource and of pages, names of the SDK's inside in use outside, SQL without
tenant.

`tests/support/shape.py` prints tables; a folder as its argument is another tree to look at. tests/sdk/check_shape.py holds what must not grow.
`tests/support/shape.py --graph [FOLDER]` writes how the rooms of each plugin include each other: `docs/pictures/rooms/*.dot` for Graphviz, the
pictures too where `dot` is installed, and the tables of `docs/rooms.md`. With `--print` it prints the graphs and writes nothing.
`tests/support/shape.py --functions [FOLDER]` prints the twenty longest functions of the C++ code.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
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
WEB_GOALS = {"the kit": 9_100, "plugins/admin/web": 7_200, "plugins/calendar/web": 7_200, "plugins/crm/web": 7_200, "plugins/launchpad/web": 7_200}
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


TEXT = re.compile(r'R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
# What stands between the parameters of a function and its body.
BODY_FOLLOWS = re.compile(r"\)(?:\s|const\b|noexcept\b|override\b|final\b|&|->[^;]*|:.*)*$", re.DOTALL)


def functions_of(text):
    """(lines, name, line) of each function with a body. A lambda is a part of the function around it."""
    text = TEXT.sub(lambda match: '""' + "\n" * match.group().count("\n"), without_comments(text))
    text = re.sub(r"^[ \t]*#.*", "", text, flags=re.MULTILINE)
    found, open_braces, head, brackets = [], [], 0, 0
    inside = None  # depth of braces around the body of the function that is read
    for at, char in enumerate(text):
        if char in "()":
            brackets += 1 if char == "(" else -1
        elif char == "{":
            open_braces.append((head, brackets))
            if inside is None and brackets == 0:
                if BODY_FOLLOWS.search(text, head, at):
                    inside = len(open_braces)
                else:
                    head = at + 1
        elif char == "}" and open_braces:
            begin, brackets = open_braces.pop()
            if inside is not None and len(open_braces) < inside:
                declaration = text[begin:at].lstrip()
                first = text.count("\n", 0, at - len(declaration)) + 1
                name = re.search(r"([\w:~]+|operator\W+)\s*\(", declaration)
                found.append((text.count("\n", 0, at) + 2 - first, name[1] if name else "?", first))
                inside = None
            if inside is None:
                head = at + 1
        elif char == ";" and inside is None and brackets == 0:
            head = at + 1
    return found


def longest_functions(root, most=20):
    """(lines, name, file, line), the longest first."""
    found = [(lines, name, str(path.relative_to(root)), line)
             for path in sources(root, "host", "plugins", "sdk") for lines, name, line in functions_of(path.read_text())]
    return sorted(found, key=lambda each: (-each[0], each[2:]))[:most]


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
    """Returns `code`, `style` or `texts` (catalogs); None for generated files, tests, and files that are not part of the product."""
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


def room_graph(root, plugin):
    """{room: rooms that it includes} of the folders below a plugin's `src`."""
    src = root / plugin / "src"
    found = {folder.name: set() for folder in sorted(src.iterdir()) if folder.is_dir() and any(sources(src, folder.name))}
    for room, included in found.items():
        for path in sources(src, room):
            included.update(name for name in re.findall(r'#include "(\w+)/', path.read_text()) if name in found and name != room)
    return found


def reachable(graph):
    """{room: all rooms that it includes, also through others}."""
    found = {}
    for room in graph:
        seen, left = set(), [room]
        while left:
            for each in graph[left.pop()] - seen:
                seen.add(each)
                left.append(each)
        found[room] = seen
    return found


def circle_of(graph):
    """The rooms that are part of an include circle."""
    return {room for room, below in reachable(graph).items() if room in below}


def floors_of(graph):
    """Lists of rooms from the lowest floor: a room stands above all that it includes. Rooms of a circle share a floor."""
    below = reachable(graph)
    height = {}

    def height_of(room):
        if room not in height:
            height[room] = 0  # for its circle
            lower = [each for each in below[room] if room not in below[each]]
            height[room] = 1 + max((height_of(each) for each in lower), default=-1)
        return height[room]

    floors = [[] for _ in range(1 + max(map(height_of, graph), default=-1))]
    for room in sorted(graph):
        floors[height[room]].append(room)
    return floors


def dot_of(name, graph):
    """Graphviz. Leaves out includes that a longer way implies; those of a circle are red."""
    below, circle = reachable(graph), circle_of(graph)
    lines = [f'digraph "{name}" {{', "  rankdir=TB; node [shape=box, style=rounded, fontname=sans]; edge [color=gray40];"]
    for floor in reversed(floors_of(graph)):
        lines.append("  { rank=same; " + " ".join(f'"{room}";' for room in floor) + " }")
    for room, included in sorted(graph.items()):
        for each in sorted(included):
            circular = room in below[each]
            if circular or not any(each in below[other] and other not in below[each] for other in included - {each}):
                lines.append(f'  "{room}" -> "{each}"' + (" [color=red];" if circular else ";"))
    return "\n".join([*lines, "}"]) + "\n"


def floor_table(graph):
    """Markdown: the rooms, the highest first, with what each includes."""
    lines = ["| Floor | Room | Includes |", "|---|---|---|"]
    floors = floors_of(graph)
    for number in range(len(floors), 0, -1):
        lines += [f"| {number} | `{room}` | {', '.join(sorted(graph[room])) or '-'} |" for room in floors[number - 1]]
    return "\n".join(lines)


def graph_files(root):
    """{path: text} of what `--graph` writes."""
    files = {}
    page = (root / "docs/rooms.md").read_text()
    for plugin in sorted(path.parent for path in root.glob("plugins/*/src")):
        name, graph = plugin.name, room_graph(root, plugin.relative_to(root))
        if not graph:
            continue
        files[root / f"docs/pictures/rooms/{name}.dot"] = dot_of(name, graph)
        begin, end = f"<!-- rooms of {name} -->\n", f"\n<!-- end of {name} -->"
        before, found, rest = page.partition(begin)
        if not found:
            raise SystemExit(f"docs/rooms.md has no line {begin.strip()}: add it with the title of the plugin")
        page = before + begin + floor_table(graph) + end + rest.partition(end)[2]
    return {**files, root / "docs/rooms.md": page}


def write_graphs(root):
    for path, text in graph_files(root).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if path.suffix == ".dot" and shutil.which("dot"):
            subprocess.run(["dot", "-Tsvg", path, "-o", path.with_suffix(".svg")], check=True)


def print_graphs(root):
    for plugin in sorted(root.glob("plugins/*/src")):
        graph = room_graph(root, plugin.parent.relative_to(root))
        print(f"{plugin.parent.name}: {len(graph)} rooms, {len(circle_of(graph))} of them in an include circle\n\n{floor_table(graph)}\n")


def table(heading, rows, width=36):
    print(f"{heading:{width}}" + "".join(f"{name:>9}" for name in ("files", "code", "lines")))
    for name, numbers in rows:
        print(f"{name:{width}}" + "".join(f"{number:9,}" for number in numbers))
    print()


def main():
    arguments = argparse.ArgumentParser(description="Lines, files and includes of the tree's rooms.")
    arguments.add_argument("tree", nargs="?", type=pathlib.Path, default=ROOT, help="another tree to look at")
    arguments.add_argument("--graph", action="store_true", help="write how the rooms of each plugin include each other")
    arguments.add_argument("--print", action="store_true", help="print these graphs and write nothing")
    arguments.add_argument("--functions", action="store_true", help="print the longest functions of the C++ code")
    given = arguments.parse_args()
    root = given.tree.resolve()
    if given.print:
        return print_graphs(root)
    if given.graph:
        return write_graphs(root)
    if given.functions:
        for lines, name, file, line in longest_functions(root):
            print(f"{lines:5}  {name:48} {file}:{line}")
        return None
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
