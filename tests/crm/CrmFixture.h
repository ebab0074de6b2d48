#pragma once

#include "crm/CrmClient.h"
#include "support/TestDatabase.h"

#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <string>
#include <vector>

namespace portico::tests
{

/// The database of one engine with the service's tables, shared by the tests of this process: each test has organizations of its own.
Database& crmDatabase(Dialect dialect);

/// The started service on one engine, and callers of two organizations that nobody else has.
template <class Engine>
class CrmFixture : public CppUnit::TestFixture
{
public:
    void setUp() override
    {
        context = std::make_unique<FakeContext>(crmDatabase(Engine::dialect));
        plugin = std::make_unique<crm::CrmPlugin>(*context);
        plugin->start();
        client = std::make_unique<CrmClient>(*plugin);
        owner = newCaller();
        stranger = newCaller();
    }

    void tearDown() override
    {
        client.reset();
        plugin.reset();
        context.reset();
    }

protected:
    Caller newCaller() const
    {
        Caller caller;
        caller.credential = CredentialKind::AccessToken;
        caller.principalId = "usr_" + makeUlid(context->clock().now());
        caller.organization = "org_" + makeUlid(context->clock().now());
        return caller;
    }

    Answer created(std::string_view body) const
    {
        auto answer = client->post(owner, "/api/contacts", body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(boost::json::serialize(answer.body), 201, answer.status);
        return answer;
    }
    std::string newContact(std::string_view name = "Ada") const { return created("{\"firstName\":\"" + std::string(name) + "\"}").id(); }
    Answer list(std::string_view query) const { return client->get(owner, "/api/contacts?" + std::string(query)); }

    /// Display names of a list, in its order.
    std::vector<std::string> names(std::string_view query) const
    {
        const auto answer = list(query);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(boost::json::serialize(answer.body), 200, answer.status);
        std::vector<std::string> found;
        for (const auto& item : answer["items"].as_array()) found.emplace_back(item.at("displayName").as_string());
        return found;
    }

    /// Types of the events of an organization, in the order in which they were written.
    std::vector<std::string> eventTypes(const Caller& caller) const
    {
        std::vector<std::string> types;
        auto session = context->database().session();
        for (Row row : session.query("SELECT type FROM test_event WHERE organization_id = $1 ORDER BY id", caller.organization))
            types.push_back(row.get<std::string>(0));
        return types;
    }
    /// Data of the last event of the owner's organization.
    boost::json::value lastEvent() const
    {
        auto session = context->database().session();
        const auto data = session.value<std::string>("SELECT data FROM test_event WHERE organization_id = $1 ORDER BY id DESC LIMIT 1",
                                                     owner.organization);
        return boost::json::parse(data.value());
    }

    std::unique_ptr<FakeContext> context;
    std::unique_ptr<crm::CrmPlugin> plugin;
    std::unique_ptr<CrmClient> client;
    Caller owner;
    Caller stranger;
};

using Names = std::vector<std::string>;

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
