#!/usr/bin/python3
"""What must not compile does not, and where a sentence helps, it is the first that the compiler says."""

import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from blackbox import main  # noqa: E402

COMPILER = os.environ.get("CXX", "g++")
SOURCE = """
#include "portico/Plugin.h"
#include "portico/Select.h"
#include "portico/Table.h"
namespace demo
{{
using namespace portico;
using NoteId = Id<"not">;
struct Note : Versioned {{ NoteId id; std::string title; std::optional<std::string> remark; }};
constexpr auto schemaOf(const Note*)
{{
    return describe(field<&Note::id>().readOnly(), members<&Note::title, &Note::remark>(), versioned<Note>());
}}
struct Room {{ Id<"roo"> id; }};
constexpr auto schemaOf(const Room*) {{ return describe(field<&Room::id>()); }}
struct Plain {{ int n = 0; }};
inline constexpr Table noteTable{{"note", &Note::id}};
inline constexpr GlobalTable globalTable{{"note", &Note::id}};
struct Handlers
{{
    Note one(const Body<Note>&) const;
    Note two(const Body<Note>&, const Body<Patch<Note>>&) const;
    Plain plain() const;
    Note number(int) const;
    void change(const Body<Note>&);
}};
void f(Routes& routes, const Handlers* handlers, Session& session, Transaction& transaction, const Caller& caller, const Body<Note>& body)
{{
    static_cast<void>(session), static_cast<void>(transaction), static_cast<void>(caller), static_cast<void>(body);
    routes.put("/a", access::open(), &Handlers::one, handlers).patch("/a", access::open(), &Handlers::one, handlers);
    routes.del("/a", access::open(), &Handlers::one, handlers);
    {}
}}
}} // namespace demo
"""


def errors(line):
    """What the compiler says is wrong with a source that has the line in it."""
    command = [COMPILER, "-std=c++20", "-fsyntax-only", f"-I{ROOT}/sdk/include", "-x", "c++", "-"]
    done = subprocess.run(command, input=SOURCE.format(line), capture_output=True, text=True, timeout=300)
    return done.stderr


class Refused(unittest.TestCase):
    def test_correct_source_compiles(self):
        self.assertEqual(errors('noteTable.select(caller.tenant()).where("title = ?", std::string("a")).orderBy(&Note::title).all(session);'
                                ' noteTable.find(session, caller.tenant(), NoteId()); body.has("title"); globalTable.find(session, NoteId());'
                                ' noteTable.set(transaction, caller.tenant(), NoteId(), {Instant{}}, &Note::title, "a", &Note::version, increment);'), "")

    def test_static_assert_comes_first(self):
        for line, sentence in (('routes.post("/a", access::open(), &Handlers::two, handlers);', "A handler takes one body"),
                               ('routes.get("/a", access::open(), &Handlers::plain, handlers);', "A handler returns a described record"),
                               ('routes.get("/a", access::open(), &Handlers::number, handlers);', "A handler takes Caller, Request"),
                               ("noteTable.select(caller.tenant()).orderBy(&Note::remark);", "An order by a member that may be empty")):
            first = next((each for each in errors(line).splitlines() if "error" in each), "")
            self.assertIn(sentence, first, line)

    def test_each_of_these_is_refused(self):
        lines = ('noteTable.find(session, std::string("org_1"), NoteId());',
                 "noteTable.find(session, caller.organizationId, NoteId());",
                 'noteTable.find(session, caller.tenant(), Id<"roo">());',
                 'noteTable.select(caller.tenant()).where(&Room::id, Id<"roo">());',
                 "noteTable.select(caller.tenant()).where(&Note::title, 7);",
                 'const std::string made = "title = ?"; noteTable.select(caller.tenant()).where(made, std::string("a"));',
                 'noteTable.select(caller.tenant()).where("title = ? OR title = ?", std::string("a"));',
                 "noteTable.find(session, NoteId());",
                 "noteTable.set(transaction, NoteId(), &Note::title, std::string());",
                 "globalTable.find(session, caller.tenant(), NoteId());",
                 "noteTable.set(transaction, caller.tenant(), NoteId(), &Note::title, 7);",
                 'body.has("titel");')
        said = errors("\n".join(f'#line {1001 + number} "these"\n{line}' for number, line in enumerate(lines)))
        for number, line in enumerate(lines):
            self.assertTrue(f"these:{1001 + number}:" in said, line)
        for sentence in ("The condition has another number of ? than there are values", "There is no such member"):
            self.assertTrue(sentence in said, sentence)


if __name__ == "__main__":
    main()
