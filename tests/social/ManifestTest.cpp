#include "social/SocialFixture.h"

#include <boost/json.hpp>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

namespace portico::tests
{

namespace json = boost::json;

/// The catalog of the service as its page lists it.
class SocialManifestTest : public Suite<SocialManifestTest>
{
    void setUp() override
    {
        std::ifstream file(socialPluginFolder() + "/manifest.json");
        manifest = json::parse(std::string(std::istreambuf_iterator<char>(file), {})).as_object();
    }

    TEST(hasTheNineScopes)
    {
        const std::map<std::string, std::set<std::string>> expected = {
            {"accounts.read", {"social.accounts:read"}},
            {"accounts.write", {"social.accounts:write"}},
            {"analytics.read", {"social.content:read"}},
            {"api_keys.write", {"social.api_keys:manage"}},
            {"calendar.read", {"social.content:read"}},
            {"calendar.write", {"social.content:write"}},
            {"dashboard.read", {"social.posts:read"}},
            {"posts.read", {"social.content:read"}},
            {"posts.write", {"social.content:write", "social.content:approve"}},
        };
        std::map<std::string, std::set<std::string>> found;
        for (const auto& scope : manifest.at("apiKeyScopes").as_array())
            for (const auto& permission : scope.at("permissions").as_array())
                found[std::string(scope.at("scope").as_string())].emplace(permission.as_string());
        CHECK(expected == found);
    }

    TEST(givesMembersWhatThePageSays)
    {
        std::set<std::string> all, exempt, member;
        for (const auto& permission : manifest.at("permissions").as_array())
        {
            all.emplace(permission.at("permission").as_string());
            if (permission.at("apiKeyExempt").as_bool()) exempt.emplace(permission.at("permission").as_string());
        }
        for (const auto& permission : bundle("social-member")) member.emplace(permission.as_string());
        equal(15, all.size());
        for (const auto* kept :
             {"content:approve", "ai:override_model", "accounts:write", "brands:write", "brands:transfer", "api_keys:manage"})
            equal(1, all.erase("social." + std::string(kept)), kept);
        CHECK(all == member);
        CHECK(bundle("social-guest").empty());
        CHECK(bundle("social-admin") == json::array{"social.*:*"});
        CHECK(exempt ==
              (std::set<std::string>{"social.ai:generate", "social.ai:override_model", "social.brands:read", "social.brands:transfer",
                                     "social.brands:write", "social.media:read", "social.media:write", "social.posts:write"}));
    }

    TEST(bindsBrandsOnEveryScopeButOne)
    {
        for (const auto& scope : manifest.at("apiKeyScopes").as_array())
            equal(scope.at("scope") != "api_keys.write", scope.at("bindable") == json::array{"brand"});
        equal(1, manifest.at("bindableResources").as_array().size());
    }

    TEST(offersTheWidgetToOrganizations)
    {
        CHECK(manifest.at("contexts") == json::array{"organization"});
        CHECK(manifest.at("categories") == json::array{"marketing"});
        CHECK(manifest.at("surface_group") == "business" && manifest.at("surface_kind") == "application");
        CHECK(manifest.at("launchUrl") == "/" && !manifest.at("household_capable").as_bool());
        CHECK(manifest.at("widget").at("widgets").as_array().at(0).at("id") == "overview");
    }

    json::array bundle(std::string_view id) const
    {
        for (const auto& each : manifest.at("roleBundles").as_array())
            if (each.at("id").as_string() == id) return each.at("permissions").as_array();
        return {"missing"};
    }

    json::object manifest;
};

} // namespace portico::tests
