#include "identity/IdentityHost.h"
#include "identity/SoftAuthenticator.h"

#include "passkeys/CborReader.h"
#include "passkeys/Webauthn.h"
#include "portico/Crypto.h"

#include <thread>

namespace portico::tests
{

/// Passkeys with an authenticator of software: made, used, kept, and every lie refused.
class PasskeysTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(PasskeysTest);
    CPPUNIT_TEST(readsCborOfStrangers);
    CPPUNIT_TEST(isMadeAndUsed);
    CPPUNIT_TEST(needsAFreshProofToBeMade);
    CPPUNIT_TEST(refusesFalseAttestations);
    CPPUNIT_TEST(takesAttestationsThatHold);
    CPPUNIT_TEST(refusesFalseAssertions);
    CPPUNIT_TEST(challengesAreGoodOnce);
    CPPUNIT_TEST(othersPasskeysDoNotCount);
    CPPUNIT_TEST(seesACopyByItsCounter);
    CPPUNIT_TEST(ofManyOneAnswerCounts);
    CPPUNIT_TEST(optionsTellNothingOfAccounts);
    CPPUNIT_TEST(isASecondFactor);
    CPPUNIT_TEST(raisesASignIn);
    CPPUNIT_TEST(endsADelay);
    CPPUNIT_TEST(closedAccountsStayClosed);
    CPPUNIT_TEST(organizationsMayForbidIt);
    CPPUNIT_TEST(isKeptByItsOwner);
    CPPUNIT_TEST(twentyAreEnough);
    CPPUNIT_TEST(aChallengeOutlivesAReload);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser(owner, "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    void readsCborOfStrangers()
    {
        using identity::CborReader;
        using namespace std::string_view_literals;
        const auto map = CborReader("\xa2\x01\x20\x61x\x43"
                                    "abc"sv)
                             .map();
        CPPUNIT_ASSERT(map && map->size() == 2);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, CborReader::integer((*map)[0].first).value());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{-1}, CborReader::integer((*map)[0].second).value());
        CPPUNIT_ASSERT_EQUAL(std::string_view("x"), CborReader::text((*map)[1].first).value());
        CPPUNIT_ASSERT_EQUAL(std::string_view("abc"), CborReader::bytes((*map)[1].second).value());
        CPPUNIT_ASSERT(!CborReader::text((*map)[1].second) && !CborReader::bytes("\x43"
                                                                                 "ab"sv));
        // Cut off, of indefinite length, tagged, longer than there is, deeper than anything that is meant.
        for (const auto bytes : {""sv, "\xa1\x01"sv, "\xbf\xff"sv, "\x9f\xff"sv, "\xc0\x60"sv, "\x5b\xff\xff\xff\xff\xff\xff\xff\xff"sv,
                                 "\x9b\xff\xff\xff\xff\xff\xff\xff\xff"sv, "\x1c"sv, "\x81\x81\x81\x81\x81\x81\x81\x81\x81\x80"sv})
            CPPUNIT_ASSERT(!CborReader(bytes).item() && !CborReader(bytes).map());
        CPPUNIT_ASSERT(CborReader("\x81\x81\x81\x80"sv).item());
    }

    void isMadeAndUsed()
    {
        const auto token = elevated();
        const auto options = post("/api/auth/passkeys/register/options", R"({"name":"Laptop"})", token);
        CPPUNIT_ASSERT_EQUAL(200, options.status);
        CPPUNIT_ASSERT_EQUAL(std::string("identity.localhost"), options.at("/publicKey/rp/id"));
        CPPUNIT_ASSERT_EQUAL(toBase64Url(_owner), options.at("/publicKey/user/id"));
        CPPUNIT_ASSERT_EQUAL(std::string("required"), options.at("/publicKey/authenticatorSelection/userVerification"));
        SoftAuthenticator key;
        const auto made = finish(options, key.create(options.at("/publicKey/challenge")), token);
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("Laptop"), made.at("/name"));
        CPPUNIT_ASSERT(!made.has("/publicKey") && !made.has("/credentialId"));
        const auto again = post("/api/auth/passkeys/register/options", "{}", token);
        CPPUNIT_ASSERT_EQUAL(key.id(), again.at("/publicKey/excludeCredentials/0/id"));

        const auto done = signIn(key);
        CPPUNIT_ASSERT_EQUAL(200, done.status);
        CPPUNIT_ASSERT_EQUAL(_owner, done.at("/user/id"));
        CPPUNIT_ASSERT_EQUAL(std::string("aal2"), done.at("/session/acr"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["pop","mfa"])"), done.at("/session/amr"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), done.at("/user/mfa/passkeys"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(done.at("/access_token")));
        CPPUNIT_ASSERT_EQUAL(200, signIn(key, {.userHandle = _owner}).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'passkey.registered'"));
    }

    void needsAFreshProofToBeMade()
    {
        const auto token = _host->signIn(owner, "identity");
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), post("/api/auth/passkeys/register/options", "{}", token).code());
        const auto fresh = elevated();
        const auto options = post("/api/auth/passkeys/register/options", "{}", fresh);
        _host->context().clock().advance(std::chrono::seconds(299));
        const SoftAuthenticator key;
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"),
                             finish(options, key.create(options.at("/publicKey/challenge")), token).code());
        // Not for somebody else.
        _host->createUser("other@acme.example", "acme", "member");
        CPPUNIT_ASSERT_EQUAL(std::string("attestation_rejected"),
                             finish(options, key.create(options.at("/publicKey/challenge")), elevated("other@acme.example")).code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM passkeys"));
    }

    void refusesFalseAttestations()
    {
        const auto token = elevated();
        SoftAuthenticator key;
        for (const auto& lie : lies())
        {
            const auto options = post("/api/auth/passkeys/register/options", "{}", token);
            CPPUNIT_ASSERT_EQUAL(std::string("attestation_rejected"),
                                 finish(options, key.create(options.at("/publicKey/challenge"), lie), token).code());
        }
        for (const auto* format : {"tpm", "android-key", "fido-u2f", "apple", "x"})
        {
            const auto options = post("/api/auth/passkeys/register/options", "{}", token);
            CPPUNIT_ASSERT_EQUAL(std::string("attestation_rejected"),
                                 finish(options, key.create(options.at("/publicKey/challenge"), {.format = format}), token).code());
        }
        // Another challenge, that of the other ceremony, and what is no credential at all.
        const auto options = post("/api/auth/passkeys/register/options", "{}", token);
        CPPUNIT_ASSERT_EQUAL(std::string("attestation_rejected"), finish(options, key.create("AAAA"), token).code());
        const auto used = post("/api/auth/passkeys/authenticate/options", "{}", {});
        CPPUNIT_ASSERT_EQUAL(std::string("challenge_expired"), finish(used, key.create(used.at("/publicKey/challenge")), token).code());
        for (const auto* text : {"{}", "[]", "1", R"({"type":"public-key","id":1})", R"({"type":"password","id":"x","response":{}})",
                                 R"({"type":"public-key","id":"x","response":{"clientDataJSON":"!","attestationObject":""}})"})
        {
            const auto begun = post("/api/auth/passkeys/register/options", "{}", token);
            CPPUNIT_ASSERT_EQUAL(std::string("attestation_rejected"), finish(begun, text, token).code());
        }
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM passkeys"));
    }

    void takesAttestationsThatHold()
    {
        const auto token = elevated();
        const SoftAuthenticator key;
        auto options = post("/api/auth/passkeys/register/options", "{}", token);
        CPPUNIT_ASSERT_EQUAL(
            std::string("attestation_rejected"),
            finish(options, key.create(options.at("/publicKey/challenge"), {.format = "packed", .damagedSignature = true}), token).code());
        options = post("/api/auth/passkeys/register/options", "{}", token);
        CPPUNIT_ASSERT_EQUAL(201, finish(options, key.create(options.at("/publicKey/challenge"), {.format = "packed"}), token).status);
        // The same credential once more.
        options = post("/api/auth/passkeys/register/options", "{}", token);
        CPPUNIT_ASSERT_EQUAL(std::string("attestation_rejected"),
                             finish(options, key.create(options.at("/publicKey/challenge")), token).code());
    }

    void refusesFalseAssertions()
    {
        auto key = addKey();
        for (const auto& lie : lies()) CPPUNIT_ASSERT_EQUAL(std::string("passkey_rejected"), signIn(key, lie).code());
        CPPUNIT_ASSERT_EQUAL(std::string("passkey_rejected"), signIn(key, {.damagedSignature = true}).code());
        CPPUNIT_ASSERT_EQUAL(std::string("passkey_rejected"), signIn(key, {.userHandle = "usr_01arz3ndektsv4rrffq69g5fav"}).code());
        SoftAuthenticator unknown;
        CPPUNIT_ASSERT_EQUAL(std::string("passkey_rejected"), signIn(unknown).code());
        for (const auto* text : {"{}", "null", "[]", R"({"type":"public-key","id":"","response":{}})"})
        {
            const auto options = post("/api/auth/passkeys/authenticate/options", "{}", {});
            CPPUNIT_ASSERT(verify(options.at("/challengeId"), text).status / 100 == 4);
        }
        CPPUNIT_ASSERT_EQUAL(200, signIn(key).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM sessions WHERE acr = 'aal2'"));
    }

    void challengesAreGoodOnce()
    {
        auto key = addKey();
        const auto options = post("/api/auth/passkeys/authenticate/options", "{}", {});
        const auto credential = key.get(options.at("/publicKey/challenge"));
        CPPUNIT_ASSERT_EQUAL(200, verify(options.at("/challengeId"), credential).status);
        CPPUNIT_ASSERT_EQUAL(std::string("challenge_expired"), verify(options.at("/challengeId"), credential).code());
        // Nor under the id of another.
        const auto other = post("/api/auth/passkeys/authenticate/options", "{}", {});
        CPPUNIT_ASSERT_EQUAL(std::string("passkey_rejected"), verify(other.at("/challengeId"), credential).code());
        const auto late = post("/api/auth/passkeys/authenticate/options", "{}", {});
        _host->context().clock().advance(std::chrono::seconds(300));
        CPPUNIT_ASSERT_EQUAL(std::string("challenge_expired"),
                             verify(late.at("/challengeId"), key.get(late.at("/publicKey/challenge"))).code());
    }

    void othersPasskeysDoNotCount()
    {
        auto key = addKey();
        _host->createUser("other@acme.example", "acme", "member");
        auto others = addKey("other@acme.example");
        const auto options = post("/api/auth/passkeys/authenticate/options", R"({"identifier":"owner@acme.example"})", {});
        CPPUNIT_ASSERT_EQUAL(key.id(), options.at("/publicKey/allowCredentials/0/id"));
        CPPUNIT_ASSERT_EQUAL(std::string("passkey_rejected"),
                             verify(options.at("/challengeId"), others.get(options.at("/publicKey/challenge"))).code());
        const auto nobody = post("/api/auth/passkeys/authenticate/options", R"({"identifier":"nobody@acme.example"})", {});
        CPPUNIT_ASSERT_EQUAL(std::string("passkey_rejected"),
                             verify(nobody.at("/challengeId"), key.get(nobody.at("/publicKey/challenge"))).code());
    }

    void seesACopyByItsCounter()
    {
        auto key = addKey();
        key.counter = 10;
        CPPUNIT_ASSERT_EQUAL(200, signIn(key).status);
        key.counter = 5;
        CPPUNIT_ASSERT_EQUAL(std::string("passkey_rejected"), signIn(key).code());
        key.counter = 10;
        CPPUNIT_ASSERT_EQUAL(std::string("passkey_rejected"), signIn(key).code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'passkey.counter_went_back'"));
        CPPUNIT_ASSERT_EQUAL(200, signIn(key).status);
        // Those that are kept in many places do not count at all.
        _host->change("UPDATE passkeys SET sign_count = 0");
        for (int i = 0; i < 2; ++i)
        {
            key.counter = static_cast<std::uint32_t>(-1);
            CPPUNIT_ASSERT_EQUAL(200, signIn(key).status);
        }
    }

    void ofManyOneAnswerCounts()
    {
        auto key = addKey();
        const auto options = post("/api/auth/passkeys/authenticate/options", "{}", {});
        const auto credential = key.get(options.at("/publicKey/challenge"));
        std::atomic<int> signedIn = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 16; ++i)
                threads.emplace_back([&] { signedIn += verify(options.at("/challengeId"), credential).status == 200 ? 1 : 0; });
        }
        CPPUNIT_ASSERT_EQUAL(1, signedIn.load());
    }

    void optionsTellNothingOfAccounts()
    {
        addKey();
        _host->createUser("without@acme.example", "acme", "member");
        const auto optionsFor = [&](std::string_view identifier)
        { return post("/api/auth/passkeys/authenticate/options", R"({"identifier":")" + std::string(identifier) + "\"}", {}); };
        const auto known = optionsFor(owner);
        for (const auto* identifier : {"without@acme.example", "nobody@acme.example", "no address", "x@y.example"})
        {
            const auto unknown = optionsFor(identifier);
            CPPUNIT_ASSERT_EQUAL(known.status, unknown.status);
            for (const auto* place :
                 {"/publicKey/allowCredentials/0/type", "/publicKey/rpId", "/publicKey/userVerification", "/publicKey/timeout"})
                CPPUNIT_ASSERT_EQUAL(known.at(place), unknown.at(place));
            // As long as those that authenticators make: 16, 20 or 32 bytes.
            const auto length = unknown.at("/publicKey/allowCredentials/0/id").size();
            CPPUNIT_ASSERT(length == 22 || length == 27 || length == 43);
            CPPUNIT_ASSERT_EQUAL(unknown.at("/publicKey/allowCredentials"), optionsFor(identifier).at("/publicKey/allowCredentials"));
        }
        CPPUNIT_ASSERT(optionsFor("a@x.example").at("/publicKey/allowCredentials") !=
                       optionsFor("b@x.example").at("/publicKey/allowCredentials"));
        CPPUNIT_ASSERT(post("/api/auth/passkeys/authenticate/options", "{}", {}).count("/publicKey/allowCredentials") == 0);
    }

    void isASecondFactor()
    {
        auto key = addKey();
        const auto pending = _host->login(owner, IdentityHost::password, "identity");
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_required"), pending.code());
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["passkey"])"), pending.at("/details/factors"));
        const auto prove = [&](const std::string& credential)
        {
            return post("/api/auth/mfa/verify",
                        R"({"mfaToken":")" + pending.at("/details/mfaToken") + R"(","factor":"passkey","credential":)" + credential + '}',
                        {});
        };
        _host->createUser("other@acme.example", "acme", "member");
        auto others = addKey("other@acme.example");
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), prove(others.get(challenge())).code());
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), prove(key.get("AAAA")).code());
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), prove("{}").code());
        const auto done = prove(key.get(challenge()));
        CPPUNIT_ASSERT_EQUAL(200, done.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["pwd","pop"])"), done.at("/session/amr"));
        CPPUNIT_ASSERT_EQUAL(std::string("aal2"), done.at("/session/acr"));
    }

    void raisesASignIn()
    {
        const auto token = _host->signIn(owner, "identity");
        auto key = addKey();
        const auto raise = [&](const std::string& credential)
        { return post("/api/auth/step-up", R"({"factor":"passkey","credential":)" + credential + '}', token); };
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), raise("null").code());
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), raise(key.get(challenge(), {.flags = 0x01})).code());
        CPPUNIT_ASSERT_EQUAL(200, raise(key.get(challenge())).status);
        CPPUNIT_ASSERT_EQUAL(200, post("/api/auth/passkeys/register/options", "{}", token).status);
    }

    void endsADelay()
    {
        auto key = addKey();
        for (int i = 0; i < 7; ++i) _host->login(owner, "wrong");
        CPPUNIT_ASSERT_EQUAL(429, _host->login(owner, IdentityHost::password).status);
        CPPUNIT_ASSERT_EQUAL(200, signIn(key).status);
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_required"), _host->login(owner, IdentityHost::password).code());
    }

    void closedAccountsStayClosed()
    {
        auto key = addKey();
        _host->change("UPDATE users SET status = 'suspended'");
        CPPUNIT_ASSERT_EQUAL(std::string("account_suspended"), signIn(key).code());
        _host->change("UPDATE users SET status = 'deactivated'");
        CPPUNIT_ASSERT_EQUAL(std::string("passkey_rejected"), signIn(key).code());
    }

    void organizationsMayForbidIt()
    {
        auto key = addKey();
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":["password"],"mfaRequired":true}')");
        CPPUNIT_ASSERT_EQUAL(std::string("login_method_not_allowed"), signIn(key).code());
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":["passkey"],"mfaRequired":true}')");
        CPPUNIT_ASSERT_EQUAL(200, signIn(key).status);
    }

    void isKeptByItsOwner()
    {
        const auto token = _host->signIn(owner, "identity");
        addKey();
        _host->createUser("other@acme.example", "acme", "member");
        const auto other = _host->signIn("other@acme.example", "identity");
        const auto id = get("/api/auth/passkeys", token).at("/items/0/id");
        CPPUNIT_ASSERT(get("/api/auth/passkeys", other).count("/items") == 0);
        CPPUNIT_ASSERT_EQUAL(404, get("/api/auth/passkeys/" + id, other).status);
        CPPUNIT_ASSERT_EQUAL(std::string("passkey"), get("/api/auth/mfa", token).at("/factors/0/type"));
        const auto change = [&](Method method, const std::string& credential, std::string body = {})
        { return _host->call({.method = method, .target = "/api/auth/passkeys/" + id, .body = std::move(body)}, credential); };
        CPPUNIT_ASSERT_EQUAL(404, change(Method::Patch, other, R"({"name":"Mine"})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("Key ring"), change(Method::Patch, token, R"({"name":" Key ring "})").at("/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), change(Method::Patch, token, R"({"name":""})").code());
        CPPUNIT_ASSERT_EQUAL(404, change(Method::Delete, other).status);
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}')");
        CPPUNIT_ASSERT_EQUAL(std::string("last_factor_required_by_policy"), change(Method::Delete, token).code());
        _host->change(R"(UPDATE organizations SET security_policy = '{}')");
        CPPUNIT_ASSERT_EQUAL(204, change(Method::Delete, token).status);
        CPPUNIT_ASSERT_EQUAL(200, _host->login(owner, IdentityHost::password).status);
    }

    void twentyAreEnough()
    {
        const auto token = elevated();
        const auto begin = [&] { return post("/api/auth/passkeys/register/options", "{}", token); };
        const auto end = [&](const TestAnswer& options)
        { return finish(options, SoftAuthenticator().create(options.at("/publicKey/challenge")), token); };
        const auto late = begin();
        for (int i = 0; i < 20; ++i) CPPUNIT_ASSERT_EQUAL(201, end(begin()).status);
        CPPUNIT_ASSERT_EQUAL(409, begin().status);
        CPPUNIT_ASSERT_EQUAL(std::string("passkey_limit_reached"), begin().code());
        CPPUNIT_ASSERT_EQUAL(std::string("passkey_limit_reached"), end(late).code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{20}, _host->count("SELECT COUNT(*) FROM passkeys"));
        // One's own only.
        _host->createUser("other@acme.example", "acme", "member");
        addKey("other@acme.example");
    }

    void aChallengeOutlivesAReload()
    {
        auto key = addKey();
        const auto options = post("/api/auth/passkeys/authenticate/options", "{}", {});
        _host->reload();
        CPPUNIT_ASSERT_EQUAL(200, verify(options.at("/challengeId"), key.get(options.at("/publicKey/challenge"))).status);
    }

private:
    static constexpr std::string_view owner = "owner@acme.example";

    static std::vector<SoftAuthenticator::Behaviour> lies()
    {
        return {{.origin = "https://evil.example"},
                {.origin = "http://desk.localhost:8080"},
                {.origin = "http://identity.localhost:8080.evil.example"},
                {.origin = "http://identity.localhost:9999"},
                {.origin = "null"},
                {.rpId = "desk.localhost"},
                {.rpId = "localhost"},
                {.flags = 0x01},
                {.flags = 0x04},
                {.flags = 0x15},
                {.flags = 0x85},
                {.crossOrigin = true}};
    }
    TestAnswer get(const std::string& target, const std::string& token) { return _host->call({.target = target}, token); }
    TestAnswer post(const std::string& target, std::string body, const std::string& token)
    {
        return _host->call({.method = Method::Post, .target = target, .body = std::move(body), .originService = "identity"}, token);
    }
    std::string elevated(std::string_view email = owner)
    {
        auto token = _host->signIn(email, "identity");
        post("/api/auth/step-up", R"({"factor":"password","password":")" + std::string(IdentityHost::password) + "\"}", token);
        return token;
    }
    TestAnswer finish(const TestAnswer& options, const std::string& credential, const std::string& token)
    {
        return post("/api/auth/passkeys/register/verify",
                    R"({"challengeId":")" + options.at("/challengeId") + R"(","credential":)" + credential + '}', token);
    }
    SoftAuthenticator addKey(std::string_view email = owner)
    {
        const auto token = elevated(email);
        const auto options = post("/api/auth/passkeys/register/options", "{}", token);
        SoftAuthenticator key;
        const auto made = finish(options, key.create(options.at("/publicKey/challenge")), token);
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        return key;
    }
    std::string challenge() { return post("/api/auth/passkeys/authenticate/options", "{}", {}).at("/publicKey/challenge"); }
    TestAnswer verify(const std::string& challengeId, const std::string& credential)
    {
        return post("/api/auth/passkeys/authenticate/verify",
                    R"({"challengeId":")" + challengeId + R"(","service_id":"desk","credential":)" + credential + '}', {});
    }
    TestAnswer signIn(SoftAuthenticator& key, const SoftAuthenticator::Behaviour& behaviour = {})
    {
        _host->context().clock().advance(std::chrono::seconds(5));
        const auto options = post("/api/auth/passkeys/authenticate/options", "{}", {});
        return verify(options.at("/challengeId"), key.get(options.at("/publicKey/challenge"), behaviour));
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner;
};

CPPUNIT_TEST_SUITE_REGISTRATION(PasskeysTest);

} // namespace portico::tests
