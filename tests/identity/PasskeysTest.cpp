#include "identity/IdentityHost.h"
#include "identity/SoftAuthenticator.h"

#include "passkeys/CborReader.h"
#include "passkeys/Webauthn.h"
#include "portico/Crypto.h"

#include <thread>

namespace portico::tests
{

/// Passkeys with an authenticator of software: made, used, kept, and every lie refused.
class PasskeysTest : public Suite<PasskeysTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser(owner, "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(readsCborOfStrangers)
    {
        using identity::CborReader;
        using namespace std::string_view_literals;
        const auto map = CborReader("\xa2\x01\x20\x61x\x43"
                                    "abc"sv)
                             .map();
        CHECK(map && map->size() == 2);
        equal(1, CborReader::integer((*map)[0].first).value());
        equal(-1, CborReader::integer((*map)[0].second).value());
        equal("x", CborReader::text((*map)[1].first).value());
        equal("abc", CborReader::bytes((*map)[1].second).value());
        CHECK(!CborReader::text((*map)[1].second) && !CborReader::bytes("\x43"
                                                                        "ab"sv));
        // Cut off, of indefinite length, tagged, longer than there is, deeper than anything that is meant.
        for (const auto bytes : {""sv, "\xa1\x01"sv, "\xbf\xff"sv, "\x9f\xff"sv, "\xc0\x60"sv, "\x5b\xff\xff\xff\xff\xff\xff\xff\xff"sv,
                                 "\x9b\xff\xff\xff\xff\xff\xff\xff\xff"sv, "\x1c"sv, "\x81\x81\x81\x81\x81\x81\x81\x81\x81\x80"sv})
            CHECK(!CborReader(bytes).item() && !CborReader(bytes).map());
        CHECK(CborReader("\x81\x81\x81\x80"sv).item());
    }

    TEST(isMadeAndUsed)
    {
        const auto token = elevated();
        const auto options = post("/api/auth/passkeys/register/options", R"({"name":"Laptop"})", token);
        equal(200, options.status);
        equal("identity.localhost", options.at("/publicKey/rp/id"));
        equal(toBase64Url(_owner), options.at("/publicKey/user/id"));
        equal("required", options.at("/publicKey/authenticatorSelection/userVerification"));
        SoftAuthenticator key;
        const auto made = finish(options, key.create(options.at("/publicKey/challenge")), token);
        equal(201, made.status);
        equal("Laptop", made.at("/name"));
        CHECK(!made.has("/publicKey") && !made.has("/credentialId"));
        const auto again = post("/api/auth/passkeys/register/options", "{}", token);
        equal(key.id(), again.at("/publicKey/excludeCredentials/0/id"));

        const auto done = signIn(key);
        equal(200, done.status);
        equal(_owner, done.at("/user/id"));
        equal("aal2", done.at("/session/acr"));
        equal(R"(["pop","mfa"])", done.at("/session/amr"));
        equal("1", done.at("/user/mfa/passkeys"));
        equal("ok", _host->verdict(done.at("/access_token")));
        equal(200, signIn(key, {.userHandle = _owner}).status);
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'passkey.registered'"));
    }

    TEST(needsAFreshProofToBeMade)
    {
        const auto token = _host->signIn(owner, "identity");
        equal("step_up_required", post("/api/auth/passkeys/register/options", "{}", token).code());
        const auto fresh = elevated();
        const auto options = post("/api/auth/passkeys/register/options", "{}", fresh);
        _host->context().clock().advance(std::chrono::seconds(299));
        const SoftAuthenticator key;
        equal("step_up_required", finish(options, key.create(options.at("/publicKey/challenge")), token).code());
        // Rejected for another user.
        _host->createUser("other@acme.example", "acme", "member");
        equal("attestation_rejected",
              finish(options, key.create(options.at("/publicKey/challenge")), elevated("other@acme.example")).code());
        equal(0, _host->count("SELECT COUNT(*) FROM passkeys"));
    }

    TEST(refusesFalseAttestations)
    {
        const auto token = elevated();
        SoftAuthenticator key;
        for (const auto& lie : lies())
        {
            const auto options = post("/api/auth/passkeys/register/options", "{}", token);
            equal("attestation_rejected", finish(options, key.create(options.at("/publicKey/challenge"), lie), token).code());
        }
        for (const auto* format : {"tpm", "android-key", "fido-u2f", "apple", "x"})
        {
            const auto options = post("/api/auth/passkeys/register/options", "{}", token);
            equal("attestation_rejected",
                  finish(options, key.create(options.at("/publicKey/challenge"), {.format = format}), token).code());
        }
        // Rejects another challenge, the challenge of the other ceremony, and malformed credentials.
        const auto options = post("/api/auth/passkeys/register/options", "{}", token);
        equal("attestation_rejected", finish(options, key.create("AAAA"), token).code());
        const auto used = post("/api/auth/passkeys/authenticate/options", "{}", {});
        equal("challenge_expired", finish(used, key.create(used.at("/publicKey/challenge")), token).code());
        for (const auto* text : {"{}", "[]", "1", R"({"type":"public-key","id":1})", R"({"type":"password","id":"x","response":{}})",
                                 R"({"type":"public-key","id":"x","response":{"clientDataJSON":"!","attestationObject":""}})"})
        {
            const auto begun = post("/api/auth/passkeys/register/options", "{}", token);
            equal("attestation_rejected", finish(begun, text, token).code());
        }
        equal(0, _host->count("SELECT COUNT(*) FROM passkeys"));
    }

    TEST(takesAttestationsThatHold)
    {
        const auto token = elevated();
        const SoftAuthenticator key;
        auto options = post("/api/auth/passkeys/register/options", "{}", token);
        equal(
            "attestation_rejected",
            finish(options, key.create(options.at("/publicKey/challenge"), {.format = "packed", .damagedSignature = true}), token).code());
        options = post("/api/auth/passkeys/register/options", "{}", token);
        equal(201, finish(options, key.create(options.at("/publicKey/challenge"), {.format = "packed"}), token).status);
        // The same credential once more.
        options = post("/api/auth/passkeys/register/options", "{}", token);
        equal("attestation_rejected", finish(options, key.create(options.at("/publicKey/challenge")), token).code());
    }

    TEST(refusesFalseAssertions)
    {
        auto key = addKey();
        for (const auto& lie : lies()) equal("passkey_rejected", signIn(key, lie).code());
        equal("passkey_rejected", signIn(key, {.damagedSignature = true}).code());
        equal("passkey_rejected", signIn(key, {.userHandle = "usr_01arz3ndektsv4rrffq69g5fav"}).code());
        SoftAuthenticator unknown;
        equal("passkey_rejected", signIn(unknown).code());
        for (const auto* text : {"{}", "null", "[]", R"({"type":"public-key","id":"","response":{}})"})
        {
            const auto options = post("/api/auth/passkeys/authenticate/options", "{}", {});
            CHECK(verify(options.at("/challengeId"), text).status / 100 == 4);
        }
        equal(200, signIn(key).status);
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE acr = 'aal2'"));
    }

    TEST(challengesAreGoodOnce)
    {
        auto key = addKey();
        const auto options = post("/api/auth/passkeys/authenticate/options", "{}", {});
        const auto credential = key.get(options.at("/publicKey/challenge"));
        equal(200, verify(options.at("/challengeId"), credential).status);
        equal("challenge_expired", verify(options.at("/challengeId"), credential).code());
        // Rejects the id of another challenge.
        const auto other = post("/api/auth/passkeys/authenticate/options", "{}", {});
        equal("passkey_rejected", verify(other.at("/challengeId"), credential).code());
        const auto late = post("/api/auth/passkeys/authenticate/options", "{}", {});
        _host->context().clock().advance(std::chrono::seconds(300));
        equal("challenge_expired", verify(late.at("/challengeId"), key.get(late.at("/publicKey/challenge"))).code());
    }

    TEST(othersPasskeysDoNotCount)
    {
        auto key = addKey();
        _host->createUser("other@acme.example", "acme", "member");
        auto others = addKey("other@acme.example");
        const auto options = post("/api/auth/passkeys/authenticate/options", R"({"identifier":"owner@acme.example"})", {});
        equal(key.id(), options.at("/publicKey/allowCredentials/0/id"));
        equal("passkey_rejected", verify(options.at("/challengeId"), others.get(options.at("/publicKey/challenge"))).code());
        const auto nobody = post("/api/auth/passkeys/authenticate/options", R"({"identifier":"nobody@acme.example"})", {});
        equal("passkey_rejected", verify(nobody.at("/challengeId"), key.get(nobody.at("/publicKey/challenge"))).code());
    }

    TEST(seesACopyByItsCounter)
    {
        auto key = addKey();
        key.counter = 10;
        equal(200, signIn(key).status);
        key.counter = 5;
        equal("passkey_rejected", signIn(key).code());
        key.counter = 10;
        equal("passkey_rejected", signIn(key).code());
        equal(2, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'passkey.counter_went_back'"));
        equal(200, signIn(key).status);
        // Counters of synchronized passkeys are always zero.
        _host->change("UPDATE passkeys SET sign_count = 0");
        for (int i = 0; i < 2; ++i)
        {
            key.counter = static_cast<std::uint32_t>(-1);
            equal(200, signIn(key).status);
        }
    }

    TEST(oneOfManyParallelAnswersIsAccepted)
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
        equal(1, signedIn.load());
    }

    TEST(optionsRevealNoAccounts)
    {
        addKey();
        _host->createUser("without@acme.example", "acme", "member");
        const auto optionsFor = [&](std::string_view identifier)
        { return post("/api/auth/passkeys/authenticate/options", jsonWith(R"({"identifier":"$"})", identifier), {}); };
        const auto known = optionsFor(owner);
        for (const auto* identifier : {"without@acme.example", "nobody@acme.example", "no address", "x@y.example"})
        {
            const auto unknown = optionsFor(identifier);
            equal(known.status, unknown.status);
            for (const auto* place :
                 {"/publicKey/allowCredentials/0/type", "/publicKey/rpId", "/publicKey/userVerification", "/publicKey/timeout"})
                equal(known.at(place), unknown.at(place));
            // Invented ids have the length of real ones: 16, 20 or 32 bytes.
            const auto length = unknown.at("/publicKey/allowCredentials/0/id").size();
            CHECK(length == 22 || length == 27 || length == 43);
            equal(unknown.at("/publicKey/allowCredentials"), optionsFor(identifier).at("/publicKey/allowCredentials"));
        }
        CHECK(optionsFor("a@x.example").at("/publicKey/allowCredentials") != optionsFor("b@x.example").at("/publicKey/allowCredentials"));
        CHECK(post("/api/auth/passkeys/authenticate/options", "{}", {}).count("/publicKey/allowCredentials") == 0);
    }

    TEST(isASecondFactor)
    {
        auto key = addKey();
        const auto pending = _host->login(owner, IdentityHost::password, "identity");
        equal("mfa_required", pending.code());
        equal(R"(["passkey"])", pending.at("/details/factors"));
        const auto prove = [&](const std::string& credential)
        {
            return post("/api/auth/mfa/verify",
                        jsonWith(R"({"mfaToken":"$","factor":"passkey","credential":$})", pending.at("/details/mfaToken"), credential), {});
        };
        _host->createUser("other@acme.example", "acme", "member");
        auto others = addKey("other@acme.example");
        equal("invalid_code", prove(others.get(challenge())).code());
        equal("invalid_code", prove(key.get("AAAA")).code());
        equal("invalid_code", prove("{}").code());
        const auto done = prove(key.get(challenge()));
        equal(200, done.status);
        equal(R"(["pwd","pop"])", done.at("/session/amr"));
        equal("aal2", done.at("/session/acr"));
    }

    TEST(raisesASignIn)
    {
        const auto token = _host->signIn(owner, "identity");
        auto key = addKey();
        const auto raise = [&](const std::string& credential)
        { return post("/api/auth/step-up", jsonWith(R"({"factor":"passkey","credential":$})", credential), token); };
        equal("invalid_code", raise("null").code());
        equal("invalid_code", raise(key.get(challenge(), {.flags = 0x01})).code());
        equal(200, raise(key.get(challenge())).status);
        equal(200, post("/api/auth/passkeys/register/options", "{}", token).status);
    }

    TEST(endsADelay)
    {
        auto key = addKey();
        for (int i = 0; i < 7; ++i) _host->login(owner, "wrong");
        equal(429, _host->login(owner, IdentityHost::password).status);
        equal(200, signIn(key).status);
        equal("mfa_required", _host->login(owner, IdentityHost::password).code());
    }

    TEST(closedAccountsStayClosed)
    {
        auto key = addKey();
        _host->change("UPDATE users SET status = 'suspended'");
        equal("account_suspended", signIn(key).code());
        _host->change("UPDATE users SET status = 'deactivated'");
        equal("passkey_rejected", signIn(key).code());
    }

    TEST(organizationsMayForbidIt)
    {
        auto key = addKey();
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":["password"],"mfaRequired":true}')");
        equal("login_method_not_allowed", signIn(key).code());
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":["passkey"],"mfaRequired":true}')");
        equal(200, signIn(key).status);
    }

    TEST(aStepUpByPasswordKeepsTheMethodOfThePasskey)
    {
        auto key = addKey();
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":["passkey"]}')");
        const auto token = signIn(key).at("/access_token");
        const auto raised = _host->call({.method = Method::Post,
                                         .target = "/api/auth/step-up",
                                         .body = jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password),
                                         .originService = "desk"},
                                        token);
        equal(200, raised.status, raised.body);
        const auto moved = _host->call({.method = Method::Put,
                                        .target = "/api/auth/context",
                                        .body = jsonWith(R"({"kind":"organization","organizationId":"$"})", _host->organizationId("acme")),
                                        .originService = "desk"},
                                       raised.at("/access_token"));
        equal(200, moved.status, moved.body);
    }

    TEST(isKeptByItsOwner)
    {
        const auto token = _host->signIn(owner, "identity");
        addKey();
        _host->createUser("other@acme.example", "acme", "member");
        const auto other = _host->signIn("other@acme.example", "identity");
        const auto id = get("/api/auth/passkeys", token).at("/items/0/id");
        CHECK(get("/api/auth/passkeys", other).count("/items") == 0);
        equal(404, get("/api/auth/passkeys/" + id, other).status);
        equal("passkey", get("/api/auth/mfa", token).at("/factors/0/type"));
        const auto change = [&](Method method, const std::string& credential, std::string body = {})
        { return _host->call({.method = method, .target = "/api/auth/passkeys/" + id, .body = std::move(body)}, credential); };
        equal(404, change(Method::Patch, other, R"({"name":"Mine"})").status);
        equal("Key ring", change(Method::Patch, token, R"({"name":" Key ring "})").at("/name"));
        equal("validation_failed", change(Method::Patch, token, R"({"name":""})").code());
        equal(404, change(Method::Delete, other).status);
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}')");
        equal("last_factor_required_by_policy", change(Method::Delete, token).code());
        _host->change(R"(UPDATE organizations SET security_policy = '{}')");
        equal(204, change(Method::Delete, token).status);
        equal(200, _host->login(owner, IdentityHost::password).status);
    }

    TEST(twentyAreEnough)
    {
        const auto token = elevated();
        const auto begin = [&] { return post("/api/auth/passkeys/register/options", "{}", token); };
        const auto end = [&](const TestAnswer& options)
        { return finish(options, SoftAuthenticator().create(options.at("/publicKey/challenge")), token); };
        const auto late = begin();
        for (int i = 0; i < 20; ++i) equal(201, end(begin()).status);
        equal(409, begin().status);
        equal("passkey_limit_reached", begin().code());
        equal("passkey_limit_reached", end(late).code());
        equal(20, _host->count("SELECT COUNT(*) FROM passkeys"));
        // The limit is per user.
        _host->createUser("other@acme.example", "acme", "member");
        addKey("other@acme.example");
    }

    TEST(aChallengeOutlivesAReload)
    {
        auto key = addKey();
        const auto options = post("/api/auth/passkeys/authenticate/options", "{}", {});
        _host->reload();
        equal(200, verify(options.at("/challengeId"), key.get(options.at("/publicKey/challenge"))).status);
    }

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
        post("/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password), token);
        return token;
    }
    TestAnswer finish(const TestAnswer& options, const std::string& credential, const std::string& token)
    {
        return post("/api/auth/passkeys/register/verify",
                    jsonWith(R"({"challengeId":"$","credential":$})", options.at("/challengeId"), credential), token);
    }
    SoftAuthenticator addKey(std::string_view email = owner)
    {
        const auto token = elevated(email);
        const auto options = post("/api/auth/passkeys/register/options", "{}", token);
        SoftAuthenticator key;
        const auto made = finish(options, key.create(options.at("/publicKey/challenge")), token);
        equal(201, made.status);
        return key;
    }
    std::string challenge() { return post("/api/auth/passkeys/authenticate/options", "{}", {}).at("/publicKey/challenge"); }
    TestAnswer verify(const std::string& challengeId, const std::string& credential)
    {
        return post("/api/auth/passkeys/authenticate/verify",
                    jsonWith(R"({"challengeId":"$","service_id":"desk","credential":$})", challengeId, credential), {});
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

} // namespace portico::tests
