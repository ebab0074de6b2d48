#include "identity/IdentityHost.h"
#include "identity/PowSolver.h"
#include "support/Suite.h"

#include "portico/Crypto.h"

#include <atomic>
#include <thread>

namespace portico::tests
{

using identity::HumanProof;
using identity::HumanPurpose;

/// Human verification: by proof of work, and by a provider.
class HumanVerificationTest : public Suite<HumanVerificationTest>
{
    void setUp() override { _host = std::make_unique<IdentityHost>(); }
    void tearDown() override { _host.reset(); }

    TEST(showsAChallengeInBothForms)
    {
        const auto answer = _host->call({.target = "/api/public/human-verification?purpose=register"});
        equal(200, answer.status);
        equal("pow", answer.at("/provider"));
        equal("PBKDF2/SHA-256", answer.at("/challenge/algorithm"));
        equal("00", answer.at("/challenge/keyPrefix"));
        equal("32", answer.at("/challenge/keyLength"));
        equal(32, answer.at("/challenge/nonce").size());
        equal(toMillis(now()) / 1000 + 300, std::int64_t{std::stoll(answer.at("/challenge/expiresAt"))});
        CHECK(!answer.has("/siteKey"));
        // ALTCHA's widget takes an answer with `challenge` for version 1.
        const auto widgets = _host->call({.target = "/api/public/human-verification?purpose=register&format=altcha"});
        CHECK(!widgets.has("/challenge"));
        equal("1", widgets.at("/parameters/cost"));
        equal("validation_failed", _host->call({.target = "/api/public/human-verification"}).code());
        equal(400, _host->call({.target = "/api/public/human-verification?purpose=anything"}).status);
        equal(400, _host->call({.target = "/api/public/human-verification?purpose=login&format=x"}).status);
    }

    TEST(solvesAsAltchaDoes)
    {
        // Computed by solveChallenge of altcha-lib 2.8.0, an independent implementation.
        const auto payload = decoded(solvePow(R"({"parameters":{"algorithm":"PBKDF2/SHA-256","nonce":"000102030405060708090a0b0c0d0e0f",
            "salt":"0f0e0d0c0b0a09080706050403020100","cost":5,"keyLength":32,"keyPrefix":"00","expiresAt":1767225900},"signature":"ab"})"));
        equal(141, payload.at_pointer("/solution/counter").as_int64());
        equal("00428c609964a2d4e303aeec12081585c14eab2e4844445653724238a01cc836",
              std::string(payload.at_pointer("/solution/derivedKey").as_string()));
    }

    TEST(takesASolutionOnce)
    {
        const auto payload = solve("register");
        equal("ok", verdict(HumanPurpose::Register, payload));
        equal("409 challenge_replayed", verdict(HumanPurpose::Register, payload));
        equal("428 human_verification_required", verdict(HumanPurpose::Register, std::nullopt));
    }

    TEST(takesItOnceOfManyAtOnce)
    {
        const auto payload = solve("register");
        std::atomic<int> taken{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 16; ++i) threads.emplace_back([&] { taken += verdict(HumanPurpose::Register, payload) == "ok"; });
        for (auto& thread : threads) thread.join();
        equal(1, taken.load());
    }

    TEST(isGoodForItsPurposeOnly)
    {
        const auto payload = solve("register");
        equal(failed, verdict(HumanPurpose::DeveloperApply, payload));
        equal("ok", verdict(HumanPurpose::Register, payload));
    }

    TEST(expires)
    {
        const auto payload = solve("register");
        _host->context().clock().advance(std::chrono::minutes(5));
        equal(failed, verdict(HumanPurpose::Register, payload));
    }

    TEST(refusesWhatIsNoSolution)
    {
        for (const auto* payload : {"", "====", "!!!!", "e30=", "bnVsbA==", "eyJjaGFsbGVuZ2UiOm51bGx9"})
            equal(failed, verdict(HumanPurpose::Register, payload));
        equal(failed, verdict(HumanPurpose::Register, std::string(100'000, 'A')));
        auto payload = decoded(solve("register"));
        const auto with = [&](std::string_view pointer, boost::json::value value)
        {
            auto copy = payload;
            copy.at_pointer(pointer) = std::move(value);
            return verdict(HumanPurpose::Register, encoded(copy));
        };
        const auto counter = payload.at_pointer("/solution/counter").as_int64();
        equal(failed, with("/solution/counter", counter + 1));
        equal(failed, with("/solution/counter", counter + (std::int64_t{1} << 32)));
        equal(failed, with("/solution/counter", -1));
        equal(failed, with("/solution/derivedKey", "00"));
        equal(failed, with("/challenge/signature", ""));
        equal(failed, with("/challenge/parameters/algorithm", "SHA-256"));
        // None of these has used the challenge up.
        equal("ok", verdict(HumanPurpose::Register, encoded(payload)));
        equal(failed, verdict(HumanPurpose::Register, solve("register"), "turnstile"));
    }

    TEST(refusesAnEasierChallenge)
    {
        const auto given = _host->call({.target = "/api/public/human-verification?purpose=register&format=altcha"}).body;
        const auto solved = [&](std::string_view name, boost::json::value value)
        {
            auto changed = boost::json::parse(given);
            changed.at("parameters").as_object()[name] = std::move(value);
            return verdict(HumanPurpose::Register, solvePow(boost::json::serialize(changed)));
        };
        equal(failed, solved("keyPrefix", ""));
        equal(failed, solved("cost", 2));
        equal(failed, solved("expiresAt", toMillis(now()) / 1000 + 299));
        equal(failed, solved("expiresAt", 99'999'999'999));
        equal(failed, solved("more", "x"));
    }

    TEST(outlivesAReload)
    {
        const auto first = solve("register");
        const auto second = solve("register");
        equal("ok", verdict(HumanPurpose::Register, first));
        _host->reload();
        equal("409 challenge_replayed", verdict(HumanPurpose::Register, first));
        equal("ok", verdict(HumanPurpose::Register, second));
    }

    TEST(asksAtSignInAfterFiveFailures)
    {
        IdentityHost host(IdentityHost::Settings{{"identity.humanVerification.login", "true"}});
        host.createUser("owner@acme.example", "acme", "owner");
        equal("true", host.call({.target = "/api/auth/login-config?service_id=desk"}).at("/humanVerification/required"));
        for (const auto* account : {"owner@acme.example", "nobody@acme.example"})
        {
            for (int i = 0; i < 5; ++i) equal("invalid_credentials", host.login(account, "wrong").code());
            equal("too_many_attempts", host.login(account, "wrong").code());
        }
        host.context().clock().advance(std::chrono::seconds(1));
        for (const auto* account : {"owner@acme.example", "nobody@acme.example"})
        {
            const auto answer = host.login(account, IdentityHost::password);
            refused(answer, 428, "human_verification_required");
        }
        equal("invalid_credentials",
              host.login("nobody@acme.example", "wrong", "desk", jsonWith(R"(,"humanVerification":$)", host.humanProof("login"))).code());
        equal(200, host.login("owner@acme.example", IdentityHost::password, "desk",
                              jsonWith(R"(,"humanVerification":$)", host.humanProof("login")))
                       .status);
        // Not by default.
        _host->createUser("owner@acme.example", "acme", "owner");
        for (int i = 0; i < 5; ++i) _host->login("owner@acme.example", "wrong");
        _host->context().clock().advance(std::chrono::seconds(1));
        equal(200, _host->login("owner@acme.example", IdentityHost::password).status);
    }

    TEST(asksTheProvider)
    {
        auto host = withTurnstile();
        const auto challenge = host->call({.target = "/api/public/human-verification?purpose=register"});
        equal("turnstile", challenge.at("/provider"));
        equal("site", challenge.at("/siteKey"));
        CHECK(!challenge.has("/challenge"));
        auto& http = host->context().http();
        http.respond(200, R"({"success":true,"action":"register","hostname":"x","error-codes":[],"more":1})");
        equal("ok", verdict(*host, HumanPurpose::Register, "token", "turnstile"));
        const auto sent = http.requests().at(0);
        equal("https://challenges.cloudflare.com/turnstile/v0/siteverify", sent.url);
        equal(R"({"secret":"very secret","response":"token","remoteip":"192.0.2.1"})", sent.body);
        equal("409 challenge_replayed", verdict(*host, HumanPurpose::Register, "token", "turnstile"));
        equal(failed, verdict(*host, HumanPurpose::DeveloperApply, "token2", "turnstile"));
        equal(failed, verdict(*host, HumanPurpose::Register, "token2", "pow"));
        http.respond(200, R"({"success":false,"error-codes":["timeout-or-duplicate"]})");
        equal(failed, verdict(*host, HumanPurpose::Register, "token3", "turnstile"));
    }

    TEST(isClosedWhileTheProviderIsAway)
    {
        auto host = withTurnstile();
        const auto away = std::string("503 provider_unreachable");
        auto& http = host->context().http();
        for (const auto& [status, body] : {std::pair{500, "{}"}, std::pair{200, "no JSON"}, std::pair{200, "[]"}})
        {
            http.respond(status, body);
            equal(away, verdict(*host, HumanPurpose::Register, "token", "turnstile"));
        }
        http.answer([](const HttpClient::Request&) -> HttpClient::Response
                    { throw HttpFailure(502, "upstream_failed", "", HttpFailure::Sent::NotSent); });
        equal(away, verdict(*host, HumanPurpose::Register, "token", "turnstile"));
    }

    TEST(needsTheKeysOfTheProvider)
    {
        CPPUNIT_ASSERT_THROW(IdentityHost(IdentityHost::Settings{{"identity.humanVerification.provider", "turnstile"}}), std::exception);
    }

    static inline const std::string failed = "400 human_verification_failed";

    Instant now() { return _host->context().clock().now(); }
    std::string solve(std::string_view purpose)
    {
        return solvePow(_host->call({.target = "/api/public/human-verification?format=altcha&purpose=" + std::string(purpose)}).body);
    }
    static std::unique_ptr<IdentityHost> withTurnstile()
    {
        const auto file = std::filesystem::temp_directory_path() / ("turnstile-" + randomToken(9));
        std::ofstream(file) << "very secret\n";
        auto host =
            std::make_unique<IdentityHost>(IdentityHost::Settings{{"identity.humanVerification.provider", "turnstile"},
                                                                  {"identity.humanVerification.turnstile.siteKey", "site"},
                                                                  {"identity.humanVerification.turnstile.secretFile", file.string()}});
        std::filesystem::remove(file);
        return host;
    }
    static boost::json::value decoded(std::string text)
    {
        std::string bytes(text.size(), '\0');
        const auto size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                          reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
        bytes.resize(static_cast<std::size_t>(size));
        while (bytes.back() == '\0') bytes.pop_back();
        return boost::json::parse(bytes);
    }
    static std::string encoded(const boost::json::value& value) { return toBase64Url(boost::json::serialize(value)); }
    std::string verdict(HumanPurpose purpose, const std::optional<std::string>& payload, std::string provider = "pow")
    {
        return verdict(*_host, purpose, payload, std::move(provider));
    }
    static std::string verdict(IdentityHost& host, HumanPurpose purpose, const std::optional<std::string>& payload, std::string provider)
    {
        Request request;
        request.clientAddress = "192.0.2.1";
        std::optional<HumanProof> proof;
        if (payload) proof = HumanProof{std::move(provider), *payload};
        try
        {
            dynamic_cast<identity::IdentityPlugin&>(host.plugin()).human().require(request, purpose, proof);
            return "ok";
        }
        catch (const Problem& problem)
        {
            return std::to_string(problem.status()) + ' ' + problem.code();
        }
    }

    std::unique_ptr<IdentityHost> _host;
};

} // namespace portico::tests
