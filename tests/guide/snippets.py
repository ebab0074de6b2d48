#!/usr/bin/python3
"""What docs/plugin-guide.md shows stands like that in files that are compiled and tested."""

import pathlib
import re
import sys
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from blackbox import main  # noqa: E402

GUIDE = ROOT / "docs/plugin-guide.md"
BLOCK = re.compile(r"^(?:<!-- (?P<file>\S+) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMPILED = ("sdk/template/", "sdk/examples/guide/", "sdk/examples/tasks/", "sdk/web/ui/gallery/")


def stands_in(snippet, source):
    """Returns whether the lines occur consecutively in the source, ignoring indentation."""
    wanted = textwrap.dedent(snippet).splitlines()
    lines = source.splitlines()
    return any(textwrap.dedent("\n".join(lines[i : i + len(wanted)])).splitlines() == wanted for i in range(len(lines)))


def faults(text):
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 1
        name, language = block["file"], block["language"]
        if language == "sh":  # run by tests/http/plugin_guide.py
            continue
        if not name or not name.startswith(COMPILED):
            yield f"{GUIDE.name}:{line}: expected a comment before it that names a file of {' or '.join(COMPILED)}, found '{name}'"
        elif not (ROOT / name).is_file():
            yield f"{GUIDE.name}:{line}: there is no {name}"
        elif not stands_in(block["text"], (ROOT / name).read_text()):
            yield f"{GUIDE.name}:{line}: these lines do not stand in {name}; take them from there:\n{block['text']}"


def anchors(text):
    headings = re.findall(r"^#+ (.*)$", re.sub(BLOCK, "", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Guide(unittest.TestCase):
    def setUp(self):
        self.text = GUIDE.read_text()

    def test_snippets_stand_in_compiled_files(self):
        self.assertEqual(list(faults(self.text)), [])
        self.assertGreater(len(BLOCK.findall(self.text)), 20)

    def test_a_second_resource_takes_about_sixty_lines(self):
        files = [ROOT / "sdk/examples/guide" / name for name in ("src/Topics.h", "migrations/0003_topics.sql")]
        lines = [line.strip() for file in files for line in file.read_text().splitlines()]
        self.assertLessEqual(len([line for line in lines if line and not line.startswith(("//", "--"))]), 62)

    def test_every_block_is_one_of_those(self):
        self.assertEqual(self.text.count("\n```"), 2 * len(BLOCK.findall(self.text)))

    def test_any_other_snippet_is_noticed(self):
        for block in BLOCK.finditer(self.text):
            if block["language"] == "sh":
                continue
            changed = self.text[: block.end() - 4] + "x\n" + self.text[block.end() - 4 :]
            self.assertEqual(len(list(faults(changed))), 1, block["text"])
            unnamed = self.text.replace(f"<!-- {block['file']} -->\n", "", 1)
            self.assertEqual(len(list(faults(unnamed))), 1, block["text"])

    def test_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)]+)\)", re.sub(BLOCK, "", self.text)):
            if target.startswith("#"):
                self.assertIn(target[1:], anchors(self.text))
            elif "://" not in target:
                self.assertTrue((GUIDE.parent / target).exists(), target)


if __name__ == "__main__":
    main()
