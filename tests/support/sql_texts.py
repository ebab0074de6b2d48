"""Finds the SQL texts of C++ sources, and those that touch a tenant's table without naming the tenant.

A text is what one expression puts together: literals beside each other, joined by `+`, each way of a `?:` by itself. What is joined in
between and stands in the same file (constants, variables with their `+=` and `.add(…)`, functions that give a text) is put in its place; what
remains is a hole, written §. `insert("table", …, {columns})`, `update(…)` and `"table (columns)"` count as statements. Statements of
portico::Table and Select are none of these: they carry the tenant by construction.
"""

import itertools
import pathlib
import re
from dataclasses import dataclass, field

TENANT = "organization_id"
HOLE = "§"
TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)
      | (?P<raw>R"(?P<mark>[^()\s]*)\((?P<inside>.*?)\)(?P=mark)")
      | (?P<text>(?:u8)?"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<word>\w[\w']*)
      | (?P<op>::|->|\+=|\+\+|==|!=|<=|>=|&&|\|\||<<|.)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
CLOSING = {"(": ")", "[": "]", "{": "}"}
CLASS_WORDS = {"namespace", "class", "struct", "union", "enum"}
STATEMENT_WORDS = {"return", "else", "case", "co_return", "throw", "if", "for", "while", "switch", "do"}
TEXT_TYPES = {"string", "string_view"}


@dataclass
class Item:
    kind: str  # literal, word, op, group
    text: str
    line: int
    items: list = field(default_factory=list)


def tree_of(text):
    """Returns tokens, with the content of brackets nested below the bracket."""
    stack, line = [[]], 1
    for match in TOKEN.finditer(text):
        value = match.group()
        if match.lastgroup == "raw":
            stack[-1].append(Item("literal", match["inside"], line))
        elif match.lastgroup == "text":
            stack[-1].append(Item("literal", re.sub(r"\\n", " ", value[value.index(value[-1]) + 1 : -1]), line))
        elif match.lastgroup == "word":
            stack[-1].append(Item("word", value, line))
        elif value in CLOSING:
            stack[-1].append(Item("group", value, line))
            stack.append(stack[-1][-1].items)
        elif value in CLOSING.values():
            if len(stack) > 1:
                stack.pop()
        elif match.lastgroup == "op":
            stack[-1].append(Item("op", value, line))
        line += value.count("\n")
    return stack[0]


def divided(items, mark):
    parts = [[]]
    for item in items:
        if item.kind == "op" and item.text == mark:
            parts.append([])
        else:
            parts[-1].append(item)
    return parts


def literals_of(items):
    for item in items:
        if item.kind == "literal":
            yield item.text
        yield from literals_of(item.items)


def words_of(items):
    for item in items:
        if item.kind == "word":
            yield item.text
        yield from words_of(item.items)


def without_template_arguments(items):
    """`value<std::string>(…)` as `value(…)`."""
    kept, at = [], 0
    while at < len(items):
        if items[at].kind == "op" and items[at].text == "<":
            depth = 0
            for end in range(at, len(items)):
                depth += {"<": 1, ">": -1}.get(items[end].text, 0) if items[end].kind == "op" else 0
                if depth == 0 or items[end].kind == "literal":
                    break
            if depth == 0 and end + 1 < len(items) and items[end + 1].kind == "group":
                at = end + 1
                continue
        kept.append(items[at])
        at += 1
    return kept


@dataclass(frozen=True)
class Hole:
    name: str


class Source:
    """The texts of one file and the header of its name."""

    def __init__(self, *texts):
        self.values = []  # (function, pieces, line, in the file itself)
        self.definitions = {}  # (function, name) -> [pieces]
        self.grown = {}  # (function, name) of a variable with `+=` -> (line, in the file itself): one text, told once
        self.functions = {}  # name -> [function]
        self.parameters = {None: set()}
        for self.own, text in zip((True, False), texts):
            self.scope(tree_of(text))

    # Scopes

    def scope(self, items):
        head = []
        for item in items:
            if item.kind == "op" and item.text == ";":
                self.statement(head, None)
                head = []
            elif item.kind == "group" and item.text == "{":
                words = {each.text for each in head if each.kind == "word"}
                called = [i for i, each in enumerate(head) if each.kind == "group" and each.text == "("]
                if words & CLASS_WORDS and not called:
                    self.scope(item.items)
                    head = []
                elif called:
                    self.function(head, called[0], item.items)
                    head = []
                else:
                    head.append(item)
            else:
                head.append(item)
        self.statement(head, None)

    def function(self, head, called, body):
        function = len(self.parameters)
        self.parameters[function] = set(words_of(head[called].items))
        if called and head[called - 1].kind == "word":
            self.functions.setdefault(head[called - 1].text, []).append(function)
        self.statement(head[called + 1 :], None)  # initializers of a constructor
        self.block(body, function)

    def block(self, items, function):
        for statement in divided(items, ";"):
            self.statement(statement, function)

    def statement(self, items, function):
        for part in divided(items, ","):
            for pieces, line in self.value(part, function):
                self.keep(function, pieces, line)

    def keep(self, function, pieces, line):
        if any(isinstance(piece, str) for piece in pieces):
            self.values.append((function, pieces, line, self.own))

    def define(self, function, name, values, line=None):
        place = (None if name.startswith("_") else function, name)
        self.definitions.setdefault(place, []).extend(pieces for pieces, _ in values)
        if line:
            self.grown.setdefault(place, (line, self.own))

    # Expressions: each gives its ways, as (pieces, line)

    def value(self, items, function):
        for at, item in enumerate(items):
            if item.kind == "op" and item.text in ("=", "+="):
                values = self.value(items[at + 1 :], function)
                names = [name for name in words_of(items[:at]) if name not in STATEMENT_WORDS]
                self.value(items[:at], function)
                if names:
                    target = names[0] if item.text == "+=" else names[-1]
                    self.define(function, target, values, item.line if item.text == "+=" else None)
                    if item.text == "+=":
                        return []
                return values
        for at, item in enumerate(items):
            if item.kind == "op" and item.text == "?":
                depth = 0
                for end in range(at + 1, len(items)):
                    if items[end].kind == "op" and items[end].text in "?:":
                        if items[end].text == ":" and depth == 0:
                            self.value(items[:at], function)
                            return self.value(items[at + 1 : end], function) + self.value(items[end + 1 :], function)
                        depth += 1 if items[end].text == "?" else -1
        return self.sum(items, function)

    def sum(self, items, function):
        ways, chain = [((), 0)], []

        def join(more):
            nonlocal ways
            ways = [(first + second, line or other) for (first, line), (second, other) in itertools.product(ways, more)][:32]

        def end_chain():
            if chain:
                named = chain[:-1] if len(chain) > 1 and chain[-1] == "text" else chain
                join([((Hole(named[-1]),), 0)])
                chain.clear()

        def end():
            nonlocal ways
            end_chain()
            for pieces, line in ways:
                self.keep(function, pieces, line)
            ways = [((), 0)]

        before = None
        for item in without_template_arguments(items):
            if item.kind == "literal":
                end_chain()
                join([((item.text,), item.line)])
            elif item.kind == "word" and item.text in STATEMENT_WORDS:
                end()
            elif item.kind == "word":
                chain.append(item.text)
            elif item.kind == "group":
                self.group(item, before, chain, function, join, end)
            elif item.text == "+":
                end_chain()
            elif item.text not in ("::", ".", "->", "<", ">", "*", "&"):
                end()
            before = item
        end_chain()
        return ways

    def group(self, item, before, chain, function, join, end):
        name = chain[-1] if chain else ""
        if item.text == "{":
            if not (before and before.kind == "group") and name not in STATEMENT_WORDS and chain:
                self.declared(item, chain, function)
            else:
                self.block(item.items, function)
            if name not in TEXT_TYPES:
                end()
            return
        if item.text == "[":
            self.statement(item.items, function)
            return
        if name in ("insert", "update") and self.row_statement(name, item, function):
            return
        if not chain or name in TEXT_TYPES:
            parts = divided(item.items, ",")
            if len(parts) == 1 and (chain or any(True for _ in literals_of(item.items))):
                chain.clear()
                join(self.value(parts[0], function) or [((), 0)])
            else:
                self.statement(item.items, function)
            return
        self.declared(item, chain, function)

    def declared(self, item, chain, function):
        """`Type name(…)`, `name.add(…)`, or any other call."""
        for statement in divided(item.items, ";"):
            for part in divided(statement, ","):
                values = self.value(part, function)
                for pieces, line in values:
                    self.keep(function, pieces, line)
                if len(chain) > 1 and chain[-1] in ("add", "append"):
                    self.define(function, chain[-2], values)
                elif chain:
                    self.define(function, chain[-1], values)

    def row_statement(self, name, item, function):
        parts = divided(item.items, ",")
        if not parts[0] or [each.kind for each in parts[0]] != ["literal"]:
            return False
        lists = [list(literals_of(each.items)) for part in parts[1:] for each in part if each.kind == "group" and each.text == "{"]
        table, columns = parts[0][0].text, lists[-1] if lists else []
        if name == "insert":
            text = f"INSERT INTO {table} ({', '.join(columns)})"
        else:
            text = f"UPDATE {table} WHERE " + " AND ".join(f"{column} = {HOLE}" for column in columns)
        self.keep(function, (text,), item.line)
        return True

    # Texts

    def known(self, function, name, seen):
        """The texts that a name stands for, joined; None where that is not in this file."""
        if (function, name) in seen:
            return None
        seen = seen | {(function, name)}
        for place in (function, None):
            found = self.definitions.get((place, name))
            if found:
                between = "" if (place, name) in self.grown else " "
                text = between.join(self.text(function, pieces, seen) for pieces in found)
                if text.strip(HOLE + " "):
                    return text
            if name in self.parameters[function]:
                return None
        told = [(place, pieces) for place, pieces, _, _ in self.values if place in self.functions.get(name, ())]
        return " ".join(self.text(place, pieces, seen) for place, pieces in told) or None

    def text(self, function, pieces, seen=frozenset()):
        out = ""
        for piece in pieces:
            if isinstance(piece, str):
                out += piece
                continue
            known = self.known(function, piece.name, seen)
            out += known if known and known.strip(HOLE + " ") else HOLE
        return out

    def texts(self):
        seen = set()
        parts = {(function, pieces) for function, name in self.grown for pieces in self.definitions[(function, name)]}
        told = [(function, pieces, line, own) for function, pieces, line, own in self.values if (function, pieces) not in parts]
        for (function, name), (line, own) in self.grown.items():
            if any(isinstance(piece, str) for pieces in self.definitions[(function, name)] for piece in pieces):
                told.append((function, (Hole(name),), line, own))
        for function, pieces, line, own in told:
            text = " ".join(self.text(function, pieces).split())
            if own and (line, text) not in seen:
                seen.add((line, text))
                yield line, text


def tenant_tables(migrations):
    """Names of the tables that have the column."""
    found = set()
    for file in migrations:
        text = re.sub(r"--[^\n]*", "", pathlib.Path(file).read_text())
        for create in re.finditer(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+) \((.*?)\n\)", text, re.DOTALL):
            if re.search(rf"^\s*{TENANT}\b", create[2], re.MULTILINE):
                found.add(create[1])
        found |= set(re.findall(rf"ALTER TABLE (\w+) ADD COLUMN {TENANT}\b", text))
    return found


TOUCHED = re.compile(rf"\b(?:FROM|JOIN|INTO|UPDATE|USING) +(\w+|{HOLE})|^(\w+) \([\w, {HOLE}]+\)$")
ALIASES = re.compile(r"\b(?:FROM|JOIN|UPDATE|USING) +(\w+)(?: +(?:AS +)?(\w+))?")
# To set it, as `SET organization_id = $2` or after ON CONFLICT, is no comparison.
COMPARED = re.compile(rf"(?<!SET )(?<!, )(?:(\w+)\.)?\b{TENANT} *(?:=|IN\b|IS\b) *(?:(\w+)\.{TENANT}\b)?")
COLUMNS = re.compile(rf"(?:\bINTO +[\w{HOLE}]+|^\w+) *\([^)]*\b{TENANT}\b")


def touched_tables(text, tables):
    """Each mention of a table with a tenant, and § for a table that is not known."""
    return [name for found in TOUCHED.findall(text) for name in found if name in tables or name == HOLE]


def names_tenant(text, tables):
    """Returns whether each of its tenant tables has the tenant in a condition or among the columns of a new row. Selected and sorted columns do not count."""
    own = {name for found in ALIASES.findall(text) for name in found}
    compared = COMPARED.findall(text)
    anchored = [1 for left, right in compared if right == "" or left not in own or right not in own]
    columns = COLUMNS.findall(text)
    return bool(anchored or columns) and len(compared) + len(columns) >= len(touched_tables(text, tables))


def without_tenant(file, tables):
    """(line, text) of what touches such a table without naming its tenant."""
    file = pathlib.Path(file)
    header = file.with_suffix(".h")
    texts = [file.read_text()] + ([header.read_text()] if file.suffix == ".cpp" and header.exists() else [])
    return [(line, text) for line, text in Source(*texts).texts() if touched_tables(text, tables) and not names_tenant(text, tables)]
