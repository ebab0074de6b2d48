#pragma once

#include "identity/UpstreamProvider.h"

#include <memory>
#include <string>

namespace portico::tests
{

/// Identity with Ada of acme, Eve of other and an operator; a provider outside, and browsers that go there and back.
class UpstreamFixture : public CppUnit::TestFixture
{
public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("ada@acme.example", "acme", "owner");
        _host->createUser("eve@other.example", "other", "owner");
        _host->createUser("op@admin.example", "admin", "admin", "platform_super_admin");
        _upstream = std::make_unique<UpstreamProvider>("https://idp.example");
        _other = std::make_unique<UpstreamProvider>("https://rogue.example");
        _host->context().http().answer(
            [this](const HttpClient::Request& request)
            {
                for (auto* one : {_upstream.get(), _other.get()})
                    if (one->isAsked(request.url)) return one->serve(request, _host->context().clock().now());
                return answerOf(404);
            });
        _operator = elevated("op@admin.example");
        _browser = std::make_unique<BrowserDriver>(*_host);
    }
    void tearDown() override
    {
        _browser.reset();
        _host.reset();
    }

protected:
    TestAnswer send(Method method, const std::string& path, const std::string& body, const std::string& token) const
    {
        return _host->call({.method = method, .target = path, .body = body}, token);
    }
    TestAnswer post(const std::string& path, const std::string& body, const std::string& token) const
    {
        return send(Method::Post, path, body, token);
    }
    /// Signs in at identity with a fresh proof.
    std::string elevated(std::string_view email) const
    {
        const auto token = _host->signIn(email, "identity");
        return post("/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password), token)
            .at("/access_token");
    }
    /// A provider with `extra` members. @return its id
    std::string provider(const std::string& extra = {}, const std::string& issuer = "https://idp.example", std::string token = {}) const
    {
        const auto made = post("/api/identity-providers",
                               jsonWith(R"({"name":"Example","issuer":"$","clientId":"portico","clientSecret":"s3cret"$})", issuer, extra),
                               token.empty() ? _operator : token);
        equal(201, made.status, made.body);
        return made.at("/id");
    }
    std::string owned(std::string_view slug, const std::string& extra = {}) const
    {
        return jsonWith(R"(,"organizationId":"$"$)", _host->organizationId(slug), extra);
    }
    void prove(std::string_view slug, const std::string& domain) const
    {
        _host->change("INSERT INTO organization_domains (organization_id, domain, status, token, version, created_at, updated_at) "
                      "VALUES ($1, $2, 'verified', 't', 1, 0, 0)",
                      {_host->organizationId(slug), domain});
    }
    static std::string startOf(const std::string& id, std::string_view query = "?return_to=%2Fsettings")
    {
        return "/sso/providers/" + id + "/start" + std::string(query);
    }
    /// Redirects to the provider, signs in, and returns.
    TestAnswer roundTrip(const std::string& id) { return roundTrip(id, *_browser); }
    TestAnswer roundTrip(const std::string& id, BrowserDriver& browser)
    {
        // Advances the clock, so that later records have later times.
        _host->context().clock().advance(std::chrono::milliseconds(1));
        const auto left = browser.get(startOf(id));
        equal(303, left.status, left.body);
        return browser.get(_upstream->authorize(BrowserDriver::locationOf(left)));
    }
    /// Address of the account that a provider has opened last; empty for none.
    std::string reached() const
    {
        return _host->context()
            .database()
            .session()
            .value<std::string>("SELECT u.email FROM browser_sessions b JOIN users u ON u.id = b.user_id "
                                "WHERE b.provider_id IS NOT NULL AND b.ended_at IS NULL ORDER BY b.created_at DESC, b.id DESC LIMIT 1")
            .value_or("");
    }
    /// Ada links the account that she has at the provider.
    void linkAda(const std::string& id)
    {
        BrowserDriver browser(*_host);
        browser.signIn("ada@acme.example");
        const auto begun = post("/api/auth/linked-accounts/" + id + "/start", "{}", elevated("ada@acme.example"));
        equal(200, begun.status, begun.body);
        const auto left = browser.get(begun.at("/url").substr(begun.at("/url").find("/sso/")));
        equal(303, left.status, left.body);
        const auto back = browser.get(_upstream->authorize(BrowserDriver::locationOf(left)));
        equal(303, back.status, back.body);
    }

    std::unique_ptr<IdentityHost> _host;
    std::unique_ptr<UpstreamProvider> _upstream, _other;
    std::unique_ptr<BrowserDriver> _browser;
    std::string _operator;
};

} // namespace portico::tests
