#include "catalog/IdPattern.h"
#include "support/Suite.h"

#include <string>
#include <utility>

namespace portico::tests
{

/// Patterns of ids in manifests: matches, invalid syntax, and bounded time for any pattern.
class IdPatternTest : public Suite<IdPatternTest>
{
    TEST(takesIdsOfTheForm)
    {
        const auto ulid = "pip_" + std::string(26, 'a');
        for (const auto& [pattern, id] : {std::pair<std::string, std::string>{"^pip_[0-9a-z]{26}$", ulid},
                                          {R"(^\d+$)", "4711"},
                                          {R"(^\w+\.\w{2,3}$)", "a_9.de"},
                                          {"^prj-[a-z0-9-]{1,40}$", "prj-a-1"},
                                          {"^[^/]*$", ""},
                                          {"^a?b*c{2,}$", "ccc"},
                                          {"^nte_", "nte_1"},
                                          {"1$", "nte_1"},
                                          {R"(\$)", "a$b"},
                                          {"^...$", "a%b"}})
            CPPUNIT_ASSERT_MESSAGE(pattern, matches(pattern, id));
        for (const auto& [pattern, id] : {std::pair<std::string, std::string>{"^pip_[0-9a-z]{26}$", ulid + "a"},
                                          {"^pip_[0-9a-z]{26}$", "x" + ulid},
                                          {R"(^\d+$)", ""},
                                          {R"(^\d+$)", "4711a"},
                                          {R"(^\w+\.\w{2,3}$)", "a9xde"},
                                          {"^prj-[a-z0-9-]{1,40}$", "prj-" + std::string(41, 'a')},
                                          {"^[^/]*$", "a/b"},
                                          {"^a?b*c{2,}$", "aabcc"},
                                          {"^nte_", "ote_1"}})
            CPPUNIT_ASSERT_MESSAGE(pattern, !matches(pattern, id));
    }

    TEST(refusesWhatIsMore)
    {
        for (const auto* pattern : {"^(a|b)$", "a|b", "(?:a)", "^a**$", "^{3}$", "^a{3,2}$", "^a{1001}$", "^a{600}b{600}$", "^a{,3}$",
                                    "^a{3$", "^[a-z$", "^[]$", "^[z-a]$", R"(^\b$)", R"(^\)", R"(^a\1$)", "^a$b$"})
            CPPUNIT_ASSERT_MESSAGE(pattern, !identity::IdPattern::parse(pattern));
    }

    /// Patterns for which a backtracking engine takes exponential time.
    TEST(costsNoMoreThanItsLength)
    {
        std::string pattern = "^";
        for (int i = 0; i < 60; ++i) pattern += "a*";
        CHECK(!matches(pattern + "$", std::string(200, 'a') + "b"));
        CHECK(matches(pattern + "$", std::string(200, 'a')));
    }

    static bool matches(const std::string& pattern, const std::string& id)
    {
        const auto parsed = identity::IdPattern::parse(pattern);
        CPPUNIT_ASSERT_MESSAGE(pattern, parsed.has_value());
        return parsed->matches(id);
    }
};

} // namespace portico::tests
