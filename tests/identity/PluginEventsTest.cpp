#include "identity/IdentityHost.h"
#include "support/Suite.h"

namespace portico::tests
{

/// Events with which other services keep lists of what people have to do.
class PluginEventsTest : public Suite<PluginEventsTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@x.example", "acme", "owner");
        _acme = _host->organizationId("acme");
        _token = _host->signIn("owner@x.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(announcesExpiringKeysOnce)
    {
        const auto soon = makeKey("Soon", "2026-01-20T00:00:00Z");
        makeKey("Later", "2026-03-20T00:00:00Z");
        sweep();
        CHECK(published("api_key.expiring").empty());
        _host->context().clock().advance(std::chrono::hours(24 * 6));
        sweep();
        const auto told = published("api_key.expiring");
        equal(1, told.size());
        equal(_acme, told[0].organizationId);
        const auto data = boost::json::parse(told[0].data);
        equal(soon.at("/apiKey/id"), text(data, "id"));
        equal("Soon", text(data.at("details"), "name"));
        equal(_acme, text(data.at("details"), "owner_id"));
        equal("2026-01-20T00:00:00.000Z", text(data.at("details"), "expiresAt"));
        _host->context().clock().advance(std::chrono::hours(2));
        sweep();
        equal(1, published("api_key.expiring").size());
    }

    TEST(publishesTheRecoveryEmail)
    {
        _host->call({.method = Method::Post, .target = "/api/auth/step-up", .body = stepUpBody()}, _token);
        const auto set =
            _host->call({.method = Method::Put, .target = "/api/auth/me/recovery-email", .body = R"({"email":"o@home.example"})"}, _token);
        equal(202, set.status, set.body);
        const auto proved = _host->call({.method = Method::Post,
                                         .target = "/api/auth/me/recovery-email/verify",
                                         .body = jsonWith(R"({"code":"$"})", _host->mailedCode("o@home.example"))},
                                        _token);
        equal(200, proved.status, proved.body);
        flush();
        equal(1, published("user.recovery_email_set").size());
        const auto told = published("user.recovery_email_verified");
        equal(1, told.size());
        equal(_owner, text(boost::json::parse(told[0].data), "id"));
        CHECK(told[0].data.find("home.example") == std::string::npos);
    }

    TEST(publishesTheDemandForASecondFactor)
    {
        const auto demand = [&](bool required)
        {
            const auto changed =
                _host->call({.method = Method::Patch,
                             .target = "/api/organizations/" + _acme,
                             .body = std::string(R"({"securityPolicy":{"mfaRequired":)") + (required ? "true" : "false") + "}}"},
                            _token);
            equal(200, changed.status, changed.body);
        };
        demand(false);
        CHECK(published("organization.mfa_required").empty());
        // An owner without a second factor cannot require one.
        _host->change("INSERT INTO passkeys (user_id, id, credential_id, algorithm, public_key, sign_count, aaguid, transports, backed_up, "
                      "name, version, created_at, updated_at) VALUES ($1, 'p', 'p', -7, '', 0, '', '[]', FALSE, 'n', 1, 1, 1)",
                      {_owner});
        demand(true);
        const auto told = published("organization.mfa_required");
        equal(1, told.size());
        equal(_acme, told[0].organizationId);
        const auto data = boost::json::parse(told[0].data);
        CHECK(data.at("details").at("required").as_bool());
        equal(_owner, text(data.at("actor"), "id"));
    }

    TEST(publishesAppReviews)
    {
        const auto sent = _host->call(
            {.method = Method::Post,
             .target = "/api/public/app-submissions",
             .body = jsonWith(R"({"developerEmail":"dev@new.example","appName":"Notes","slug":"notes","summary":"s","description":"d",
               "homepageUrl":"https://n.example/","callbackUrls":["https://n.example/cb"],
               "requestedScopes":[{"service_id":"desk","scopes":["tickets.read"]}],"surface_kind":"application","contact":"c",
               "humanVerification":$})",
                              _host->humanProof("app_submission"))});
        equal(202, sent.status, sent.body);
        flush();
        const auto pending = published("app.review_pending");
        equal(1, pending.size());
        equal(sent.at("/submissionId"), text(boost::json::parse(pending[0].data), "id"));
        _host->createUser("root@x.example", "admin", "owner", "platform_super_admin");
        const auto path = "/api/app-reviews/" + sent.at("/submissionId") + "/status";
        const auto moved = _host->call({.method = Method::Patch, .target = path, .body = R"({"status":"in_review","reason":"r"})"},
                                       _host->signIn("root@x.example", "identity"));
        equal(200, moved.status, moved.body);
        flush();
        const auto told = published("app.status_changed");
        equal(1, told.size());
        equal("in_review", text(boost::json::parse(told[0].data).at("details"), "to"));
    }

    TEST(publishesIncompleteServices)
    {
        auto broken = IdentityHost::deskManifest();
        broken.replace(broken.find(R"("permissions":["desk.tickets:read"])"), 35, R"("permissions":["desk.tickets:gone"])");
        _host->publish({IdentityHost::identityManifest(), broken});
        flush();
        const auto told = published("service.incomplete");
        equal(1, told.size());
        equal("desk", text(boost::json::parse(told[0].data), "id"));
        CHECK(published("service.completed").empty());
        _host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest()});
        flush();
        equal(1, published("service.completed").size());
        equal(1, published("service.incomplete").size());
    }

    TEST(publishesInvitationsOfKnownAddresses)
    {
        const auto guest = _host->createUser("guest@x.example", "other", "owner");
        const auto guestToken = _host->signIn("guest@x.example", "identity");
        const auto path = "/api/organizations/" + _acme + "/invitations";
        const auto invite = [&](const std::string& email)
        {
            const auto made = _host->call({.method = Method::Post, .target = path, .body = jsonWith(R"({"email":"$"})", email)}, _token);
            equal(201, made.status, made.body);
            return made.at("/id");
        };
        const auto answer = [&](const std::string& id, const std::string& verb, const std::string& token)
        { return _host->call({.method = Method::Post, .target = "/api/invitations/" + id + '/' + verb, .body = "{}"}, token); };
        const auto waiting = [&]
        { return boost::json::parse(published("user.invitations_changed").back().data).at("details").at("pending"); };
        invite("nobody@x.example");
        CHECK(published("user.invitations_changed").empty());
        const auto first = invite("guest@x.example");
        const auto told = published("user.invitations_changed");
        equal(1, told.size());
        equal(guest, text(boost::json::parse(told[0].data), "id"));
        equal(1, waiting().as_array().size());
        equal(first, text(waiting().at(0), "id"));
        equal("acme", text(waiting().at(0), "placeName"));
        CHECK(!waiting().at(0).at("household").as_bool());
        // The ID is no secret: it shows nothing, and works for the invited account only.
        equal(404, _host->call({.target = "/api/invitations/" + first}).status);
        equal("invitation_email_mismatch", answer(first, "accept", _token).code());
        equal(204, answer(first, "decline", guestToken).status);
        CHECK(waiting().as_array().empty());
        const auto second = invite("guest@x.example");
        equal(204, _host->call({.method = Method::Delete, .target = path + '/' + second}, _token).status);
        CHECK(waiting().as_array().empty());
        equal(200, answer(invite("guest@x.example"), "accept", guestToken).status);
        CHECK(waiting().as_array().empty());
        equal(6, published("user.invitations_changed").size());
    }

    TEST(publishesApplicationsWithTheirStatus)
    {
        const auto sent =
            _host->call({.method = Method::Post,
                         .target = "/api/public/developers/apply",
                         .body = jsonWith(R"({"applicantName":"Dev","email":"dev@new.example","useCase":"u","acceptTerms":true,
               "humanVerification":$})",
                                          _host->humanProof("developer_apply"))});
        equal(202, sent.status, sent.body);
        flush();
        const auto told = published("developer.status_changed");
        equal(1, told.size());
        equal(sent.at("/applicationId"), text(boost::json::parse(told[0].data), "id"));
        equal("submitted", text(boost::json::parse(told[0].data).at("details"), "status"));
        equal("", text(boost::json::parse(told[0].data), "platformOrganizationId"));
        _host->createUser("root@x.example", "admin", "owner", "platform_super_admin");
        const auto path = "/api/developers/" + sent.at("/applicationId") + "/status";
        const auto moved = _host->call({.method = Method::Patch, .target = path, .body = R"({"status":"in_review","reason":"r"})"},
                                       _host->signIn("root@x.example", "identity"));
        equal(200, moved.status, moved.body);
        flush();
        const auto last = boost::json::parse(published("developer.status_changed").back().data);
        equal("in_review", text(last.at("details"), "to"));
        equal(_host->organizationId("admin"), text(last, "platformOrganizationId"));
    }

    TEST(keepsThemFromWebhooks)
    {
        for (const auto* type : {"identity.handoff.exchanged", "handoff.exchanged", "api_key.expiring", "user.recovery_email_set"})
        {
            const auto made = _host->call({.method = Method::Post,
                                           .target = "/api/webhook-endpoints",
                                           .body = std::string(R"({"url":"https://hook.example/","types":[")") + type + "\"]}"},
                                          _token);
            equal(400, made.status, made.body);
        }
    }

    static std::string text(const boost::json::value& value, std::string_view member) { return std::string(value.at(member).as_string()); }
    static std::string stepUpBody() { return jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password); }
    std::vector<Event> published(std::string_view type) { return _host->context().events().published("identity." + std::string(type)); }
    void flush()
    {
        _host->context().clock().advance(std::chrono::seconds(6));
        _host->context().jobs().runDue();
    }
    void sweep()
    {
        _host->context().clock().advance(std::chrono::hours(1));
        _host->context().jobs().runDue();
    }
    TestAnswer makeKey(const std::string& name, const std::string& end)
    {
        auto made = _host->call(
            {.method = Method::Post,
             .target = "/api/api-keys",
             .body = jsonWith(
                 R"({"name":"$","owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read"]}],)"
                 R"("expiresAt":"$"})",
                 name, _acme, end)},
            _token);
        equal(201, made.status, made.body);
        return made;
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner;
    std::string _acme;
    std::string _token;
};

} // namespace portico::tests
