"""The API of a service, from its OpenAPI document."""
import html
import json
import re

import textpage

SHARED = ("api", "widget", "health", "root")
METHODS = ("get", "post", "put", "patch", "delete")


def escaped(text):
    return html.escape(str(text), quote=False)


def type_of(schema):
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f'<a href="#schema-{name}">{escaped(name)}</a>'
    for word in ("oneOf", "anyOf", "allOf"):
        if word in schema:
            return " or ".join(type_of(each) for each in schema[word])
    kind = schema.get("type", "object" if "properties" in schema else "any")
    if isinstance(kind, list):
        kind = " or ".join(kind)
    if "enum" in schema:
        return " | ".join(f"<code>{escaped(json.dumps(each, ensure_ascii=False))}</code>" for each in schema["enum"])
    if "array" in kind.split():
        return "list of " + type_of(schema.get("items", {})) + (" or null" if "null" in kind else "")
    return escaped(kind + (f" ({schema['format']})" if "format" in schema else ""))


def limits_of(schema):
    forms = {"minimum": "at least {}", "maximum": "at most {}", "minLength": "at least {} characters", "maxLength": "at most {} characters",
             "maxItems": "at most {} items", "default": "default {}"}
    said = [form.format(escaped(json.dumps(schema[name]).strip(chr(34)))) for name, form in forms.items() if name in schema]
    return "; ".join(filter(None, [escaped(schema.get("description", "")).rstrip("."), *said]))


def table(head, rows):
    if not rows:
        return ""
    heads = "".join(f"<th>{each}</th>" for each in head)
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>'


def members(schema):
    required = schema.get("required", [])
    return [(f"<code>{escaped(name)}</code>{'' if name not in required else ' <b>*</b>'}", type_of(each), limits_of(each))
            for name, each in schema.get("properties", {}).items()]


def access_of(operation):
    if not operation.get("security"):
        return "open to everybody"
    names = []
    for requirement in operation["security"]:
        for name, scopes in requirement.items():
            names.append(name + (" (" + ", ".join(scopes) + ")" if scopes else ""))
    return " or ".join(names)


def content_of(holder):
    said = []
    for kind, media in holder.get("content", {}).items():
        said.append(f"<code>{escaped(kind)}</code> {type_of(media.get('schema', {}))}")
    return ", ".join(said)


def resolved(document, holder):
    """Follows `$ref` to what the document keeps in one place."""
    while "$ref" in holder:
        target = document
        for part in holder["$ref"].lstrip("#/").split("/"):
            target = target[part]
        holder = target
    return holder


def operation_of(document, method, path, operation):
    anchor = re.sub(r"[^a-z0-9]+", "-", f"{method} {path}".lower()).strip("-")
    parts = [f'<section class="operation"><h3 id="{anchor}"><span class="method {method}">{method.upper()}</span> <code>{escaped(path)}</code></h3>',
             f"<p>{escaped(operation.get('summary', ''))}</p>", f'<p class="kind">Access: {escaped(access_of(operation))}</p>']
    parameters = [(f"<code>{escaped(each['name'])}</code>{' <b>*</b>' if each.get('required') else ''}", each["in"],
                   type_of(each.get("schema", {})), limits_of({**each.get("schema", {}), **({"description": each["description"]} if "description" in each else {})}))
                  for each in (resolved(document, p) for p in operation.get("parameters", []))]
    parts.append(table(("Parameter", "in", "Type", ""), parameters))
    if "requestBody" in operation:
        parts.append(f"<p>Body: {content_of(resolved(document, operation['requestBody']))}</p>")
    parts.append(table(("Answer", "", "Body"), [(f"<code>{status}</code>", escaped(answer.get("description", "")), content_of(answer))
                                               for status, answer in ((s, resolved(document, a)) for s, a in operation.get("responses", {}).items()) if status != "default"]))
    return "".join(parts) + "</section>"


def make(document):
    title = document["info"]["title"]
    parts = [f"<h1>{escaped(title)}</h1>", f"<p>{escaped(document['info'].get('description', ''))}</p>",
             "<p>Every origin serves this description as <code>/openapi.json</code>, and at <code>/docs</code> a page to try it. An answer "
             'that is not listed is an error: a <a href="#schema-Problem">Problem</a>, whose <code>code</code> says which.</p>']
    groups = {}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                group = (methods[method].get("tags") or [re.sub(r"^/(api/)?", "", path).split("/")[0] or "root"])[0]
                groups.setdefault(group, []).append(operation_of(document, method, path, methods[method]))
    # What every service has comes last.
    for group in sorted(groups, key=lambda each: each in SHARED):
        anchor = re.sub(r"\W+", "-", group.lower()).strip("-")
        title = group.replace("-", " ")
        parts += [f'<h2 id="{anchor}">{escaped(title[:1].upper() + title[1:])}</h2>', *groups[group]]
    parts.append('<h2 id="schemas">Schemas</h2>')
    for name, schema in sorted(document.get("components", {}).get("schemas", {}).items()):
        shown = table(("Member", "Type", ""), members(schema)) or f"<p>{type_of(schema)}</p>"
        parts.append(f'<section class="schema"><h3 id="schema-{name}">{escaped(name)}</h3>{shown}</section>')
    body = "\n".join(parts)
    return textpage.Page(title, body, textpage.headings_of(body))
