#include "support/Suite.h"

#include "portico/Json.h"
#include "portico/Routes.h"

using namespace portico;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

/// A Kept in its form for clients.
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

/// Members that are replaced by the members of their JSON.
class InlinedTest : public Suite<InlinedTest>
{
    TEST(putsMembersInPlace)
    {
        equal(R"({"title":"a","x":[1],"readers":2})", written(R"({"title":"a","x":[1]})"));
        equal(R"({"readers":2})", written("{}"));
    }

    TEST(selectsAmongThem)
    {
        const std::string document = R"({"id":"1","a":"x\",\"b\":{[\\","b":{"a":[1,{"c":"}"}],"d":",]"},"c":null,"d":[[],{}]})";
        equal(R"({"id":"1","b":{"a":[1,{"c":"}"}],"d":",]"}})", written(document, {"b"}));
        equal(R"({"id":"1","a":"x\",\"b\":{[\\","d":[[],{}],"readers":2})", written(document, {"readers", "d", "a"}));
        equal(R"({"id":"1"})", written(document, {"x"}));
        equal(R"({"readers":2})", written(R"({"a":1})", {"readers"}));
        equal("{}", written(R"({"a":1})", {"document"}));
    }

    TEST(isNoMemberOfTheInput) { CPPUNIT_ASSERT_THROW(fromJson<Kept>(R"({"document":{}})"), Problem); }

    TEST(isDocumentedAsWhatItLooksLike)
    {
        const Shelf shelf;
        Routes routes;
        routes.get("/kept", access::open(), &Shelf::show, &shelf);
        const auto declared = routes.take();
        CHECK(declared.front().components->at("Shown").find("\"maxLength\":7") != std::string::npos);
        CHECK(!declared.front().components->contains("Kept"));
    }
};
