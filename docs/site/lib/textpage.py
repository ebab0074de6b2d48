"""Pages from Markdown, and the links between them."""
import dataclasses
import html
import posixpath
import re

import markdown

import console


@dataclasses.dataclass
class Page:
    title: str
    body: str
    #: (level, id, text) of its headings, for the contents beside it and the search
    headings: list
    #: the folder of its source, from which its links are meant
    folder: str = ""


HEADING = re.compile(r'<h([23]) id="([^"]+)">(.*?)</h\1>', re.S)
CONSOLE = re.compile(r'<pre><code class="language-console">(.*?)</code></pre>', re.S)
FILE = re.compile(r'<pre><code class="language-[a-z]+"># (/\S+)\n')
REMARK = re.compile(r"(\s{2,})(# .*)$")
LINK = re.compile(r'<a href="([^"]+)">(.*?)</a>', re.S)


def plain(fragment):
    return html.unescape(re.sub(r"<[^>]+>", "", fragment)).strip()


def headings_of(body):
    return [(int(level), anchor, plain(text)) for level, anchor, text in HEADING.findall(body)]


def spaced(text):
    """A fence may follow its paragraph at once, as elsewhere; so may a table."""
    lines = []
    fenced = False
    for line in text.splitlines():
        fence = line.startswith("```")
        begins = (fence and not fenced) or (not fenced and line.startswith("|") and lines and not lines[-1].startswith("|"))
        if begins and lines and lines[-1]:
            lines.append("")
        fenced ^= fence
        lines.append(line)
    return "\n".join(lines)


def escaped(text):
    return html.escape(text, quote=False)


def typed(entry):
    """A command as it stands there; what is said behind it is no part of what is copied."""
    lines = entry.command.split("\n")
    remark = REMARK.search(lines[-1])
    if remark:
        lines[-1] = lines[-1][: remark.start()]
    shown = f'<span class="prompt">{entry.prompt} </span><span class="command">{escaped(chr(10).join(lines))}</span>'
    return shown + (f'{remark.group(1)}<span class="remark">{escaped(remark.group(2))}</span>' if remark else "")


def output_class(lines):
    """Columns stay below their heads: what has some is scrolled rather than broken."""
    return "output columns" if any("  " in line.strip() for line in lines) else "output"


def console_block(found):
    """Prompt, command and output apart, so that they look apart and only commands are copied."""
    parts = []
    for entry in console.entries(html.unescape(found.group(1))):
        output = f'<span class="{output_class(entry.output)}">{escaped(chr(10).join(entry.output))}</span>' if entry.output else ""
        parts.append(f'<span class="entry">{typed(entry)}{output}</span>')
    return f'<pre class="console"><code>{"".join(parts)}</code></pre>'


def read(path, root):
    body = markdown.markdown(spaced(path.read_text()), extensions=["fenced_code", "tables", "toc", "sane_lists"])
    body = CONSOLE.sub(console_block, body)
    body = FILE.sub(r'<pre class="file" data-file="\1"><code>', body)
    first = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
    title = plain(first.group(1)) if first else path.stem
    return Page(title, body, headings_of(body), posixpath.dirname(path.relative_to(root).as_posix()))


def link(pages, sources):
    """Leads links between sources to their pages; what is no page of the site, a file of the repository, keeps its name only."""
    for page in pages.values():
        def led(found, page=page):
            target, text = found.groups()
            if re.match(r"[a-z]+:|#", target) or target in pages:
                return found.group(0)
            path, mark, anchor = target.partition("#")
            there = sources.get(posixpath.normpath(posixpath.join(page.folder, path)))
            return f'<a href="{there}{mark}{anchor}">{text}</a>' if there else text
        page.body = LINK.sub(led, page.body)
