#include "identity/KeysFixture.h"
#include "identity/OAuthDriver.h"

#include "portico/interfaces/SignIns.h"

namespace portico::tests
{

/// Tokens with which a dashboard fetches the widgets of a caller: for one service, a minute, and nothing but the widget.
class FanOutTokenTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(FanOutTokenTest);
    CPPUNIT_TEST(representsTheCallerInOneService);
    CPPUNIT_TEST(expiresAfterAMinuteAndWithTheSignIn);
    CPPUNIT_TEST(followsTheRightsOfTheCaller);
    CPPUNIT_TEST(opensNoOtherRoute);
    CPPUNIT_TEST(isNoTokenToExchange);
    CPPUNIT_TEST(representsTheOwnerOfAKey);
    CPPUNIT_TEST(endsWithTheKey);
    CPPUNIT_TEST(isRefusedToOtherCallers);
    CPPUNIT_TEST(carriesNoPlatformRoleThatHasNoEffect);
    CPPUNIT_TEST_SUITE_END();

public:
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

    void representsTheCallerInOneService()
    {
        const auto token = widgetToken(_token);
        const auto caller = host().validate(token, "stock");
        CPPUNIT_ASSERT_EQUAL(_max, caller->principalId);
        CPPUNIT_ASSERT_EQUAL(host().organizationId("later"), caller->organizationId);
        CPPUNIT_ASSERT_EQUAL(std::string("widget.read"), caller->scope);
        CPPUNIT_ASSERT(caller->widgetOnly && !caller->delegated && !caller->isServicePrincipal());
        CPPUNIT_ASSERT(caller->may("stock.tickets:read") && !caller->may("stock.settings:write"));
        CPPUNIT_ASSERT_EQUAL(std::string("wrong_audience"), host().verdict(token, "desk"));
        CPPUNIT_ASSERT_EQUAL(std::string("wrong_audience"), host().verdict(token, "identity"));
        CPPUNIT_ASSERT(!host().validate(_token)->widgetOnly);
    }

    void expiresAfterAMinuteAndWithTheSignIn()
    {
        const auto token = widgetToken(_token);
        host().context().clock().advance(std::chrono::seconds(59));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), host().verdict(token, "stock"));
        host().context().clock().advance(std::chrono::seconds(1));
        CPPUNIT_ASSERT_EQUAL(std::string("expired"), host().verdict(token, "stock"));
        const auto other = widgetToken(_token);
        host().change("UPDATE sessions SET ended_at = 1 WHERE user_id = $1", {_max});
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), host().verdict(other, "stock"));
    }

    void followsTheRightsOfTheCaller()
    {
        const auto token = widgetToken(_token);
        host().change("UPDATE memberships SET role = 'guest' WHERE user_id = $1", {_max});
        CPPUNIT_ASSERT(!host().validate(token, "stock")->may("stock.tickets:read"));
        host().change("DELETE FROM service_access WHERE service_id = 'stock'");
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), host().verdict(token, "stock"));
    }

    void opensNoOtherRoute()
    {
        const auto token = widgetToken(_token);
        const auto on = [&](Method method, std::string target, std::string body = {})
        { return host().call({.method = method, .target = std::move(target), .body = std::move(body), .originService = "stock"}, token); };
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), on(Method::Get, "/api/auth/me").code());
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), on(Method::Get, "/api/services/app-switcher").code());
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), on(Method::Put, "/api/auth/context", R"({"kind":"personal"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), on(Method::Post, "/api/auth/logout", R"({"scope":"app"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), host().verdict(_token));
        CPPUNIT_ASSERT_EQUAL(403, _driver->userinfo(token).status);
        // A service elsewhere asks what the token is.
        const auto told = on(Method::Get, "/validate");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(told.body, std::string("widget.read"), told.at("/scope"));
        CPPUNIT_ASSERT_EQUAL(_max, told.at("/principal/id"));
    }

    void isNoTokenToExchange()
    {
        const auto backend = _driver->serviceClient("stock", R"(,"grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"])");
        const auto swap = [&](const std::string& subject)
        {
            return _driver->token(backend, {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
                                            {"subject_token", subject},
                                            {"subject_token_type", "urn:ietf:params:oauth:token-type:access_token"},
                                            {"audience", "desk"}});
        };
        CPPUNIT_ASSERT_EQUAL(200, swap(host().signIn("max@later.example", "stock")).status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), swap(widgetToken(_token)).at("/error"));
        const auto state = [&](const std::string& token)
        {
            return _driver->post(
                "/oauth/introspect",
                {{"client_id", backend.at("/client_id")}, {"client_secret", backend.at("/client_secret")}, {"token", token}});
        };
        CPPUNIT_ASSERT_EQUAL(std::string("true"), state(widgetToken(_token)).at("/active"));
        const auto key = makeKey("organization", host().organizationId("later"));
        const auto ofKey = widgetToken(key.at("/key"));
        CPPUNIT_ASSERT_EQUAL(std::string("widget.read"), state(ofKey).at("/scope"));
        host().change("UPDATE api_keys SET status = 'revoked' WHERE id = $1", {key.at("/apiKey/id")});
        CPPUNIT_ASSERT_EQUAL(std::string("false"), state(ofKey).at("/active"));
    }

    void representsTheOwnerOfAKey()
    {
        const auto organization = host().organizationId("later");
        const auto caller = host().validate(widgetToken(makeKey("organization", organization).at("/key")), "stock");
        CPPUNIT_ASSERT_EQUAL(organization, caller->principalId);
        CPPUNIT_ASSERT_EQUAL(organization, caller->organizationId);
        CPPUNIT_ASSERT(caller->widgetOnly && !caller->isServicePrincipal());
        CPPUNIT_ASSERT(caller->credential == CredentialKind::AccessToken);
        // Rights of the role owner, without permissions that are exempt from keys.
        CPPUNIT_ASSERT(caller->may("stock.settings:write") && !caller->may("stock.tickets:purge"));
        const auto mine = host().validate(widgetToken(makeKey("user", _max, _token).at("/key")), "stock");
        CPPUNIT_ASSERT_EQUAL(_max, mine->principalId);
        CPPUNIT_ASSERT_EQUAL(organization, mine->organizationId);
        CPPUNIT_ASSERT(mine->may("stock.tickets:read") && !mine->may("stock.settings:write"));
        // A grant in the service that is narrowed to resources narrows the token.
        const auto narrowed = makeKey("organization", organization, {}, R"(,{"service_id":"stock","scopes":["tickets.read"],
            "resources":[{"type":"queue","id":"que_01jd0000000000000000000001"}]})");
        const auto bound = host().validate(widgetToken(narrowed.at("/key")), "stock");
        CPPUNIT_ASSERT(bound->reaches("queue", "que_01jd0000000000000000000001"));
        CPPUNIT_ASSERT(!bound->reaches("queue", "que_01jd0000000000000000000009"));
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"),
                             host().call({.target = "/api/auth/me", .originService = "stock"}, widgetToken(narrowed.at("/key"))).code());
    }

    void endsWithTheKey()
    {
        const auto key = makeKey("organization", host().organizationId("later"));
        const auto token = widgetToken(key.at("/key"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), host().verdict(token, "stock"));
        host().change("UPDATE api_keys SET status = 'disabled' WHERE id = $1", {key.at("/apiKey/id")});
        CPPUNIT_ASSERT_EQUAL(std::string("revoked"), host().verdict(token, "stock"));
        host().change("UPDATE api_keys SET status = 'active' WHERE id = $1", {key.at("/apiKey/id")});
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), host().verdict(token, "stock"));
        host().context().clock().advance(std::chrono::seconds(60));
        CPPUNIT_ASSERT_EQUAL(std::string("expired"), host().verdict(token, "stock"));
    }

    void isRefusedToOtherCallers()
    {
        auto& signIns = host().provided<interfaces::SignIns>();
        CPPUNIT_ASSERT_EQUAL(std::string(), signIns.widgetToken(*host().validate(_token), "nowhere"));
        CPPUNIT_ASSERT_EQUAL(std::string(), signIns.widgetToken(*host().validate(widgetToken(_token), "stock"), "desk"));
        CPPUNIT_ASSERT_EQUAL(std::string(), signIns.widgetToken(Caller::nobody(), "stock"));
        auto delegated = *host().validate(_token);
        delegated.delegated = true;
        CPPUNIT_ASSERT_EQUAL(std::string(), signIns.widgetToken(delegated, "stock"));
        host().change("DELETE FROM service_access WHERE service_id = 'stock'");
        CPPUNIT_ASSERT_EQUAL(std::string(), signIns.widgetToken(*host().validate(_token), "stock"));
    }

    void carriesNoPlatformRoleThatHasNoEffect()
    {
        host().createUser("op@admin.example", "admin", "owner", "platform_super_admin");
        host().createUser("op@admin.example", "later", "guest");
        const auto token = host().signIn("op@admin.example", "desk", R"(,"organizationId":")" + host().organizationId("later") + '"');
        const auto operatorHere = host().validate(token);
        CPPUNIT_ASSERT(operatorHere->platformBypass);
        auto& signIns = host().provided<interfaces::SignIns>();
        CPPUNIT_ASSERT(host().validate(signIns.widgetToken(*operatorHere, "stock"), "stock")->platformBypass);
        // A request from a network in which the role has no effect.
        auto elsewhere = *operatorHere;
        elsewhere.platformBypass = false;
        const auto caller = host().validate(signIns.widgetToken(elsewhere, "stock"), "stock");
        CPPUNIT_ASSERT(!caller->platformBypass && !caller->may("stock.tickets:read"));
    }

private:
    IdentityHost& host() const { return _driver->host(); }
    std::string widgetToken(const std::string& credential)
    {
        auto token = host().provided<interfaces::SignIns>().widgetToken(*host().validate(credential), "stock");
        CPPUNIT_ASSERT(!token.empty());
        return token;
    }
    TestAnswer makeKey(std::string_view ownerType, std::string_view ownerId, const std::string& by = {}, std::string_view grants = {})
    {
        auto made =
            host().call({.method = Method::Post,
                         .target = "/api/api-keys",
                         .body = R"({"name":"Tiles","owner_type":")" + std::string(ownerType) + R"(","owner_id":")" + std::string(ownerId) +
                                 R"(","grants":[{"service_id":"desk","scopes":["tickets.read"]})" + std::string(grants) + "]}",
                         .originService = "desk"},
                        by.empty() ? host().signIn("owner@later.example") : by);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        return made;
    }

    std::unique_ptr<OAuthDriver> _driver;
    std::string _max;
    std::string _token;
};

CPPUNIT_TEST_SUITE_REGISTRATION(FanOutTokenTest);

} // namespace portico::tests
