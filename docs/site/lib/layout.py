"""The frame around each page: chapters, contents, the way on, and the search index."""
import html
import json
import re


def escaped(text):
    return html.escape(text, quote=False)


def navigation(chapters, current):
    parts = []
    for chapter in chapters:
        links = "".join(f'<li><a href="{each["file"]}"{" aria-current=page" if each["file"] == current else ""}>{escaped(each["title"])}</a></li>'
                        for each in chapter["pages"])
        holds = any(each["file"] == current for each in chapter["pages"])
        parts.append(f'<details{" open" if holds or not chapter.get("decisions") else ""}><summary>{escaped(chapter["title"])}</summary><ul>{links}</ul></details>')
    return "".join(parts)


def contents(page):
    shown = [h for h in page.headings if h[0] == 2] or page.headings
    if len(shown) < 2:
        return ""
    links = "".join(f'<li><a href="#{anchor}">{escaped(text)}</a></li>' for _, anchor, text in shown)
    return f'<nav class="contents" aria-label="On this page"><p>On this page</p><ul>{links}</ul></nav>'


def way(order, index):
    before = f'<a rel="prev" href="{order[index - 1]["file"]}">← {escaped(order[index - 1]["title"])}</a>' if index > 0 else "<span></span>"
    after = f'<a rel="next" href="{order[index + 1]["file"]}">{escaped(order[index + 1]["title"])} →</a>' if index + 1 < len(order) else ""
    return f'<nav class="way" aria-label="Pages before and after">{before}{after}</nav>'


def framed(chapters, order, index, page):
    entry = order[index]
    body = re.sub(r"<table>", '<div class="wide"><table>', page.body) if '<div class="wide">' not in page.body else page.body
    if '<div class="wide">' in body and '<div class="wide">' not in page.body:
        body = body.replace("</table>", "</table></div>")
    body = re.sub(r'<h([23]) id="([^"]+)">(.*?)</h\1>', r'<h\1 id="\2">\3 <a class="anchor" href="#\2" aria-label="Link to this heading">#</a></h\1>', body, flags=re.S)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escaped(page.title)} · Portico</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%234653d8' d='M1 5 8 1l7 4v2H1zm1 3h2v6H2zm5 0h2v6H7zm5 0h2v6h-2z'/%3E%3C/svg%3E">
<link rel="stylesheet" href="site.css">
<a class="skip" href="#content">To the text</a>
<header><button id="menu" aria-expanded="false" aria-controls="chapters">Menu</button><a class="name" href="index.html">Portico</a>
<label class="search">Search <input id="search" type="search" autocomplete="off" placeholder="Search (press /)" aria-controls="found"></label></header>
<nav id="chapters" aria-label="Chapters">{navigation(chapters, entry["file"])}</nav>
<ol id="found" hidden></ol>
<main id="content"><article>{body}</article>{way(order, index)}</main>
{contents(page)}
<script src="site.js" defer></script>
</html>
"""


def index_of(order, pages):
    found = []
    for entry in order:
        page = pages[entry["file"]]
        found.append([page.title, entry["file"], ""])
        found += [[text, f'{entry["file"]}#{anchor}', page.title] for _, anchor, text in page.headings]
    # A script and not JSON: pages that are opened from disk may not fetch.
    return "window.porticoIndex = " + json.dumps(found, ensure_ascii=False) + ";\n"


def render(chapters, pages):
    order = [entry for chapter in chapters for entry in chapter["pages"]]
    files = {entry["file"]: framed(chapters, order, i, pages[entry["file"]]) for i, entry in enumerate(order)}
    return files | {"search-index.js": index_of(order, pages)}
