#include "crm/SourceFolders.h"

#include <boost/json.hpp>

#include <cppunit/extensions/HelperMacros.h>

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
class CrmManifestTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(CrmManifestTest);
    CPPUNIT_TEST(hasEveryPermissionAndScope);
    CPPUNIT_TEST(listsInAlphabeticalOrder);
    CPPUNIT_TEST(givesMembersWhatTheyNeed);
    CPPUNIT_TEST(opensScopesWithTheirPermissions);
    CPPUNIT_TEST(ratesRisks);
    CPPUNIT_TEST(bindsPipelinesOnly);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        std::ifstream file(manifestFile());
        _manifest = json::parse(std::string(std::istreambuf_iterator<char>(file), {})).as_object();
    }

    void hasEveryPermissionAndScope()
    {
        CPPUNIT_ASSERT_EQUAL(std::size_t{48}, permissions().size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{44}, scopes().size());
        // The names that the interface specification shows are the beginning of the catalog.
        const std::vector<std::string> shown{"activities.read",   "activities.write", "api_keys.write",    "attachments.read",
                                             "attachments.write", "commissions.read", "commissions.write", "companies.read",
                                             "companies.write",   "contacts.read",    "contacts.write",    "deals.read",
                                             "deals.write",       "documents.read",   "documents.write",   "listings.read",
                                             "listings.write",    "notes.read",       "notes.write",       "offers.read"};
        const auto all = scopes();
        CPPUNIT_ASSERT(std::equal(shown.begin(), shown.end(), all.begin()));
    }

    void listsInAlphabeticalOrder()
    {
        const auto listed = permissions(), catalog = scopes();
        CPPUNIT_ASSERT(std::is_sorted(listed.begin(), listed.end()));
        CPPUNIT_ASSERT(std::is_sorted(catalog.begin(), catalog.end()));
    }

    void givesMembersWhatTheyNeed()
    {
        std::set<std::string> expected;
        for (const auto& permission : permissions()) expected.insert(permission);
        for (const auto* kept : {"crm.contacts:export", "crm.contacts:purge", "crm.pipeline:admin", "crm.settings:write",
                                 "crm.api_keys:manage", "crm.commissions:read", "crm.commissions:write", "crm.webhooks:read",
                                 "crm.webhooks:write", "crm.workflows:read", "crm.workflows:write"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(kept, std::size_t{1}, expected.erase(kept));
        CPPUNIT_ASSERT(expected == bundle("crm-member"));
        CPPUNIT_ASSERT(bundle("crm-guest").empty());
        CPPUNIT_ASSERT(bundle("crm-admin") == std::set<std::string>{"crm.*:*"});
    }

    void opensScopesWithTheirPermissions()
    {
        CPPUNIT_ASSERT(opened("contacts.read") == (std::set<std::string>{"crm.contacts:read", "crm.contacts:export"}));
        CPPUNIT_ASSERT(opened("contacts.write") == (std::set<std::string>{"crm.contacts:write", "crm.contacts:import"}));
        CPPUNIT_ASSERT(opened("settings.write") == (std::set<std::string>{"crm.settings:write", "crm.pipeline:admin"}));
        CPPUNIT_ASSERT(opened("pipeline.write") == std::set<std::string>{"crm.pipeline:move"});
        // Every permission but the one that no key has stands behind exactly one scope.
        std::multiset<std::string> behind;
        for (const auto& scope : scopes())
            for (const auto& permission : opened(scope)) behind.insert(permission);
        for (const auto& permission : permissions())
            CPPUNIT_ASSERT_EQUAL_MESSAGE(permission, std::size_t{permission == "crm.contacts:purge" ? 0u : 1u}, behind.count(permission));
    }

    void ratesRisks()
    {
        const std::set<std::string> high{"crm.contacts:purge", "crm.pipeline:admin", "crm.settings:write", "crm.api_keys:manage"};
        for (const auto& item : _manifest.at("permissions").as_array())
        {
            const std::string name(item.at("permission").as_string());
            const bool read = name.ends_with(":read");
            CPPUNIT_ASSERT_EQUAL_MESSAGE(name,
                                         std::string(high.contains(name) ? "high"
                                                     : read              ? "low"
                                                                         : "medium"),
                                         std::string(item.at("risk").as_string()));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(name, name == "crm.contacts:purge", item.at("apiKeyExempt").as_bool());
        }
    }

    void bindsPipelinesOnly()
    {
        for (const auto& item : _manifest.at("apiKeyScopes").as_array())
        {
            const std::string name(item.at("scope").as_string());
            CPPUNIT_ASSERT_EQUAL_MESSAGE(name, name == "pipeline.read" || name == "pipeline.write",
                                         !item.at("bindable").as_array().empty());
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _manifest.at("bindableResources").as_array().size());
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(CrmManifestTest);

} // namespace portico::tests
