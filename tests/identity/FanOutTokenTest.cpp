#include "identity/KeysFixture.h"
#include "identity/OAuthDriver.h"

#include "portico/interfaces/SignIns.h"

namespace portico::tests
{

/// Tokens with which a dashboard fetches the widgets of a caller: for one service, a minute, and nothing but the widget.
class FanOutTokenTest : public Suite<FanOutTokenTest>
{
    void setUp() override
    {
        _driver = std::make_unique<OAuthDriver>();
        auto stock = IdentityHost::deskManifest();
        for (auto at = stock.find("desk"); at != std::string::npos; at = stock.find("desk", at)) stock.replace(at, 4, "stock");
        stock.replace(stock.find("Desk"), 4, "Stock");
        stock.replace(stock.find(R"("https://stock.example")"), 23, "");
        host().publish({IdentityHost::identityManifest(), IdentityHost::deskManifest(), stock});
        _max = host().createUser("max@later.example", "later", "member");
        host().createUser("owner@later.example", "later", "owner");
        _token = host().signIn("max@later.example", "desk");
    }
    void tearDown() override { _driver.reset(); }

    TEST(representsTheCallerInOneService)
    {
        const auto token = widgetToken(_token);
        const auto caller = host().validate(token, "stock");
        equal(_max, caller->principalId);
        equal(host().organizationId("later"), caller->organizationId);
        equal("widget.read", caller->scope);
        CHECK(caller->widgetOnly && !caller->delegated && !caller->isServicePrincipal());
        CHECK(caller->may("stock.tickets:read") && !caller->may("stock.settings:write"));
        equal("wrong_audience", host().verdict(token, "desk"));
        equal("wrong_audience", host().verdict(token, "identity"));
        CHECK(!host().validate(_token)->widgetOnly);
    }

    TEST(expiresAfterAMinuteAndWithTheSignIn)
    {
        const auto token = widgetToken(_token);
        host().context().clock().advance(std::chrono::seconds(59));
        equal("ok", host().verdict(token, "stock"));
        host().context().clock().advance(std::chrono::seconds(1));
        equal("expired", host().verdict(token, "stock"));
        const auto other = widgetToken(_token);
        host().change("UPDATE sessions SET ended_at = 1 WHERE user_id = $1", {_max});
        equal("session_ended", host().verdict(other, "stock"));
    }

    TEST(followsTheRightsOfTheCaller)
    {
        const auto token = widgetToken(_token);
        host().change("UPDATE memberships SET role = 'guest' WHERE user_id = $1", {_max});
        CHECK(!host().validate(token, "stock")->may("stock.tickets:read"));
        host().change("DELETE FROM service_access WHERE service_id = 'stock'");
        equal("service_access_denied", host().verdict(token, "stock"));
    }

    TEST(opensNoOtherRoute)
    {
        const auto token = widgetToken(_token);
        const auto on = [&](Method method, std::string target, std::string body = {})
        { return host().call({.method = method, .target = std::move(target), .body = std::move(body), .originService = "stock"}, token); };
        equal("insufficient_scope", on(Method::Get, "/api/auth/me").code());
        equal("insufficient_scope", on(Method::Get, "/api/services/app-switcher").code());
        equal("insufficient_scope", on(Method::Put, "/api/auth/context", R"({"kind":"personal"})").code());
        equal("insufficient_scope", on(Method::Post, "/api/auth/logout", R"({"scope":"app"})").code());
        equal("ok", host().verdict(_token));
        equal(403, _driver->userinfo(token).status);
        // An external service validates the token.
        const auto told = on(Method::Get, "/validate");
        equal("widget.read", told.at("/scope"), told.body);
        equal(_max, told.at("/principal/id"));
    }

    TEST(isNoTokenToExchange)
    {
        const auto backend = _driver->serviceClient("stock", R"(,"grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"])");
        const auto swap = [&](const std::string& subject)
        {
            return _driver->token(backend, {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
                                            {"subject_token", subject},
                                            {"subject_token_type", "urn:ietf:params:oauth:token-type:access_token"},
                                            {"audience", "desk"}});
        };
        equal(200, swap(host().signIn("max@later.example", "stock")).status);
        equal("invalid_request", swap(widgetToken(_token)).at("/error"));
        const auto state = [&](const std::string& token)
        {
            return _driver->post(
                "/oauth/introspect",
                {{"client_id", backend.at("/client_id")}, {"client_secret", backend.at("/client_secret")}, {"token", token}});
        };
        equal("true", state(widgetToken(_token)).at("/active"));
        const auto key = makeKey("organization", host().organizationId("later"));
        const auto ofKey = widgetToken(key.at("/key"));
        equal("widget.read", state(ofKey).at("/scope"));
        host().change("UPDATE api_keys SET status = 'revoked' WHERE id = $1", {key.at("/apiKey/id")});
        equal("false", state(ofKey).at("/active"));
    }

    TEST(representsTheOwnerOfAKey)
    {
        const auto organization = host().organizationId("later");
        const auto caller = host().validate(widgetToken(makeKey("organization", organization).at("/key")), "stock");
        equal(organization, caller->principalId);
        equal(organization, caller->organizationId);
        CHECK(caller->widgetOnly && !caller->isServicePrincipal());
        CHECK(caller->credential == CredentialKind::AccessToken);
        // Rights of the role owner, without permissions that are exempt from keys.
        CHECK(caller->may("stock.settings:write") && !caller->may("stock.tickets:purge"));
        const auto mine = host().validate(widgetToken(makeKey("user", _max, _token).at("/key")), "stock");
        equal(_max, mine->principalId);
        equal(organization, mine->organizationId);
        CHECK(mine->may("stock.tickets:read") && !mine->may("stock.settings:write"));
        // A grant in the service that is narrowed to resources narrows the token.
        const auto narrowed = makeKey("organization", organization, {}, R"(,{"service_id":"stock","scopes":["tickets.read"],
            "resources":[{"type":"queue","id":"que_01jd0000000000000000000001"}]})");
        const auto bound = host().validate(widgetToken(narrowed.at("/key")), "stock");
        CHECK(bound->reaches("queue", "que_01jd0000000000000000000001"));
        CHECK(!bound->reaches("queue", "que_01jd0000000000000000000009"));
        equal("insufficient_scope",
              host().call({.target = "/api/auth/me", .originService = "stock"}, widgetToken(narrowed.at("/key"))).code());
    }

    TEST(endsWithTheKey)
    {
        const auto key = makeKey("organization", host().organizationId("later"));
        const auto token = widgetToken(key.at("/key"));
        equal("ok", host().verdict(token, "stock"));
        host().change("UPDATE api_keys SET status = 'disabled' WHERE id = $1", {key.at("/apiKey/id")});
        equal("revoked", host().verdict(token, "stock"));
        host().change("UPDATE api_keys SET status = 'active' WHERE id = $1", {key.at("/apiKey/id")});
        equal("ok", host().verdict(token, "stock"));
        host().context().clock().advance(std::chrono::seconds(60));
        equal("expired", host().verdict(token, "stock"));
    }

    TEST(isRefusedToOtherCallers)
    {
        auto& signIns = host().provided<interfaces::SignIns>();
        equal("", signIns.widgetToken(*host().validate(_token), "nowhere"));
        equal("", signIns.widgetToken(*host().validate(widgetToken(_token), "stock"), "desk"));
        equal("", signIns.widgetToken(Caller::nobody(), "stock"));
        auto delegated = *host().validate(_token);
        delegated.delegated = true;
        equal("", signIns.widgetToken(delegated, "stock"));
        host().change("DELETE FROM service_access WHERE service_id = 'stock'");
        equal("", signIns.widgetToken(*host().validate(_token), "stock"));
    }

    TEST(carriesNoPlatformRoleThatHasNoEffect)
    {
        host().createUser("op@admin.example", "admin", "owner", "platform_super_admin");
        host().createUser("op@admin.example", "later", "guest");
        const auto token = host().signIn("op@admin.example", "desk", jsonWith(R"(,"organizationId":"$")", host().organizationId("later")));
        const auto operatorHere = host().validate(token);
        CHECK(operatorHere->platformBypass);
        auto& signIns = host().provided<interfaces::SignIns>();
        CHECK(host().validate(signIns.widgetToken(*operatorHere, "stock"), "stock")->platformBypass);
        // A request from a network in which the role has no effect.
        auto elsewhere = *operatorHere;
        elsewhere.platformBypass = false;
        const auto caller = host().validate(signIns.widgetToken(elsewhere, "stock"), "stock");
        CHECK(!caller->platformBypass && !caller->may("stock.tickets:read"));
    }

    TEST(fanOutTokenOfAKeyHasNoPlatformRoleLimitedToNetworks)
    {
        const auto id = host().createUser("op@admin.example", "admin", "owner", "platform_super_admin");
        host().createUser("op@admin.example", "later", "guest");
        const auto token = host().signIn("op@admin.example", "desk", jsonWith(R"(,"organizationId":"$")", host().organizationId("later")));
        const auto key = makeKey("user", id, token).at("/key");
        CHECK(host().validate(widgetToken(key), "stock")->platformBypass);
        host().change(R"(UPDATE organizations SET security_policy = '{"ipAllowList":["198.51.100.0/24"]}' WHERE slug = 'admin')");
        const auto inside = host().validate(key, "desk", true, "198.51.100.9");
        CHECK(inside->platformBypass);
        const auto caller = host().validate(host().provided<interfaces::SignIns>().widgetToken(*inside, "stock"), "stock");
        CHECK(!caller->platformBypass && !caller->may("stock.tickets:read"));
    }

    IdentityHost& host() const { return _driver->host(); }
    std::string widgetToken(const std::string& credential)
    {
        auto token = host().provided<interfaces::SignIns>().widgetToken(*host().validate(credential), "stock");
        CHECK(!token.empty());
        return token;
    }
    TestAnswer makeKey(std::string_view ownerType, std::string_view ownerId, const std::string& by = {}, std::string_view grants = {})
    {
        auto made = host().call(
            {.method = Method::Post,
             .target = "/api/api-keys",
             .body =
                 jsonWith(R"({"name":"Tiles","owner_type":"$","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read"]}$]})",
                          ownerType, ownerId, grants),
             .originService = "desk"},
            by.empty() ? host().signIn("owner@later.example") : by);
        equal(201, made.status, made.body);
        return made;
    }

    std::unique_ptr<OAuthDriver> _driver;
    std::string _max;
    std::string _token;
};

} // namespace portico::tests
