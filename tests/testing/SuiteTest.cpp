#include "support/Suite.h"

#include <optional>
#include <string>

namespace portico::tests
{

/// The assertions of `portico/testing/Suite.h`: what a failure says, and where.
class SuiteTest : public Suite<SuiteTest>
{
    struct Answer
    {
        int status = 403;
        std::string body = "{}";
        std::string code() const { return "permission_denied"; }
    };

    template <class F>
    static CppUnit::Exception failureOf(F&& assertion)
    {
        try
        {
            assertion();
        }
        catch (const CppUnit::Exception& failure)
        {
            return failure;
        }
        CPPUNIT_FAIL("expected a failure");
    }

    TEST(failuresNameTheLineOfTheTest)
    {
        equal(__LINE__, failureOf([] { equal(1, 2); }).sourceLine().lineNumber());
        equal(__LINE__, failureOf([] { equal("a", std::string("b")); }).sourceLine().lineNumber());
        equal(__LINE__, failureOf([] { CHECK(false); }).sourceLine().lineNumber());
        equal(__LINE__, failureOf([] { refused(Answer(), 404, "not_found"); }).sourceLine().lineNumber());
        CHECK(failureOf([] { equal(1, 2); }).sourceLine().fileName().ends_with("SuiteTest.cpp"));
    }

    TEST(equalShowsBothValuesAndTheMessage)
    {
        equal("- Expected: 1\n- Actual  : 2\n- said\n", failureOf([] { equal(1, std::size_t{2}, "said"); }).message().details());
    }

    TEST(checkShowsItsExpression)
    {
        CHECK(std::optional<int>(0));
        equal("- Expression: 1 + 1 == 3\n", failureOf([] { CHECK(1 + 1 == 3); }).message().details());
    }

    TEST(refusedComparesStatusAndCode)
    {
        refused(Answer(), 403, "permission_denied");
        equal("- Expected: 404\n- Actual  : 403\n- {}\n",
              failureOf([] { refused(Answer(), 404, "permission_denied"); }).message().details());
        equal("- Expected: not_found\n- Actual  : permission_denied\n- asked\n{}\n",
              failureOf([] { refused(Answer(), 403, "not_found", "asked"); }).message().details());
    }
};

} // namespace portico::tests
