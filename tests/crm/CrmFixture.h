#pragma once

#include "crm/CrmClient.h"
#include "crm/SourceFolders.h"
#include "support/Suite.h"

#include "CrmPlugin.h"

#include "portico/interfaces/Directory.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace portico::tests
{

/// Members of organizations, as identity would know them.
class FakeDirectory final : public interfaces::Directory
{
public:
    std::optional<interfaces::DirectoryMember> member(Tenant organization, std::string_view userId) override
    {
        const auto found = members.find({std::string(organization.text()), std::string(userId)});
        if (found == members.end()) return std::nullopt;
        interfaces::DirectoryMember member;
        member.userId = userId;
        member.active = found->second;
        return member;
    }
    std::optional<interfaces::DirectoryMember> memberByEmail(Tenant organization, std::string_view email) override
    {
        const auto found = emails.find(std::string(email));
        return found == emails.end() ? std::nullopt : member(organization, found->second);
    }
    /// Organization and user; active or not.
    std::map<std::pair<std::string, std::string>, bool> members;
    /// E-mail address to user.
    std::map<std::string, std::string> emails;
};

using Names = std::vector<std::string>;

/// The started service on the engine of the run at 2026-11-21T09:00:00Z, and callers of two organizations.
class CrmFixture : public CppUnit::TestFixture
{
public:
    void setUp() override
    {
        settings.pluginDirectory = pluginFolder();
        settings.config = {{"crm.attachments.maxMebibytes", "1"}, {"crm.currency", "EUR"}};
        start();
        owner = newCaller();
        stranger = newCaller();
    }

    void tearDown() override
    {
        client.reset();
        host.reset();
    }

protected:
    /// Starts the service with the current settings on an empty database.
    void start()
    {
        CrmFixture::tearDown();
        host = makeHost(settings);
        client = std::make_unique<CrmClient>(*host);
        clock().jumpTo(*parseInstant("2026-11-21T09:00:00Z"));
        services().offer<interfaces::Directory>(directory);
    }
    static std::unique_ptr<testing::TestHost> makeHost(const testing::TestSettings& settings)
    {
        return std::make_unique<testing::TestHost>(settings,
                                                   [](PluginContext& context) { return std::make_unique<crm::CrmPlugin>(context); });
    }

    /// Returns a member of a new organization, with a token. Also has the scopes of a key, for tests that turn it into one.
    static Caller newCaller()
    {
        auto caller = testing::userOf("org_" + makeUlid(Instant{}),
                                      {"crm.attachments:read", "crm.attachments:write", "crm.contacts:import", "crm.contacts:read",
                                       "crm.contacts:write", "crm.notes:read", "crm.notes:write", "crm.pipeline:admin", "crm.pipeline:move",
                                       "crm.pipeline:read", "crm.reports:read", "crm.settings:read", "crm.settings:write", "crm.tags:read",
                                       "crm.tags:write"});
        caller.principalId = "usr_" + makeUlid(Instant{});
        caller.scopes = {"attachments.read", "attachments.write", "contacts.read",  "contacts.write", "notes.read",
                         "notes.write",      "pipeline.read",     "pipeline.write", "reports.read",   "settings.read",
                         "settings.write",   "tags.read",         "tags.write"};
        return caller;
    }
    static Caller withPermission(Caller caller, const std::string& permission)
    {
        caller.permissions.insert(std::lower_bound(caller.permissions.begin(), caller.permissions.end(), permission), permission);
        return caller;
    }

    testing::FakeClock& clock() const { return host->context().clock(); }
    testing::FakeServices& services() const { return host->context().services(); }
    Database& database() const { return host->context().database(); }

    Answer created(std::string_view body) const
    {
        auto answer = client->post(owner, "/api/contacts", body);
        equal(201, answer.status, answer.body);
        return answer;
    }
    std::string newContact(std::string_view name = "Ada") const { return created(jsonWith(R"({"firstName":"$"})", name)).at("/id"); }
    Answer list(std::string_view query) const { return client->get(owner, "/api/contacts?" + std::string(query)); }

    /// Display names of a list, in its order.
    Names names(std::string_view query) const
    {
        const auto answer = list(query);
        equal(200, answer.status, answer.body);
        Names found;
        for (const auto& item : arrayAt(answer, "/items")) found.emplace_back(item.at("displayName").as_string());
        return found;
    }

    /// Returns the types of the organization's committed events. In order if the clock advanced between them.
    Names eventTypes(const Caller& caller) const
    {
        Names types;
        for (const auto& event : host->context().events().published())
            if (event.organizationId == caller.organizationId) types.push_back(event.type);
        return types;
    }
    /// Data of the last event of a type.
    std::string lastEvent(std::string_view type) const { return host->context().events().published(type).back().data; }

    testing::TestSettings settings;
    FakeDirectory directory;
    std::unique_ptr<testing::TestHost> host;
    std::unique_ptr<CrmClient> client;
    Caller owner;
    Caller stranger;
};

} // namespace portico::tests

namespace CppUnit
{

/// Lists in messages of failed assertions.
template <>
struct assertion_traits<std::vector<std::string>>
{
    static bool equal(const std::vector<std::string>& left, const std::vector<std::string>& right) { return left == right; }
    static std::string toString(const std::vector<std::string>& list)
    {
        std::string text = "[";
        for (const auto& item : list) text += (text.size() > 1 ? ", " : "") + item;
        return text + "]";
    }
};

} // namespace CppUnit
