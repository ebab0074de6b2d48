#include "support/Suite.h"

#include "portico/testing/JsonWith.h"

#include <stdexcept>

namespace portico::tests
{

using testing::jsonWith;

class JsonWithTest : public Suite<JsonWithTest>
{
    TEST(textWithinStringsIsEscaped)
    {
        equal(R"({"name":"A \"B\"\n","x":"a-7@b.example"})",
              jsonWith(R"({"name":"$","x":"$-$@b.example"})", "A \"B\"\n", std::string("a"), 7));
    }
    TEST(valuesElsewhereAreUnchanged)
    {
        equal(R"({"list":["a"],"on":true,"count":3,"more":1})",
              jsonWith(R"({"list":$,"on":$,"count":$$})", R"(["a"])", true, 3, R"(,"more":1)"));
    }
    TEST(escapedQuotesDoNotEndStrings) { equal(R"({"a":"\"x\"\"","b":1})", jsonWith(R"({"a":"\"$\"","b":$})", "x\"", 1)); }
    TEST(numberOfValuesMustFit)
    {
        CPPUNIT_ASSERT_THROW(jsonWith("[$,$]", 1), std::logic_error);
        CPPUNIT_ASSERT_THROW(jsonWith("[$]", 1, 2), std::logic_error);
    }
};

} // namespace portico::tests
