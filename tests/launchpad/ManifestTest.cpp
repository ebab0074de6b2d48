#include "launchpad/LaunchpadFixture.h"

#include <map>
#include <set>
#include <string>

namespace portico::tests
{

/// The manifest as the page of the service describes it.
class LaunchpadManifestTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(LaunchpadManifestTest);
    CPPUNIT_TEST(hasTwelveScopes);
    CPPUNIT_TEST(givesRolesWhatThePageSays);
    CPPUNIT_TEST(exemptsFromKeysWhatHasNoScope);
    CPPUNIT_TEST(servesBothContexts);
    CPPUNIT_TEST(startsAgainOnItsData);
    CPPUNIT_TEST(reportsIdentityAsOptional);
    CPPUNIT_TEST_SUITE_END();

public:
    using Names = std::set<std::string>;

    static Names full(const Names& names)
    {
        Names all;
        for (const auto& name : names) all.insert("launchpad." + name);
        return all;
    }
    Names permissions(std::string_view role) const
    {
        const auto all = permissionsOf(role);
        return {all.begin(), all.end()};
    }

    void hasTwelveScopes()
    {
        const std::map<std::string, Names> expected = {
            {"apps.read", {"apps:read", "assignments:read"}},
            {"apps.write", {"apps:install", "apps:request", "assignments:manage"}},
            {"dashboard.read", {"workspace:read"}},
            {"launches.read", {"launches:read"}},
            {"widgets.read", {"widgets:read"}},
            {"notifications.read", {"notifications:read"}},
            {"notifications.write", {"notifications:manage"}},
            {"settings.read", {"preferences:manage", "settings:read"}},
            {"settings.write", {"preferences:manage", "settings:manage"}},
            {"workflows.read", {"actions:read"}},
            {"workflows.write", {"actions:create", "actions:resolve"}},
            {"api_keys.write", {"api_keys:manage", "api_keys:read"}},
        };
        const auto& scopes = manifest.at("apiKeyScopes").as_array();
        CPPUNIT_ASSERT_EQUAL(expected.size(), scopes.size());
        for (const auto& scope : scopes)
        {
            Names found;
            for (const auto& permission : scope.at("permissions").as_array()) found.emplace(permission.as_string());
            CPPUNIT_ASSERT(full(expected.at(std::string(scope.at("scope").as_string()))) == found);
            CPPUNIT_ASSERT(scope.at("bindable").as_array().empty());
        }
    }

    void givesRolesWhatThePageSays()
    {
        Names guests = {"apps:read", "workspace:read", "launches:create", "widgets:read", "preferences:manage"};
        CPPUNIT_ASSERT(full(guests) == permissions("guest"));
        Names members = guests;
        members.insert({"apps:request", "actions:read", "notifications:read", "notifications:manage", "households:manage"});
        CPPUNIT_ASSERT(full(members) == permissions("member"));
        Names admins = members;
        admins.insert({"apps:install", "assignments:read", "assignments:manage", "actions:resolve", "actions:create", "launches:read",
                       "settings:read", "settings:manage", "api_keys:read", "api_keys:manage", "billing:read"});
        CPPUNIT_ASSERT(full(admins) == permissions("admin"));
        CPPUNIT_ASSERT(full(admins) == permissions("super_admin"));
        Names owners = admins;
        owners.insert("billing:manage");
        CPPUNIT_ASSERT(full(owners) == permissions("owner"));
    }

    void exemptsFromKeysWhatHasNoScope()
    {
        Names opened, exempt, all;
        for (const auto& scope : manifest.at("apiKeyScopes").as_array())
            for (const auto& permission : scope.at("permissions").as_array()) opened.emplace(permission.as_string());
        for (const auto& permission : manifest.at("permissions").as_array())
        {
            all.emplace(permission.at("permission").as_string());
            if (permission.at("apiKeyExempt").as_bool()) exempt.emplace(permission.at("permission").as_string());
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{23}, all.size());
        CPPUNIT_ASSERT(full({"launches:create", "households:manage", "billing:read", "billing:manage", "marketing:manage"}) == exempt);
        for (const auto& permission : all) CPPUNIT_ASSERT(opened.contains(permission) != exempt.contains(permission));
    }

    void servesBothContexts()
    {
        CPPUNIT_ASSERT(manifest.at("contexts") == (boost::json::array{"organization", "personal"}));
        CPPUNIT_ASSERT(manifest.at("surface_group") == "platform" && manifest.at("surface_kind") == "application");
        CPPUNIT_ASSERT(manifest.at("launchUrl") == "/dashboard" && manifest.at("callbackUrls") == boost::json::array{"/auth/callback"});
        CPPUNIT_ASSERT(manifest.at("launchable").as_bool() && manifest.at("household_capable").as_bool());
        CPPUNIT_ASSERT(manifest.at("widget").at("widgets").as_array().at(0).at("id") == "overview");
        const auto& step = manifest.at("onboarding").at("steps").as_array().at(0);
        CPPUNIT_ASSERT(step.at("id") == "organization" && step.at("required").as_bool());
    }

    void startsAgainOnItsData()
    {
        host->reload();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM action"));
    }

    void reportsIdentityAsOptional()
    {
        for (const auto& check : host->plugin().health()) CPPUNIT_ASSERT(!check.neededToServe);
        CPPUNIT_ASSERT(host->plugin().health().at(0).healthy);
        host->context().services().withdraw(interfaces::Directory::interfaceName);
        CPPUNIT_ASSERT(!host->plugin().health().at(0).healthy);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LaunchpadManifestTest);

} // namespace portico::tests
