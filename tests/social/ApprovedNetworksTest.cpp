#include "social/MediaSamples.h"
#include "social/NetworkFixture.h"

#include "portico/Crypto.h"
#include "portico/testing/TemporaryDirectory.h"

#include <filesystem>
#include <fstream>

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;
using Kind = StepOutcome::Kind;

/// LinkedIn, X, Facebook pages, Instagram and Threads against answers written from their public documentation: `portico/social` names the
/// pages beside the records. Every request that the documentation does not have is answered by 404.
class ApprovedNetworksTest : public Suite<ApprovedNetworksTest, NetworkFixture>
{
    void setUp() override
    {
        folder = std::make_unique<testing::TemporaryDirectory>();
        const auto file = (folder->path() / "secret").string();
        std::ofstream(file) << "the-secret\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        for (const std::string platform : {"linkedin", "x", "threads", "instagram", "facebook_page"})
        {
            settings.config["social." + platform + ".clientId"] = "client";
            settings.config["social." + platform + ".clientSecretFile"] = file;
        }
        NetworkFixture::setUp();
        account.credentials.accessToken = "token";
    }

    Network& network(Platform platform) const { return networks->get(platform); }
    ConnectStart start(Platform platform, std::string identifier = {}) const
    {
        return network(platform).connect(
            {.identifier = std::move(identifier), .redirectUri = "https://portico.example/callback", .state = "state-1"});
    }
    AccountProfile finish(Platform platform, const ConnectStart& begun) const
    {
        return network(platform).finish(begun.keep, {"the-code", {}, "https://portico.example/callback"});
    }
    PublishedFile file(const std::string& bytes, const std::string& kind, const std::string& type, const std::string& alt) const
    {
        auto writer = host->context().blobs().create("brand");
        writer->write(bytes);
        const auto key = writer->key();
        writer->commit();
        return {MediaId::make(now), kind, type, static_cast<std::int64_t>(bytes.size()), 30, 20, alt, key, "https://portico.example/m/1"};
    }
    PublishedFile picture(const std::string& alt = {}) const { return file(samples::png(1), "image", "image/png", alt); }
    std::vector<StepOutcome> publish(Platform platform, const Publication& post) const
    {
        return performAll(network(platform), network(platform).prepare(post, account, now), account, now);
    }
    StepOutcome published(Platform platform, const Publication& post) const { return publish(platform, post).back(); }
    HttpClient::Request sentTo(std::string_view end) const
    {
        for (const auto& request : http().requests())
            if (request.url.substr(0, request.url.find('?')).ends_with(end)) return request;
        CPPUNIT_FAIL("no request to " + std::string(end));
        return {};
    }
    static void assertContains(const std::string& text, const std::string& part)
    {
        CPPUNIT_ASSERT_MESSAGE(text + " lacks " + part, text.find(part) != std::string::npos);
    }
    void assertRefused(Platform platform, const ConnectStart& begun, const std::string& code) const
    {
        try
        {
            finish(platform, begun);
            CPPUNIT_FAIL("the account was connected");
        }
        catch (const ConnectFault& fault)
        {
            equal(code, fault.code);
        }
    }

    TEST(isReadyWithIdAndSecretOnly)
    {
        for (const auto platform : {Platform::LinkedIn, Platform::FacebookPage, Platform::Instagram, Platform::Threads, Platform::X})
        {
            CHECK(network(platform).missing().empty());
            CHECK(network(platform).repetition() == Repetition::Never);
            const auto url = start(platform).authorizationUrl;
            assertContains(url, "client_id=client");
            assertContains(url, "state=state-1");
            assertContains(url, "redirect_uri=https%3A%2F%2Fportico.example%2Fcallback");
            CHECK(url.find("the-secret") == std::string::npos);
        }
    }

    TEST(refusesHostileAnswersToCodes)
    {
        for (const auto platform : {Platform::LinkedIn, Platform::FacebookPage, Platform::Instagram, Platform::Threads, Platform::X})
        {
            const auto begun = start(platform);
            for (const auto* body : {"", "{}", "<html>", R"({"access_token":""})", R"({"access_token":7})", "[]"})
            {
                serve({{"oken", always(200, body)}});
                CPPUNIT_ASSERT_THROW_MESSAGE(body, finish(platform, begun), ConnectFault);
            }
            serve({{"oken", always(400, R"({"error":"invalid_grant","error_description":"expired"})")}});
            assertRefused(platform, begun, "code_refused");
            serve({{"oken", always(503, "")}});
            assertRefused(platform, begun, "unexpected_answer");
        }
    }

    void serveLinkedIn()
    {
        serve({{"/oauth/v2/accessToken", always(200, R"({"access_token":"token","expires_in":5184000,"scope":"openid,w_member_social"})")},
               {"/v2/userinfo", always(200, R"({"sub":"abC-1_x","name":"Anna","picture":"https://media.example/a.png"})")},
               {"/rest/organizations/42", always(200, R"({"id":42,"localizedName":"Acme","vanityName":"acme"})")},
               {"/rest/organizations/43", always(403, R"({"code":"ACCESS_DENIED","message":"no"})")}});
    }

    TEST(connectsAMemberOrAnOrganizationOfLinkedIn)
    {
        serveLinkedIn();
        const auto person = finish(Platform::LinkedIn, start(Platform::LinkedIn));
        equal("urn:li:person:abC-1_x", person.externalId);
        CHECK(person.credentials.expiresAt == now + std::chrono::days(60));
        const auto sent = sentTo("/oauth/v2/accessToken").body;
        assertContains(sent, "client_secret=the-secret");
        assertContains(sent, "code=the-code");
        const auto page = finish(Platform::LinkedIn, start(Platform::LinkedIn, " 42 "));
        equal("urn:li:organization:42", page.externalId);
        equal("organization", page.accountType);
        equal("202610", header(sentTo("/rest/organizations/42"), "LinkedIn-Version"));
        assertRefused(Platform::LinkedIn, start(Platform::LinkedIn, "43"), "not_an_administrator");
        assertRefused(Platform::LinkedIn, start(Platform::LinkedIn, "../../v2/me"), "invalid_organization");
    }

    TEST(postsPicturesToLinkedIn)
    {
        account.externalId = "urn:li:organization:42";
        int images = 0;
        serve({{"/rest/images",
                [&](const HttpClient::Request&)
                {
                    const auto id = std::to_string(++images);
                    return respond(
                        200, jsonWith(R"({"value":{"uploadUrl":"https://upload.linkedin.com/$","image":"urn:li:image:C$"}})", id, id));
                }},
               {"/1", always(201, "")},
               {"/2", always(201, "")},
               {"/rest/posts", [](const HttpClient::Request&) {
                    return respond(201, "", {{"x-restli-id", "urn:li:share:77"}});
                }}});
        auto post = publication({"Hello (world)"});
        post.parts[0].files = {picture("A cat"), picture()};
        const auto outcome = published(Platform::LinkedIn, post);
        CHECK(outcome.kind == Kind::Done);
        equal("urn:li:share:77", outcome.result.id);
        const auto body = sentTo("/rest/posts").body;
        assertContains(body, R"j("commentary":"Hello \\(world\\)")j");
        assertContains(body, R"("multiImage":{"images":[{"id":"urn:li:image:C1","altText":"A cat"},{"id":"urn:li:image:C2"}]})");
        assertContains(sentTo("/rest/images").body, R"("owner":"urn:li:organization:42")");
        // A link without media becomes an article with the page's title.
        auto link = publication({"Read"});
        link.linkUrl = "https://news.example/a";
        published(Platform::LinkedIn, link);
        assertContains(http().requests().back().body, R"("article":{"source":"https://news.example/a","title":"https://news.example/a"})");
        serve({{"news.example/a", always(200, "<title>Big news</title>")}, {"/rest/posts", always(500, "")}});
        published(Platform::LinkedIn, link);
        assertContains(http().requests().back().body, R"("article":{"source":"https://news.example/a","title":"Big news"})");
        for (const auto* id : {"", "urn:li:person:1", "https://evil.example"})
        {
            serve({{"/rest/posts", [&](const HttpClient::Request&) { return respond(201, "", {{"x-restli-id", id}}); }}});
            CHECK(published(Platform::LinkedIn, publication({"Hello"})).kind == Kind::PerhapsSent);
        }
        CHECK(!network(Platform::LinkedIn).faults(publication({"One", "Two"}), nullptr).empty());
    }

    TEST(uploadsAVideoToLinkedInInParts)
    {
        account.externalId = "urn:li:person:a";
        std::string status = "PROCESSING";
        serve({{"/rest/videos", always(200, R"({"value":{"video":"urn:li:video:V","uploadToken":"t","uploadInstructions":[)"
                                            R"({"uploadUrl":"https://upload.linkedin.com/p1","firstByte":0,"lastByte":3},)"
                                            R"({"uploadUrl":"https://upload.linkedin.com/p2","firstByte":4,"lastByte":9}]}})")},
               {"/p1",
                [](const HttpClient::Request&) {
                    return respond(200, "", {{"ETag", "one"}});
                }},
               {"/p2",
                [](const HttpClient::Request&) {
                    return respond(200, "", {{"ETag", "two"}});
                }},
               {"/rest/videos/urn%3Ali%3Avideo%3AV",
                [&](const HttpClient::Request&) { return respond(200, jsonWith(R"({"status":"$"})", status)); }},
               {"/rest/posts", [](const HttpClient::Request&) {
                    return respond(201, "", {{"x-restli-id", "urn:li:ugcPost:7"}});
                }}});
        auto post = publication({"A film"});
        post.parts[0].files = {file("0123456789", "video", "video/mp4", {})};
        const auto waiting = published(Platform::LinkedIn, post);
        CHECK(waiting.kind == Kind::Retry && waiting.notBefore > now);
        equal("0123", sentTo("/p1").body);
        equal("456789", sentTo("/p2").body);
        status = "AVAILABLE";
        CHECK(published(Platform::LinkedIn, post).kind == Kind::Done);
        const auto sent = http().requests();
        CHECK(std::ranges::any_of(sent, [](const auto& request)
                                  { return request.body.find(R"("uploadedPartIds":["one","two"])") != std::string::npos; }));
        status = "PROCESSING_FAILED";
        CHECK(published(Platform::LinkedIn, post).code == FailureCode::MediaRejected);
        // Parts that lie outside of the file are not read.
        serve({{"/rest/videos", always(200, R"({"value":{"video":"urn:li:video:V","uploadToken":"t","uploadInstructions":[)"
                                            R"({"uploadUrl":"https://upload.linkedin.com/p1","firstByte":0,"lastByte":99}]}})")}});
        CHECK(published(Platform::LinkedIn, post).kind == Kind::Retry);
    }

    TEST(sendsFilesToLinkedInOnly)
    {
        account.externalId = "urn:li:person:a";
        serve({{"/rest/images", always(200, R"({"value":{"uploadUrl":"https://linkedin.com.example/1","image":"urn:li:image:C"}})")},
               {"/rest/videos", always(200, R"({"value":{"video":"urn:li:video:V","uploadToken":"t","uploadInstructions":[)"
                                            R"({"uploadUrl":"https://evil.example/p1","firstByte":0,"lastByte":3}]}})")}});
        for (const auto& one : {picture(), file("0123", "video", "video/mp4", {})})
        {
            auto post = publication({"Hello"});
            post.parts[0].files = {one};
            CHECK(published(Platform::LinkedIn, post).kind == Kind::Retry);
        }
        equal(2, http().requests().size());
        // An upload needs an ETag for each part and has to reach the end of the file.
        for (const auto* end : {"3", "2"})
        {
            serve({{"/rest/videos",
                    always(200,
                           jsonWith(R"({"value":{"video":"urn:li:video:V","uploadToken":"t",)"
                                    R"("uploadInstructions":[{"uploadUrl":"https://upload.linkedin.com/p1","firstByte":0,"lastByte":$}]}})",
                                    end))},
                   {"/p1", [&](const HttpClient::Request& sent)
                    {
                        equal("", header(sent, "Authorization"));
                        return *end == '3' ? respond(200, "") : respond(200, "", {{"ETag", "one"}});
                    }}});
            auto post = publication({"Hello"});
            post.parts[0].files = {file("0123", "video", "video/mp4", {})};
            CHECK(published(Platform::LinkedIn, post).kind == Kind::Retry);
        }
    }

    TEST(requestsTheScopesOfTheAccountAtLinkedIn)
    {
        const auto person = start(Platform::LinkedIn).authorizationUrl, organization = start(Platform::LinkedIn, "42").authorizationUrl;
        assertContains(person, "scope=openid%20profile%20w_member_social&");
        assertContains(organization, "w_organization_social");
        CHECK(organization.find("openid") == std::string::npos);
    }

    LookUp lookUp(Platform platform, const Publication& post) const
    {
        const auto steps = network(platform).prepare(post, account, now);
        return network(platform).lookUp({steps.back(), {}, {}, account, now, now + 1min});
    }

    TEST(looksUpALostPostAtLinkedIn)
    {
        account.externalId = "urn:li:organization:42";
        const auto post = [](const std::string& text, Instant at)
        { return jsonWith(R"({"id":"urn:li:share:9","commentary":"$","createdAt":$})", text, toMillis(at)); };
        const auto list = [&](const std::string& text, Instant at, const std::string& links = {})
        { return jsonWith(R"({"paging":{"start":0,"count":20,"links":[$]},"elements":[$]})", links, post(text, at)); };
        const auto look = [&](int status, const std::string& body)
        {
            serve({{"/rest/posts", always(status, body)}});
            return lookUp(Platform::LinkedIn, publication({"Hello (world)"})).kind;
        };
        CHECK(look(200, list("Hello \\(world\\)", now)) == LookUp::Kind::Found);
        CHECK(look(200, list("Hello \\(world\\)", now - 1h)) == LookUp::Kind::Absent);
        CHECK(look(200, list("Other", now)) == LookUp::Kind::Absent);
        // The post may be on the next page, unless this one reaches back to the first attempt.
        const std::string next = R"({"type":"application/json","rel":"next","href":"/rest/posts?start=20"})";
        CHECK(look(200, list("Hello \\(world\\)", now, next)) == LookUp::Kind::Found);
        CHECK(look(200, list("Other", now, next)) == LookUp::Kind::Unknown);
        CHECK(look(200, list("Other", now - 1h, next)) == LookUp::Kind::Absent);
        std::string full = post("Other", now);
        for (int i = 2; i <= 20; ++i) full += "," + post("Other", now);
        CHECK(look(200, R"({"elements":[)" + full + "]}") == LookUp::Kind::Unknown);
        CHECK(look(403, R"({"code":"ACCESS_DENIED"})") == LookUp::Kind::Unknown);
        CHECK(look(200, "<html>") == LookUp::Kind::Unknown);
    }

    TEST(connectsXByPkceAndRotatesTokens)
    {
        serve({{"/2/oauth2/token",
                always(200, R"({"access_token":"a2","refresh_token":"r2","expires_in":7200,"scope":"tweet.read tweet.write"})")},
               {"/2/users/me", always(200, R"({"data":{"id":"12","name":"Anna","username":"anna"}})")}});
        const auto begun = start(Platform::X);
        assertContains(begun.authorizationUrl, "code_challenge_method=S256");
        const auto profile = finish(Platform::X, begun);
        equal("12", profile.externalId);
        const auto sent = sentTo("/2/oauth2/token");
        equal("Basic Y2xpZW50OnRoZS1zZWNyZXQ=", header(sent, "Authorization"));
        CHECK(sent.body.find("the-secret") == std::string::npos);
        const auto verifier = sent.body.substr(sent.body.find("code_verifier=") + 14, 43);
        assertContains(begun.authorizationUrl, "code_challenge=" + toBase64Url(sha256(verifier).bytes()));
        account.credentials.refreshToken = "r1";
        const auto fresh = network(Platform::X).refresh(account);
        CHECK(fresh.kind == Refreshed::Kind::New);
        equal("r2", fresh.credentials.refreshToken);
        serve({{"/2/oauth2/token", always(400, R"({"error":"invalid_grant"})")}});
        CHECK(network(Platform::X).refresh(account).kind == Refreshed::Kind::Dead);
        serve({{"/2/oauth2/token",
                always(400, R"({"error":"invalid_request","error_description":"Value passed for the token was invalid."})")}});
        CHECK(network(Platform::X).refresh(account).kind == Refreshed::Kind::Dead);
        for (const auto status : {500, 429, 200, 400})
        {
            serve({{"/2/oauth2/token", always(status, "{}")}});
            CHECK(network(Platform::X).refresh(account).kind == Refreshed::Kind::Unreachable);
        }
    }

    TEST(postsAThreadWithPicturesToX)
    {
        account.externalId = "12";
        account.handle = "anna";
        int posts = 0;
        serve({{"/2/media/upload", always(200, R"({"data":{"id":"500"}})")},
               {"/2/media/metadata", always(200, "{}")},
               {"/2/tweets",
                [&](const HttpClient::Request&) { return respond(201, jsonWith(R"({"data":{"id":"$","text":"x"}})", 100 + posts++)); }}});
        auto post = publication({"One", "Two"});
        post.parts[0].files = {picture("A cat")};
        const auto outcomes = publish(Platform::X, post);
        equal(3, outcomes.size());
        equal("https://x.com/anna/status/101", outcomes.back().result.url);
        equal(R"({"id":"500","metadata":{"alt_text":{"text":"A cat"}}})", sentTo("/2/media/metadata").body);
        equal(R"({"text":"One","media":{"media_ids":["500"]}})", sentTo("/2/tweets").body);
        equal(R"({"text":"Two","reply":{"in_reply_to_tweet_id":"100"}})", http().requests().back().body);
        // A video is uploaded in chunks, and must be processed first.
        std::string state = "in_progress";
        serve({{"/2/media/upload/initialize", always(200, R"({"data":{"id":"600"}})")},
               {"/2/media/upload/600/append", always(200, "")},
               {"/2/media/upload/600/finalize",
                always(200, R"({"data":{"id":"600","processing_info":{"state":"pending","check_after_secs":7}}})")},
               {"/2/media/upload", [&](const HttpClient::Request&)
                { return respond(200, jsonWith(R"({"data":{"id":"600","processing_info":{"state":"$","check_after_secs":7}}})", state)); }},
               {"/2/tweets", always(201, R"({"data":{"id":"7"}})")}});
        auto film = publication({"Film"});
        film.parts[0].files = {file("0123456789", "video", "video/mp4", {})};
        const auto waiting = published(Platform::X, film);
        CHECK(waiting.kind == Kind::Retry && waiting.notBefore == now + 7s);
        state = "succeeded";
        CHECK(published(Platform::X, film).kind == Kind::Done);
        state = "failed";
        CHECK(published(Platform::X, film).code == FailureCode::MediaRejected);
        const auto answered = [&](int status, const std::string& body)
        {
            serve({{"/2/tweets", always(status, body)}});
            return published(Platform::X, publication({"Hello"}));
        };
        CHECK(answered(403, R"({"detail":"You are not allowed to create a Tweet with duplicate content."})").code ==
              FailureCode::DuplicateContent);
        CHECK(answered(401, "{}").kind == Kind::AuthRefused);
        const auto reset = std::chrono::floor<std::chrono::seconds>(now) + 90s;
        serve({{"/2/tweets", [&](const HttpClient::Request&) {
                    return respond(429, "{}", {{"x-rate-limit-reset", std::to_string(reset.time_since_epoch().count())}});
                }}});
        CHECK(published(Platform::X, publication({"Hello"})).notBefore == reset);
        CHECK(answered(503, "").kind == Kind::Retry);
        CHECK(answered(500, "").kind == Kind::PerhapsSent);
        CHECK(answered(201, R"({"data":{"id":"../x"}})").kind == Kind::PerhapsSent);
    }

    TEST(looksUpALostPostAtX)
    {
        account.externalId = "12";
        account.handle = "anna";
        const auto look = [&](int status, const std::string& body, const std::string& text = "Tea & cake https://shop.example/long")
        {
            serve({{"/2/users/12/tweets", always(status, body)}});
            return lookUp(Platform::X, publication({text})).kind;
        };
        const std::string found = R"({"data":[{"id":"9","text":"Tea &amp; cake https://t.co/abc","created_at":"2026-11-23T08:00:05Z"}]})";
        CHECK(look(200, found) == LookUp::Kind::Found);
        CHECK(look(200, found, "Coffee") == LookUp::Kind::Absent);
        // The post may be on the next page, unless this one reaches back to the first attempt.
        const auto page = [](const std::string& time)
        {
            return jsonWith(
                R"({"data":[{"id":"9","text":"Tea","created_at":"2026-11-23T$Z"}],"meta":{"result_count":1,"next_token":"7140"}})", time);
        };
        CHECK(look(200, page("08:00:05"), "Tea") == LookUp::Kind::Found);
        CHECK(look(200, page("08:00:05"), "Coffee") == LookUp::Kind::Unknown);
        CHECK(look(200, page("07:00:00"), "Coffee") == LookUp::Kind::Absent);
        CHECK(look(200, found, "https://shop.example/long") == LookUp::Kind::Unknown);
        CHECK(look(429, "{}") == LookUp::Kind::Unknown);
    }

    TEST(keepsLongTokensOfThreads)
    {
        serve({{"/oauth/access_token", always(200, R"({"access_token":"short","user_id":5})")},
               {"graph.threads.net/access_token", always(200, R"({"access_token":"long","expires_in":5184000})")},
               {"graph.threads.net/refresh_access_token", always(200, R"({"access_token":"longer","expires_in":5184000})")},
               {"/v1.0/me", always(200, R"({"id":"17","username":"anna","name":"Anna"})")}});
        const auto profile = finish(Platform::Threads, start(Platform::Threads));
        equal("17", profile.externalId);
        equal("long", profile.credentials.accessToken);
        equal("Bearer long", header(sentTo("/v1.0/me"), "Authorization"));
        equal("longer", network(Platform::Threads).refresh(account).credentials.accessToken);
        serve({{"refresh_access_token", always(400, R"({"error":{"code":190,"message":"expired"}})")}});
        CHECK(network(Platform::Threads).refresh(account).kind == Refreshed::Kind::Dead);
        serve({{"refresh_access_token", always(500, "")}});
        CHECK(network(Platform::Threads).refresh(account).kind == Refreshed::Kind::Unreachable);
    }

    TEST(publishesContainersAtThreads)
    {
        account.externalId = "17";
        std::string status = "IN_PROGRESS";
        int containers = 0, posts = 0;
        serve({{"/17/threads", [&](const HttpClient::Request&) { return respond(200, jsonWith(R"({"id":"20$"})", ++containers)); }},
               {"/17/threads_publish", [&](const HttpClient::Request&) { return respond(200, jsonWith(R"({"id":"30$"})", ++posts)); }},
               {"/v1.0/201", [&](const HttpClient::Request&) { return respond(200, jsonWith(R"({"status":"$","id":"201"})", status)); }},
               {"/v1.0/202", always(200, R"({"status":"FINISHED"})")},
               {"/v1.0/203", always(200, R"({"status":"FINISHED"})")},
               {"/v1.0/301", always(200, R"({"permalink":"https://www.threads.net/@anna/post/a"})")}});
        const auto waiting = published(Platform::Threads, publication({"Hello"}));
        CHECK(waiting.kind == Kind::Retry && waiting.notBefore == now + 60s);
        equal(0, posts);
        assertContains(sentTo("/17/threads").body, "media_type=TEXT&text=Hello");
        const auto outcomes = publish(Platform::Threads, publication({"One", "Two"}));
        equal(4, outcomes.size());
        equal("https://www.threads.net/@anna/post/a", outcomes.at(1).result.url);
        CHECK(outcomes.back().kind == Kind::Done);
        const auto sent = http().requests();
        CHECK(std::ranges::any_of(sent, [](const auto& request) { return request.body == "media_type=TEXT&text=Two&reply_to_id=301"; }));
        containers = 0;
        status = "ERROR";
        CHECK(published(Platform::Threads, publication({"Hello"})).code == FailureCode::MediaRejected);
    }

    TEST(publishesNoContainerTwice)
    {
        account.externalId = "17";
        int posts = 0;
        serve({{"/17/threads", always(200, R"({"id":"201"})")},
               {"/17/threads_publish",
                [&](const HttpClient::Request&)
                {
                    ++posts;
                    return respond(200, R"({"id":"301"})");
                }},
               {"/v1.0/201", always(200, R"({"status":"PUBLISHED"})")}});
        CHECK(published(Platform::Threads, publication({"Hello"})).kind == Kind::PerhapsSent);
        equal(0, posts);
    }

    TEST(waitsForTheQuotaOfTheAccount)
    {
        account.externalId = "17";
        int used = 250;
        serve({{"/17/threads", always(200, R"({"id":"201"})")},
               {"/v1.0/201", always(200, R"({"status":"FINISHED"})")},
               {"/17/threads_publishing_limit", [&](const HttpClient::Request&)
                { return respond(200, jsonWith(R"({"data":[{"quota_usage":$,"config":{"quota_total":250}}]})", used)); }},
               {"/17/threads_publish", always(200, R"({"id":"301"})")}});
        const auto waiting = published(Platform::Threads, publication({"Hello"}));
        CHECK(waiting.kind == Kind::Retry && waiting.code == FailureCode::RateLimited && waiting.notBefore == now + 30min);
        used = 249;
        CHECK(published(Platform::Threads, publication({"Hello"})).kind == Kind::Done);
    }

    TEST(findsALostPostOfThreadsByItsContainer)
    {
        account.externalId = "17";
        const auto steps = network(Platform::Threads).prepare(publication({"Hello"}), account, now);
        const std::vector<StepResult> results = {{"201", {}, {}}};
        const auto look = [&](const std::string& status, const std::string& text)
        {
            serve({{"/v1.0/201", always(200, jsonWith(R"({"status":"$"})", status))},
                   {"/17/threads",
                    always(200, jsonWith(R"({"data":[{"id":"301","text":"$","permalink":"https://www.threads.net/p"}]})", text))}});
            return network(Platform::Threads).lookUp({steps[1], results, std::span(steps).first(1), account, now, now + 1min}).kind;
        };
        CHECK(look("PUBLISHED", "Hello") == LookUp::Kind::Found);
        CHECK(look("PUBLISHED", "Other") == LookUp::Kind::Unknown);
        CHECK(look("FINISHED", "Hello") == LookUp::Kind::Absent);
        CHECK(look("IN_PROGRESS", "Hello") == LookUp::Kind::Unknown);
        CHECK(network(Platform::Threads).lookUp({steps[0], {}, {}, account, now, now}).kind == LookUp::Kind::Absent);
    }

    TEST(publishesCarouselsAndReelsAtInstagram)
    {
        account.externalId = "88";
        serve({{"/88/media", always(200, R"({"id":"201"})")},
               {"/88/media_publish", always(200, R"({"id":"301"})")},
               {"/v21.0/201", always(200, R"({"status_code":"FINISHED"})")},
               {"/v21.0/301", always(200, R"({"permalink":"https://www.instagram.com/p/a/","like_count":4,"comments_count":2})")}});
        auto post = publication({"Two pictures"});
        post.parts[0].files = {picture("A cat"), picture()};
        CHECK(published(Platform::Instagram, post).kind == Kind::Done);
        const auto sent = http().requests();
        assertContains(sent.at(0).body, "image_url=https%3A%2F%2Fportico.example%2Fm%2F1&alt_text=A%20cat&is_carousel_item=true");
        CHECK(std::ranges::any_of(sent, [](const auto& request)
                                  { return request.body == "media_type=CAROUSEL&caption=Two%20pictures&children=201%2C201"; }));
        auto film = publication({"Film"});
        film.parts[0].files = {file("0123", "video", "video/mp4", {})};
        const auto before = http().requests().size();
        CHECK(published(Platform::Instagram, film).kind == Kind::Done);
        assertContains(http().requests().at(before).body, "media_type=REELS");
        const auto numbers = network(Platform::Instagram).numbers(account, {"301", {}, {}});
        CHECK(numbers && numbers->likes == 4 && numbers->replies == 2);
        // The network accepts no text without media, and fetches files by https only.
        equal("required", network(Platform::Instagram).faults(publication({"Text"}), nullptr).back().code);
        film.parts[0].files[0].url = "http://127.0.0.1/m/1";
        equal("public_url_required", network(Platform::Instagram).faults(film, nullptr).back().code);
    }

    TEST(knowsLimitsOfInstagram)
    {
        const auto codes = [&](const Publication& post)
        {
            std::string list;
            for (const auto& fault : network(Platform::Instagram).faults(post, nullptr)) list += fault.code + " ";
            return list;
        };
        auto photo = picture();
        photo.contentType = "image/jpeg";
        auto film = file("0123", "video", "video/mp4", "A film");
        auto post = publication({"Many"});
        post.parts[0].files = std::vector(10, photo);
        equal("", codes(post));
        post.parts[0].files.push_back(film);
        equal("too_many_media ", codes(post));
        std::string tags = "Text";
        for (int i = 0; i < 31; ++i) tags += " #tag" + std::to_string(i);
        post = publication({tags});
        post.parts[0].files = {photo};
        equal("too_many_tags ", codes(post));
        // It refuses descriptions of videos.
        post.parts[0].files = {film};
        for (const auto& step : network(Platform::Instagram).prepare(post, account, now))
            CHECK(step.request.find("alt_text") == std::string::npos);
    }

    void servePages(const std::string& pages)
    {
        serve({{"/oauth/access_token", always(200, R"({"access_token":"user","expires_in":5184000})")},
               {"/me/accounts", always(200, pages)}});
    }

    TEST(connectsOneFacebookPage)
    {
        const std::string one = R"({"id":"71","name":"Acme","access_token":"page-1"})",
                          two = R"({"id":"72","name":"Other","access_token":"page-2"})";
        servePages(jsonWith(R"({"data":[$]})", one));
        auto profile = finish(Platform::FacebookPage, start(Platform::FacebookPage));
        equal("page-1", profile.credentials.accessToken);
        equal("page", profile.accountType);
        servePages(jsonWith(R"({"data":[$,$]})", one, two));
        assertRefused(Platform::FacebookPage, start(Platform::FacebookPage), "several_pages");
        equal("72", finish(Platform::FacebookPage, start(Platform::FacebookPage, "Other")).externalId);
        assertRefused(Platform::FacebookPage, start(Platform::FacebookPage, "73"), "no_page");
        servePages(R"({"data":[]})");
        assertRefused(Platform::FacebookPage, start(Platform::FacebookPage), "no_page");
    }

    TEST(postsToAFacebookPage)
    {
        account.externalId = "71";
        serve({{"/71/photos", always(200, R"({"id":"500"})")},
               {"/71/videos", always(200, R"({"id":"600"})")},
               {"/71/feed", always(200, R"({"id":"71_9"})")}});
        auto post = publication({"A cat"});
        post.parts[0].files = {picture("Grey")};
        equal("https://www.facebook.com/71_9", published(Platform::FacebookPage, post).result.url);
        assertContains(sentTo("/71/feed").body, "message=A%20cat&attached_media%5B0%5D=%7B%22media_fbid%22%3A%22500%22%7D");
        auto film = publication({"Film"});
        film.parts[0].files = {file("0123", "video", "video/mp4", {})};
        equal("600", published(Platform::FacebookPage, film).result.id);
        const auto look =
            [&](const std::string& text, const Publication& of, const std::string& time = "08:00:01", const std::string& paging = "{}")
        {
            serve({{"/71/feed",
                    always(200, jsonWith(R"({"data":[{"id":"71_9","message":"$","created_time":"2026-11-23T$+0000"}],"paging":$})", text,
                                         time, paging))}});
            return lookUp(Platform::FacebookPage, of).kind;
        };
        CHECK(look("A cat", publication({"A cat"})) == LookUp::Kind::Found);
        CHECK(look("A cat", publication({"A cat"}), "07:00:00") == LookUp::Kind::Absent);
        CHECK(look("Other", publication({"A cat"})) == LookUp::Kind::Absent);
        // The post may be on the next page, unless this one reaches back to the first attempt.
        const std::string next = R"({"next":"https://graph.facebook.com/v21.0/71/feed?after=A"})";
        CHECK(look("A cat", publication({"A cat"}), "08:00:01", next) == LookUp::Kind::Found);
        CHECK(look("Other", publication({"A cat"}), "08:00:01", next) == LookUp::Kind::Unknown);
        CHECK(look("Other", publication({"A cat"}), "07:00:00", next) == LookUp::Kind::Absent);
        // A video that is not listed may still be processed.
        CHECK(look("Other", film) == LookUp::Kind::Unknown);
    }

    TEST(classifiesErrorsOfMeta)
    {
        account.externalId = "71";
        const auto answered = [&](int status, int code)
        {
            serve({{"/71/feed", always(status, jsonWith(R"({"error":{"code":$,"message":"no","type":"OAuthException"}})", code))}});
            return published(Platform::FacebookPage, publication({"Hello"}));
        };
        CHECK(answered(400, 190).kind == Kind::AuthRefused);
        const auto limited = answered(400, 4);
        CHECK(limited.kind == Kind::Retry && limited.code == FailureCode::RateLimited && limited.notBefore);
        CHECK(answered(400, 506).code == FailureCode::DuplicateContent);
        CHECK(answered(403, 200).code == FailureCode::PermissionDenied);
        CHECK(answered(500, 1).kind == Kind::PerhapsSent);
        serve({{"/71/feed", always(200, "<html>")}});
        CHECK(published(Platform::FacebookPage, publication({"Hello"})).kind == Kind::PerhapsSent);
    }

    std::unique_ptr<testing::TemporaryDirectory> folder;
    NetworkAccount account;
};

} // namespace portico::tests
