"""Finds SQL statements that join rows of different organizations.

All mentions of tenant tables in a statement must be tied to one organization: by equality of their columns or with the same parameter, also
through a sub-query or INSERT … SELECT. Citus needs this to send a statement to one server. A hole of sql_texts (§) ties nothing, because each may
be another organization. What is not read: whether an equality stands below an OR or a NOT.
"""

import re

TENANT = "organization_id"
TOKEN = re.compile(r"'(?:[^']|'')*'|\$\w+|§|\w+|[^\s]")
NAMES_TABLE = {"FROM", "JOIN", "UPDATE", "INTO", "USING"}
ENDS_LIST = {"WHERE", "SET", "SELECT", "VALUES", "GROUP", "ORDER", "HAVING", "LIMIT", "RETURNING", "FOR", "WINDOW", "WITH"}
NO_ALIAS = NAMES_TABLE | ENDS_LIST | {"AS", "ON", "LEFT", "RIGHT", "INNER", "CROSS", "FULL", "NATURAL", "LATERAL", "AND", "OR", "NOT", "DEFAULT"}
SETS = {"UNION", "EXCEPT", "INTERSECT"}


def tree_of(text):
    """Tokens; what stands in brackets is a list of its own."""
    stack = [[]]
    for token in TOKEN.findall(text):
        if token == "(":
            stack[-1].append([])
            stack.append(stack[-1][-1])
        elif token == ")":
            if len(stack) > 1:
                stack.pop()
        else:
            stack[-1].append(token)
    return stack[0]


def upper(items, at):
    return items[at].upper() if 0 <= at < len(items) and isinstance(items[at], str) else ""


def is_name(items, at):
    return re.fullmatch(r"[A-Za-z_]\w*", upper(items, at)) is not None and upper(items, at) not in NO_ALIAS | SETS


def is_query(item):
    return isinstance(item, list) and upper(item, 0) in ("SELECT", "WITH", "VALUES")


def divided(items, marks):
    """Parts between any of the words."""
    parts = [[]]
    for at in range(len(items)):
        if upper(items, at) in marks:
            parts.append([])
        elif not (upper(items, at) == "ALL" and not parts[-1]):
            parts[-1].append(items[at])
    return parts


class Scope:
    """One part of a query: its tables, and those around it."""

    def __init__(self, around=None):
        self.around, self.named, self.own = around, {}, []

    def add(self, name, nodes):
        if nodes:
            self.own.append(nodes[0])
        self.named[name] = nodes[0] if nodes else None

    def node(self, name):
        """Of an alias; of the table that a column without one belongs to."""
        scope = self
        while scope:
            if name is None and scope.own:
                return scope.own[0]
            if name in scope.named:
                return scope.named[name]
            scope = scope.around
        return None


class Statement:
    def __init__(self, text, tables):
        self.tables, self.mentions, self.ties = tables, [], []
        self.query(tree_of(text), None)

    def groups(self):
        """Names of tables, by what ties them together."""
        ends = {}

        def end(node):
            while node in ends:
                node = ends[node]
            return node

        for one, other in self.ties:
            if end(one) != end(other):
                ends[end(one)] = end(other)
        found = {}
        for number, name in enumerate(self.mentions):
            found.setdefault(end(number), []).append(name)
        return sorted(found.values())

    def query(self, items, around):
        """Returns the mentions of its tables, and what the first column is."""
        nodes, first = [], None
        for part in divided(items, SETS):
            scope = Scope(around)
            handled = self.collect(part, scope)
            self.conditions(part, scope, handled)
            self.hand_on(part, scope)
            nodes += scope.own
            if upper(part, 0) == "SELECT" and first is None:
                first = self.value(part, 1, scope)
        return nodes, first

    # Tables

    def collect(self, items, scope):
        """Gives the scope its tables; returns the places of the sub-queries that are among them."""
        handled, listed = set(), False
        for at in range(len(items)):
            word = upper(items, at)
            if is_query(items[at]) and upper(items, at - 1) in ("AS", "MATERIALIZED"):
                handled.add(at)
                name = next((upper(items, each) for each in range(at - 1, -1, -1) if is_name(items, each) and upper(items, each) != "MATERIALIZED"), "")
                scope.named[name] = None  # for one that is recursive
                nodes, _ = self.query(items[at], scope)
                scope.named[name] = nodes[0] if nodes else None
            elif word in NAMES_TABLE or (word == "," and listed):
                listed = word != "INTO"
                self.table(items, at + 1 + (upper(items, at + 1) == "LATERAL"), scope, handled)
            elif word in ENDS_LIST:
                listed = False
        return handled

    def table(self, items, at, scope, handled):
        if at >= len(items):
            return
        named = at + 1 + (upper(items, at + 1) == "AS")
        alias = upper(items, named) if is_name(items, named) else ""
        if is_query(items[at]):
            handled.add(at)
            scope.add(alias, self.query(items[at], scope)[0])
        elif is_name(items, at):
            table = items[at]
            if table in self.tables:
                self.mentions.append(table)
                scope.add(alias or table.upper(), [len(self.mentions) - 1])
            else:
                known = scope.node(table.upper())  # a query of WITH
                scope.add(alias or table.upper(), [] if known is None else [known])

    # What ties them

    def conditions(self, items, scope, handled=()):
        for at, item in enumerate(items):
            if isinstance(item, list):
                if upper(items, at - 1) == "USING" and TENANT in item and len(scope.own) > 1:
                    self.ties.append((scope.own[0], scope.own[-1]))
                if at not in handled:
                    first = self.query(item, scope)[1] if is_query(item) else self.conditions(item, scope)
                    if is_query(item) and upper(items, at - 1) == "IN":
                        # (organization_id, …) IN (SELECT organization_id, …
                        before = at - 3 if upper(items, at - 2) == "NOT" else at - 2
                        row = items[before] if before >= 0 and isinstance(items[before], list) else None
                        self.tie(self.value(row, 0, scope) if row else self.value_before(items, before, scope), first)
            elif item == "=":
                self.tie(self.value_before(items, at - 1, scope), self.value(items, at + 1, scope))

    def tie(self, one, other):
        # Two parameters are equal only where they are the same one.
        if one is not None and other is not None and isinstance(one, int) + isinstance(other, int) > 0:
            self.ties.append((one, other))

    def value(self, items, at, scope):
        """A mention for its tenant's column, the text of a parameter or literal, or None."""
        if at < len(items) and isinstance(items[at], list) and len(items[at]) > 0:
            return None if is_query(items[at]) else self.value(items[at], 0, scope)
        if upper(items, at) in ("CAST", "ANY"):
            return self.value(items, at + 1, scope)
        if upper(items, at + 1) == ".":
            return scope.node(upper(items, at)) if items[at + 2 : at + 3] == [TENANT] else None
        if upper(items, at) == TENANT.upper():
            return scope.node(None)
        return items[at] if at < len(items) and re.fullmatch(r"\$\d+|'.*'", str(items[at])) else None

    def value_before(self, items, at, scope):
        if at >= 2 and upper(items, at - 1) == ".":
            at -= 2
        return self.value(items, at, scope) if at >= 0 else None

    def hand_on(self, items, scope):
        """INSERT INTO table (organization_id, …) SELECT or VALUES what it becomes."""
        into = next((at for at in range(len(items)) if upper(items, at) == "INTO"), None)
        columns = items[into + 2] if into is not None and into + 2 < len(items) else None
        if not isinstance(columns, list) or TENANT not in columns or items[into + 1] not in self.tables:
            return
        place = [part[0] if part else "" for part in divided(columns, {","})].index(TENANT)
        for at in range(into + 3, len(items)):
            rest = items[at + 1 :] if upper(items, at) == "SELECT" else items[at + 1] if upper(items, at) == "VALUES" and at + 1 < len(items) else None
            if isinstance(rest, list):
                values = divided(rest, {","})
                # The table itself is the first of the scope: the columns behind it belong to the next.
                source = Scope(scope.around)
                source.named, source.own = scope.named, scope.own[1:]
                self.tie(scope.own[0], self.value(values[place], 0, source) if place < len(values) else None)
                return


def joined_apart(text, tables):
    """The groups of tenant tables that nothing ties together; empty where one organization answers the statement."""
    groups = Statement(text, tables).groups()
    return groups if len(groups) > 1 else []


def services_with_tenants(root):
    """Services whose tables can be on different servers. identity is on one: people belong to several organizations."""
    return sorted(path.name for path in (root / "migrations").iterdir() if path.is_dir() and path.name not in ("host", "identity", "platform"))
