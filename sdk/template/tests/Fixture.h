#pragma once

#include "AcmeNotesPlugin.h"

#include "portico/testing/TestHost.h"

#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <string>

namespace acme_notes::tests
{

/// The plugin without a server, held against its manifest; each test has data of its own. Paths are those of the plugin's folder, where
/// ctest runs the tests.
class Fixture : public CppUnit::TestFixture
{
protected:
    using Answer = portico::testing::TestAnswer;
    using Method = portico::Method;

    static std::unique_ptr<portico::Plugin> make(portico::PluginContext& context) { return std::make_unique<AcmeNotesPlugin>(context); }

    Answer call(Method method, const std::string& target, const std::string& body = {}) const
    {
        return host.call(method, target, body, ann);
    }
    /// Creates a note and returns its id.
    std::string written(const std::string& body = R"({"title":"Shopping"})") const
    {
        const auto answer = call(Method::Post, "/api/notes", body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 201, answer.status);
        return answer.at("/id");
    }
    static void assertProblem(const Answer& answer, int status, const std::string& code)
    {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, status, answer.status);
        CPPUNIT_ASSERT_EQUAL(code, answer.at("/code"));
    }

    portico::testing::TestHost host{{}, make};
    const std::string organization = "org_01jd0000000000000000000000";
    const portico::Caller ann = portico::testing::userOf(organization, {"acme-notes.notes:read", "acme-notes.notes:write"});
};

} // namespace acme_notes::tests
