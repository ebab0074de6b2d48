#include "identity/IdentityHost.h"

#include <thread>

namespace portico::tests
{

/// The developer programme: an application on its way from a form without an account to a workspace, and the end of that.
class DevelopersTest : public Suite<DevelopersTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"limits.rates", "off"}});
        _host->createUser("op@admin.example", "", "member", "platform_admin");
        _host->createUser("member@acme.example", "acme", "member");
        _operator = _host->signIn("op@admin.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(answersTheFirstAndTheNextAlike)
    {
        const auto first = apply("dev@new.example");
        const auto again = apply("DEV@new.example");
        equal(202, first.status);
        equal(202, again.status);
        equal("submitted", again.at("/status"));
        // The id of the record would tell when the address applied first.
        CHECK(first.at("/applicationId") != again.at("/applicationId"));
        equal(first.body.size(), again.body.size());
        equal(1, _host->count("SELECT COUNT(*) FROM developers"));
        equal(2, mails("dev@new.example").size());
        review(idOf("dev@new.example"), "in_review");
        review(idOf("dev@new.example"), "rejected");
        equal("submitted", apply("dev@new.example").at("/status"));
        equal("rejected", developer(idOf("dev@new.example")).at("/status"));
    }

    TEST(asksForAPersonAndTakesSoManyFromANetwork)
    {
        equal("human_verification_required", applyWith("dev@new.example", "null").code());
        const auto proof = _host->humanProof("developer_apply");
        equal(202, applyWith("dev@new.example", proof).status);
        equal("challenge_replayed", applyWith("dev@new.example", proof).code());
        equal("human_verification_failed", applyWith("dev@new.example", _host->humanProof("register")).code());
        _host = std::make_unique<IdentityHost>();
        for (int i = 0; i < 5; ++i) equal(202, apply("dev" + std::to_string(i) + "@new.example").status);
        const auto refused = apply("dev5@new.example");
        equal(429, refused.status);
        CHECK(refused.headerBlock().find("Retry-After: ") != std::string::npos);
        // One form of one client: neither the other form nor who sits beside.
        equal(202, post("/api/public/app-submissions",
                        app("notes", "https://n.example/cb", "desk", "tickets.read", _host->humanProof("app_submission")))
                       .status);
        TestRequest neighbour{
            .method = Method::Post,
            .target = "/api/public/developers/apply",
            .body = jsonWith(R"({"applicantName":"Ada","email":"near@new.example","useCase":"x","acceptTerms":true,"humanVerification":$})",
                             _host->humanProof("developer_apply"))};
        neighbour.clientAddress = "192.0.2.9";
        equal(202, _host->call(std::move(neighbour)).status);
        // Mails to an address are limited, however often it is entered.
        for (int hour = 0; hour < 2; ++hour)
        {
            for (int i = 0; i < 5; ++i) apply("victim@new.example");
            _host->context().clock().advance(std::chrono::minutes(20));
        }
        CHECK(mails("victim@new.example").size() <= 3);
    }

    TEST(oneAddressAppliesOnce)
    {
        std::vector<std::string> proofs;
        for (int i = 0; i < 8; ++i) proofs.push_back(_host->humanProof("developer_apply"));
        std::vector<std::thread> applicants;
        std::atomic<int> accepted{0};
        for (const auto& proof : proofs) applicants.emplace_back([&] { accepted += applyWith("dev@new.example", proof).status == 202; });
        for (auto& applicant : applicants) applicant.join();
        equal(8, accepted.load());
        equal(1, _host->count("SELECT COUNT(*) FROM developers"));
    }

    TEST(checksWhatIsSent)
    {
        const auto place = [&](std::string_view body)
        {
            const auto answer = post("/api/public/app-submissions", std::string(body));
            return answer.code() == "validation_failed" ? answer.at("/errors/0/field") : answer.code();
        };
        equal("slug", place(app("Bad Slug")));
        equal("callbackUrls[0]", place(app("notes", "http://notes.example/cb")));
        equal("callbackUrls[0]", place(app("notes", "https://notes.example/cb#top")));
        equal("requestedScopes[0].service_id", place(app("notes", "https://n.example/cb", "nobody", "x")));
        equal("requestedScopes[0].scopes[0]", place(app("notes", "https://n.example/cb", "desk", "x")));
        equal("human_verification_required", place(app("notes", "https://n.example/cb")));
        const auto terms =
            post("/api/public/developers/apply", R"({"applicantName":"A","email":"a@b.example","useCase":"x","acceptTerms":false})");
        equal("acceptTerms", terms.at("/errors/0/field"));
    }

    TEST(showsTheStateToWhoHoldsTheLink)
    {
        apply("dev@new.example");
        const auto link = linkIn(mails("dev@new.example").at(0).text);
        equal("submitted", _host->call({.target = link}).at("/status"));
        equal(404, _host->call({.target = link + "x"}).status);
        equal(404, _host->call({.target = "/api/public/applications/dev_0?email_token=x"}).status);
        review(idOf("dev@new.example"), "in_review", "soon");
        equal("soon", _host->call({.target = link}).at("/statusReason"));
        // The newest link is the one that counts.
        apply("dev@new.example");
        equal(404, _host->call({.target = link}).status);
        equal(200, _host->call({.target = linkIn(mails("dev@new.example").back().text)}).status);
    }

    TEST(reviewersGoStepByStep)
    {
        apply("dev@new.example");
        const auto id = idOf("dev@new.example");
        const auto answer = review(id, "approved");
        refused(answer, 409, "invalid_transition");
        equal("submitted", answer.at("/details/from"));
        equal("in_review", answer.at("/details/allowed/0"));
        equal(200, review(id, "in_review").status);
        equal(412, review(id, "rejected", "no", "\"1\"").status);
        const auto rejected = review(id, "rejected", "no");
        equal("in_review", rejected.at("/history/1/from"));
        equal("no", rejected.at("/history/1/note"));
        CHECK(rejected.at("/reviewedBy").starts_with("usr_"));
        equal(409, review(id, "in_review").status);
        const auto mail = mails("dev@new.example").back();
        CHECK(mail.text.find("Your application was not approved") != std::string::npos);
        CHECK(mail.html.find("no") != std::string::npos);
    }

    TEST(askedAgainApplicantsSendMore)
    {
        apply("dev@new.example");
        const auto id = idOf("dev@new.example");
        review(id, "in_review");
        review(id, "needs_info", "For whom?");
        equal(409, review(id, "approved").status);
        apply("dev@new.example", "For crooks");
        equal("needs_info", developer(id).at("/status"), "an application without the link");
        const auto text = mails("dev@new.example").back().text;
        const auto at = text.find("email_token=") + 12;
        apply("dev@new.example", "For schools", text.substr(at, text.find_first_of("\n &", at) - at));
        const auto shown = developer(id);
        equal("submitted", shown.at("/status"));
        equal("For schools", shown.at("/useCase"));
        equal("needs_info", shown.at("/history/2/from"));
        equal("", shown.at("/history/2/by"));
        // Applications under review cannot be changed from outside.
        apply("dev@new.example", "For crooks");
        equal("For schools", developer(id).at("/useCase"));
    }

    TEST(approvalMakesAWorkspace)
    {
        _host->createUser("dev@new.example");
        const auto approved = approve("dev@new.example");
        const auto workspace = approved.at("/workspaceOrganizationId");
        CHECK(workspace.starts_with("org_"));
        equal("developer_workspace", value("SELECT kind FROM organizations WHERE id = $1", workspace));
        equal("owner", value("SELECT role FROM memberships WHERE organization_id = $1", workspace));
        // Suspended and approved again: the same one.
        review(approved.at("/id"), "suspended");
        equal(workspace, review(approved.at("/id"), "approved").at("/workspaceOrganizationId"));
        equal("active", value("SELECT status FROM organizations WHERE id = $1", workspace));
    }

    TEST(approvalInvitesWhoHasNoAccount)
    {
        const auto workspace = approve("dev@new.example").at("/workspaceOrganizationId");
        equal(0, _host->count("SELECT COUNT(*) FROM memberships m JOIN organizations o ON "
                              "o.id = m.organization_id WHERE o.kind = 'developer_workspace'"));
        const auto joined = acceptInvitation("dev@new.example");
        equal("owner", joined.at("/role"));
        equal(workspace, joined.at("/organizationId"));
    }

    TEST(approvalByAReviewerOfAnotherOrganizationInvitesTheOwner)
    {
        const auto reviewer = _host->createUser("reviewer@acme.example", "acme", "member");
        _host->change("INSERT INTO permission_overrides (id, user_id, organization_id, permission, effect, reason, created_by, expires_at, "
                      "version, created_at, updated_at) VALUES ('ovr_01jd0000000000000000000001', $1, $2, 'identity.developers:review', "
                      "'allow', '', '', NULL, 1, 1, 1)",
                      {reviewer, _host->organizationId("acme")});
        _operator = _host->signIn("reviewer@acme.example", "identity");
        const auto approved = approve("dev@new.example");
        equal(200, approved.status, approved.body);
        const auto joined = acceptInvitation("dev@new.example");
        equal(200, joined.status, joined.body);
        equal("owner", joined.at("/role"));
        equal(approved.at("/workspaceOrganizationId"), joined.at("/organizationId"));
    }

    TEST(suspensionClosesTheWorkspaceAndItsKeys)
    {
        _host->createUser("dev@new.example");
        const auto approved = approve("dev@new.example");
        const auto workspace = approved.at("/workspaceOrganizationId");
        const auto token = _host->signIn("dev@new.example", "desk", jsonWith(R"(,"organizationId":"$")", workspace));
        elevate();
        const auto made = _host->call(
            {.method = Method::Post,
             .target = "/api/api-keys",
             .body =
                 jsonWith(R"({"name":"k","environment":"live","owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk",)"
                          R"("scopes":["tickets.read"]}]})",
                          workspace),
             .originService = "desk"},
            token);
        equal(201, made.status);
        const auto key = made.at("/key");
        equal("ok", _host->verdict(key));
        const auto move = [&](std::string_view step)
        { return post("/api/developer-workspaces/" + workspace + '/' + std::string(step), R"({"reason":"x"})", _operator); };
        equal("suspended", move("suspend").at("/status"));
        equal("workspace_suspended", _host->verdict(key));
        equal("service_access_denied", _host->verdict(token));
        equal("invalid_transition", move("suspend").code());
        equal("active", move("reinstate").at("/status"));
        equal("ok", _host->verdict(key));
        equal("ok", _host->verdict(token));
        // The same from the developer's side.
        review(approved.at("/id"), "suspended");
        equal("workspace_suspended", _host->verdict(key));
        const auto acme = _host->organizationId("acme");
        equal(404, post("/api/developer-workspaces/" + acme + "/suspend", R"({"reason":"x"})", _operator).status);
        const auto member = _host->signIn("member@acme.example", "identity");
        equal(403, post("/api/developer-workspaces/" + acme + "/suspend", R"({"reason":"x"})", member).status);
    }

    TEST(revocationIsForGood)
    {
        _host->createUser("dev@new.example");
        const auto approved = approve("dev@new.example");
        const auto workspace = approved.at("/workspaceOrganizationId");
        equal("step_up_required", review(approved.at("/id"), "revoked").code());
        elevate();
        equal(200, review(approved.at("/id"), "revoked").status);
        equal("revoked", value("SELECT status FROM organizations WHERE id = $1", workspace));
        equal(409, review(approved.at("/id"), "approved").status);
        const auto reinstate = "/api/developer-workspaces/" + workspace + "/reinstate";
        equal(409, post(reinstate, R"({"reason":"x"})", _operator).status);
        _host->createUser("super@admin.example", "", "member", "platform_super_admin");
        const auto super = _host->signIn("super@admin.example", "identity");
        equal("active", post(reinstate, R"({"reason":"x"})", super).at("/status"));
        // A workspace that was revoked directly is not reopened by a change of its developer's status.
        _host->createUser("two@new.example");
        const auto other = approve("two@new.example");
        const auto theirs = other.at("/workspaceOrganizationId");
        equal(200, post("/api/developer-workspaces/" + theirs + "/revoke", R"({"reason":"x"})", _operator).status);
        for (const auto* standing : {"suspended", "approved"})
        {
            equal(200, review(other.at("/id"), standing).status);
            equal("revoked", value("SELECT status FROM organizations WHERE id = $1", theirs));
        }
    }

    TEST(appsAreReviewed)
    {
        const auto sent = post("/api/public/app-submissions",
                               app("notes", "https://n.example/cb", "desk", "tickets.read", _host->humanProof("app_submission")));
        equal(202, sent.status);
        const auto id = sent.at("/submissionId");
        CHECK(id.starts_with("asb_"));
        const auto move = [&](std::string_view status)
        {
            return _host->call({.method = Method::Patch,
                                .target = "/api/app-reviews/" + id + "/status",
                                .body = jsonWith(R"({"status":"$","reason":"r"})", status)},
                               _operator);
        };
        equal("invalid_transition", move("approved").code());
        equal(200, move("in_review").status);
        equal("approved", move("approved").at("/status"));
        // Only a handoff that is consumed registers an app.
        equal(409, move("registered").status);
        equal(200, _host->call({.target = linkIn(mails("dev@new.example").at(0).text)}).status);
        apply("dev@new.example");
        equal(id, developer(idOf("dev@new.example")).at("/submissions/0/id"));
    }

    TEST(onlyReviewersSeeThem)
    {
        const auto member = _host->signIn("member@acme.example", "identity");
        equal(403, _host->call({.target = "/api/developers"}, member).status);
        equal(403, _host->call({.target = "/api/app-reviews"}, member).status);
        equal(401, _host->call({.target = "/api/developers"}).status);
        equal(404, _host->call({.target = "/api/developers/dev_01arz3ndektsv4rrffq69g5fav"}, _operator).status);
    }

    TEST(listsAreFilteredAndPaged)
    {
        for (const std::string name : {"one", "two", "three"})
        {
            apply(name + "@new.example", "50%_of it");
            _host->context().clock().advance(std::chrono::milliseconds(1));
        }
        review(idOf("two@new.example"), "in_review");
        const auto list = [&](std::string query) { return _host->call({.target = "/api/developers?" + std::move(query)}, _operator); };
        equal("3", list("include=total").at("/total"));
        equal("two@new.example", list("status=in_review").at("/items/0/email"));
        equal("2", list("status=submitted,rejected&include=total").at("/total"));
        equal("one@new.example", list("q=ONE%40").at("/items/0/email"));
        equal("0", list("q=%25&include=total").at("/total"));
        const auto first = list("limit=2");
        equal("three@new.example", first.at("/items/0/email"));
        equal("one@new.example", list("limit=2&cursor=" + first.at("/nextCursor")).at("/items/0/email"));
    }

    TestAnswer post(const std::string& target, std::string body, const std::string& credential = {}) const
    {
        return _host->call({.method = Method::Post, .target = target, .body = std::move(body)}, credential);
    }
    TestAnswer applyWith(const std::string& email, const std::string& proof, const std::string& useCase = "An app",
                         const std::string& link = {}) const
    {
        return post(
            "/api/public/developers/apply",
            jsonWith(R"({"applicantName":"Ada","email":"$","email_token":"$","useCase":"$","acceptTerms":true,"humanVerification":$})",
                     email, link, useCase, proof));
    }
    TestAnswer apply(const std::string& email, const std::string& useCase = "An app", const std::string& link = {}) const
    {
        return applyWith(email, _host->humanProof("developer_apply"), useCase, link);
    }
    static std::string app(const std::string& slug, const std::string& callback = "https://n.example/cb",
                           const std::string& service = "desk", const std::string& scope = "tickets.read",
                           const std::string& proof = "null")
    {
        return jsonWith(R"({"developerEmail":"dev@new.example","appName":"Notes","slug":"$","summary":"s","description":"d",)"
                        R"("homepageUrl":"https://n.example/","callbackUrls":["$"],"requestedScopes":[{"service_id":"$","scopes":["$"]}],)"
                        R"("surface_kind":"application","contact":"c","humanVerification":$})",
                        slug, callback, service, scope, proof);
    }
    TestAnswer review(const std::string& id, std::string_view status, std::string_view reason = {}, const std::string& match = "*") const
    {
        return _host->call({.method = Method::Patch,
                            .target = "/api/developers/" + id + "/status",
                            .body = jsonWith(R"({"status":"$","reason":"$"})", status, reason),
                            .headers = {{"If-Match", match}}},
                           _operator);
    }
    TestAnswer approve(const std::string& email)
    {
        apply(email);
        review(idOf(email), "in_review");
        return review(idOf(email), "approved");
    }
    /// Makes an account with the address, and accepts with it the invitation that was mailed there last.
    TestAnswer acceptInvitation(const std::string& email) const
    {
        std::string text;
        for (const auto& mail : mails(email))
            if (mail.text.find("/invitation?token=") != std::string::npos) text = mail.text;
        const auto start = text.find("/invitation?token=") + std::string("/invitation?token=").size();
        const auto token = text.substr(start, text.find_first_of(" \r\n", start) - start);
        _host->createUser(email);
        return post("/api/invitations/" + token + "/accept", "{}", _host->signIn(email, "identity"));
    }
    TestAnswer developer(const std::string& id) const { return _host->call({.target = "/api/developers/" + id}, _operator); }
    std::string idOf(const std::string& email) { return value("SELECT id FROM developers WHERE email_key = $1", email); }
    std::string value(std::string_view sql, const std::string& argument)
    {
        return _host->context().database().session().value<std::string>(sql, argument).value_or("none");
    }
    std::vector<Mail> mails(std::string_view address) const { return _host->context().mailer().sentTo(address); }
    static std::string linkIn(const std::string& text)
    {
        const auto start = text.find("/api/public/applications/");
        return text.substr(start, text.find_first_of(" \r\n", start) - start);
    }
    void elevate() { _host->change("UPDATE sessions SET elevated_until = 9999999999999"); }

    std::unique_ptr<IdentityHost> _host;
    std::string _operator;
};

} // namespace portico::tests
