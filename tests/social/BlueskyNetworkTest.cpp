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
class BlueskyNetworkTest : public NetworkFixture
{
    CPPUNIT_TEST_SUITE(BlueskyNetworkTest);
    CPPUNIT_TEST(findsTheServerOfAHandle);
    CPPUNIT_TEST(refusesBadIdentifiersAndPasswords);
    CPPUNIT_TEST(writesFacetsInBytes);
    CPPUNIT_TEST(answersEachPartOfAThread);
    CPPUNIT_TEST(measuresTheTextThatIsSent);
    CPPUNIT_TEST(keepsTheRefreshTokenThatAnAnswerLeavesOut);
    CPPUNIT_TEST(tellsADeadGrantFromANetworkFault);
    CPPUNIT_TEST(takesNoAnswerForAnotherPost);
    CPPUNIT_TEST(readsErrorsOfTheServer);
    CPPUNIT_TEST(makesRecordKeysThatSortByTime);
    CPPUNIT_TEST_SUITE_END();

public:
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

    void findsTheServerOfAHandle()
    {
        serve({{"com.atproto.identity.resolveHandle", always(200, R"({"did":"did:plc:anna"})")},
               {"/did%3Aplc%3Aanna",
                always(200, R"({"id":"did:plc:anna","service":[{"id":"#other","type":"x","serviceEndpoint":{"a":1}},)"
                            R"({"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.example.org/"}]})")},
               {"com.atproto.server.createSession",
                always(200, R"({"did":"did:plc:anna","handle":"anna.example.org","accessJwt":")" + token(1'000'000'000, 1'000'007'200) +
                                R"(","refreshJwt":"r","active":true})")}});
        const auto profile = bluesky().connect({.identifier = " @anna.example.org ", .appPassword = "abcd-efgh"}).account.value();
        CPPUNIT_ASSERT_EQUAL(std::string("did:plc:anna"), profile.externalId);
        CPPUNIT_ASSERT_EQUAL(std::string("https://pds.example.org"), profile.serverUrl);
        CPPUNIT_ASSERT_EQUAL(std::string("r"), profile.credentials.refreshToken);
        CPPUNIT_ASSERT(profile.credentials.expiresAt == Instant(std::chrono::seconds(1'000'007'200)));
        const auto sent = http().requests();
        CPPUNIT_ASSERT_EQUAL(std::string("https://pds.example.org/xrpc/com.atproto.server.createSession"), sent.back().url);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"identifier":"anna.example.org","password":"abcd-efgh"})"), sent.back().body);
    }

    void refusesBadIdentifiersAndPasswords()
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
            CPPUNIT_ASSERT_EQUAL_MESSAGE(identifier, std::string("identifier"), fieldOf({.identifier = identifier, .appPassword = "x"}));
        CPPUNIT_ASSERT_EQUAL(std::string("appPassword"), fieldOf({.identifier = "anna.example.org"}));
        serve({{"createSession", always(401, R"({"error":"AuthenticationRequired","message":"Invalid identifier or password"})")}});
        CPPUNIT_ASSERT_EQUAL(std::string("appPassword"),
                             fieldOf({.instanceUrl = "https://pds.example.org/", .identifier = "anna.example.org", .appPassword = "x"}));
        CPPUNIT_ASSERT_EQUAL(std::string("instanceUrl"),
                             fieldOf({.instanceUrl = "http://pds.example.org", .identifier = "anna.example.org", .appPassword = "x"}));
        serve({});
        CPPUNIT_ASSERT_EQUAL(std::string("identifier"), fieldOf({.identifier = "nobody.example.org", .appPassword = "x"}));
    }

    void writesFacetsInBytes()
    {
        serve({{"com.atproto.identity.resolveHandle", [](const HttpClient::Request& request)
                {
                    return request.url.ends_with("handle=bob.example.org") ? respond(200, R"({"did":"did:plc:bob"})")
                                                                           : respond(400, R"({"error":"InvalidRequest"})");
                }}});
        auto post = publication(
            {"Ä \U0001F468\u200D\U0001F469 @bob.example.org @nobody.example.org https://example.org/a/very/long/path/indeed #tag"});
        post.settings = R"({"languages":["de","en","fr","it"],"labels":["nudity"]})";
        const auto steps = bluesky().prepare(post, account, now);
        const auto& record = steps.at(0).request;
        CPPUNIT_ASSERT(
            record.find(R"("byteStart":15,"byteEnd":31},"features":[{"$type":"app.bsky.richtext.facet#mention","did":"did:plc:bob"})") !=
            std::string::npos);
        CPPUNIT_ASSERT(record.find("nobody.example.org\",\"") == std::string::npos);
        CPPUNIT_ASSERT(record.find(R"("uri":"https://example.org/a/very/long/path/indeed")") != std::string::npos);
        CPPUNIT_ASSERT(record.find("example.org/a/very/long/... #tag") != std::string::npos);
        CPPUNIT_ASSERT(record.find(R"("tag":"tag")") != std::string::npos);
        CPPUNIT_ASSERT(record.find(R"("langs":["de","en","fr"])") != std::string::npos);
        CPPUNIT_ASSERT(record.find(R"("values":[{"val":"nudity"}])") != std::string::npos);
    }

    void answersEachPartOfAThread()
    {
        serve({{"putRecord", [](const HttpClient::Request& request)
                {
                    const auto at = request.body.find(R"("rkey":")") + 8;
                    const auto key = request.body.substr(at, 13);
                    return respond(200, R"({"uri":"at://did:plc:anna/app.bsky.feed.post/)" + key + R"(","cid":"cid-)" + key + R"("})");
                }}});
        const auto steps = bluesky().prepare(publication({"One", "Two", "Three"}), account, now);
        const auto outcomes = performAll(bluesky(), steps, account, now);
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), outcomes.size());
        const auto sent = http().requests();
        CPPUNIT_ASSERT(sent.at(0).body.find("reply") == std::string::npos);
        const auto one =
            R"({"uri":"at://did:plc:anna/app.bsky.feed.post/)" + steps[0].recordKey + R"(","cid":"cid-)" + steps[0].recordKey + R"("})";
        const auto two =
            R"({"uri":"at://did:plc:anna/app.bsky.feed.post/)" + steps[1].recordKey + R"(","cid":"cid-)" + steps[1].recordKey + R"("})";
        CPPUNIT_ASSERT(sent.at(1).body.find(R"("reply":{"root":)" + one + R"(,"parent":)" + one) != std::string::npos);
        CPPUNIT_ASSERT(sent.at(2).body.find(R"("reply":{"root":)" + one + R"(,"parent":)" + two) != std::string::npos);
        CPPUNIT_ASSERT_EQUAL("https://bsky.app/profile/did:plc:anna/post/" + steps[2].recordKey, outcomes[2].result.url);
    }

    void measuresTheTextThatIsSent()
    {
        const auto faultsOf = [&](const std::string& text) { return bluesky().faults(publication({text}), nullptr).size(); };
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), faultsOf(std::string(300, 'x')));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), faultsOf(std::string(301, 'x')));
        // A long link is sent shortened, so that it fits.
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), faultsOf(std::string(270, 'x') + " https://example.org/" + std::string(300, 'y')));
        std::string family;
        for (int i = 0; i < 130; ++i) family += "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466";
        // 130 graphemes, and more bytes than the network takes.
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), faultsOf(family));
        const auto preview = bluesky().preview(publication({"see https://example.org/a/very/long/path/indeed"}), nullptr);
        CPPUNIT_ASSERT_EQUAL(std::string("see example.org/a/very/long/..."), preview.parts.at(0).text);
        CPPUNIT_ASSERT_EQUAL(std::int64_t(31), preview.parts.at(0).length);
        auto labelled = publication({"x"});
        labelled.settings = R"({"labels":["unknown"]})";
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_label"), bluesky().faults(labelled, nullptr).at(0).code);
    }

    void keepsTheRefreshTokenThatAnAnswerLeavesOut()
    {
        serve({{"refreshSession", always(200, R"({"did":"did:plc:anna","accessJwt":"new","refreshJwt":""})")}});
        const auto refreshed = bluesky().refresh(account);
        CPPUNIT_ASSERT(refreshed.kind == Refreshed::Kind::New);
        CPPUNIT_ASSERT_EQUAL(std::string("new"), refreshed.credentials.accessToken);
        CPPUNIT_ASSERT_EQUAL(std::string("refresh"), refreshed.credentials.refreshToken);
        CPPUNIT_ASSERT_EQUAL(std::string("Bearer refresh"), header(http().requests().back(), "Authorization"));
    }

    void tellsADeadGrantFromANetworkFault()
    {
        const auto kindAfter = [&](int status, const std::string& body)
        {
            serve({{"refreshSession", always(status, body)}});
            return bluesky().refresh(account).kind;
        };
        CPPUNIT_ASSERT(kindAfter(400, R"({"error":"ExpiredToken","message":"Token has been revoked"})") == Refreshed::Kind::Dead);
        CPPUNIT_ASSERT(kindAfter(400, R"({"error":"InvalidToken"})") == Refreshed::Kind::Dead);
        for (const auto status : {400, 401, 403, 404, 429, 500, 502, 503})
            CPPUNIT_ASSERT(kindAfter(status, "<html>") == Refreshed::Kind::Unreachable);
        CPPUNIT_ASSERT(kindAfter(200, "{}") == Refreshed::Kind::Unreachable);
        CPPUNIT_ASSERT(kindAfter(200, R"({"did":"did:plc:mallory","accessJwt":"a"})") == Refreshed::Kind::Unreachable);
        http().answer([](const HttpClient::Request&) -> HttpClient::Response
                      { throw HttpFailure(502, "upstream_failed", "Down.", HttpFailure::Sent::NotSent); });
        CPPUNIT_ASSERT(bluesky().refresh(account).kind == Refreshed::Kind::Unreachable);
    }

    StepOutcome putting(int status, const std::string& body)
    {
        serve({{"putRecord", always(status, body)}});
        const auto steps = bluesky().prepare(publication({"Text"}), account, now);
        return performAll(bluesky(), steps, account, now).at(0);
    }

    void takesNoAnswerForAnotherPost()
    {
        for (const auto* body :
             {"{}", "", "<html>", R"({"uri":"at://did:plc:anna/app.bsky.feed.post/3other","cid":"c"})", R"({"cid":"c"})", R"([])"})
            CPPUNIT_ASSERT_MESSAGE(body, putting(200, body).kind == Kind::PerhapsSent);
    }

    void readsErrorsOfTheServer()
    {
        CPPUNIT_ASSERT(putting(400, R"({"error":"ExpiredToken","message":"Token has expired"})").kind == Kind::AuthRefused);
        CPPUNIT_ASSERT(putting(401, "").kind == Kind::AuthRefused);
        const auto invalid = putting(400, R"({"error":"InvalidRequest","message":"Invalid app.bsky.feed.post record"})");
        CPPUNIT_ASSERT(invalid.kind == Kind::Failed);
        CPPUNIT_ASSERT_EQUAL(std::string("InvalidRequest"), invalid.platformCode);
        CPPUNIT_ASSERT(putting(400, R"({"error":"BlobTooLarge"})").code == FailureCode::MediaTooLarge);
        CPPUNIT_ASSERT(putting(502, "").kind == Kind::PerhapsSent);
    }

    void makesRecordKeysThatSortByTime()
    {
        std::string last;
        std::set<std::string> keys;
        for (int i = 0; i < 2'000; ++i)
        {
            const auto key = makeTid(now + std::chrono::milliseconds(i / 10), i % 10);
            CPPUNIT_ASSERT_EQUAL(std::size_t(13), key.size());
            CPPUNIT_ASSERT(key.find_first_not_of("234567abcdefghijklmnopqrstuvwxyz") == std::string::npos);
            CPPUNIT_ASSERT(last < key && keys.insert(key).second);
            last = key;
        }
    }

private:
    NetworkAccount account;
};

CPPUNIT_TEST_SUITE_REGISTRATION(BlueskyNetworkTest);

} // namespace portico::tests
