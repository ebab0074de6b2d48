#include "social/NetworkFixture.h"

#include "networks/bluesky/BlueskyServer.h"
#include "networks/bluesky/Tid.h"

#include "portico/Crypto.h"

#include <set>

namespace portico::tests
{

using namespace social;
using Kind = StepOutcome::Kind;

/// Bluesky against canned answers; a real server is in tests/http/social_bluesky.py.
class BlueskyNetworkTest : public Suite<BlueskyNetworkTest, NetworkFixture>
{
    void setUp() override
    {
        NetworkFixture::setUp();
        account.externalId = "did:plc:anna";
        account.handle = "anna.example.org";
        account.serverUrl = "https://pds.example.org";
        account.credentials.accessToken = "access";
        account.credentials.refreshToken = "refresh";
    }

    Network& bluesky() const { return networks->get(Platform::Bluesky); }

    static std::string token(std::int64_t from, std::int64_t until)
    {
        return "e30." + toBase64Url(R"({"iat":)" + std::to_string(from) + R"(,"exp":)" + std::to_string(until) + "}") + ".c2ln";
    }

    TEST(findsTheServerOfAHandle)
    {
        serve({{"com.atproto.identity.resolveHandle", always(200, R"({"did":"did:plc:anna"})")},
               {"/did%3Aplc%3Aanna",
                always(200, R"({"id":"did:plc:anna","service":[{"id":"#other","type":"x","serviceEndpoint":{"a":1}},)"
                            R"({"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.example.org/"}]})")},
               {"com.atproto.server.createSession",
                always(200, jsonWith(R"({"did":"did:plc:anna","handle":"anna.example.org","accessJwt":"$","refreshJwt":"r","active":true})",
                                     token(1'000'000'000, 1'000'007'200)))}});
        const auto profile = bluesky().connect({.identifier = " @anna.example.org ", .appPassword = "abcd-efgh"}).account.value();
        equal("did:plc:anna", profile.externalId);
        equal("https://pds.example.org", profile.serverUrl);
        equal("r", profile.credentials.refreshToken);
        CHECK(profile.credentials.expiresAt == Instant(std::chrono::seconds(1'000'007'200)));
        const auto sent = http().requests();
        equal("https://pds.example.org/xrpc/com.atproto.server.createSession", sent.back().url);
        equal(R"({"identifier":"anna.example.org","password":"abcd-efgh"})", sent.back().body);
    }

    TEST(refusesBadIdentifiersAndPasswords)
    {
        const auto fieldOf = [&](const ConnectRequest& request)
        {
            try
            {
                bluesky().connect(request);
            }
            catch (const ConnectFault& fault)
            {
                return fault.field;
            }
            return std::string("none");
        };
        for (const auto* identifier : {"", "anna", "anna@example.org", "a b.example.org", "anna.example.org/x"})
            equal("identifier", fieldOf({.identifier = identifier, .appPassword = "x"}), identifier);
        equal("appPassword", fieldOf({.identifier = "anna.example.org"}));
        serve({{"createSession", always(401, R"({"error":"AuthenticationRequired","message":"Invalid identifier or password"})")}});
        equal("appPassword", fieldOf({.instanceUrl = "https://pds.example.org/", .identifier = "anna.example.org", .appPassword = "x"}));
        equal("instanceUrl", fieldOf({.instanceUrl = "http://pds.example.org", .identifier = "anna.example.org", .appPassword = "x"}));
        serve({});
        equal("identifier", fieldOf({.identifier = "absent.example.org", .appPassword = "x"}));
    }

    TEST(writesFacetsInBytes)
    {
        serve({{"com.atproto.identity.resolveHandle", [](const HttpClient::Request& request)
                {
                    return request.url.ends_with("handle=bob.example.org") ? respond(200, R"({"did":"did:plc:bob"})")
                                                                           : respond(400, R"({"error":"InvalidRequest"})");
                }}});
        auto post = publication(
            {"Ä \U0001F468\u200D\U0001F469 @bob.example.org @absent.example.org https://example.org/a/very/long/path/indeed #tag"});
        post.settings = R"({"languages":["de","en","fr","it"],"labels":["nudity"]})";
        const auto steps = bluesky().prepare(post, account, now);
        const auto& record = steps.at(0).request;
        CHECK(record.find(R"("byteStart":15,"byteEnd":31},"features":[{"$type":"app.bsky.richtext.facet#mention","did":"did:plc:bob"})") !=
              std::string::npos);
        CHECK(record.find("absent.example.org\",\"") == std::string::npos);
        CHECK(record.find(R"("uri":"https://example.org/a/very/long/path/indeed")") != std::string::npos);
        CHECK(record.find("example.org/a/very/long/... #tag") != std::string::npos);
        CHECK(record.find(R"("tag":"tag")") != std::string::npos);
        CHECK(record.find(R"("langs":["de","en","fr"])") != std::string::npos);
        CHECK(record.find(R"("values":[{"val":"nudity"}])") != std::string::npos);
    }

    TEST(answersEachPartOfAThread)
    {
        serve({{"putRecord", [](const HttpClient::Request& request)
                {
                    const auto at = request.body.find(R"("rkey":")") + 8;
                    const auto key = request.body.substr(at, 13);
                    return respond(200, jsonWith(R"({"uri":"at://did:plc:anna/app.bsky.feed.post/$","cid":"cid-$"})", key, key));
                }}});
        const auto steps = bluesky().prepare(publication({"One", "Two", "Three"}), account, now);
        const auto outcomes = performAll(bluesky(), steps, account, now);
        equal(3, outcomes.size());
        const auto sent = http().requests();
        CHECK(sent.at(0).body.find("reply") == std::string::npos);
        const auto one =
            jsonWith(R"({"uri":"at://did:plc:anna/app.bsky.feed.post/$","cid":"cid-$"})", steps[0].recordKey, steps[0].recordKey);
        const auto two =
            jsonWith(R"({"uri":"at://did:plc:anna/app.bsky.feed.post/$","cid":"cid-$"})", steps[1].recordKey, steps[1].recordKey);
        CHECK(sent.at(1).body.find(jsonWith(R"("reply":{"root":$,"parent":$)", one, one)) != std::string::npos);
        CHECK(sent.at(2).body.find(jsonWith(R"("reply":{"root":$,"parent":$)", one, two)) != std::string::npos);
        equal("https://bsky.app/profile/did:plc:anna/post/" + steps[2].recordKey, outcomes[2].result.url);
    }

    TEST(measuresTheTextThatIsSent)
    {
        const auto faultsOf = [&](const std::string& text) { return bluesky().faults(publication({text}), nullptr).size(); };
        equal(0, faultsOf(std::string(300, 'x')));
        equal(1, faultsOf(std::string(301, 'x')));
        // A long link is sent shortened, so that it fits.
        equal(0, faultsOf(std::string(270, 'x') + " https://example.org/" + std::string(300, 'y')));
        std::string family;
        for (int i = 0; i < 130; ++i) family += "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466";
        // 130 graphemes, which exceed the network's limit in bytes.
        equal(1, faultsOf(family));
        const auto preview = bluesky().preview(publication({"see https://example.org/a/very/long/path/indeed"}), nullptr);
        equal("see example.org/a/very/long/...", preview.parts.at(0).text);
        equal(31, preview.parts.at(0).length);
        auto labelled = publication({"x"});
        labelled.settings = R"({"labels":["unknown"]})";
        equal("invalid_label", bluesky().faults(labelled, nullptr).at(0).code);
    }

    TEST(keepsTheRefreshTokenThatAnAnswerLeavesOut)
    {
        serve({{"refreshSession", always(200, R"({"did":"did:plc:anna","accessJwt":"new","refreshJwt":""})")}});
        const auto refreshed = bluesky().refresh(account);
        CHECK(refreshed.kind == Refreshed::Kind::New);
        equal("new", refreshed.credentials.accessToken);
        equal("refresh", refreshed.credentials.refreshToken);
        equal("Bearer refresh", header(http().requests().back(), "Authorization"));
    }

    TEST(distinguishesARevokedGrantFromANetworkFault)
    {
        const auto kindAfter = [&](int status, const std::string& body)
        {
            serve({{"refreshSession", always(status, body)}});
            return bluesky().refresh(account).kind;
        };
        CHECK(kindAfter(400, R"({"error":"ExpiredToken","message":"Token has been revoked"})") == Refreshed::Kind::Dead);
        CHECK(kindAfter(400, R"({"error":"InvalidToken"})") == Refreshed::Kind::Dead);
        for (const auto status : {400, 401, 403, 404, 429, 500, 502, 503})
            CHECK(kindAfter(status, "<html>") == Refreshed::Kind::Unreachable);
        CHECK(kindAfter(200, "{}") == Refreshed::Kind::Unreachable);
        CHECK(kindAfter(200, R"({"did":"did:plc:mallory","accessJwt":"a"})") == Refreshed::Kind::Unreachable);
        http().answer([](const HttpClient::Request&) -> HttpClient::Response
                      { throw HttpFailure(502, "upstream_failed", "Down.", HttpFailure::Sent::NotSent); });
        CHECK(bluesky().refresh(account).kind == Refreshed::Kind::Unreachable);
    }

    StepOutcome putting(int status, const std::string& body)
    {
        serve({{"putRecord", always(status, body)}});
        const auto steps = bluesky().prepare(publication({"Text"}), account, now);
        return performAll(bluesky(), steps, account, now).at(0);
    }

    TEST(takesNoAnswerForAnotherPost)
    {
        for (const auto* body :
             {"{}", "", "<html>", R"({"uri":"at://did:plc:anna/app.bsky.feed.post/3other","cid":"c"})", R"({"cid":"c"})", R"([])"})
            CPPUNIT_ASSERT_MESSAGE(body, putting(200, body).kind == Kind::PerhapsSent);
    }

    TEST(readsErrorsOfTheServer)
    {
        CHECK(putting(400, R"({"error":"ExpiredToken","message":"Token has expired"})").kind == Kind::AuthRefused);
        CHECK(putting(401, "").kind == Kind::AuthRefused);
        const auto invalid = putting(400, R"({"error":"InvalidRequest","message":"Invalid app.bsky.feed.post record"})");
        CHECK(invalid.kind == Kind::Failed);
        equal("InvalidRequest", invalid.platformCode);
        CHECK(putting(400, R"({"error":"BlobTooLarge"})").code == FailureCode::MediaTooLarge);
        CHECK(putting(502, "").kind == Kind::PerhapsSent);
    }

    TEST(looksUpAPostByItsRecordKey)
    {
        const auto steps = bluesky().prepare(publication({"Text"}), account, now);
        const auto& key = steps.at(0).recordKey;
        const auto look = [&](int status, const std::string& body)
        {
            serve({{"com.atproto.repo.getRecord", always(status, body)}});
            return bluesky().lookUp({steps.at(0), {}, {}, account, now, now});
        };
        const auto found = look(200, jsonWith(R"({"uri":"at://did:plc:anna/app.bsky.feed.post/$","cid":"c","value":{}})", key));
        CHECK(found.kind == LookUp::Kind::Found);
        equal("https://bsky.app/profile/did:plc:anna/post/" + key, found.result.url);
        equal("c", found.result.data);
        CHECK(http().requests().back().url.ends_with("&rkey=" + key));
        CHECK(look(400, R"({"error":"RecordNotFound","message":"Could not locate record"})").kind == LookUp::Kind::Absent);
        for (const auto status : {400, 401, 404, 429, 502}) CHECK(look(status, "{}").kind == LookUp::Kind::Unknown);
        for (const auto* body : {"{}", "<html>", R"({"uri":"at://did:plc:anna/app.bsky.feed.post/3other","cid":"c"})"})
            CHECK(look(200, body).kind == LookUp::Kind::Unknown);
    }

    TEST(makesRecordKeysThatSortByTime)
    {
        std::string last;
        std::set<std::string> keys;
        for (int i = 0; i < 2'000; ++i)
        {
            const auto key = makeTid(now + std::chrono::milliseconds(i / 10), i % 10);
            equal(13, key.size());
            CHECK(key.find_first_not_of("234567abcdefghijklmnopqrstuvwxyz") == std::string::npos);
            CHECK(last < key && keys.insert(key).second);
            last = key;
        }
    }

    NetworkAccount account;
};

} // namespace portico::tests
