#include "launchpad/LaunchpadFixture.h"

#include <map>
#include <set>
#include <string>

namespace portico::tests
{

/// The manifest as the page of the service describes it.
class LaunchpadManifestTest : public Suite<LaunchpadManifestTest, LaunchpadFixture>
{
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

    TEST(hasTwelveScopes)
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
        equal(expected.size(), scopes.size());
        for (const auto& scope : scopes)
        {
            Names found;
            for (const auto& permission : scope.at("permissions").as_array()) found.emplace(permission.as_string());
            CHECK(full(expected.at(std::string(scope.at("scope").as_string()))) == found);
            CHECK(scope.at("bindable").as_array().empty());
        }
    }

    TEST(givesRolesWhatThePageSays)
    {
        Names guests = {"apps:read", "workspace:read", "launches:create", "widgets:read", "preferences:manage"};
        CHECK(full(guests) == permissions("guest"));
        Names members = guests;
        members.insert({"apps:request", "actions:read", "notifications:read", "notifications:manage", "households:manage"});
        CHECK(full(members) == permissions("member"));
        Names admins = members;
        admins.insert({"apps:install", "assignments:read", "assignments:manage", "actions:resolve", "actions:create", "launches:read",
                       "settings:read", "settings:manage", "api_keys:read", "api_keys:manage", "billing:read"});
        CHECK(full(admins) == permissions("admin"));
        CHECK(full(admins) == permissions("super_admin"));
        Names owners = admins;
        owners.insert("billing:manage");
        CHECK(full(owners) == permissions("owner"));
    }

    TEST(exemptsFromKeysWhatHasNoScope)
    {
        Names opened, exempt, all;
        for (const auto& scope : manifest.at("apiKeyScopes").as_array())
            for (const auto& permission : scope.at("permissions").as_array()) opened.emplace(permission.as_string());
        for (const auto& permission : manifest.at("permissions").as_array())
        {
            all.emplace(permission.at("permission").as_string());
            if (permission.at("apiKeyExempt").as_bool()) exempt.emplace(permission.at("permission").as_string());
        }
        equal(23, all.size());
        CHECK(full({"launches:create", "households:manage", "billing:read", "billing:manage", "marketing:manage"}) == exempt);
        for (const auto& permission : all) CHECK(opened.contains(permission) != exempt.contains(permission));
    }

    TEST(servesBothContexts)
    {
        CHECK(manifest.at("contexts") == (boost::json::array{"organization", "personal"}));
        CHECK(manifest.at("surface_group") == "platform" && manifest.at("surface_kind") == "application");
        CHECK(manifest.at("launchUrl") == "/dashboard" && manifest.at("callbackUrls") == boost::json::array{"/auth/callback"});
        CHECK(manifest.at("launchable").as_bool() && manifest.at("household_capable").as_bool());
        CHECK(manifest.at("widget").at("widgets").as_array().at(0).at("id") == "overview");
        const auto& step = manifest.at("onboarding").at("steps").as_array().at(0);
        CHECK(step.at("id") == "organization" && step.at("required").as_bool());
    }

    TEST(startsAgainOnItsData)
    {
        host->reload();
        equal(0, *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM action"));
    }

    TEST(reportsIdentityAsOptional)
    {
        for (const auto& check : host->plugin().health()) CHECK(!check.neededToServe);
        CHECK(host->plugin().health().at(0).healthy);
        host->context().services().withdraw(interfaces::Directory::interfaceName);
        CHECK(!host->plugin().health().at(0).healthy);
    }
};

} // namespace portico::tests
