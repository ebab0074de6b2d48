#pragma once

#include "AcmeNotesPlugin.h"

#include "portico/testing/Suite.h"
#include "portico/testing/TestHost.h"

#include <memory>
#include <string>

namespace acme_notes::tests
{

using portico::testing::equal;
using portico::testing::refused;
using portico::testing::Suite;

/// Runs the plugin without a server and checks it against its manifest. Each test has its own data. Paths are relative to the plugin's
/// folder, where ctest runs the tests.
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
    /// Writes a note and returns its id.
    std::string written(const std::string& body = R"({"title":"Shopping"})") const
    {
        const auto answer = call(Method::Post, "/api/notes", body);
        equal(201, answer.status, answer.body);
        return answer.at("/id");
    }

    portico::testing::TestHost host{{.config = {{"acme-notes.remindAfterSeconds", "3600"}, {"acme-notes.greetContacts", "true"}}}, make};
    const std::string organization = "org_01jd0000000000000000000000";
    const portico::Caller ann =
        portico::testing::userOf(organization, {"acme-notes.notes:read", "acme-notes.notes:write", "acme-notes.notes:assign"});
};

} // namespace acme_notes::tests
