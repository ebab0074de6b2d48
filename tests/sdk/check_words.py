#!/usr/bin/python3
"""Counts words of the project's former private dialect, which CONTRIBUTING.md replaces by plain English. A count of a file may only fall.

    tests/sdk/check_words.py             compares with tests/sdk/words.txt
    tests/sdk/check_words.py --show F…   prints the matches in the files F
    tests/sdk/check_words.py --update    records counts that fell

Read are: comments of C++, English catalogs, documentation, string literals of C++ that are sentences (problem and log texts), and names of tests.
A file that words.txt does not list must have no match.
"""

import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import shape  # noqa: E402
from blackbox import main  # noqa: E402

RECORDED = ROOT / "tests/sdk/words.txt"
WORDS = re.compile(
    r"\b(?:nobody|somebody|whoever|whomever|meanwhile|anew|tells|told|stands?|stood|goes on|go on|went on|comes? to rest|lets? in"
    r"|by itself|by themselves|of (?:its|their|our|one's|his|her) own|of one's own|one's own|no longer good|as absent as|what is there"
    r"|is good (?:for|once)|are good for|in nobody's|nobody's|somebody's)\b", re.IGNORECASE)
# A comment's first sentence starts with a verb or names its subject.
OPENING = re.compile(r"^(?:Of|As|Whose|Who|What|Whether)\b(?! (?:a|an|the) (?:result|rule)\b)")
TEST_NAME = re.compile(r"\b(?:CPPUNIT_)?TEST\((\w+)\)|\bdef (test_\w+)")
TEST_WORDS = re.compile(r"^(?:test_)?(?:who|what|whose|of|whether|as)(?=[A-Z_])|[Nn]obody|[Ss]omebody|[Ww]hoever|[Mm]eanwhile|[Aa]new(?![a-z])"
                        r"|(?:[Tt]ells?|[Tt]old|[Ss]tands)(?=[A-Z_]|$)")
SENTENCE = re.compile(r'"((?:\\.|[^"\\\n])*)"')
CATALOGS = ("sdk/web/ui/src/texts.en.ts", "sdk/web/*/src/texts/en.ts", "sdk/template/kit/web/src/texts/en.ts", "plugins/*/web/src/texts/en.ts",
            "plugins/*/web/messages/en.json", "plugins/*/*/messages/en.json", "sdk/examples/*/web/messages/en.json")
CODE = ("host", "sdk", "plugins", "tests")


def comments(text):
    """The comments of a source, each with its lines joined."""
    blocks, last = [], None
    for match in shape.COMMENT.finditer(text):
        if match["kept"]:
            continue
        line = text.count("\n", 0, match.start())
        body = re.sub(r"^(?:///?<?|/\*+)\s*|\s*\*/$", "", match.group())
        if last is not None and line == last + 1 and text[:match.start()].rsplit("\n", 1)[-1].strip() == "":
            blocks[-1] += " " + body
        else:
            blocks.append(body)
        last = line
    return blocks


def matches_of_comments(text):
    for block in comments(text):
        yield from (match.group() for match in WORDS.finditer(block))
        if OPENING.match(block):
            yield " ".join(block.split()[:4]) + " …"


def matches(path):
    """The words of a file that are to go."""
    text = path.read_text()
    if path.suffix in shape.SOURCES:
        yield from matches_of_comments(text)
        code = shape.without_comments(text)
        for sentence in SENTENCE.findall(code):
            if sentence.count(" ") > 1:
                yield from (match.group() for match in WORDS.finditer(sentence))
        yield from (name for pair in TEST_NAME.findall(code) if TEST_WORDS.search(name := pair[0] or pair[1]))
    elif path.suffix == ".py":
        yield from (name for pair in TEST_NAME.findall(text) if TEST_WORDS.search(name := pair[0] or pair[1]))
    elif path.suffix == ".md":
        # Emphasis quotes words, for example those that CONTRIBUTING.md forbids.
        prose = re.sub(r"^```.*?^```|(?<!\*)\*[^*\n]+\*(?!\*)", "", text, flags=re.DOTALL | re.MULTILINE)
        yield from (match.group() for match in WORDS.finditer(prose))
        if path.parent.name == "decisions":
            title = text.splitlines()[0].lstrip("# ")
            if OPENING.match(re.sub(r"^\d+[.:]?\s*", "", title)):
                yield title
    else:
        # Keys of a catalog are names, its values are read.
        yield from (match.group() for match in WORDS.finditer(re.sub(r'^\s*"[^"]*":', "", text, flags=re.MULTILINE)))


def files():
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in shape.SOURCES or (folder == "tests" and path.suffix == ".py"):
                yield path
    for pattern in CATALOGS:
        yield from sorted(ROOT.glob(pattern))
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"))
    for folder in ("docs", "host", "sdk"):
        yield from sorted((ROOT / folder).rglob("*.md"))


def counts():
    own = pathlib.Path(__file__).resolve()
    found = {str(path.relative_to(ROOT)): sum(1 for _ in matches(path)) for path in files() if path != own and "node_modules" not in path.parts}
    return {name: count for name, count in sorted(found.items()) if count}


def recorded():
    rows = (line.split() for line in RECORDED.read_text().splitlines() if line and not line.startswith("#"))
    return {name: int(count) for count, name in rows}


class Words(unittest.TestCase):
    maxDiff = None

    def test_no_file_has_more_of_them(self):
        allowed = recorded()
        more = {name: f"{count}, at most {allowed.get(name, 0)}" for name, count in counts().items() if count > allowed.get(name, 0)}
        self.assertEqual({}, more, "Write plain English (CONTRIBUTING.md); tests/sdk/check_words.py --show FILE prints the words")

    def test_counts_that_fell_are_recorded(self):
        found = counts()
        fewer = {name: f"{found.get(name, 0)}, recorded {count}" for name, count in recorded().items() if found.get(name, 0) < count}
        self.assertEqual({}, fewer, "Record it: tests/sdk/check_words.py --update")

    def test_words_are_found_where_they_count(self):
        self.assertEqual(["somebody", "told"], list(matches_of_comments("int a; // Here somebody is told\n")))
        self.assertEqual(["Of a row: its …"], list(matches_of_comments("/// Of a row:\n/// its id.\nint a;")))
        self.assertEqual([], list(matches_of_comments('const char* a = "// nobody"; // Returns the row.')))

    def test_names_are_read_by_words(self):
        for name in ("whatIsGone", "test_of_two", "tellsNobody", "isToldLater", "resumesAnew"):
            self.assertTrue(TEST_WORDS.search(name), name)
        for name in ("asksAgain", "offersTwo", "aStartFails", "refusesANewerVersion", "standsterile"):
            self.assertFalse(TEST_WORDS.search(name), name)


def update():
    before = recorded() if RECORDED.exists() else None
    found = counts()
    if before is not None:
        found = {name: min(count, before.get(name, 0)) for name, count in found.items()}
    head = "# Matches of tests/sdk/check_words.py by file. A count may only fall.\n"
    RECORDED.write_text(head + "".join(f"{count} {name}\n" for name, count in found.items() if count))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"]:
        update()
    elif sys.argv[1:2] == ["--show"]:
        for name in sys.argv[2:]:
            for match in matches(pathlib.Path(name).resolve()):
                print(f"{name}: {match}")
    else:
        main()
