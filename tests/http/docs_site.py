#!/usr/bin/python3
"""The documentation site, as docs/site/build makes it: every link leads somewhere, every setting, operation and command is there and real."""

import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from blackbox import main  # noqa: E402
from daemon import BUILD, Daemon  # noqa: E402


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.links += [values[name] for name in ("href", "src") if name in values]
        if "id" in values:
            self.ids.append(values["id"])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.out = pathlib.Path(cls.folder.name) / "site"
        subprocess.run([ROOT / "docs/site/build", "--out", cls.out, "--build", BUILD], check=True, stdout=subprocess.DEVNULL)
        cls.pages = {path.name: path.read_text() for path in cls.out.glob("*.html")}
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.start()

    def test_every_link_leads_somewhere(self):
        parsed = {name: Links(text) for name, text in self.pages.items()}
        for name, page in parsed.items():
            for link in page.links:
                if re.match(r"(https?|data|mailto):", link):
                    continue
                path, _, anchor = link.partition("#")
                path = path or name
                self.assertTrue((self.out / path).exists(), f"{name} leads to {link}")
                if anchor:
                    self.assertIn(urllib.parse.unquote(anchor), parsed[path].ids, f"{name} leads to {link}")

    def test_ids_of_a_page_are_unique(self):
        for name, text in self.pages.items():
            ids = Links(text).ids
            self.assertEqual(len(ids), len(set(ids)), f"{name}: {sorted({each for each in ids if ids.count(each) > 1})}")

    def test_commands_are_apart_from_what_they_print(self):
        seen = 0
        for name, text in self.pages.items():
            self.assertNotIn("language-console", text, name)
            for command in re.findall(r'<span class="command">(.*?)</span>', text, re.S):
                self.assertNotRegex(command, r"^[$#] |\s#\s", name)
                seen += 1
        self.assertGreater(seen, 50)
        self.assertIn('data-file="/etc/portico/conf.d/site.properties"', self.pages["configuring.html"])

    def test_nothing_is_loaded_from_elsewhere(self):
        for name, text in self.pages.items():
            self.assertEqual([], re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//[^"]*"', text), name)

    def test_every_setting_is_explained(self):
        page = self.pages["settings.html"]
        shown = {re.sub(r"^services\.[a-z-]+\.", "services.&lt;id&gt;.", each["key"]) for each in self.daemon.ctl("config", "show")["settings"]}
        missing = sorted(key for key in shown if f"<code>{key}</code>" not in page)
        self.assertEqual([], missing)

    def test_every_operation_is_in_the_reference(self):
        for service in ("identity", "crm"):
            for path, methods in self.daemon.ctl("openapi", service)["paths"].items():
                for method in methods:
                    if method in ("get", "post", "put", "patch", "delete"):
                        self.assertIn(f'{method.upper()}</span> <code>{path}</code>', self.pages[f"api-{service}.html"])

    def test_every_command_in_the_texts_exists(self):
        seen = 0
        for source in [ROOT / "README.md", *ROOT.glob("docs/*.md")]:
            text = source.read_text()
            blocks = "\n".join(re.findall(r"```\w*\n(.*?)```", text, re.S)) + "\n" + "\n".join(re.findall(r"`(porticoctl [^`\n]+)`", text))
            for line in re.findall(r"(?:^|[ /$(])porticoctl ([^\n|]*)", blocks, re.M):
                words = re.split(r"\s{3,}|\s#", line)[0].split()
                words = words[2:] if words[:1] in (["--socket"], ["-s"]) else words
                words = [word.strip("`'\"),.;:") for word in words if word != "--json"]
                if not words or not re.fullmatch(r"[a-z][a-z-]*", words[0]):
                    continue
                self.check_command(source.name, words)
                seen += 1
        self.assertGreater(seen, 30)

    def check_command(self, place, words):
        command = words[:1]
        if len(words) > 1 and re.fullmatch(r"[a-z][a-z-]*", words[1]) and self.usage([*command, words[1]]) is not None:
            command.append(words[1])
        usage = self.usage(command)
        self.assertIsNotNone(usage, f"{place}: porticoctl {' '.join(words)}")
        for option in (word.partition("=")[0] for word in words if word.startswith("--")):
            self.assertIn(option, usage + " --help --version --socket --json", f"{place}: porticoctl {' '.join(words)}")

    def test_other_folders_are_not_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            letter = pathlib.Path(folder) / "letter"
            letter.write_text("precious")
            made = subprocess.run([ROOT / "docs/site/build", "--out", folder, "--build", BUILD], capture_output=True, text=True)
            self.assertEqual(1, made.returncode)
            self.assertIn(folder, made.stderr)
            self.assertEqual("precious", letter.read_text())

    known = {}

    def usage(self, command):
        """Returns the output of a command's `--help`; None if there is no such command."""
        key = tuple(command)
        if key not in self.known:
            asked = subprocess.run([BUILD / "bin/porticoctl", *command, "--help"], capture_output=True, text=True)
            first = asked.stdout.splitlines()[0] if asked.stdout else ""
            self.known[key] = asked.stdout if asked.returncode == 0 and " ".join(command) in first else None
        return self.known[key]


if __name__ == "__main__":
    main()
