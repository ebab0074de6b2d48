#pragma once

#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include <memory>
#include <string>
#include <string_view>

namespace portico::tests
{

/// An owner and a member of acme, and what tests of their API keys in the service `desk` do often.
class KeysFixture : public CppUnit::TestFixture
{
public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        signIn();
    }
    void tearDown() override { _host.reset(); }

    void signIn()
    {
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _acme = _host->organizationId("acme");
        _ownerToken = _host->signIn("owner@acme.example");
        _memberToken = _host->signIn("member@acme.example");
    }

protected:
    static constexpr const char* queue = "que_01jd0000000000000000000001";
    static constexpr const char* otherQueue = "que_01jd0000000000000000000009";
    static constexpr const char* readTickets = R"(["tickets.read"])";

    TestAnswer make(const std::string& credential, std::string body)
    {
        return _host->call({.method = Method::Post, .target = "/api/api-keys", .body = std::move(body), .originService = "desk"},
                           credential);
    }
    TestAnswer show(const std::string& credential, const std::string& id)
    {
        return _host->call({.target = "/api/api-keys/" + id, .originService = "desk"}, credential);
    }
    TestAnswer patch(const std::string& credential, const std::string& id, std::string body)
    {
        return _host->call({.method = Method::Patch, .target = "/api/api-keys/" + id, .body = std::move(body), .originService = "desk"},
                           credential);
    }
    TestAnswer rotate(const std::string& credential, const std::string& id)
    {
        return _host->call({.method = Method::Post, .target = "/api/api-keys/" + id + "/rotate", .body = "{}", .originService = "desk"},
                           credential);
    }
    TestAnswer revoke(const std::string& credential, const std::string& id)
    {
        return _host->call({.method = Method::Delete, .target = "/api/api-keys/" + id, .originService = "desk"}, credential);
    }
    void elevate(const std::string& token)
    {
        const auto answer = _host->call({.method = Method::Post,
                                         .target = "/api/auth/step-up",
                                         .body = jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password),
                                         .originService = "desk"},
                                        token);
        equal(200, answer.status);
    }
    static std::string userKey(const std::string& owner, const std::string& more = {})
    {
        return jsonWith(R"({"name":"k","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read"],)"
                        R"("resources":[{"type":"queue","id":"$"}]}]$})",
                        owner, queue, more);
    }
    std::string organizationKey(const std::string& scopes, const std::string& more = {}, const std::string& resources = {}) const
    {
        return jsonWith(R"({"name":"k","owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk","scopes":$$}]$})", _acme,
                        scopes, resources, more);
    }
    std::string managerKey(const std::string& resources, const std::string& more) const
    {
        return organizationKey(R"(["api_keys.write","tickets.read"])", more, resources);
    }
    /// A key of the organization that makes others.
    TestAnswer makeManager(const std::string& resources = {}, const std::string& more = {})
    {
        elevate(_ownerToken);
        auto made = make(_ownerToken, managerKey(resources, more));
        equal(201, made.status);
        return made;
    }
    static std::string rate(int limit, int seconds) { return jsonWith(R"(,"rateLimit":{"limit":$,"windowSeconds":$})", limit, seconds); }
    static void expectWider(const TestAnswer& answer) { refused(answer, 403, "scope_exceeds_own_rights"); }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _member, _acme, _ownerToken, _memberToken;
};

} // namespace portico::tests
