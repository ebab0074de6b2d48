#include "portico/Json.h"
#include "portico/Routes.h"

#include <cppunit/extensions/HelperMacros.h>

using namespace portico;

namespace
{

/// What a Kept looks like to a client.
struct Shown
{
    std::string title;
    std::int64_t readers = 0;
};

constexpr auto schemaOf(const Shown*) { return describe(field<&Shown::title>().maxLength(7), field<&Shown::readers>()); }

/// A record that is kept as text, with one member beside it.
struct Kept
{
    Json document;
    std::int64_t readers = 0;
};

constexpr auto schemaOf(const Kept*)
{
    return describe(field<&Kept::document>().flattened(), field<&Kept::readers>()).documentedAs<Shown>();
}

std::string written(std::string document, const FieldSelection& selection = {})
{
    const Kept kept{{std::move(document)}, 2};
    std::string out;
    detail::writeJson(out, detail::typeOf<Kept>, &kept, &selection);
    return out;
}

struct Shelf
{
    Kept show() const { return {}; }
};

} // namespace

/// Members whose JSON takes their place.
class InlinedTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(InlinedTest);
    CPPUNIT_TEST(putsMembersInPlace);
    CPPUNIT_TEST(selectsAmongThem);
    CPPUNIT_TEST(isNoMemberOfTheInput);
    CPPUNIT_TEST(isDocumentedAsWhatItLooksLike);
    CPPUNIT_TEST_SUITE_END();

public:
    void putsMembersInPlace()
    {
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"title":"a","x":[1],"readers":2})"), written(R"({"title":"a","x":[1]})"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"readers":2})"), written("{}"));
    }

    void selectsAmongThem()
    {
        const std::string document = R"({"id":"1","a":"x\",\"b\":{[\\","b":{"a":[1,{"c":"}"}],"d":",]"},"c":null,"d":[[],{}]})";
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"id":"1","b":{"a":[1,{"c":"}"}],"d":",]"}})"), written(document, {"b"}));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"id":"1","a":"x\",\"b\":{[\\","d":[[],{}],"readers":2})"),
                             written(document, {"readers", "d", "a"}));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"id":"1"})"), written(document, {"x"}));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"readers":2})"), written(R"({"a":1})", {"readers"}));
        CPPUNIT_ASSERT_EQUAL(std::string("{}"), written(R"({"a":1})", {"document"}));
    }

    void isNoMemberOfTheInput() { CPPUNIT_ASSERT_THROW(fromJson<Kept>(R"({"document":{}})"), Problem); }

    void isDocumentedAsWhatItLooksLike()
    {
        const Shelf shelf;
        Routes routes;
        routes.get("/kept", access::open(), &Shelf::show, &shelf);
        const auto declared = routes.take();
        CPPUNIT_ASSERT(declared.front().components->at("Shown").find("\"maxLength\":7") != std::string::npos);
        CPPUNIT_ASSERT(!declared.front().components->contains("Kept"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(InlinedTest);
