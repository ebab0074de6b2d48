#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "audit/Audit.h"
#include "sessions/SignIn.h"

#include "portico/interfaces/Webhooks.h"

#include <functional>
#include <set>

namespace portico::tests
{

/// Webhook endpoints of an organization, and their messages.
class WebhookTest : public Suite<WebhookTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _acme = _host->organizationId("acme");
        _token = _host->signIn("owner@acme.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(showsTheSecretOnce)
    {
        const auto made = make(R"(["membership.changed"])");
        equal(201, made.status, made.body);
        const auto secret = made.at("/secret");
        CHECK(secret.starts_with("whsec_"));
        equal(38, secret.size());
        equal("active", made.at("/endpoint/status"));
        const auto list = call(Method::Get, "");
        equal(1, list.count("/items"));
        CHECK(list.body.find("secret") == std::string::npos);
        // The database contains it only sealed.
        const auto stored = _host->context().database().session().value<std::string>("SELECT secret FROM webhook_endpoints").value();
        CHECK(stored.find(secret.substr(6)) == std::string::npos);
        const auto place = _host->context().deliveries().where(made.at("/endpoint/id")).value();
        equal("https://hooks.example/in", place.url);
        CHECK(place.secrets == std::vector<std::string>{secret});
    }

    TEST(belongsToTheOrganization)
    {
        const auto id = make(R"(["membership.changed"])").at("/endpoint/id");
        equal("permission_denied", call(Method::Get, "", "", _host->signIn("member@acme.example", "identity")).code());
        _host->createUser("owner@globex.example", "globex", "owner");
        const auto other = _host->signIn("owner@globex.example", "identity");
        equal(0, call(Method::Get, "", "", other).count("/items"));
        for (const auto& [method, rest] : {std::pair(Method::Patch, ""), std::pair(Method::Delete, ""), std::pair(Method::Post, "/test"),
                                           std::pair(Method::Get, "/deliveries")})
            equal("not_found", call(method, '/' + id + rest, method == Method::Get || method == Method::Delete ? "" : "{}", other).code());
    }

    TEST(refusesBadEndpoints)
    {
        equal("validation_failed", make("[]").code());
        equal("validation_failed", make(R"(["weather.changed"])").code());
        equal("types[1]", make(R"(["user.created","identity.user.created"])").at("/errors/0/field"));
        equal("validation_failed", make(R"(["user.created"])", "ftp://hooks.example").code());
        equal("unknown_type", make(R"(["desk.ticket.craeted"])").at("/errors/0/code"));
        // Also rejected for a service to which the organization has no access.
        equal(201, make(R"(["desk.ticket.created"])").status);
        _host->change("DELETE FROM webhook_endpoints");
        _host->change("DELETE FROM service_access WHERE service_id = 'desk' AND organization_id = $1", {_acme});
        equal("unknown_type", make(R"(["desk.ticket.created"])").at("/errors/0/code"));
        equal("validation_failed", make(R"(["user.created"])", "javascript:x").code());
        for (int i = 0; i < 20; ++i) equal(201, make(R"(["user.created"])").status);
        equal("conflict", make(R"(["user.created"])").code());
    }

    TEST(refusesAddressesThatAreNotCalled)
    {
        _host->context().http().refuse("https://169.254.169.254");
        const auto refused = make(R"(["user.created"])", "https://169.254.169.254/latest");
        equal(400, refused.status);
        equal("url", refused.at("/errors/0/field"));
        equal("address_not_allowed", refused.at("/errors/0/code"));
        CHECK(!refused.at("/errors/0/message").empty());
        const auto id = '/' + make(R"(["user.created"])").at("/endpoint/id");
        equal("address_not_allowed", call(Method::Patch, id, R"({"url":"https://169.254.169.254/"})").at("/errors/0/code"));
        equal("https://hooks.example/in", call(Method::Get, "").at("/items/0/url"));
        // One that was taken before, or that the operator allows no more, can still be switched off.
        _host->context().http().refuse("https://hooks.example");
        equal("disabled", call(Method::Patch, id, R"({"status":"disabled"})").at("/status"));
    }

    TEST(changesAreSent)
    {
        const auto id = make(R"(["api_key.created","role_bundle.changed"])").at("/endpoint/id");
        const auto key = makeKey();
        equal(201, key.status, key.body);
        CHECK(_host->context().deliveries().sent().empty());
        _host->context().jobs().runDue();
        _host->context().clock().advance(std::chrono::seconds(5));
        _host->context().jobs().runDue();
        const auto sent = _host->context().deliveries().sent();
        equal(1, sent.size());
        equal(id, sent[0].endpointId);
        const auto body = boost::json::parse(sent[0].body);
        equal("api_key.created", std::string(body.at("type").as_string()));
        equal(key.at("/apiKey/id"), std::string(body.at("data").at("id").as_string()));
        equal(_acme, std::string(body.at("data").at("organizationId").as_string()));
        equal(_owner, std::string(body.at("data").at("actor").at("id").as_string()));
        // Each event is sent once, and only if the endpoint subscribed to it.
        _host->context().clock().advance(std::chrono::seconds(5));
        _host->context().jobs().runDue();
        equal(1, _host->context().deliveries().sent().size());
    }

    TEST(rolledBackChangesAreNotSent)
    {
        make(R"(["api_key.created"])");
        // Refused in its transaction, after others of the same kind.
        const auto refused = _host->call({.method = Method::Post,
                                          .target = "/api/api-keys",
                                          .body = jsonWith(R"({"name":"k","owner_type":"organization",
            "owner_id":"$","grants":[{"service_id":"desk","scopes":["nothing.here"]}]})",
                                                           _acme)},
                                         _token);
        equal(400, refused.status);
        equal(0, _host->count("SELECT COUNT(*) FROM webhook_deliveries"));
    }

    TEST(organizationsReceiveEventsOfTheirMembers)
    {
        make(R"(["user.updated"])");
        _host->context().database().transact(
            [&](Transaction& transaction)
            {
                const auto log = identity::AuditLog::ofUser({}, _member, _host->context().clock().now());
                log.record(transaction, "user.updated", _member);
                log.refused(transaction, "user.updated", _member);
            });
        equal(1, _host->count("SELECT COUNT(*) FROM webhook_deliveries WHERE type = 'user.updated'"));
    }

    TEST(endOfAPersonalSessionIsSentToTheOrganizationsOfItsUser)
    {
        make(R"(["session.ended"])");
        const auto bossId = _host->createUser("boss@other.example", "other", "owner");
        const auto boss = _host->signIn("boss@other.example", "identity");
        const auto other = _host->call({.method = Method::Post,
                                        .target = "/api/webhook-endpoints",
                                        .body = R"({"url":"https://hooks.example/other","types":["session.ended"]})"},
                                       boss);
        equal(201, other.status, other.body);
        _host->signIn("member@acme.example", "desk");
        _host->change("UPDATE sessions SET organization_id = NULL WHERE user_id = $1", {_member});
        _host->context().database().transact(
            [&](Transaction& transaction)
            {
                const auto now = _host->context().clock().now();
                const auto by = identity::AuditLog::ofUser({}, bossId, now);
                identity::sign_ins::endAll(transaction, UserId::parse(_member).value(), "revoked_by_admin", now, {}, &by);
            });
        equal(1, _host->count("SELECT COUNT(*) FROM webhook_deliveries"));
        equal(1, _host->count("SELECT COUNT(*) FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id "
                              "WHERE e.url = 'https://hooks.example/in'"));
    }

    /// Each case is a change, with the messages that the endpoints get: acme's, and those of the administration.
    TEST(sendsEachTypeOnce)
    {
        const auto admin = _host->createUser("root@x.example", "", "owner", "platform_super_admin");
        _host->change("UPDATE memberships SET role = 'owner' WHERE user_id = $1", {admin});
        const auto root = elevated("root@x.example");
        const auto token = elevated("owner@acme.example");
        _token = token;
        for (const auto& by : {root, token})
            equal(201, call(Method::Post, "",
                            R"({"url":"https://hooks.example/in","types":["user.created","user.updated","user.deleted",
            "session.ended","membership.changed","organization.updated","service.status_changed","api_key.created","api_key.revoked",
            "api_key.leaked","api_key.scopes_removed","developer.status_changed","workspace.suspended","household.changed",
            "role_bundle.changed"]})",
                            by)
                           .status);
        const auto organization = "/api/organizations/" + _acme;
        std::string keyId;
        const auto newKey = [&]
        {
            const auto made = makeKey();
            keyId = made.at("/apiKey/id");
            return made.status;
        };
        struct Act
        {
            const char* name;
            std::function<int()> run;
            /// Sorted, one for each message.
            std::vector<std::string> sent;
            std::vector<std::string> atAdministration = {};
        };
        const auto send = [&](const std::string& by, Method method, const std::string& target, std::string body = {})
        { return _host->call({.method = method, .target = target, .body = std::move(body)}, by); };
        const auto signInMember = [&] { return _host->signIn("member@acme.example", "desk"); };
        const auto stepUpMember = [&] { return elevated("member@acme.example"); };
        std::string memberToken;
        const std::vector<Act> acts = {
            {"a key is made", newKey, {"api_key.created"}},
            {"a key is revoked", [&] { return send(token, Method::Delete, "/api/api-keys/" + keyId).status; }, {"api_key.revoked"}},
            {"the user's name",
             [&] { return send(memberToken = stepUpMember(), Method::Patch, "/api/auth/me", R"({"displayName":"Mia"})").status; },
             {"user.updated"}},
            {"a log-out", [&] { return send(memberToken, Method::Post, "/api/auth/logout", "{}").status; }, {"session.ended"}},
            {"a role",
             [&] { return send(token, Method::Patch, organization + "/members/" + _member, R"({"role":"admin"})").status; },
             {"membership.changed"}},
            {"a suspension of two sign-ins",
             [&]
             {
                 signInMember();
                 signInMember();
                 return send(token, Method::Patch, organization + "/members/" + _member, R"({"status":"suspended"})").status;
             },
             {"membership.changed", "session.ended", "session.ended"}},
            {"a member with a key leaves",
             [&]
             {
                 send(token, Method::Patch, organization + "/members/" + _member, R"({"status":"active","role":"member"})");
                 drain();
                 makeOwnKey(signInMember());
                 drain();
                 return send(token, Method::Delete, organization + "/members/" + _member).status;
             },
             {"api_key.revoked", "membership.changed", "session.ended"}},
            {"an invitation that is accepted by registering",
             [&]
             {
                 send(token, Method::Post, organization + "/invitations", R"({"email":"new@x.example","serviceIds":["desk"]})");
                 drain();
                 const auto text = _host->context().mailer().sent().back().text;
                 const auto at = text.find("invitation?token=") + 17;
                 const auto link = text.substr(at, text.find_first_of(" \r\n", at) - at);
                 return _host
                     ->call({.method = Method::Post,
                             .target = "/api/auth/register",
                             .body = jsonWith(
                                 R"({"email":"new@x.example","password":"another horse battery","displayName":"New","acceptTerms":true,
                     "service_id":"desk","invitationToken":"$","humanVerification":$})",
                                 link, _host->humanProof("register"))})
                     .status;
             },
             {"membership.changed", "user.created"}},
            {"an organization's name",
             [&] { return send(token, Method::Patch, organization, R"({"name":"Acme 2"})").status; },
             {"organization.updated"}},
            {"a former member with a key",
             [&]
             {
                 const auto gone = _host->createUser("gone@acme.example", "acme", "member");
                 const auto keep = std::exchange(_member, gone);
                 makeOwnKey(_host->signIn("gone@acme.example", "desk"));
                 _member = keep;
                 drain();
                 _host->change("UPDATE users SET status = 'deactivated', deletion_at = 0 WHERE id = $1", {gone});
                 const auto order = jsonWith(R"({"userId":"$"})", gone);
                 _host->context().database().transact([&](Transaction& transaction)
                                                      { _host->context().jobs().enqueue(transaction, "identity.deletion", order, {}); });
                 _host->context().jobs().runDue();
                 return 200;
             },
             {"api_key.revoked", "session.ended", "user.deleted"}},
            {"an account that its owner takes back",
             [&]
             {
                 const auto taken = _host->createUser("taken@acme.example", "acme", "member");
                 const auto keep = std::exchange(_member, taken);
                 makeOwnKey(_host->signIn("taken@acme.example", "desk"));
                 _member = keep;
                 _host->change("UPDATE users SET email_verified = FALSE WHERE id = $1", {taken});
                 send({}, Method::Post, "/api/auth/password/forgot", R"({"email":"taken@acme.example"})");
                 _host->context().jobs().runDue();
                 drain();
                 return send({}, Method::Post, "/api/auth/password/reset",
                             jsonWith(R"({"newPassword":"a long new phrase of mine","token":"$"})",
                                      _host->mailedToken("taken@acme.example")))
                     .status;
             },
             {"api_key.revoked", "session.ended"}},
            {"what a role may do here",
             [&]
             {
                 return send(token, Method::Put, "/api/services/desk/role-bundles/desk-member?organizationId=" + _acme,
                             R"({"permissions":["desk.*:read"]})")
                     .status;
             },
             {"role_bundle.changed"}},
            {"a leaked key",
             [&]
             {
                 const auto key = makeKey().at("/key");
                 drain();
                 const auto reported =
                     send({}, Method::Post, "/api/public/leaked-keys", jsonWith(R"({"source":"scanner","key":"$"})", key));
                 _host->context().jobs().runDue();
                 return reported.status;
             },
             {"api_key.leaked"}},
            {"a developer",
             [&]
             {
                 const auto applied = send(
                     {}, Method::Post, "/api/public/developers/apply",
                     jsonWith(
                         R"({"applicantName":"Ada","email":"owner@acme.example","useCase":"x","acceptTerms":true,"humanVerification":$})",
                         _host->humanProof("developer_apply")));
                 equal(202, applied.status, applied.body);
                 auto session = _host->context().database().session();
                 const auto id = session.value<std::string>("SELECT id FROM developers").value();
                 const auto move = [&](const std::string& status) {
                     return send(root, Method::Patch, "/api/developers/" + id + "/status",
                                 jsonWith(R"({"reason":"x","status":"$"})", status))
                         .status;
                 };
                 _host->change("UPDATE developers SET workspace_organization_id = $1", {_acme});
                 return move("in_review");
             },
             {"developer.status_changed"}},
            {"a scope that is no more",
             [&]
             {
                 auto fewer = IdentityHost::deskManifest();
                 const std::string_view scope =
                     R"({"scope":"tickets.read","title":"Read","permissions":["desk.tickets:read"],"bindable":["queue"]},)";
                 fewer.replace(fewer.find(scope), scope.size(), "");
                 const std::string_view bindable =
                     R"("bindableResources":[{"type":"queue","title":"Queue","idPattern":"^que_[0-9a-z]{26}$"}])";
                 fewer.replace(fewer.find(bindable), bindable.size(), R"("bindableResources":[])");
                 fewer.replace(fewer.find("\"launchUrl\":\"/\""), 15, "\"launchUrl\":\"\"");
                 return send(root, Method::Put, "/api/services/desk/manifest?force=1", fewer).status;
             },
             {"api_key.scopes_removed", "api_key.scopes_removed"}},
            {"a service that closes",
             [&] { return send(root, Method::Post, "/api/services/desk/suspend", R"({"reason":"x"})").status; },
             {"service.status_changed"},
             {"service.status_changed"}},
            {"a household",
             [&]
             {
                 const auto made = send(_host->signIn("solo@x.example", "identity"), Method::Post, "/api/households", R"({"name":"Home"})");
                 return made.status;
             },
             {},
             {"household.changed"}},
            {"a workspace that is suspended",
             [&]
             {
                 _host->change("UPDATE organizations SET kind = 'developer_workspace' WHERE id = $1", {_acme});
                 return send(root, Method::Post, "/api/developer-workspaces/" + _acme + "/suspend", R"({"reason":"x"})").status;
             },
             {"workspace.suspended"}},
            {"a workspace that is open again",
             [&] { return send(root, Method::Post, "/api/developer-workspaces/" + _acme + "/reinstate", R"({"reason":"x"})").status; },
             {"organization.updated"}},
            {"a workspace that is revoked with a key",
             [&] { return send(root, Method::Post, "/api/developer-workspaces/" + _acme + "/revoke", R"({"reason":"x"})").status; },
             {"api_key.revoked", "api_key.revoked", "organization.updated"}},
        };
        _host->createUser("solo@x.example");
        _host->change("UPDATE users SET email_verified = TRUE");
        newKey();
        drain();
        for (const auto& act : acts)
        {
            const auto status = act.run();
            CPPUNIT_ASSERT_MESSAGE(std::string(act.name) + ": " + std::to_string(status), status >= 200 && status < 300);
            const auto sent = drain();
            equal(list(act.sent), list(sent.first), act.name);
            equal(list(act.atAdministration), list(sent.second), act.name);
        }
    }

    TEST(deletedOrganizationReceivesEventsOfItsKeys)
    {
        const auto endpoint = make(R"(["api_key.revoked"])").at("/endpoint/id");
        const auto key = makeKey().at("/apiKey/id");
        makeOwnKey(_host->signIn("member@acme.example", "desk"));
        equal(202, _host->call({.method = Method::Delete, .target = "/api/organizations/" + _acme}, elevated("owner@acme.example")).status);
        _host->context().clock().advance(std::chrono::hours(24 * 14));
        _host->context().jobs().runDue();
        _host->context().clock().advance(std::chrono::seconds(5));
        _host->context().jobs().runDue();
        std::set<std::string> told;
        for (const auto& message : _host->context().deliveries().sent())
        {
            equal(endpoint, message.endpointId);
            const auto body = boost::json::parse(message.body);
            equal("api_key.revoked", std::string(body.at("type").as_string()));
            told.emplace(body.at("data").at("id").as_string());
        }
        equal(2, _host->context().deliveries().sent().size());
        equal(2, told.size());
        CHECK(told.contains(key));
        // It can be reached for as long as deliveries are tried again, and no longer.
        CHECK(_host->context().deliveries().where(endpoint));
        _host->context().clock().advance(std::chrono::hours(50));
        _host->context().jobs().runDue();
        equal(0, _host->count("SELECT COUNT(*) FROM webhook_endpoints"));
    }

    TEST(namesEndpointsToTheHost)
    {
        const auto made = make(R"(["desk.ticket.created","user.created"])");
        auto& registry = _host->provided<interfaces::Webhooks>();
        const auto found = registry.endpoints(Tenant::fromStored(_acme), "desk.ticket.created");
        equal(1, found.size());
        equal(made.at("/secret"), found[0].secrets.at(0));
        CHECK(registry.endpoints(Tenant::fromStored(_acme), "desk.ticket.deleted").empty());
        CHECK(registry.endpoints(Tenant::fromStored("org_01jd0000000000000000000000"), "desk.ticket.created").empty());
        // They are sent separately, and would be sent twice.
        CHECK(registry.endpoints(Tenant::fromStored(_acme), "user.created").empty());
        call(Method::Patch, '/' + made.at("/endpoint/id"), R"({"status":"disabled"})");
        CHECK(registry.endpoints(Tenant::fromStored(_acme), "desk.ticket.created").empty());
    }

    TEST(triesAnEndpoint)
    {
        const auto id = make(R"(["user.created"])").at("/endpoint/id");
        const auto tried = call(Method::Post, '/' + id + "/test", "{}");
        equal(202, tried.status, tried.body);
        const auto sent = _host->context().deliveries().sent();
        equal(1, sent.size());
        equal(tried.at("/id"), sent[0].id);
        call(Method::Patch, '/' + id, R"({"status":"disabled"})");
        equal("conflict", call(Method::Post, '/' + id + "/test", "{}").code());
    }

    TEST(showsHowDeliveriesGo)
    {
        const auto id = make(R"(["user.created"])").at("/endpoint/id");
        const auto state = [&] { return call(Method::Get, '/' + id + "/deliveries"); };
        equal(0, state().count("/items"));
        call(Method::Post, '/' + id + "/test", "{}");
        equal("webhook.test", state().at("/items/0/type"));
        CHECK(state().at("/items/0/status") != "delivered");
        tried(id, 1, 500);
        equal("failing", state().at("/items/0/status"));
        equal("500", state().at("/items/0/lastStatus"));
        _host->context().deliveries().disable(id);
        equal("dropped", state().at("/items/0/status"));
        // Nothing is sent there until it is made active again, and so it says.
        equal("disabled", call(Method::Get, "").at("/items/0/status"));
        equal("conflict", call(Method::Post, '/' + id + "/test", "{}").code());
        equal(200, call(Method::Patch, '/' + id, R"({"status":"active"})").status);
        equal("active", call(Method::Get, "").at("/items/0/status"));
        equal("dropped", state().at("/items/0/status"), "it is not sent again");
    }

    TEST(deliveredMessagesStayDelivered)
    {
        const auto id = make(R"(["user.created"])").at("/endpoint/id");
        const auto test = [&]
        {
            _host->context().clock().advance(std::chrono::seconds(1));
            return call(Method::Post, '/' + id + "/test", "{}").status;
        };
        const auto told = [&](int at)
        {
            const auto item = "/items/" + std::to_string(at);
            const auto shown = call(Method::Get, '/' + id + "/deliveries");
            return shown.at(item + "/status") + ' ' + shown.at(item + "/attempts") + ' ' + shown.at(item + "/lastStatus");
        };
        equal(202, test());
        equal("pending 0 0", told(0));
        tried(id, 1, 503);
        tried(id, 2, 204);
        equal("delivered 2 204", told(0));
        // Deliveries are independent: a failing one does not affect its neighbors.
        equal(202, test());
        tried(id, 1, 500);
        equal(202, test());
        equal("pending 0 0", told(0));
        equal("failing 1 500", told(1));
        equal("delivered 2 204", told(2));
        tried(id, 8, 0);
        equal("dropped 8 0", told(0));
        equal("failing 1 500", told(1));
    }

    TEST(changesAndEnds)
    {
        const auto id = make(R"(["user.created"])").at("/endpoint/id");
        equal("version_conflict", call(Method::Patch, '/' + id, R"({"description":"x"})", {}, "\"4\"").code());
        const auto changed = call(Method::Patch, '/' + id, R"({"types":["user.deleted"]})", {}, "\"1\"");
        equal("2", changed.at("/version"));
        equal("validation_failed", call(Method::Patch, '/' + id, R"({"types":["x"]})").code());
        call(Method::Post, '/' + id + "/test", "{}");
        equal(204, call(Method::Delete, '/' + id).status);
        CHECK(!_host->context().deliveries().where(id));
        equal(0, _host->count("SELECT COUNT(*) FROM webhook_deliveries"));
        equal("not_found", call(Method::Delete, '/' + id).code());
        equal(3, _host->count("SELECT COUNT(*) FROM audit_events WHERE type LIKE 'webhook.%'"));
    }

    TEST(forgetsOldMessages)
    {
        const auto id = make(R"(["user.created"])").at("/endpoint/id");
        call(Method::Post, '/' + id + "/test", "{}");
        _host->context().clock().advance(std::chrono::hours(24 * 31));
        _host->context().jobs().runDue();
        equal(0, _host->count("SELECT COUNT(*) FROM webhook_deliveries"));
    }

    /// Reports an attempt of the newest message to an endpoint; status 0: no answer.
    void tried(const std::string& endpointId, int attempt, int status)
    {
        const auto message = _host->context().database().session().value<std::string>(
            "SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY id DESC LIMIT 1", endpointId);
        const bool arrived = status / 100 == 2;
        _host->context().deliveries().attempt({.endpointId = endpointId,
                                               .messageId = message.value(),
                                               .attempt = attempt,
                                               .delivered = arrived,
                                               .last = arrived || attempt == 8,
                                               .httpStatus = status,
                                               .error = arrived ? "" : "no",
                                               .at = _host->context().clock().now()});
    }
    std::string elevated(const std::string& email)
    {
        auto token = _host->signIn(email, "identity");
        _host->call({.method = Method::Post,
                     .target = "/api/auth/step-up",
                     .body = jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password)},
                    token);
        return token;
    }
    void makeOwnKey(const std::string& token)
    {
        equal(
            201,
            _host
                ->call({.method = Method::Post,
                        .target = "/api/api-keys",
                        .body = jsonWith(
                            R"({"name":"k","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read"]}]})",
                            _member),
                        .originService = "desk"},
                       token)
                .status);
    }
    /// The types of the messages since the last time, sorted: to acme, and to the administration.
    std::pair<std::vector<std::string>, std::vector<std::string>> drain()
    {
        const auto of = [&](const std::string& organization)
        {
            auto session = _host->context().database().session();
            return session.values<std::string>("SELECT type FROM webhook_deliveries WHERE organization_id = $1 ORDER BY type",
                                               organization);
        };
        auto sent = std::pair(of(_acme), of(_host->organizationId("admin")));
        _host->change("DELETE FROM webhook_deliveries");
        return sent;
    }
    static std::string list(const std::vector<std::string>& types)
    {
        std::string text;
        for (const auto& type : types) text += type + ' ';
        return text;
    }
    TestAnswer call(Method method, const std::string& rest, std::string body = {}, const std::string& token = {},
                    const std::string& version = {}) const
    {
        TestRequest request{.method = method, .target = "/api/webhook-endpoints" + rest, .body = std::move(body)};
        if (!version.empty()) request.headers.emplace_back("If-Match", version);
        return _host->call(std::move(request), token.empty() ? _token : token);
    }
    TestAnswer make(const std::string& types, const std::string& url = "https://hooks.example/in") const
    {
        return call(Method::Post, "", jsonWith(R"({"url":"$","types":$})", url, types));
    }
    TestAnswer makeKey() const
    {
        return _host->call(
            {.method = Method::Post,
             .target = "/api/api-keys",
             .body = jsonWith(
                 R"({"name":"k","owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read"]}]})",
                 _acme)},
            _token);
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _member, _acme, _token;
};

} // namespace portico::tests
