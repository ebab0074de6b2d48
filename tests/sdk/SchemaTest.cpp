#include "sdk/Demo.h"
#include "support/Suite.h"

#include "portico/Json.h"

#include <boost/json.hpp>

#include <set>
#include <string_view>

using namespace portico;
using demo::Note;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

/// A type with a custom parser.
struct Day
{
    std::string day;
    static std::optional<Day> parse(std::string_view text)
    {
        return text == "2026-02-28" ? std::optional(Day{std::string(text)}) : std::nullopt;
    }
    const std::string& text() const { return day; }
};

struct Visit
{
    Day from;
    Day to;
    std::optional<Day> seen;
    demo::NoteId noteId;
};

constexpr auto schemaOf(const Visit*)
{
    return describe(field<&Visit::from>().date(), field<&Visit::seen>().date(),
                    field<&Visit::to>().matches([](std::string_view) { return true; }, "invalid_day", "a day"), field<&Visit::noteId>());
}

struct Painted
{
    demo::Colour colour = demo::Colour::Green;
    int coats = 2;
    bool dry = true;
};
constexpr auto schemaOf(const Painted*)
{
    return describe(field<&Painted::colour>().clearable(), field<&Painted::coats>().clearable(), field<&Painted::dry>().clearable());
}

struct Wrapped
{
    std::map<std::string, Json> values;
};
constexpr auto schemaOf(const Wrapped*) { return describe(field<&Wrapped::values>()); }

template <class T>
struct Boxed
{
    T content{};
    friend constexpr auto schemaOf(const Boxed*) { return describe(field<&Boxed::content>()); }
};
struct Named : Visit
{
    int count = 0;
    Boxed<std::map<std::string, int>> boxed;
    bool renamed = false;
};
constexpr auto schemaOf(const Named*)
{
    return describe(members<&Named::noteId, &Named::count, &Named::boxed>(), field<&Named::renamed>("other_name"));
}
struct Extended : Painted
{
    std::string by;
};
constexpr auto schemaOf(const Extended*) { return describe(field<&Extended::by>().required(), inherited<Painted>()); }

/// `code field:code,…` of the problem that reading a text as a Note gives, or "none".
template <class T = Note>
std::string faultOf(std::string_view text)
{
    try
    {
        fromJson<T>(text);
        return "none";
    }
    catch (const Problem& problem)
    {
        std::string out = problem.code();
        for (const auto& error : problem.errors()) out += ' ' + error.field + ':' + error.code;
        return out;
    }
}

Note merged(Note note, std::string_view patch)
{
    detail::readJson(patch, detail::typeOf<Note>, &note, detail::ReadMode::Merge);
    validate(note);
    return note;
}

} // namespace

class SchemaTest : public Suite<SchemaTest>
{
    TEST(namesMembersAfterTheirPointers)
    {
        std::string names;
        fieldsOf<Named>().apply([&](const auto&... fields) { ((names += std::string(fields.name) + ' '), ...); });
        equal("noteId count boxed other_name ", names);
        Named named;
        named.boxed.content["a"] = 1;
        equal(R"({"content":{"a":1}})", toJson(named.boxed));
    }

    TEST(insertsMembersOfABase)
    {
        const Extended extended{{demo::Colour::Red, 3, false}, "ann"};
        equal(R"({"by":"ann","colour":"red","coats":3,"dry":false})", toJson(extended));
        // Rules of its members hold, too.
        equal(0, fromJson<Extended>(R"({"by":"bo","coats":null})").coats);
        equal("validation_failed by:required", faultOf<Extended>(R"({"dry":true})"));
    }
    TEST(readsEveryKindOfMember)
    {
        const auto note =
            fromJson<Note>(R"({"title":"a","link":{"url":"https://x.org/","weight":3},"links":[{"url":"http://y.org"}],"tags":["x","y"],
            "custom":{"k":[1,{"a":null}],"s":"t"},"colour":"green","due":"2026-11-21T10:00:00+01:00","ratio":0.5,"secret":"s"})");
        equal(3, note.link->weight);
        equal("http://y.org", note.links.at(0).url);
        equal(2, note.tags.size());
        equal(R"([1,{"a":null}])", note.custom.at("k").text);
        equal(R"("t")", note.custom.at("s").text);
        CHECK(note.colour == demo::Colour::Green);
        equal("2026-11-21T09:00:00.000Z", toString(*note.due));
        equal(0.5, note.ratio);
    }

    TEST(writesWhatItReads)
    {
        Note note;
        note.id = demo::NoteId::make(Instant{});
        note.title = "t";
        note.secret = "never";
        note.tenant = "never";
        note.custom["k"] = Json{"{\"a\":[true,1.5]}"};
        const auto text = toJson(note);
        const auto parsed = boost::json::parse(text).as_object();
        CHECK(!parsed.contains("secret") && !parsed.contains("tenant"));
        CHECK(parsed.at("link").is_null() && parsed.at("due").is_null());
        equal(text, toJson(merged(note, text)));
    }

    TEST(writesSomeMembers)
    {
        Note note;
        note.id = demo::NoteId::make(Instant{});
        note.title = "t";
        std::string out = "before ";
        appendJson(out, note, {"pinned", "title"});
        equal(std::string(R"(before {"id":")") + note.id.text() + R"(","title":"t","pinned":false})", out);
        out.clear();
        appendJson(out, note, {});
        equal(toJson(note), out);
    }

    TEST(parsesWithoutCheckingRules)
    {
        Note note;
        note.email = "was there";
        // Neither the length of the title nor the record's own rule is looked at; what is not named stays.
        const auto named = parseJson(R"({"title":"t","pinned":true,"colour":"green","link":null,"tags":["longer than five"]})", note);
        equal("was there", note.email);
        CHECK(note.pinned && !note.link && note.tags.size() == 1);
        const std::set<std::string_view> names(named.begin(), named.end());
        CHECK((names == std::set<std::string_view>{"title", "pinned", "colour", "link", "tags"}));
        CPPUNIT_ASSERT_THROW(validate(note), Problem);
        for (const auto* text : {"{", R"({"titel":"a"})", R"({"title":1})"}) CPPUNIT_ASSERT_THROW(parseJson(text, note), Problem);
    }

    TEST(keepsNoHalfOfAText)
    {
        for (const auto* text :
             {R"({"values":{"a":[1],"b":[1,[2)", R"({"values":{"a":[1],"b":[1,,2]}})", R"({"values":{"a":[1],"b":{"x":nope}}})"})
        {
            Wrapped kept;
            CPPUNIT_ASSERT_THROW(parseJson(text, kept), Problem);
            equal(R"({"values":{"a":[1],"b":null}})", toJson(kept));
        }
    }

    TEST(readsWhatWasStored)
    {
        // Stored by a newer version, and without a required member.
        const auto note = fromStoredJson<Note>(R"({"pinned":true,"later":[1],"version":7})");
        CHECK(note.pinned && note.title.empty());
        equal(7, note.version);
        CPPUNIT_ASSERT_THROW(fromStoredJson<Note>("{"), Problem);
    }

    TEST(refusesTextThatIsNoJson)
    {
        for (const char* text : {"", "{", "{\"title\":\"a\"} x", "{\"title\":\"a\",\"title\":\"b\"}", "{\"title\":\"\\u0000\"}",
                                 "{\"title\":\"\xff\"}", "{'title':1}", "{\"x\":1,\"x\":2}", "{\"custom\":{\"a\":{\"k\":1,\"k\":2}}}",
                                 "{\"custom\":{\"a\":1,\"a\":2}}", "nul", "{\"title\":\"a\",}"})
            equal("invalid_json", faultOf(text), text);
    }

    TEST(namesEveryFaultWithItsPath)
    {
        equal("validation_failed title:required", faultOf("{}"));
        equal("validation_failed title:required", faultOf(R"({"title":null})"));
        equal("validation_failed pinned:required", faultOf(R"({"title":"a","pinned":null})"));
        equal("validation_failed ratio:required", faultOf(R"({"title":"a","ratio":null})"));
        equal("validation_failed link.weight:required", faultOf(R"({"title":"a","link":{"url":"http://a","weight":null}})"));
        equal("validation_failed colour:required", faultOf(R"({"title":"a","colour":null})"));
        equal("validation_failed title:required", faultOf(R"({"title":""})"));
        equal("validation_failed :wrong_type", faultOf("[]"));
        equal("validation_failed :wrong_type", faultOf("null"));
        equal("validation_failed links[1].url:required links[1].weight:wrong_type title:required",
              sortedFaults(R"({"links":[{"url":"http://a.b"},{"weight":"x"}]})"));
        equal("validation_failed title:too_long tags:too_many_values tags[1]:too_long",
              faultOf(R"({"title":"12345678901","tags":["a","bbbbbb","c","d"]})"));
        equal("validation_failed colour:unknown_option", faultOf(R"({"title":"a","colour":"blue"})"));
        equal("validation_failed due:invalid_instant", faultOf(R"({"title":"a","due":"yesterday"})"));
        equal("validation_failed link.weight:out_of_range", faultOf(R"({"title":"a","link":{"url":"http://a","weight":99999999999}})"));
        equal("validation_failed tags[0]:wrong_type", faultOf(R"({"title":"a","tags":[null]})"));
    }

    TEST(namesWhatATextShouldHaveBeen)
    {
        equal("none", faultOf<Visit>(R"({"from":"2026-02-28","to":"2026-02-28","seen":"2026-02-28"})"));
        equal("validation_failed from:invalid_date seen:invalid_date to:invalid_day noteId:invalid_id",
              faultOf<Visit>(R"({"from":"2026-02-30","seen":"","to":"2026-02-30","noteId":"2026-02-30"})"));
    }

    TEST(distinguishesUnknownMembers)
    {
        equal("unknown_field titel:unknown_field title:required", faultOf(R"({"titel":"a"})"));
        equal("unknown_field link.x:unknown_field", faultOf(R"({"title":"a","link":{"url":"http://a","x":{"deep":[1]}}})"));
        equal("unknown_field tenant:unknown_field", faultOf(R"({"title":"a","tenant":"other"})"));
    }

    TEST(ignoresReadOnlyMembers)
    {
        const auto note = fromJson<Note>(R"({"title":"a","version":99,"id":{"any":"thing"}})");
        equal(1, note.version);
        CHECK(note.id.empty());
    }

    TEST(checksRulesOfRecords) { equal("validation_failed pinned:not_green", faultOf(R"({"title":"a","pinned":true,"colour":"green"})")); }

    TEST(mergesByRfc7396)
    {
        auto note = fromJson<Note>(
            R"({"title":"a","email":"a@b.org","link":{"url":"http://a","weight":3},"tags":["x"],"custom":{"a":1,"b":2},"pinned":true})");
        auto changed = merged(note, R"({"link":{"weight":4},"tags":["y","z"],"custom":{"a":null,"c":3}})");
        equal("http://a", changed.link->url);
        equal(4, changed.link->weight);
        CPPUNIT_ASSERT_THROW(merged(note, "null"), Problem);
        equal("y", changed.tags.at(0));
        CHECK(!changed.custom.contains("a") && changed.custom.contains("b") && changed.custom.contains("c"));
        CHECK(changed.pinned && changed.email == "a@b.org");
        changed = merged(note, R"({"link":null,"email":null,"tags":null})");
        CHECK(!changed.link && changed.email.empty() && changed.tags.empty());
        CPPUNIT_ASSERT_THROW(merged(note, R"({"title":null})"), Problem);
        // Not even the members that are read only would be left.
        CPPUNIT_ASSERT_THROW(merged(note, "null"), Problem);
        // Members without an empty value are not cleared.
        for (const char* member : {"colour", "pinned", "ratio"})
            CPPUNIT_ASSERT_THROW_MESSAGE(member, merged(note, "{\"" + std::string(member) + "\":null}"), Problem);
        const auto painted = fromJson<Painted>(R"({"colour":null,"coats":null,"dry":null})");
        CHECK(painted.colour == demo::Colour::Red && painted.coats == 0 && !painted.dry);
        // A record that was not there before must be whole.
        note.link.reset();
        CPPUNIT_ASSERT_THROW(merged(note, R"({"link":{"weight":4}})"), Problem);
    }

    TEST(escapesStrings)
    {
        std::string out;
#ifndef NDEBUG
        // A character that was cut, a byte that begins none, a half of a pair, a longer form than needed.
        for (const std::string_view bad : {"\xc3", "caf\xc3 x", "a\xff", "\xed\xa0\x80", "\xc0\xaf"})
        {
            std::string broken;
            CPPUNIT_ASSERT_THROW_MESSAGE(std::string(bad), appendJsonString(broken, bad), std::logic_error);
        }
#endif
        appendJsonString(out, "a\"\\\n\x01\x7f\xc3\xa9");
        equal("\"a\\\"\\\\\\n\\u0001\\u007f\xc3\xa9\"", out);
    }

    TEST(selectsFields)
    {
        Note note;
        note.id = demo::NoteId::make(Instant{});
        note.title = "t";
        std::string out;
        const FieldSelection fields{"title"};
        detail::writeJson(out, detail::typeOf<Note>, &note, &fields);
        equal("{\"id\":\"" + note.id.text() + "\",\"title\":\"t\"}", out);
    }

    TEST(limitsDepth)
    {
        const auto nested = [](int depth)
        {
            std::string text;
            for (int i = 0; i < depth; ++i) text += "{\"name\":\"n\",\"children\":[";
            for (int i = 0; i < depth; ++i) text += "]}";
            return text;
        };
        equal(1, fromJson<demo::Tree>(nested(16)).children.size());
        CPPUNIT_ASSERT_THROW(fromJson<demo::Tree>(nested(17)), Problem);
        equal("invalid_json", faultOf(std::string(100000, '[')));
    }

    TEST(knowsEmailsAndUrls)
    {
        for (const char* good : {"a@b.org", "first.last+tag@sub.example.co", "\xc3\xbc@b\xc3\xbc.de"})
            equal("none", faultOf(std::string(R"({"title":"a","email":")") + good + "\"}"), good);
        for (const char* bad :
             {"a", "@b.org", "a@", "a@b", "a b@c.org", "a@b..org", ".a@b.org", "a@-b.org", "a@b.org ", "a@@b.org", "a@b.org\\n"})
            equal("validation_failed email:invalid_email", faultOf(std::string(R"({"title":"a","email":")") + bad + "\"}"), bad);
        for (const char* bad : {"ftp://a", "http://", "javascript:alert(1)", "http://a b", "http://user@host/", "//x"})
            equal("validation_failed link.url:invalid_url", faultOf(std::string(R"({"title":"a","link":{"url":")") + bad + "\"}}"), bad);
    }

    static std::string sortedFaults(std::string_view text)
    {
        try
        {
            fromJson<Note>(text);
        }
        catch (const Problem& problem)
        {
            std::vector<std::string> all;
            for (const auto& error : problem.errors()) all.push_back(error.field + ':' + error.code);
            std::sort(all.begin(), all.end());
            std::string out = problem.code();
            for (const auto& one : all) out += ' ' + one;
            return out;
        }
        return "none";
    }
};
