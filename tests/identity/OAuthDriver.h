#pragma once

#include "identity/BrowserDriver.h"

#include "jose/JsonWebKey.h"
#include "jose/Jws.h"

#include "portico/Crypto.h"

#include <memory>
#include <string>
#include <string_view>

namespace portico::tests
{

/// OAuth client and browser of Ada, owner of acme, with common steps of the provider's tests.
class OAuthDriver
{
public:
    static constexpr std::string_view issuer = "http://identity.localhost:8080";
    static constexpr std::string_view redirect = "https://app.example/cb";

    explicit OAuthDriver(IdentityHost::Settings settings = {})
        : _host(std::make_unique<IdentityHost>(std::move(settings))), _browser(std::make_unique<BrowserDriver>(*_host))
    {
        _host->createUser("ada@acme.example", "acme", "owner");
    }

    IdentityHost& host() noexcept { return *_host; }
    BrowserDriver& browser() noexcept { return *_browser; }

    TestAnswer manage(Method method, const std::string& target, const std::string& body = {},
                      std::string_view who = "ada@acme.example") const
    {
        return _host->call({.method = method, .target = target, .body = body}, _host->signIn(who, "identity"));
    }
    /// @param extra further members: `,"type":"native"`
    TestAnswer client(const std::string& extra = {}, std::string_view who = "ada@acme.example",
                      const std::string& redirects = '"' + std::string(redirect) + '"') const
    {
        auto made = manage(Method::Post, "/api/oauth-clients", jsonWith(R"({"name":"App","redirect_uris":[$]$})", redirects, extra), who);
        if (made.status != 201) throw std::runtime_error("client: " + made.body);
        return made;
    }
    /// One that only operators make.
    TestAnswer operatorClient(const std::string& extra)
    {
        if (!_operator) _host->createUser("root@admin.example", "admin", "owner", "platform_super_admin");
        _operator = true;
        return client(extra, "root@admin.example");
    }
    /// The client of a service's backend.
    TestAnswer serviceClient(const std::string& service, const std::string& extra = {})
    {
        return operatorClient(jsonWith(R"(,"first_party":true,"consent":"implicit","service_id":"$"$)", service, extra));
    }

    static std::string requestOf(const TestAnswer& made, std::string_view extra = {}, std::string_view scope = "openid%20profile%20email")
    {
        return "/oauth/authorize?response_type=code&state=s&scope=" + std::string(scope) + "&client_id=" + made.at("/client_id") +
               "&redirect_uri=" + made.at("/redirect_uris/0") + std::string(extra);
    }
    static std::string withPkce(std::string_view extra = {})
    {
        return "&code_challenge_method=S256&code_challenge=" + toBase64Url(sha256(verifier()).bytes()) + std::string(extra);
    }
    static std::string verifier() { return std::string(43, 'v'); }

    /// Returns the answer to a request, after allowing the consent.
    TestAnswer authorize(const std::string& request)
    {
        if (!_browser->signedIn()) _browser->signIn("ada@acme.example");
        auto answer = _browser->get(request);
        if (answer.status != 200) return answer;
        return _browser->post("/oauth/consent", {{"form_token", BrowserDriver::field(answer, "form_token")},
                                                 {"ticket", BrowserDriver::field(answer, "ticket")},
                                                 {"decision", "allow"}});
    }
    std::string codeFor(const std::string& request) { return BrowserDriver::parameter(authorize(request), "code"); }

    TestAnswer post(const std::string& path, const BrowserDriver::Fields& fields, const std::string& authorization = {}) const
    {
        return BrowserDriver(*_host).post(path, fields, authorization);
    }
    /// With the client's secret in the form.
    TestAnswer token(const TestAnswer& made, BrowserDriver::Fields fields) const
    {
        fields.emplace_back("client_id", made.at("/client_id"));
        if (made.has("/client_secret")) fields.emplace_back("client_secret", made.at("/client_secret"));
        return post("/oauth/token", fields);
    }
    TestAnswer exchange(const TestAnswer& made, const std::string& code, bool pkce = true) const
    {
        BrowserDriver::Fields fields = {
            {"grant_type", "authorization_code"}, {"code", code}, {"redirect_uri", made.at("/redirect_uris/0")}};
        if (pkce) fields.emplace_back("code_verifier", verifier());
        return token(made, fields);
    }
    TestAnswer signIn(const TestAnswer& made, std::string_view extra = {})
    {
        return exchange(made, codeFor(requestOf(made, withPkce(extra))));
    }
    TestAnswer userinfo(const std::string& accessToken) const { return _host->call({.target = "/oauth/userinfo"}, accessToken); }

    /// Claims of a token of ours, signature unseen.
    static boost::json::object claims(const std::string& jws)
    {
        return boost::json::parse(identity::Jws::parse(jws).value().payload).as_object();
    }
    static std::string claim(const std::string& jws, std::string_view name)
    {
        const auto all = claims(jws);
        const auto* value = all.if_contains(name);
        if (!value) return {};
        return value->is_string() ? std::string(value->as_string()) : boost::json::serialize(*value);
    }

private:
    std::unique_ptr<IdentityHost> _host;
    std::unique_ptr<BrowserDriver> _browser;
    bool _operator = false;
};

} // namespace portico::tests
