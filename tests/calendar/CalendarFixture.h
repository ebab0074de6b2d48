#pragma once

#include "calendar/SourceFolders.h"
#include "support/Suite.h"

#include "CalendarPlugin.h"

#include "portico/testing/TestHost.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portico::tests
{

using testing::jsonWith;

/// The started service on the engine of the run at Monday, 2026-11-23T08:00:00Z, and callers of two organizations.
class CalendarFixture : public CppUnit::TestFixture
{
public:
    void setUp() override
    {
        settings.pluginDirectory = calendarPluginFolder();
        host.reset();
        host = std::make_unique<testing::TestHost>(settings, [](PluginContext& context)
                                                   { return std::make_unique<calendar::CalendarPlugin>(context); });
        host->context().clock().jumpTo(*parseInstant("2026-11-23T08:00:00Z"));
        ada = newMember("org_" + makeUlid(Instant{}));
        stranger = newMember("org_" + makeUlid(Instant{}));
    }
    void tearDown() override { host.reset(); }

protected:
    /// A member of an organization with everything that members may do.
    static Caller newMember(const std::string& organization)
    {
        auto caller = testing::userOf(organization, {"calendar.availability:read", "calendar.availability:write", "calendar.bookings:read",
                                                     "calendar.bookings:write", "calendar.embed:issue", "calendar.event_types:read",
                                                     "calendar.event_types:write", "calendar.external_sync:read",
                                                     "calendar.external_sync:write", "calendar.host:read", "calendar.host:write"});
        caller.principalId = "usr_" + makeUlid(Instant{});
        return caller;
    }
    /// Returns the same person with an API key of an organization or of the person, with every scope.
    static Caller asKey(Caller caller, const std::string& principal)
    {
        caller.credential = CredentialKind::ApiKey;
        caller.principalId = principal;
        caller.scopes = {"availability.read", "availability.write", "bookings.read",       "bookings.write", "embed.issue",
                         "event_types.read",  "event_types.write",  "external_sync.write", "host.read",      "host.write"};
        return caller;
    }

    testing::TestAnswer get(const Caller& caller, std::string_view target) const { return call(Method::Get, target, caller); }
    testing::TestAnswer post(const Caller& caller, std::string_view target, std::string_view body) const
    {
        return call(Method::Post, target, caller, body);
    }
    testing::TestAnswer put(const Caller& caller, std::string_view target, std::string_view body) const
    {
        return call(Method::Put, target, caller, body);
    }
    testing::TestAnswer del(const Caller& caller, std::string_view target) const { return call(Method::Delete, target, caller); }
    testing::TestAnswer call(Method method, std::string_view target, const Caller& caller, std::string_view body = {}) const
    {
        return host->call(method, target, body, caller);
    }
    /// Returns the answer of a creation. Fails the test unless it is 201.
    testing::TestAnswer made(testing::TestAnswer answer) const
    {
        equal(201, answer.status, answer.body);
        return answer;
    }
    testing::TestAnswer newHost(const Caller& caller, const std::string& handle) const
    {
        return made(post(caller, "/api/admin/host", jsonWith(R"({"handle":"$","displayName":"Ada","timeZone":"Europe/Berlin"})", handle)));
    }
    testing::FakeClock& clock() const { return host->context().clock(); }

    testing::TestSettings settings;
    std::unique_ptr<testing::TestHost> host;
    Caller ada;
    Caller stranger;
};

} // namespace portico::tests
