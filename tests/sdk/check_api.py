#!/usr/bin/python3
"""packaging/check-api: which differences are additions and which are breaks, and whether the recorded API matches the headers."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECK = ROOT / "packaging/check-api"
sys.path[:0] = [str(ROOT / "packaging/lib"), str(ROOT / "tests/support")]
sys.dont_write_bytecode = True
import api  # noqa: E402
from blackbox import main  # noqa: E402
from cpp_declarations import NotUnderstood, declarations  # noqa: E402

NUMBERS = "#define PORTICO_SDK_EPOCH {}\n#define PORTICO_SDK_MINOR {}\n"
HEADER = """
#pragma once
#include <string>
#define PORTICO_API __attribute__((visibility("default")))

namespace portico
{

enum class Colour
{
    Red, ///< the first
    Green
};

/// A value.
struct Note
{
    std::string title;
    int count = 1;
    bool (*accepts)(const Note& note) = nullptr;
    bool empty() const noexcept { return title.empty(); }
};

/// What plugins derive from.
class PORTICO_API Plugin
{
public:
    virtual ~Plugin();
    virtual void start() {}

private:
    int _hidden = 0;
};

/// What the host implements.
class PORTICO_API Context
{
public:
    virtual ~Context();
    virtual const Note& note(int number) const = 0;
};

template <class T>
struct Page
{
    std::vector<T> items = {};
};

PORTICO_API std::string toText(const Note& note, int width = 80);

} // namespace portico
"""


class Checking(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "include").mkdir()
        self.put(HEADER)
        (self.folder / "sdk.txt").write_text("SDK 1.0 draft\n")
        self.check(0, "--release")

    def put(self, text, epoch=1, minor=0):
        (self.folder / "include/note.h").write_text(NUMBERS.format(epoch, minor) + text)

    def check(self, status, *words):
        done = subprocess.run([CHECK, "--include", self.folder / "include", "--file", self.folder / "sdk.txt", *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def changed(self, old, new):
        self.assertEqual(HEADER.count(old), 1, old)
        return HEADER.replace(old, new)

    def assert_same(self, text):
        self.put(text)
        self.assertEqual(self.check(0), "SDK 1.0 was released, the headers are 1.0: that fits.\n")

    def assert_addition(self, text, part):
        self.put(text)
        said = self.check(1)
        self.assertIn("minor  ", said)
        self.assertIn(part, said)
        self.assertNotIn("epoch  ", said)
        self.assertIn("raise PORTICO_SDK_MINOR to 1", said)
        self.put(text, minor=1)
        self.check(0)
        self.put(text, epoch=2)
        self.check(0)

    def assert_break(self, text, part):
        self.put(text)
        said = self.check(1)
        self.assertIn("epoch  ", said)
        self.assertIn(part, said)
        self.assertIn("raise PORTICO_SDK_EPOCH to 2", said)
        self.put(text, minor=1)
        self.assertIn("raise PORTICO_SDK_EPOCH to 2", self.check(1))
        self.put(text, epoch=2)
        self.check(0)
        self.put(text, epoch=2, minor=1)
        self.assertIn("begins with the minor 0", self.check(1))

    def test_invisible_change_is_no_change(self):
        self.assert_same(HEADER)
        self.assert_same(self.changed("/// A value.", "/// Another word on it."))
        self.assert_same(HEADER.replace("\n", "\n\n").replace("    ", "\t"))
        self.assert_same(self.changed("{ return title.empty(); }", "{ const bool none = title.size() == 0; return none; }"))
        self.assert_same(self.changed("virtual void start() {}", "virtual void start();"))
        self.assert_same(self.changed("const Note& note, int width = 80", "const Note& shown, int columns = 80"))
        self.assert_same(self.changed("PORTICO_API std::string toText", "[[deprecated(\"use print\")]] PORTICO_API std::string toText"))

    def test_additions(self):
        self.assert_addition(HEADER + "namespace portico { PORTICO_API int add(int); }", "PORTICO_API int add(int): new")
        self.assert_addition(HEADER + "namespace portico { struct More { int a; virtual void f(); }; }", "struct More: new")
        self.assert_addition(HEADER + "#define PORTICO_MORE 1\n", "#define PORTICO_MORE 1: new")
        self.assert_addition(self.changed("    Green\n", "    Green,\n    Blue = 7\n"), "portico::Colour: Blue=7: new")
        self.assert_addition(self.changed("    bool empty()", "    bool full() const;\n    bool empty()"), "portico::Note: public bool full()const: new")
        more = "virtual const Note& note(int number) const = 0;\n    virtual void forget() = 0;"
        self.assert_addition(self.changed("virtual const Note& note(int number) const = 0;", more), "portico::Context: public virtual void forget()=0: new")
        (self.folder / "include/more.h").write_text("")
        self.assert_addition(HEADER, '#include "more.h": new')

    def test_breaks(self):
        self.assert_break(self.changed("    int count = 1;\n", ""), "portico::Note: ")
        self.assert_break(self.changed("int count = 1;", "int count = 1;\n    int more = 0;"), "public int more=0: new, in front of 'public bool(*accepts)")
        self.assert_break(self.changed("= nullptr;\n", "= nullptr;\n    int more = 0;\n"), "and with it the size of portico::Note")
        self.assert_break(self.changed("int _hidden", "long _hidden"), "portico::Plugin: data 1 was 'private int _hidden=0', is 'private long _hidden=0'")
        self.assert_break(self.changed("int width = 80", "int width = 72"), "is now 'PORTICO_API std::string toText(const Note&,int=72)'")
        self.assert_break(self.changed("const Note& note, int width", "const Note& note, long width"), "is now")
        self.assert_break(self.changed("    Red, ///< the first\n    Green", "    Green,\n    Red"), "portico::Colour: ")
        self.assert_break(self.changed("    Red, ///< the first\n    Green", "    Red,\n    Teal,\n    Green"), "Teal: new, in front of 'Green'")
        self.assert_break(self.changed("    Red, ///< the first\n    Green", "    Red,\n    Teal"), "enumerator 2 was 'Green', is 'Teal'")
        self.assert_break(self.changed("enum class Colour", "enum class Colour : unsigned char"), "is now 'enum class Colour:unsigned char'")
        self.assert_break(self.changed("virtual void start() {}", "virtual void start() {}\n    virtual void more() {}"), "another table of virtual functions")
        first = "virtual void forget() = 0;\n    virtual const Note& note(int number) const = 0;"
        self.assert_break(self.changed("virtual const Note& note(int number) const = 0;", first), "public virtual void forget()=0: new, in front of")
        self.assert_break(self.changed("bool empty() const", "virtual bool empty() const"), "portico::Note: ")
        self.assert_break(self.changed("class PORTICO_API Context", "class PORTICO_API Context : public Note"), "is now")
        self.assert_break(self.changed("bool (*accepts)(const Note& note)", "bool (*accepts)(Note& note)"), "portico::Note: data 3 was")
        self.assert_break(self.changed('visibility("default")', 'visibility("hidden")'), "#define PORTICO_API")
        self.assert_break(self.changed("    virtual void start() {}\n", ""), "portico::Plugin: public virtual void start(): gone")
        (self.folder / "include/note.h").rename(self.folder / "include/notes.h")
        self.assertIn('#include "note.h": gone', self.check(1))

    def test_numbers_never_go_back(self):
        self.put(HEADER, epoch=2)
        self.check(0, "--release")
        self.put(HEADER)
        self.assertIn("went back from 2.0 to 1.0", self.check(1))

    def test_released_version_is_not_rewritten(self):
        before = (self.folder / "sdk.txt").read_text()
        self.put(HEADER + "int more();")
        self.assertIn("is not written anew", self.check(1, "--update"))
        self.check(1, "--release")
        self.assertEqual((self.folder / "sdk.txt").read_text(), before)
        self.put(HEADER + "int more();", minor=1)
        self.check(0, "--release")
        self.check(0)

    def test_a_draft_may_change(self):
        (self.folder / "sdk.txt").write_text("SDK 1.0 draft\n")
        self.assertIn("packaging/check-api --update", self.check(1))
        self.check(0, "--update")
        self.check(0)
        self.put(self.changed("int count = 1;", ""))
        self.assertIn("never released", self.check(1))
        self.check(0, "--update")
        self.check(0)

    def test_unreadable_header_is_reported(self):
        self.put(HEADER + "namespace alias = portico;")
        self.assertIn("note.h: cannot read an alias of a namespace", self.check(2))
        self.put(HEADER + "struct Open {")
        self.assertIn("the end comes too early", self.check(2))
        (self.folder / "include/note.h").write_text(HEADER)
        self.assertIn("#define PORTICO_SDK_EPOCH <number>", self.check(2))
        self.put(HEADER)
        (self.folder / "sdk.txt").write_text("")
        self.assertIn("expected a first line", self.check(2))
        (self.folder / "sdk.txt").unlink()
        self.assertIn("sdk.txt", self.check(2))
        self.assertIn("cannot read sdk/include of 'no-such-tag'", self.check(2, "--since", "no-such-tag"))


class Reading(unittest.TestCase):
    """Corners of the language that the headers use."""

    def test_declarations(self):
        for text, kind, expected in (
            ("int f(int a, const std::map<int, int>& b = {}) { return a; }", "function", "int f(int,const std::map<int,int>&={})"),
            ("template <class T> requires requires(const T& t) { t.f(); } void g(const T& value);", "function",
             "template<class T>requires requires(const T&t){t.f();}void g(const T&)"),
            ("template <class T> concept C = requires(T t) { { t.f() } -> X<int>; } || Y<T>;", "variable",
             "template<class T>concept C=requires(T t){{t.f()}->X<int>;}||Y<T>"),
            ("auto operator<=>(const A&) const = default;", "function", "auto operator<=>(const A&)const=default"),
            ("void operator()(int value) const;", "function", "void operator()(int)const"),
            ("A(int a) : _a(a), _b{a, [](int x) { return x; }} {}", "function", "A(int)"),
            ("inline constexpr auto f = [](int a) { return a; };", "variable", "inline constexpr auto f=[](int a){return a;}"),
            ("std::function<void(int)> run;", "variable", "std::function<void(int)>run"),
            ("R (O::*function)(A...) = nullptr;", "variable", "R(O::*function)(A...)=nullptr"),
            ("unsigned g(unsigned, unsigned long size);", "function", "unsigned g(unsigned,unsigned long)"),
            ("using A = std::vector<int>;", "using", "using A=std::vector<int>"),
            ("extern const char* const names[3];", "variable", "extern const char*const names[3]"),
        ):
            with self.subTest(text):
                [found] = declarations(text)
                self.assertEqual((found.kind, found.text), (kind, expected))

    def test_omitted_declarations(self):
        for text in ("class Later;", "struct Later;", "template <class T> struct Later;", "static_assert(sizeof(int) == 4, \"int\");", ";", "// int f();"):
            self.assertEqual(declarations(text), [], text)

    def test_access_and_scope(self):
        found = declarations("namespace a::b { class C { int _a; public: struct D { int x; }; C() = default; }; }")
        self.assertEqual([(each.scope, each.kind, each.text) for each in found], [
            ("a::b", "class", "class C"), ("a::b::C", "data", "private int _a"), ("a::b::C", "class", "public struct D"),
            ("a::b::C::D", "data", "public int x"), ("a::b::C", "function", "public C()=default")])  # fmt: skip

    def test_errors(self):
        for text in ("int f(;", "namespace a {", "struct A { int x; } a;", "int @;"):
            with self.assertRaises(NotUnderstood, msg=text):
                declarations(text)


PAGES = """
import type { ReactNode } from "react";

interface RowProps {
  /** As people read it. */
  readonly title: string;
  readonly wide?: boolean;
}

/** What comes of it; { not a brace. */
export interface Answer {
  readonly text: string;
}

/** A row. */
export function Row({ title, wide = false }: RowProps): ReactNode {
  return `${title} { ${wide}`;
}
export function ask(path: string): { answer: Answer; retry: () => void } {
  return path as never;
}
export type Kind = "a" | "b";
function hidden(): void {}
"""


class Reference(unittest.TestCase):
    def test_the_page_is_that_of_the_types(self):
        made = subprocess.run([ROOT / "packaging/kit-reference"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(made, (ROOT / "docs/web-reference.md").read_text(encoding="utf-8"), "packaging/kit-reference --update")
        for name in ("ResourceOptions", "`resource`", "`filters`"):
            self.assertIn(name, made)


class Kit(unittest.TestCase):
    """The web kit beside the headers."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "include").mkdir()
        (self.folder / "include/note.h").write_text(NUMBERS.format(1, 0))
        (self.folder / "sdk.txt").write_text("SDK 1.0 draft\n")
        for package in ("api", "app-shell", "auth-client", "booking-embed", "ui"):
            (self.folder / "kit" / package).mkdir(parents=True)
            (self.folder / "kit" / package / "package.json").write_text('{"version": "1.0.0", "exports": {".": "./index.ts"}}')
            (self.folder / "kit" / package / "index.ts").write_text("")
        (self.folder / "kit/ui/index.ts").write_text('export { ask, Row, type Answer, type Kind } from "./row.tsx";\n')
        self.put(PAGES)
        self.check(0, "--release")

    def put(self, text):
        (self.folder / "kit/ui/row.tsx").write_text(text)

    def check(self, status, *words):
        done = subprocess.run([CHECK, "--include", self.folder / "include", "--kit", self.folder / "kit", "--file", self.folder / "sdk.txt", *words],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def said(self, old, new):
        self.assertEqual(PAGES.count(old), 1, old)
        self.put(PAGES.replace(old, new))
        return self.check(1)

    def test_invisible_change_of_pages_is_no_change(self):
        for old, new in (("As people read it", "Another"), ("wide = false }", "wide = true }"), ("hidden(): void", "gone(): number"), ("return path as never", "return { } as never")):
            self.put(PAGES.replace(old, new))
            self.check(0)

    def test_additions(self):
        said = self.said("readonly wide?: boolean;", "readonly wide?: boolean;\n  readonly deep?: boolean;")
        self.assertIn("minor  @portico/ui RowProps: readonly deep?: boolean: new", said)
        self.assertNotIn("epoch  ", said)

    def test_breaks(self):
        for old, new, part in (("title: string;", "title: number;", "is now 'readonly title: number'"),
                               ("readonly wide?: boolean;", "", "readonly wide?: boolean: gone"),
                               ("readonly wide?: boolean;", "readonly wide?: boolean;\n  readonly deep: boolean;", "readonly deep: boolean: new"),
                               ("retry: () => void", "retry: () => boolean", "retry: () => boolean"),
                               ('"a" | "b"', '"a"', "export type Kind")):
            said = self.said(old, new)
            self.assertIn("epoch  ", said)
            self.assertIn(part, said)

    def test_its_packages_have_the_numbers_of_the_sdk(self):
        (self.folder / "kit/ui/package.json").write_text('{"version": "1.1.0", "exports": {".": "./index.ts"}}')
        self.assertIn("expected the version 1.0.0", self.check(2))

    def test_forwarded_export_is_declared(self):
        self.put("")
        self.assertIn("is not declared there", self.check(2))


class Sdk(unittest.TestCase):
    def test_the_page_about_compatibility_names_each_folder_with_its_promise(self):
        written = (ROOT / "sdk/abi/sdk.txt").read_text(encoding="utf-8")
        compared = {match[1] for match in re.finditer(r"\theader\t0\tportico/(?:(\w+)/)?\w+\.h\t", written)} - {None}
        page = (ROOT / "docs/compatibility.md").read_text(encoding="utf-8")
        promises = dict(re.findall(r"^\| `portico/(\w+)` \| (none|\w+)", page, re.MULTILINE))
        self.assertEqual({name for name, promise in promises.items() if promise != "none"}, compared)
        self.assertEqual(promises["system"], "none")
        for name in api.IMPLEMENTED_BY_PLUGINS:
            self.assertIn(f"`{name.removeprefix('portico::')}`", page)

    def test_the_numbers_fit_the_headers(self):
        done = subprocess.run([CHECK], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
