#pragma once

#include "social/SourceFolders.h"
#include "support/Suite.h"

#include "SocialPlugin.h"

#include "portico/testing/FakeDirectory.h"
#include "portico/testing/TestHost.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portico::tests
{

using testing::jsonWith;

/// The started service on the engine of the run at Monday, 2026-11-23T08:00:00Z, and callers of two organizations.
class SocialFixture : public CppUnit::TestFixture
{
public:
    void setUp() override
    {
        settings.pluginDirectory = socialPluginFolder();
        host.reset();
        host = std::make_unique<testing::TestHost>(settings, [this](PluginContext& context) { return makePlugin(context); });
        host->context().clock().jumpTo(*parseInstant("2026-11-23T08:00:00Z"));
        host->context().helpers().runFrom(settings.pluginDirectory);
        const auto acme = "org_" + makeUlid(Instant{});
        admin = newAdmin(acme);
        member = newMember(acme);
        stranger = newAdmin("org_" + makeUlid(Instant{}));
        host->context().services().offer<interfaces::Directory>(directory);
    }
    void tearDown() override { host.reset(); }

protected:
    virtual std::unique_ptr<social::SocialPlugin> makePlugin(PluginContext& context)
    {
        return std::make_unique<social::SocialPlugin>(context);
    }
    static std::vector<std::string> permissionsOfMembers()
    {
        return {"social.accounts:read", "social.ai:generate", "social.brands:read", "social.content:read", "social.content:write",
                "social.media:read",    "social.media:write", "social.posts:read",  "social.posts:write"};
    }
    static std::vector<std::string> allPermissions()
    {
        return {"social.accounts:read",   "social.accounts:write", "social.ai:generate",     "social.ai:override_model",
                "social.api_keys:manage", "social.brands:read",    "social.brands:transfer", "social.brands:write",
                "social.content:approve", "social.content:read",   "social.content:write",   "social.media:read",
                "social.media:write",     "social.posts:read",     "social.posts:write"};
    }
    static std::vector<std::string> allScopes()
    {
        return {"accounts.read",  "accounts.write", "analytics.read", "api_keys.write", "calendar.read",
                "calendar.write", "dashboard.read", "posts.read",     "posts.write"};
    }
    /// Returns a person of an organization with the rights of an admin.
    static Caller newAdmin(const std::string& organization) { return newPerson(organization, allPermissions(), "admin"); }
    /// A person of an organization with what members may do.
    static Caller newMember(const std::string& organization) { return newPerson(organization, permissionsOfMembers(), "member"); }
    /// Returns a key of an organization whose owner has all rights.
    static Caller newKey(const std::string& organization, std::vector<std::string> scopes = allScopes())
    {
        return testing::keyOf(organization, allPermissions(), std::move(scopes));
    }

    testing::TestAnswer get(const Caller& caller, std::string_view target) const { return call(Method::Get, target, caller); }
    testing::TestAnswer post(const Caller& caller, std::string_view target, std::string_view body = "{}") const
    {
        return call(Method::Post, target, caller, body);
    }
    testing::TestAnswer put(const Caller& caller, std::string_view target, std::string_view body) const
    {
        return call(Method::Put, target, caller, body);
    }
    testing::TestAnswer patch(const Caller& caller, std::string_view target, std::string_view body) const
    {
        return call(Method::Patch, target, caller, body);
    }
    testing::TestAnswer del(const Caller& caller, std::string_view target) const { return call(Method::Delete, target, caller); }
    testing::TestAnswer call(Method method, std::string_view target, const Caller& caller, std::string_view body = {}) const
    {
        return host->call(method, target, body, caller);
    }
    /// The same with X-Brand-ID.
    testing::TestAnswer inBrand(const std::string& brand, Method method, std::string_view target, const Caller& caller,
                                std::string_view body = {}) const
    {
        testing::TestRequest request{method, std::string(target), std::string(body), {}, caller};
        request.headers.emplace_back("X-Brand-ID", brand);
        return host->call(request);
    }
    /// Returns the answer of a creation. Fails the test unless it succeeded.
    static testing::TestAnswer made(testing::TestAnswer answer)
    {
        CPPUNIT_ASSERT_MESSAGE(answer.body, answer.status == 200 || answer.status == 201);
        return answer;
    }
    /// Returns the id of a new brand.
    std::string newBrand(const Caller& caller, const std::string& name = "Acme Coffee") const
    {
        return made(post(caller, "/api/brands", jsonWith(R"({"name":"$"})", name))).at("/brandId");
    }
    /// Executes a statement, as a person with the database would.
    void change(const std::string& sql) const
    {
        host->context().database().transact([&](Transaction& transaction) { transaction.execute(sql); });
    }
    void advance(std::chrono::milliseconds time) const { host->context().clock().advance(time); }

    testing::TestSettings settings;
    testing::FakeDirectory directory;
    std::unique_ptr<testing::TestHost> host;
    /// Callers of one organization.
    Caller admin, member;
    /// An admin of another organization.
    Caller stranger;

private:
    static Caller newPerson(const std::string& organization, std::vector<std::string> permissions, const std::string& role)
    {
        auto caller = testing::userOf(organization, std::move(permissions));
        caller.principalId = "usr_" + makeUlid(Instant{});
        caller.role = role;
        return caller;
    }
};

} // namespace portico::tests
