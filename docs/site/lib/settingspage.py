"""The settings, from the configuration file that lists them and the manifests of the services."""
import html
import json
import re

import textpage

SETTING = re.compile(r"^#?([\w.<>-]+)\s*=\s?(.*)$")
SECTION = re.compile(r"^# --- (.+) ---$")


def blocks(lines):
    """Comment lines and what follows them directly, apart by empty lines."""
    block = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []


def escaped(text):
    return html.escape(text, quote=False)


def setting(name, default, words, kind):
    shown = f"<code>{escaped(default)}</code>" if default else "empty"
    anchor = re.sub(r"[^\w.]+", "-", name).strip("-")
    return (f'<section class="setting"><h3 id="{anchor}"><code>{escaped(name)}</code></h3><p>{escaped(words)}</p>'
            f'<p class="kind">{escaped(kind)} Default: {shown}.</p></section>')


def of_file(path):
    parts = []
    for block in blocks(path.read_text().splitlines()):
        section = SECTION.match(block[0])
        name = SETTING.match(block[-1])
        if section:
            anchor = re.sub(r"\W+", "-", section.group(1).lower()).strip("-")
            parts.append(f'<h2 id="{anchor}">{escaped(section.group(1))}</h2>')
        elif name and not block[-1].startswith("# "):
            words = [line.lstrip("# ") for line in block[:-1]]
            parts.append(setting(name.group(1), name.group(2), " ".join(words[:-1]), words[-1]))
        else:
            parts.append("<p>" + escaped(" ".join(line.lstrip("# ") for line in block)) + "</p>")
    return parts


def of_manifest(path):
    manifest = json.loads(path.read_text())
    declared = manifest.get("plugin", manifest).get("config", manifest.get("config", {}))
    declared = declared.get("properties", declared)
    if not declared:
        return []
    service = manifest.get("service_id", path.parent.name)
    parts = [f'<h2 id="settings-of-{service}">Settings of {service}</h2>']
    for name, schema in declared.items():
        kind = schema.get("type", "text").capitalize()
        if "minimum" in schema or "maximum" in schema:
            kind += f", {schema.get('minimum', '…')} to {schema.get('maximum', '…')}"
        parts.append(setting(name, str(schema.get("default", "")), schema.get("description", ""), kind + "."))
    return parts


def make(properties, manifests):
    parts = ["<h1>All settings</h1>", *of_file(properties)]
    for manifest in manifests:
        parts += of_manifest(manifest)
    body = "\n".join(parts)
    return textpage.Page("All settings", body, textpage.headings_of(body))
