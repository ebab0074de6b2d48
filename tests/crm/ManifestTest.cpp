#include "crm/SourceFolders.h"
#include "support/Suite.h"

#include <boost/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace portico::tests
{

namespace json = boost::json;

/// The service's catalog as its page lists it.
class CrmManifestTest : public Suite<CrmManifestTest>
{
    void setUp() override
    {
        std::ifstream file(manifestFile());
        _manifest = json::parse(std::string(std::istreambuf_iterator<char>(file), {})).as_object();
    }

    TEST(hasEveryPermissionAndScope)
    {
        equal(48, permissions().size());
        equal(44, scopes().size());
        // The names that the interface specification shows are the beginning of the catalog.
        const std::vector<std::string> shown{"activities.read",   "activities.write", "api_keys.write",    "attachments.read",
                                             "attachments.write", "commissions.read", "commissions.write", "companies.read",
                                             "companies.write",   "contacts.read",    "contacts.write",    "deals.read",
                                             "deals.write",       "documents.read",   "documents.write",   "listings.read",
                                             "listings.write",    "notes.read",       "notes.write",       "offers.read"};
        const auto all = scopes();
        CHECK(std::equal(shown.begin(), shown.end(), all.begin()));
    }

    TEST(listsInAlphabeticalOrder)
    {
        const auto listed = permissions(), catalog = scopes();
        CHECK(std::is_sorted(listed.begin(), listed.end()));
        CHECK(std::is_sorted(catalog.begin(), catalog.end()));
    }

    TEST(givesMembersWhatTheyNeed)
    {
        std::set<std::string> expected;
        for (const auto& permission : permissions()) expected.insert(permission);
        for (const auto* kept : {"crm.contacts:export", "crm.contacts:purge", "crm.pipeline:admin", "crm.settings:write",
                                 "crm.api_keys:manage", "crm.commissions:read", "crm.commissions:write", "crm.webhooks:read",
                                 "crm.webhooks:write", "crm.workflows:read", "crm.workflows:write"})
            equal(1, expected.erase(kept), kept);
        CHECK(expected == bundle("crm-member"));
        CHECK(bundle("crm-guest").empty());
        CHECK(bundle("crm-admin") == std::set<std::string>{"crm.*:*"});
    }

    TEST(opensScopesWithTheirPermissions)
    {
        CHECK(opened("contacts.read") == (std::set<std::string>{"crm.contacts:read", "crm.contacts:export"}));
        CHECK(opened("contacts.write") == (std::set<std::string>{"crm.contacts:write", "crm.contacts:import"}));
        CHECK(opened("settings.write") == (std::set<std::string>{"crm.settings:write", "crm.pipeline:admin"}));
        CHECK(opened("pipeline.write") == std::set<std::string>{"crm.pipeline:move"});
        // Every permission belongs to exactly one scope, except the one that keys cannot have.
        std::multiset<std::string> behind;
        for (const auto& scope : scopes())
            for (const auto& permission : opened(scope)) behind.insert(permission);
        for (const auto& permission : permissions())
            equal(std::size_t{permission == "crm.contacts:purge" ? 0u : 1u}, behind.count(permission), permission);
    }

    TEST(ratesRisks)
    {
        const std::set<std::string> high{"crm.contacts:purge", "crm.pipeline:admin", "crm.settings:write", "crm.api_keys:manage"};
        for (const auto& item : _manifest.at("permissions").as_array())
        {
            const std::string name(item.at("permission").as_string());
            const bool read = name.ends_with(":read");
            equal(std::string(high.contains(name) ? "high" : read ? "low" : "medium"), std::string(item.at("risk").as_string()), name);
            equal(name == "crm.contacts:purge", item.at("apiKeyExempt").as_bool(), name);
        }
    }

    TEST(bindsPipelinesOnly)
    {
        for (const auto& item : _manifest.at("apiKeyScopes").as_array())
        {
            const std::string name(item.at("scope").as_string());
            equal(name == "pipeline.read" || name == "pipeline.write", !item.at("bindable").as_array().empty(), name);
        }
        equal(1, _manifest.at("bindableResources").as_array().size());
    }

    std::vector<std::string> names(std::string_view list, std::string_view member) const
    {
        std::vector<std::string> found;
        for (const auto& item : _manifest.at(list).as_array()) found.emplace_back(item.at(member).as_string());
        return found;
    }
    std::vector<std::string> permissions() const { return names("permissions", "permission"); }
    std::vector<std::string> scopes() const { return names("apiKeyScopes", "scope"); }

    std::set<std::string> permissionsOf(std::string_view list, std::string_view member, std::string_view name) const
    {
        std::set<std::string> found;
        for (const auto& item : _manifest.at(list).as_array())
            if (item.at(member).as_string() == name)
                for (const auto& permission : item.at("permissions").as_array()) found.emplace(permission.as_string());
        return found;
    }
    std::set<std::string> bundle(std::string_view id) const { return permissionsOf("roleBundles", "id", id); }
    std::set<std::string> opened(std::string_view scope) const { return permissionsOf("apiKeyScopes", "scope", scope); }

    json::object _manifest;
};

} // namespace portico::tests
