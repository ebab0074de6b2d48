#include "social/NetworkFixture.h"

#include "networks/mastodon/MastodonServer.h"

#include "portico/Crypto.h"
#include "portico/testing/TemporaryDirectory.h"

#include <filesystem>
#include <fstream>

namespace portico::tests
{

using namespace social;
using Kind = StepOutcome::Kind;

/// Mastodon against canned answers; the sandbox server is in tests/http/social_publishing.py.
class MastodonNetworkTest : public Suite<MastodonNetworkTest, NetworkFixture>
{
    void setUp() override
    {
        keys = std::make_unique<testing::TemporaryDirectory>();
        const auto file = keys->path() / "keys";
        std::ofstream(file) << Sealer::makeKey("one") << '\n';
        std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        settings.config["social.sealingKeys"] = file.string();
        NetworkFixture::setUp();
        account.externalId = "7";
        account.serverUrl = "https://social.example";
        account.credentials.accessToken = "token";
    }

    Network& mastodon() const { return networks->get(Platform::Mastodon); }
    static ConnectRequest request(std::string instance)
    {
        return {.instanceUrl = std::move(instance), .redirectUri = "https://portico.example/callback", .state = "state-1"};
    }
    void serveSignIn(const std::string& metadata = R"({"code_challenge_methods_supported":["S256"]})")
    {
        serve({{"/api/v1/apps", always(200, R"({"client_id":"client","client_secret":"secret"})")},
               {"/.well-known/oauth-authorization-server", always(metadata.empty() ? 404 : 200, metadata)},
               {"/oauth/token", always(200, R"({"access_token":"token","scope":"read:accounts write:statuses"})")},
               {"/api/v1/accounts/verify_credentials",
                always(200, R"({"id":"7","username":"anna","display_name":"Anna","avatar":"https://a.example/a.png"})")},
               {"/api/v2/instance",
                always(200, R"({"domain":"social.example","configuration":{"statuses":{"max_characters":1000,"max_media_attachments":6,)"
                            R"("characters_reserved_per_url":20},"media_attachments":{"image_size_limit":8000000}}})")}});
    }
    std::size_t registrations() const
    {
        return static_cast<std::size_t>(
            std::ranges::count_if(http().requests(), [](const auto& sent) { return sent.url.ends_with("/api/v1/apps"); }));
    }

    TEST(registersOnceAtEachServer)
    {
        serveSignIn();
        CHECK(mastodon()
                  .connect(request("https://social.example/@anna"))
                  .authorizationUrl.starts_with("https://social.example/oauth/authorize?"));
        mastodon().connect(request("social.example"));
        equal(1, registrations());
        mastodon().connect(request("other.example"));
        equal(2, registrations());
        // The secret is stored sealed.
        auto session = host->context().database().session();
        for (const Row row : session.query("SELECT secrets FROM network_application"))
            CHECK(row.text(0).find("secret") == std::string_view::npos);
    }

    TEST(usesPkceWhereTheServerKnowsIt)
    {
        serveSignIn();
        const auto start = mastodon().connect(request("social.example"));
        CHECK(start.authorizationUrl.find("code_challenge_method=S256") != std::string::npos);
        CHECK(start.authorizationUrl.find("state=state-1") != std::string::npos);
        CHECK(start.authorizationUrl.find("scope=read%3Aaccounts%20write%3Astatuses%20write%3Amedia") != std::string::npos);
        mastodon().finish(start.keep, {"the-code", {}, "https://portico.example/callback"});
        const auto sent = http().requests();
        const auto token = std::ranges::find_if(sent, [](const auto& one) { return one.url.ends_with("/oauth/token"); });
        const auto at = token->body.find("code_verifier=");
        CHECK(at != std::string::npos && token->body.find("code=the-code") != std::string::npos);
        const auto challenge = toBase64Url(sha256(token->body.substr(at + 14)).bytes());
        CHECK(start.authorizationUrl.find("code_challenge=" + challenge) != std::string::npos);
        serveSignIn("");
        CHECK(mastodon().connect(request("social.example")).authorizationUrl.find("code_challenge") == std::string::npos);
    }

    TEST(takesLimitsFromTheServer)
    {
        serveSignIn();
        const auto start = mastodon().connect(request("social.example"));
        const auto profile = mastodon().finish(start.keep, {"code", {}, "https://portico.example/callback"});
        equal("anna@social.example", profile.handle);
        equal(2, profile.scopes.size());
        const auto limits = mastodon().limits(&profile.credentials);
        equal(1000, limits.maxText);
        equal(6, limits.maxImages);
        equal(20, *limits.urlLength);
        equal(500, mastodon().limits(nullptr).maxText);
        equal(20, mastodon().preview(publication({"https://example.org/a/long/one"}), &profile.credentials).parts.at(0).length);
    }

    TEST(refusesHostileAddressesAndCodes)
    {
        serveSignIn();
        http().refuse("https://10.0.0.1");
        for (const auto* instance :
             {"", "http://social.example", "javascript:alert(1)", "https://user@social.example", "10.0.0.1", "https://", "a b"})
            CPPUNIT_ASSERT_THROW_MESSAGE(instance, mastodon().connect(request(instance)), ConnectFault);
        const auto start = mastodon().connect(request("social.example"));
        serve({{"/oauth/token", always(400, R"({"error":"invalid_grant","error_description":"expired"})")}});
        try
        {
            mastodon().finish(start.keep, {"code", {}, "https://portico.example/callback"});
            CPPUNIT_FAIL("the code was taken");
        }
        catch (const ConnectFault& fault)
        {
            CHECK(fault.kind == ConnectFault::Kind::Refused);
        }
        for (const auto* body : {"", "{}", "<html>", R"({"access_token":""})"})
        {
            serve({{"/oauth/token", always(200, body)}});
            CPPUNIT_ASSERT_THROW_MESSAGE(body, mastodon().finish(start.keep, {"code", {}, "https://portico.example/callback"}),
                                         ConnectFault);
        }
    }

    static std::string status(const std::string& id, const std::string& content, const std::string& of = "7")
    {
        return jsonWith(R"({"id":"$","url":"https://social.example/@anna/$","content":"$","created_at":"2026-11-23T08:00:01.000Z",)"
                        R"("account":{"id":"$"}})",
                        id, id, content, of);
    }

    TEST(sendsTheSameKeyAndAnswersEachPart)
    {
        int number = 0;
        serve({{"/api/v1/statuses", [&](const HttpClient::Request& sent)
                {
                    ++number;
                    return respond(
                        200, status(std::to_string(number), sent.body.find("One") != std::string::npos ? "<p>One</p>" : "<p>Two</p>"));
                }}});
        auto post = publication({"One", "Two"});
        post.settings = R"({"visibility":"unlisted","contentWarning":"Careful","sensitive":true,"languages":["de-AT"]})";
        const auto steps = mastodon().prepare(post, account, now);
        const auto outcomes = performAll(mastodon(), steps, account, now);
        equal(2, outcomes.size());
        CHECK(outcomes.back().kind == Kind::Done);
        const auto sent = http().requests();
        equal(post.contentId.text() + "-3", header(sent.at(0), "Idempotency-Key"));
        equal(post.contentId.text() + "-3-1", header(sent.at(1), "Idempotency-Key"));
        equal(R"({"status":"One","visibility":"unlisted","spoiler_text":"Careful","sensitive":true,"language":"de"})", sent.at(0).body);
        CHECK(sent.at(1).body.find(R"("in_reply_to_id":"1")") != std::string::npos);
    }

    StepOutcome posting(int code, const std::string& body)
    {
        serve({{"/api/v1/statuses", always(code, body)}});
        return performAll(mastodon(), mastodon().prepare(publication({"Hello"}), account, now), account, now).at(0);
    }

    TEST(takesNoAnswerForAnotherStatus)
    {
        CHECK(posting(200, status("5", "<p>Hello</p>")).kind == Kind::Done);
        CHECK(posting(200, status("5", "<p>Other</p>")).kind == Kind::PerhapsSent);
        CHECK(posting(200, status("", "<p>Hello</p>")).kind == Kind::PerhapsSent);
        CHECK(posting(200, status("5", "<p>Hello</p>", "8")).kind == Kind::PerhapsSent);
        CHECK(posting(200, "{\"uri\":").kind == Kind::PerhapsSent);
        CHECK(posting(201, "").kind == Kind::PerhapsSent);
        CHECK(posting(422, R"({"error":"Validation failed: Text character limit of 500 exceeded"})").code == FailureCode::TextTooLong);
        CHECK(posting(401, R"({"error":"The access token was revoked"})").kind == Kind::AuthRefused);
    }

    LookUp lookUp(int code, const std::string& body, const std::string& settingsText = "{}")
    {
        serve({{"/api/v1/accounts/7/statuses", always(code, body)}});
        auto post = publication({"Hello https://example.org/a @bob@other.example"});
        post.settings = settingsText;
        const auto steps = mastodon().prepare(post, account, now);
        return mastodon().lookUp({steps[0], {}, {}, account, now, now + std::chrono::hours(1)});
    }

    TEST(findsItsStatusAmongTheNewest)
    {
        const std::string shown =
            R"(<p>Hello <a href="https://example.org/a"><span>https://</span>example.org/a</a> @<span>bob</span></p>)";
        const auto found = lookUp(200, "[" + status("9", "<p>Else</p>") + "," + status("8", shown) + "]");
        CHECK(found.kind == LookUp::Kind::Found);
        equal("8", found.result.id);
        CHECK(lookUp(200, "[]").kind == LookUp::Kind::Absent);
        // A status that is not public is not in the list.
        CHECK(lookUp(200, "[]", R"({"visibility":"private"})").kind == LookUp::Kind::Unknown);
        for (const auto code : {401, 403, 404, 429, 500}) CHECK(lookUp(code, "{}").kind == LookUp::Kind::Unknown);
        CHECK(lookUp(200, "<html>").kind == LookUp::Kind::Unknown);
        // The status may be older than the forty newest.
        std::string full = status("1", "<p>Else</p>");
        for (int i = 2; i <= 40; ++i) full += "," + status(std::to_string(i), "<p>Else</p>");
        CHECK(lookUp(200, "[" + full + "]").kind == LookUp::Kind::Unknown);
    }

    TEST(comparesWhatReadersSee)
    {
        using social::mastodon::comparableHtml;
        using social::mastodon::comparableText;
        const std::pair<const char*, const char*> pairs[] = {
            {"a & b < c > d \"e\" 'f'", "<p>a &amp; b &lt; c &gt; d &quot;e&quot; &#39;f&#39;</p>"},
            {"Ä \U0001F600 日本", "<p>Ä \U0001F600 日本</p>"},
            {"one\n\ntwo\nthree", "<p>one</p><p>two<br />three</p>"},
            {"#Tag @anna@example.org", "<p>#<span>Tag</span> <span>@<span>anna</span></span></p>"},
        };
        for (const auto& [text, shown] : pairs) equal(comparableText(text), comparableHtml(shown));
        CHECK(comparableText("one") != comparableHtml("<p>two</p>"));
        CHECK(comparableText("\U0001F389") != comparableHtml("<p>\U0001F680</p>"));
        equal("", comparableHtml("<p unfinished"));
    }

    std::unique_ptr<testing::TemporaryDirectory> keys;
    NetworkAccount account;
};

} // namespace portico::tests
