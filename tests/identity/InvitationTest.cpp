#include "identity/IdentityHost.h"

#include <atomic>
#include <thread>

namespace portico::tests
{

/// Invitations, from the mail to the membership.
class InvitationTest : public Suite<InvitationTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _admin = _host->createUser("admin@acme.example", "acme", "admin");
        _guest = _host->createUser("new@x.example");
        _host->createUser("owner@other.example", "other", "owner");
        _acme = _host->organizationId("acme");
        _adminToken = _host->signIn("admin@acme.example", "identity");
        _newToken = _host->signIn("new@x.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(masksWholeCharacters)
    {
        equal(201, invite(R"({"email":"élise@x.example","role":"member"})").status);
        const auto token = tokenOf(_host->context().mailer().sent().back());
        const auto preview = call("", Method::Get, "/api/invitations/" + token);
        equal(200, preview.status);
        equal("é***@x***.example", preview.at("/emailMasked"));
    }

    /// The sender's right is checked again, also if it was lost in a way that revokes no invitations.
    TEST(asksAgainWhetherTheSenderMayInvite)
    {
        equal(201, invite(R"({"email":"new@x.example","role":"admin"})").status);
        const auto accept = "/api/invitations/" + tokenOf(_host->context().mailer().sent().back()) + "/accept";
        const auto with = [&](const std::string& change) { _host->change(change + " WHERE user_id = '" + _admin + "'"); };
        for (const auto* loss : {"UPDATE memberships SET role = 'member'", "UPDATE memberships SET status = 'suspended'"})
        {
            with(loss);
            equal("invitation_expired", call(_newToken, Method::Post, accept).code());
            with("UPDATE memberships SET role = 'admin', status = 'active'");
        }
        equal(200, call(_newToken, Method::Post, accept).status);
    }

    TEST(aMembersInvitationIsAcceptedWhileAnOverrideAllowsIt)
    {
        const auto member = _host->createUser("member@acme.example", "acme", "member");
        allowInviting(member);
        const auto token = _host->signIn("member@acme.example", "identity");
        equal("role_above_own", call(token, Method::Post, path(), R"({"email":"new@x.example","role":"admin"})").code());
        equal(201, call(token, Method::Post, path(), R"({"email":"new@x.example","role":"member"})").status);
        const auto link = newestToken();
        _host->change("UPDATE permission_overrides SET effect = 'deny' WHERE organization_id = $1", {_acme});
        equal("invitation_expired", accept(link).code());
        _host->change("UPDATE permission_overrides SET effect = 'allow' WHERE organization_id = $1", {_acme});
        const auto joined = accept(link);
        equal(200, joined.status, joined.body);
        equal("member", joined.at("/role"));
    }

    TEST(aGuestsInvitationIsAcceptedAfterTheGuestBecomesAMember)
    {
        const auto guest = _host->createUser("guest@acme.example", "acme", "guest");
        allowInviting(guest);
        const auto token = _host->signIn("guest@acme.example", "identity");
        equal(201, call(token, Method::Post, path(), R"({"email":"new@x.example","role":"guest"})").status);
        const auto link = newestToken();
        const auto raised = call(_adminToken, Method::Patch, "/api/organizations/" + _acme + "/members/" + guest, R"({"role":"member"})");
        equal(200, raised.status, raised.body);
        const auto joined = accept(link);
        equal(200, joined.status, joined.body);
        equal("guest", joined.at("/role"));
    }

    TEST(leadsToAMembership)
    {
        const auto made = invite(R"({"email":"New@X.example","role":"member","serviceIds":["desk"],"message":"Hello <b>there</b>"})");
        equal(201, made.status);
        equal("pending", made.at("/status"));
        equal("desk", made.at("/serviceIds/0"));
        const auto mails = _host->context().mailer().sentTo("New@X.example");
        equal(1, mails.size());
        CHECK(mails[0].subject.find("invites you to acme") != std::string::npos);
        CHECK(mails[0].html.find("&lt;b&gt;there") != std::string::npos);
        const auto token = tokenOf(mails[0]);
        const auto preview = call("", Method::Get, "/api/invitations/" + token);
        equal(200, preview.status);
        equal("acme", preview.at("/organizationName"));
        equal("N***@X***.example", preview.at("/emailMasked"));
        equal("2026-01-08", preview.at("/expiresAt").substr(0, 10));
        equal(401, call("", Method::Post, "/api/invitations/" + token + "/accept").status);
        const auto joined = accept(token);
        equal(200, joined.status);
        equal(_acme, joined.at("/organizationId"));
        equal("member", joined.at("/role"));
        equal(_guest, joined.at("/user/id"));
        equal("ok", _host->verdict(_host->signIn("new@x.example")));
        // Accepting again returns the same; for other users the invitation has expired.
        equal(joined.at("/id"), accept(token).at("/id"));
        equal("invitation_expired", call("", Method::Get, "/api/invitations/" + token).code());
        equal("already_member", invite(R"({"email":"new@x.example"})").code());
        equal("accepted", list().at("/items/0/status"));
    }

    TEST(keepsItsTokenToItself)
    {
        invite(R"({"email":"new@x.example"})");
        const auto token = newestToken();
        equal(43, token.size());
        CHECK(list().body.find(token) == std::string::npos);
        CHECK(!list().has("/items/0/tokenHash"));
        equal(0, _host->count("SELECT COUNT(*) FROM invitations WHERE token_hash = '" + token + "'"));
        equal(404, call("", Method::Get, "/api/invitations/nothing").status);
        equal(404, accept("nothing").status);
    }

    TEST(isForItsAddressAlone)
    {
        invite(R"({"email":"new@x.example"})");
        const auto token = newestToken();
        const auto other = _host->signIn("owner@other.example", "identity");
        equal("invitation_email_mismatch", accept(token, other).code());
        equal("invitation_email_mismatch", answer(token, "decline", other).code());
        // An address that is not proved yet is none.
        _host->change("UPDATE users SET email_verified = FALSE WHERE id = $1", {_guest});
        equal("invitation_email_mismatch", accept(token).code());
    }

    TEST(areLimitedForWhoInvites)
    {
        // Organizations are free.
        const auto second = call(_adminToken, Method::Post, "/api/organizations", R"({"name":"Second"})").at("/id");
        const auto there = _host->signIn("admin@acme.example", "identity", jsonWith(R"(,"organizationId":"$")", second));
        const auto other = "/api/organizations/" + second + "/invitations";
        const auto spam = R"({"email":"a@x.example","message":"Win at https://evil.example"})";
        equal("link_not_allowed", call(there, Method::Post, other, spam).at("/errors/0/code"));
        for (int i = 0; i < 50; ++i)
        {
            const auto body = jsonWith(R"({"email":"a$@x.example"})", i);
            equal(201, (i % 2 == 0 ? invite(body) : call(there, Method::Post, other, body)).status);
        }
        equal("rate_limited", invite(R"({"email":"b@x.example"})").code());
        equal("rate_limited", call(there, Method::Post, other, R"({"email":"b@x.example"})").code());
        const auto owner = _host->signIn("owner@acme.example", "identity");
        equal(201, call(owner, Method::Post, path(), R"({"email":"b@x.example"})").status);
    }

    TEST(organizationsOfOnePersonAreLimited)
    {
        const auto found = [&](int i)
        { return call(_host->signIn("new@x.example", "identity"), Method::Post, "/api/organizations", jsonWith(R"({"name":"No $"})", i)); };
        for (int i = 0; i < 5; ++i) equal(201, found(i).status);
        equal("rate_limited", found(5).code());
        _host->context().clock().advance(std::chrono::hours(48));
        for (int i = 5; i < 10; ++i) equal(201, found(i).status);
        _host->context().clock().advance(std::chrono::hours(48));
        equal("conflict", found(10).code());
    }

    TEST(expires)
    {
        equal("validation_failed", invite(R"({"email":"new@x.example","expiresInDays":31})").code());
        invite(R"({"email":"new@x.example","expiresInDays":1})");
        const auto token = newestToken();
        _host->context().clock().advance(std::chrono::hours(24));
        equal("invitation_expired", call("", Method::Get, "/api/invitations/" + token).code());
        _newToken = _host->signIn("new@x.example", "identity");
        _adminToken = _host->signIn("admin@acme.example", "identity");
        equal("invitation_expired", accept(token).code());
        equal("expired", list().at("/items/0/status"));
    }

    TEST(isTakenBackAndDeclined)
    {
        const auto first = invite(R"({"email":"new@x.example"})").at("/id");
        const auto token = newestToken();
        equal("version_conflict", _host->codeOfStaleDelete(_adminToken, path() + '/' + first));
        equal(204, call(_adminToken, Method::Delete, path() + '/' + first).status);
        equal("invitation_expired", accept(token).code());
        const auto second = invite(R"({"email":"new@x.example"})").at("/id");
        equal(204, answer(newestToken(), "decline", _newToken).status);
        equal("invitation_expired", accept(newestToken()).code());
        equal("declined", list().at("/items/0/status"));
        equal("conflict", call(_adminToken, Method::Post, path() + '/' + second + "/resend").code());
        // A new invitation for the same address replaces the old one.
        invite(R"({"email":"new@x.example"})");
        const auto old = newestToken();
        invite(R"({"email":"NEW@x.example","role":"guest"})");
        equal("invitation_expired", accept(old).code());
        equal(200, accept(newestToken()).status);
    }

    TEST(isSentAgainWithAnotherLink)
    {
        const auto id = invite(R"({"email":"new@x.example","expiresInDays":3})").at("/id");
        const auto old = newestToken();
        _host->context().clock().advance(std::chrono::hours(24 * 5));
        _adminToken = _host->signIn("admin@acme.example", "identity");
        _newToken = _host->signIn("new@x.example", "identity");
        const auto again = call(_adminToken, Method::Post, path() + '/' + id + "/resend");
        equal(202, again.status);
        equal("2026-01-09", again.at("/expiresAt").substr(0, 10));
        equal(404, accept(old).status);
        equal(200, accept(newestToken()).status);
    }

    TEST(givesNothingAboveTheInviter)
    {
        for (const auto* role : {"owner", "super_admin"})
            equal("role_above_own", invite(jsonWith(R"({"email":"a@x.example","role":"$"})", role)).code());
        equal(201, invite(R"({"email":"a@x.example","role":"admin"})").status);
        const auto owners =
            call(_host->signIn("owner@acme.example", "identity"), Method::Post, path(), R"({"email":"b@x.example","role":"owner"})");
        equal(201, owners.status);
        equal("role_above_own", call(_adminToken, Method::Delete, path() + '/' + owners.at("/id")).code());
        equal("role_above_own", call(_adminToken, Method::Post, path() + '/' + owners.at("/id") + "/resend").code());
        for (const auto* bad : {R"({"email":"no address"})", R"({"email":"a@x.example","role":"king"})",
                                R"({"email":"a@x.example","serviceIds":["nope"]})", "{}"})
            equal("validation_failed", invite(bad).code());
        _host->createUser("member@acme.example", "acme", "member");
        equal("permission_denied",
              call(_host->signIn("member@acme.example", "identity"), Method::Post, path(), R"({"email":"a@x.example"})").code());
        // Rejected invitations send no mail.
        equal(2, _host->context().mailer().sent().size());
    }

    /// An invitation above the sender's new role is revoked, and one within it needs the lost permission.
    TEST(endsWithTheRightToSendIt)
    {
        const auto owner = _host->signIn("owner@acme.example", "identity");
        const auto member = "/api/organizations/" + _acme + "/members/" + _admin;
        for (const auto* role : {"admin", "member"})
        {
            equal(201, invite(jsonWith(R"({"email":"new@x.example","role":"$"})", role)).status, role);
            const auto token = newestToken();
            equal(200, call(owner, Method::Patch, member, R"({"role":"member"})").status, role);
            equal("invitation_expired", accept(token).code(), role);
            equal(200, call(owner, Method::Patch, member, R"({"role":"admin"})").status, role);
        }
    }

    TEST(endsWithTheOwnership)
    {
        const auto owner = _host->signIn("owner@acme.example", "identity");
        equal(200,
              call(owner, Method::Post, "/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password))
                  .status);
        equal(201, call(owner, Method::Post, path(), R"({"email":"new@x.example","role":"owner"})").status);
        const auto token = newestToken();
        const auto handed = call(owner, Method::Post, "/api/organizations/" + _acme + "/transfer-ownership",
                                 jsonWith(R"({"toUserId":"$","demoteSelfTo":"guest"})", _admin));
        equal(200, handed.status, handed.body);
        equal("invitation_expired", accept(token).code());
    }

    TEST(endsWithTheAccount)
    {
        invite(R"({"email":"new@x.example"})");
        _host->createUser("root@x.example", "", "member", "platform_admin");
        const auto root = _host->signIn("root@x.example", "identity");
        equal(200, call(root, Method::Patch, "/api/users/" + _admin, R"({"status":"suspended"})").status);
        equal(200, call(root, Method::Patch, "/api/users/" + _admin, R"({"status":"active"})").status);
        equal("invitation_expired", accept(newestToken()).code());
    }

    TEST(doesNotBringBackWhoIsSuspended)
    {
        invite(R"({"email":"new@x.example"})");
        const auto token = newestToken();
        _host->createUser("new@x.example", "acme", "guest");
        _host->change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {_guest});
        equal("already_member", accept(token).code());
        equal(1, _host->count("SELECT COUNT(*) FROM memberships WHERE status = 'suspended' AND role = 'guest'"));
    }

    TEST(oneOfManyParallelAnswersMakesAMember)
    {
        invite(R"({"email":"new@x.example"})");
        const auto token = newestToken();
        std::atomic<int> accepted = 0;
        {
            std::vector<std::jthread> clicks;
            for (int i = 0; i < 8; ++i) clicks.emplace_back([&] { accepted += accept(token).status == 200 ? 1 : 0; });
        }
        // All requests are from the same person, so each returns the one membership.
        equal(8, accepted.load());
        equal(1, _host->count("SELECT COUNT(*) FROM memberships WHERE user_id = '" + _guest + "'"));
        equal(1, _host->count("SELECT version FROM memberships WHERE user_id = '" + _guest + "'"));
    }

    TEST(keepsToItsOrganization)
    {
        const auto id = invite(R"({"email":"new@x.example"})").at("/id");
        const auto stranger = _host->signIn("owner@other.example", "identity");
        equal(404, call(stranger, Method::Get, path()).status);
        equal(404, call(stranger, Method::Post, path(), R"({"email":"a@x.example"})").status);
        equal(404, call(stranger, Method::Delete, path() + '/' + id).status);
        const auto own = "/api/organizations/" + _host->organizationId("other") + "/invitations/";
        equal(404, call(stranger, Method::Delete, own + id).status);
        equal(404, call(stranger, Method::Post, own + id + "/resend").status);
        equal(200, accept(newestToken()).status);
    }

    TEST(isWrittenInTheirLanguage)
    {
        _host->change("UPDATE users SET locale = 'de' WHERE id = $1", {_guest});
        invite(R"({"email":"new@x.example"})");
        CHECK(_host->context().mailer().sent().back().subject.find("ein") != std::string::npos);
        CHECK(_host->context().mailer().sent().back().text.find("Einladung") != std::string::npos);
        invite(R"({"email":"stranger@x.example"})");
        CHECK(_host->context().mailer().sent().back().text.find("invites you") != std::string::npos);
    }

    void allowInviting(const std::string& user)
    {
        _host->change("INSERT INTO permission_overrides (id, user_id, organization_id, permission, effect, reason, created_by, expires_at, "
                      "version, created_at, updated_at) VALUES ('ovr_01jd0000000000000000000001', $1, $2, 'identity.invitations:manage', "
                      "'allow', '', '', NULL, 1, 1, 1)",
                      {user, _acme});
    }
    std::string path() const { return "/api/organizations/" + _acme + "/invitations"; }
    TestAnswer call(const std::string& token, Method method, std::string target, std::string body = {})
    {
        return _host->call({.method = method, .target = std::move(target), .body = std::move(body)}, token);
    }
    TestAnswer invite(std::string body) { return call(_adminToken, Method::Post, path(), std::move(body)); }
    TestAnswer list() { return call(_adminToken, Method::Get, path()); }
    TestAnswer answer(const std::string& invitation, std::string_view how, const std::string& token)
    {
        return call(token, Method::Post, "/api/invitations/" + invitation + '/' + std::string(how));
    }
    TestAnswer accept(const std::string& invitation, const std::string& token) { return answer(invitation, "accept", token); }
    TestAnswer accept(const std::string& invitation) { return accept(invitation, _newToken); }
    static std::string tokenOf(const Mail& mail)
    {
        const auto start = mail.text.find("invitation?token=") + 17;
        return mail.text.substr(start, mail.text.find_first_of(" \r\n", start) - start);
    }
    std::string newestToken() { return tokenOf(_host->context().mailer().sent().back()); }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _admin, _guest, _acme, _adminToken, _newToken;
};

} // namespace portico::tests
