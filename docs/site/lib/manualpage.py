"""A manual page, as mandoc shows it, in the form of the other pages."""
import re
import subprocess

import textpage

REFERENCE = re.compile(r'<a class="Xr">(([\w.-]+)\((\d)\))</a>')


def levelled(found):
    """mandoc's sections begin at the level of our titles."""
    level, kind, anchor, text = found.groups()
    text = " ".join(text.split())
    # Small letters read better; NAME of a program never stands in a heading.
    return f'<h{int(level) + 1} id="{anchor}">{text.capitalize() if kind == "Sh" else text}</h{int(level) + 1}>'


def make(file, pages):
    """`pages`: name(section) of each manual page of the site to its file."""
    shown = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", file], capture_output=True, text=True, check=True).stdout
    body = re.sub(r'<table class="(?:head|foot)">.*?</table>\n', "", shown, flags=re.S)
    body = re.sub(r'<h([12]) class="(Sh|Ss)" id="([^"]+)"><a class="permalink"[^>]*>(.*?)</a></h\1>', levelled, body, flags=re.S)
    body = re.sub(r'<a class="permalink"[^>]*>(.*?)</a>', r"\1", body, flags=re.S)
    body = REFERENCE.sub(lambda found: f'<a href="{pages[found[1]]}">{found[1]}</a>' if found[1] in pages else found[1], body)
    title = named(file)
    return textpage.Page(title, f"<h1>{title}</h1>\n{body}", textpage.headings_of(body))


def named(file):
    name, _, section = file.name.rpartition(".")
    return f"{name}({section})"
