#pragma once

#include "identity/BrowserDriver.h"

#include "portico/Crypto.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::tests
{

/// The browser of Ada, owner of acme, and what tests of OAuth clients with their consent do often.
class OAuthFixture : public CppUnit::TestFixture
{
public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("ada@acme.example", "acme", "owner");
        _host->createUser("eve@other.example", "other", "owner");
        _browser = std::make_unique<BrowserDriver>(*_host);
    }
    void tearDown() override
    {
        _browser.reset();
        _host.reset();
    }

protected:
    const std::string verifier = std::string(43, 'v');
    std::string challenge() const { return toBase64Url(sha256(verifier).bytes()); }

    TestAnswer manage(Method method, const std::string& target, const std::string& body = {},
                      std::string_view who = "ada@acme.example") const
    {
        return _host->call({.method = method, .target = target, .body = body}, _host->signIn(who, "identity"));
    }
    TestAnswer client(const std::string& redirect = "https://app.example/cb", const std::string& extra = {}) const
    {
        auto made = manage(Method::Post, "/api/oauth-clients", jsonWith(R"({"name":"App","redirect_uris":["$"]$})", redirect, extra));
        equal(201, made.status, made.body);
        return made;
    }
    std::string requestOf(const TestAnswer& made, std::string redirect = {}) const
    {
        if (redirect.empty()) redirect = made.at("/redirect_uris/0");
        return "/oauth/authorize?response_type=code&scope=openid%20profile%20email&state=s&code_challenge_method=S256&code_challenge=" +
               challenge() + "&client_id=" + made.at("/client_id") + "&redirect_uri=" + redirect;
    }
    TestAnswer authorize(const TestAnswer& made, std::string_view extra = {})
    {
        if (!_browser->signedIn()) _browser->signIn("ada@acme.example");
        return _browser->get(requestOf(made) + std::string(extra));
    }
    TestAnswer decide(const TestAnswer& shown, const std::string& decision)
    {
        if (!_browser->signedIn()) _browser->signIn("ada@acme.example");
        return _browser->post(
            "/oauth/consent",
            {{"form_token", _browser->field(shown, "form_token")}, {"ticket", _browser->field(shown, "ticket")}, {"decision", decision}});
    }
    std::string parameter(const TestAnswer& answer, std::string_view name) const { return BrowserDriver::parameter(answer, name); }
    std::string codeFor(const TestAnswer& made, std::string_view extra = {})
    {
        auto answer = authorize(made, extra);
        if (answer.status == 200) answer = decide(answer, "allow");
        return parameter(answer, "code");
    }
    TestAnswer post(const std::string& path, const std::vector<std::pair<std::string, std::string>>& fields,
                    const std::string& authorization = {}) const
    {
        return BrowserDriver(*_host).post(path, fields, authorization);
    }
    TestAnswer exchange(const TestAnswer& made, const std::string& code, std::optional<std::string> proof = {},
                        const std::string& redirect = "https://app.example/cb") const
    {
        std::vector<std::pair<std::string, std::string>> fields = {{"grant_type", "authorization_code"},
                                                                   {"client_id", made.at("/client_id")},
                                                                   {"client_secret", made.at("/client_secret")},
                                                                   {"code", code},
                                                                   {"redirect_uri", redirect}};
        const auto sent = proof.value_or(verifier);
        if (!sent.empty()) fields.emplace_back("code_verifier", sent);
        return post("/oauth/token", fields);
    }
    TestAnswer signIn(const TestAnswer& made, std::string_view extra = {}) { return exchange(made, codeFor(made, extra)); }
    TestAnswer refresh(const TestAnswer& made, const std::string& handle) const
    {
        return post("/oauth/token", {{"grant_type", "refresh_token"},
                                     {"client_id", made.at("/client_id")},
                                     {"client_secret", made.at("/client_secret")},
                                     {"refresh_token", handle}});
    }
    TestAnswer userinfo(const std::string& token) const { return _host->call({.target = "/oauth/userinfo"}, token); }

    std::unique_ptr<IdentityHost> _host;
    std::unique_ptr<BrowserDriver> _browser;
};

} // namespace portico::tests
