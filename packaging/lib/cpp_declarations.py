"""Reads the declarations of C++ headers: as much of the language as a well-formatted header of this tree uses.

`declarations(text)` gives them in order, without comments, function bodies, initializer lists of constructors and names of parameters; white
space does not matter. What it does not understand is an error, never left out.
"""

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<text>(?:u8|[LuU])?"(?:\\.|[^"\\\n])*"|(?:u8|[LuU])?'(?:\\.|[^'\\\n])*')
  | (?P<number>\.?\d(?:'?[\w.]|[eEpP][+-])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark><=>|::|->|\.\.\.|&&|\|\||==|!=|<=|\+\+|--|\+=|-=|<<|[-+*/%&|^~!=<>?:;,.(){}\[\]])
  | (?P<space>\s+)
  | (?P<other>.)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
CLASS_KEYS = {"class", "struct", "union", "enum"}
TYPE_WORDS = set("void bool char short int long float double signed unsigned auto const volatile char8_t char16_t char32_t wchar_t".split())


class NotUnderstood(Exception):
    pass


@dataclass(frozen=True)
class Declaration:
    scope: str  # `portico::Caller`
    kind: str  # class, enum, enumerator, data, virtual, function, using, variable, macro, …
    text: str
    name: str


def joined(tokens):
    """Tokens as text with one space where two words meet."""
    out = ""
    for token in tokens:
        if out and re.match(r"[\w\"']", token) and re.match(r"[\w\"']", out[-1]):
            out += " "
        out += token
    return out


def tokens_of(text):
    tokens, macros = [], []
    for match in TOKEN.finditer(text):
        kind, value = match.lastgroup, match.group()
        if kind == "directive":
            define = re.match(r"\s*#\s*define\s+(\w+)(.*)", value.replace("\\\n", " "), re.DOTALL)
            if define:
                macros.append((define[1], " ".join(define[2].split())))
        elif kind == "other":
            raise NotUnderstood(f"'{value}' after '{joined(tokens[-5:])}'")
        elif kind not in ("comment", "space"):
            tokens.append(value)
    return tokens, macros


class Reader:
    def __init__(self, tokens):
        self.tokens, self.at, self.found = tokens, 0, []

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self):
        if self.at >= len(self.tokens):
            raise NotUnderstood("the end comes too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def balanced(self):
        """From an opening bracket to its closing one."""
        taken, wanted = [self.take()], [OPEN[self.tokens[self.at - 1]]]
        while wanted:
            token = self.take()
            taken.append(token)
            if token in OPEN:
                wanted.append(OPEN[token])
            elif token in CLOSE:
                if token != wanted.pop():
                    raise NotUnderstood(f"'{token}' in '{joined(taken[:12])}…'")
        return taken

    def angles(self):
        """`<…>` of a template's parameters."""
        taken, depth = [self.take()], 1
        while depth:
            if self.peek() in OPEN:
                taken += self.balanced()
                continue
            token = self.take()
            depth += {"<": 1, "<<": 2, ">": -1}.get(token, 0)
            taken.append(token)
        return taken

    # Scopes

    def namespace(self, scope, closing):
        while self.peek() != closing:
            if self.peek() == "namespace" or (self.peek() == "inline" and self.peek(1) == "namespace"):
                if self.take() == "inline":
                    self.take()
                name = []
                while self.peek() not in ("{", "="):
                    name.append(self.take())
                if self.take() == "=":
                    raise NotUnderstood("an alias of a namespace")
                self.namespace("::".join(filter(None, [scope, joined(name)])), "}")
                self.take()
            else:
                self.declaration(scope, None)

    def class_body(self, scope, name, access):
        while self.peek() != "}":
            if self.peek() in ("public", "protected", "private") and self.peek(1) == ":":
                access = self.take()
                self.take()
            else:
                self.declaration(scope, access, name)

    def enum_body(self, scope):
        while self.peek() != "}":
            taken = []
            while self.peek() not in (",", "}"):
                taken += self.balanced() if self.peek() in OPEN else [self.take()]
            if self.peek() == ",":
                self.take()
            self.add(scope, "enumerator", taken, taken[0])

    def add(self, scope, kind, tokens, name, access=None):
        text = joined(tokens)
        self.found.append(Declaration(scope, kind, f"{access} {text}" if access else text, name))

    # Declarations

    def prefix(self):
        """`template <…>`, its `requires`, and attributes. Deprecating something changes nothing."""
        taken = []
        while True:
            if self.peek() == "template":
                taken += [self.take(), *self.angles()]
            elif self.peek() == "requires":
                taken += self.constraint()
            elif self.peek() == "[" and self.peek(1) == "[":
                attribute = self.balanced()
                taken += [] if "deprecated" in attribute else attribute
            else:
                return taken

    def constraint(self):
        """`requires A<T> && (…) || requires { … }` in front of a declaration or behind its parameters."""
        taken = [self.take(), *self.primary_constraint()]
        while self.peek() in ("&&", "||"):
            taken += [self.take(), *self.primary_constraint()]
        return taken

    def primary_constraint(self):
        """An expression in parentheses, a requires-expression, or a concept with its arguments."""
        if self.peek() == "requires":
            taken = [self.take()]
            if self.peek() == "(":
                taken += self.balanced()
            return taken + self.balanced()
        if self.peek() == "(":
            return self.balanced()
        if not re.match(r"[A-Za-z_]", self.peek()):
            raise NotUnderstood(f"requires {self.peek()}")
        taken = [self.take()]
        while self.peek() == "::":
            taken += [self.take(), self.take()]
        return taken + (self.angles() if self.peek() == "<" else [])

    def declaration(self, scope, access, class_name=None):
        if self.peek() == ";":
            self.take()
            return
        prefix = self.prefix()
        start = self.at
        words = []
        while self.peek() and self.peek() not in CLASS_KEYS and re.match(r"\w", self.peek()) and self.peek() not in ("using", "friend", "operator"):
            words.append(self.take())
            if words[-1] == "__attribute__":
                words += self.balanced()
        if self.peek() in CLASS_KEYS and (self.at == start or words == ["typedef"] or set(words) <= {"PORTICO_API"}):
            if self.class_like(scope, access, prefix + words):
                return
        self.at = start
        self.plain(scope, access, prefix, class_name)

    def class_like(self, scope, access, prefix):
        """A class or enum with its body; False, and nothing is taken, if it is something else (`struct X* p;`, a forward declaration)."""
        start = self.at
        key = self.take()
        head = [key]
        while self.peek() not in ("{", ";", "(", "="):
            head += self.angles() if self.peek() == "<" else self.balanced() if self.peek() == "[" else [self.take()]
        if self.peek() == ";" and len(head) <= 4:
            self.take()  # a forward declaration promises nothing
            return True
        if self.peek() != "{":
            self.at = start
            return False
        name_tokens = head[: head.index(":")] if ":" in head else head
        plain_name = [token for token in name_tokens if token not in CLASS_KEYS and token not in ("PORTICO_API", "final")]
        name = joined(plain_name)
        own = "::".join(filter(None, [scope, name]))
        self.add(scope, "enum" if key == "enum" else "class", prefix + head, name, access)
        self.take()
        if key == "enum":
            self.enum_body(own)
        else:
            self.class_body(own, plain_name[0] if plain_name else "", "private" if key == "class" else "public")
        self.take()
        rest = self.until_semicolon()
        if rest:
            raise NotUnderstood(f"'{joined(rest)}' behind the body of {own}")
        return True

    def until_semicolon(self):
        taken = []
        while self.peek() != ";":
            taken += self.balanced() if self.peek() in OPEN else [self.take()]
        self.take()
        return taken

    def plain(self, scope, access, prefix, class_name):
        tokens, parameters, assigned, name = [], False, False, ""
        while True:
            token = self.peek()
            if token == ";":
                self.take()
                break
            if token == "operator" and not parameters:
                tokens.append(self.take())
                tokens += [self.take(), self.take()] if self.peek() == "(" else []
                while self.peek() != "(":
                    tokens.append(self.take())
                name = name or joined(tokens[tokens.index("operator") :])
            elif token == "=" and not assigned:
                assigned = True
                tokens.append(self.take())
            elif token == "requires":
                tokens.append(self.take())
                while self.peek() in ("requires", "("):
                    tokens += self.balanced() if self.peek() == "(" else [self.take()]
                if self.peek() == "{" and tokens[-1] in ("requires", ")") and assigned:
                    tokens += self.balanced()
            elif token == "<" and tokens and re.match(r"\w", tokens[-1]) and not assigned and tokens[-1] != "operator":
                tokens += self.angles()
            elif token == "(" and not assigned and not parameters and self.is_parameter_list(tokens):
                name = name or self.declared_name(tokens)
                tokens += without_names(self.balanced())
                parameters = True
            elif token == ":" and parameters and not assigned:
                self.initializers()
                break
            elif token == "{" and parameters and not assigned:
                self.balanced()
                break
            elif token in OPEN:
                name = name or (self.declared_name(tokens) if not assigned and token == "{" else "")
                tokens += self.balanced()
            elif not token:
                raise NotUnderstood("the end comes too early")
            elif token in CLOSE:
                raise NotUnderstood(f"'{token}' behind '{joined(tokens[-12:])}'")
            else:
                tokens.append(self.take())
        self.classify(scope, access, prefix, tokens, parameters, name, class_name)

    def is_parameter_list(self, tokens):
        """`name(` opens parameters, `void (*name)(` and `R (T::*name)(` do not."""
        if not tokens or self.peek(1) == "*" or (self.peek(2) == "::" and self.peek(3) == "*"):
            return False
        return "operator" in tokens or tokens[-1] == ">" or (re.match(r"\w", tokens[-1]) is not None and tokens[-1] not in TYPE_WORDS)

    @staticmethod
    def declared_name(tokens):
        words = [token for token in tokens if re.match(r"[A-Za-z_~]", token)]
        return ("~" if "~" in tokens else "") + (words[-1] if words else "")

    def initializers(self):
        """`: _a(a), _b{b} { … }`"""
        self.take()
        while True:
            while self.peek() not in ("(", "{"):
                self.take()
            self.balanced()
            if self.peek() == "...":
                self.take()
            if self.peek() != ",":
                break
            self.take()
        self.balanced()

    def classify(self, scope, access, prefix, tokens, parameters, name, class_name):
        if not tokens or tokens[0] in ("static_assert", "friend"):
            return
        if tokens[0] == "using":
            self.add(scope, "using", prefix + tokens, tokens[1], access)
        elif parameters:
            # Overriding is as virtual as it was before, whether or not the word is there.
            kind = "virtual" if "virtual" in tokens or tokens[-1] == "override" or tokens[-2:] == ["override", "final"] else "function"
            self.add(scope, kind, prefix + tokens, name, access)
        else:
            end = tokens.index("=") if "=" in tokens else len(tokens)
            constant = class_name is None or "static" in tokens
            self.add(scope, "variable" if constant else "data", prefix + tokens, name or self.declared_name(tokens[:end]), access)


def without_names(parameters):
    """`(const T&value,int count=1)` as `(const T&,int=1)`: callers do not name parameters."""
    out, depth, current, pieces = [parameters[0]], 0, [], []
    for token in parameters[1:-1]:
        depth += token in ("(", "[", "{", "<")
        depth -= token in (")", "]", "}", ">")
        if token == "," and depth == 0:
            pieces.append(current)
            current = []
        else:
            current.append(token)
    pieces.append(current)
    for number, piece in enumerate(pieces):
        end = piece.index("=") if "=" in piece else len(piece)
        kind, default = piece[:end], piece[end:]
        named = len(kind) > 1 and re.match(r"[A-Za-z_]", kind[-1]) and kind[-1] not in TYPE_WORDS and kind[-2] != "::" and kind[-2] not in ("const", "typename")
        out += ([","] if number else []) + (kind[:-1] if named else kind) + default
    return out + [parameters[-1]]


def declarations(text):
    """@throws NotUnderstood"""
    tokens, macros = tokens_of(text)
    reader = Reader(tokens)
    reader.namespace("", "")
    return reader.found + [Declaration("", "macro", f"#define {name}{' ' if body and not body.startswith('(') else ''}{body}", name) for name, body in macros]
