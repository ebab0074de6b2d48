#pragma once

#include "AcmeNotesPlugin.h"

#include "portico/testing/TestHost.h"

#include <cppunit/extensions/HelperMacros.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace acme_notes::tests
{

/// The plugin on SQLite, or on the empty PostgreSQL database that the environment names. All tests share that one, so each works in an
/// organization of its own, as real users do. Paths are those of the plugin's folder, where ctest runs the tests.
class Fixture : public CppUnit::TestFixture
{
protected:
    using Response = portico::Response;
    using Method = portico::Method;

    static portico::testing::TestSettings settings()
    {
        const char* const url = std::getenv("ACME_NOTES_TEST_DATABASE");
        return {.serviceId = "acme-notes",
                .migrations = "migrations",
                .config = {{"acme-notes.widgetDays", "7"}},
                .pluginDirectory = ".",
                .databaseUrl = url ? url : ""};
    }

    Response call(Method method, const std::string& target, const std::string& body = {}) const
    {
        return host.call(method, target, body, ann);
    }
    /// Writes a note and returns its id.
    std::string written(const std::string& body = R"({"title":"Shopping"})") const
    {
        const auto answer = call(Method::Post, "/api/notes", body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 201, answer.status);
        return member(answer.body, "id");
    }
    /// The first member of that name in a JSON text.
    static std::string member(const std::string& json, const std::string& name)
    {
        const auto start = json.find("\"" + name + "\":");
        if (start == std::string::npos) return {};
        const auto value = start + name.size() + 3;
        const bool quoted = json[value] == '"';
        return quoted ? json.substr(value + 1, json.find('"', value + 1) - value - 1)
                      : json.substr(value, json.find_first_of(",}", value) - value);
    }
    static void assertProblem(const Response& answer, int status, const std::string& code)
    {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, status, answer.status);
        CPPUNIT_ASSERT_EQUAL(code, member(answer.body, "code"));
    }

    portico::testing::TestHost host{settings(), [](portico::PluginContext& context) { return std::make_unique<AcmeNotesPlugin>(context); }};
    const std::string organization = "org_" + portico::makeUlid(portico::SystemClock().now());
    const portico::Caller ann = portico::testing::userOf(organization, {"acme-notes.notes:read", "acme-notes.notes:write"});
};

} // namespace acme_notes::tests
