#include "identity/AuthenticatorApp.h"
#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "common/TypedCode.h"

#include <algorithm>
#include <array>
#include <sodium.h>

namespace portico::tests
{

/// Text that users enter on different devices: passwords with composed letters, and codes that are displayed in groups.
class TypedTextTest : public Suite<TypedTextTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("ada@acme.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(passwordsCompareNormalized)
    {
        setPassword(composed);
        for (const auto* typed : {composed, decomposed}) equal(200, _host->login("ada@acme.example", typed).status);
        equal("invalid_credentials", _host->login("ada@acme.example", "Funf grune Apfel 9").code());
        setPassword(decomposed, composed);
        for (const auto* typed : {composed, decomposed}) equal(200, _host->login("ada@acme.example", typed).status);
    }

    TEST(passwordsOfAnEarlierVersionAreHashedAgain)
    {
        std::array<char, crypto_pwhash_STRBYTES> old{};
        const std::string_view typed = decomposed;
        equal(0, crypto_pwhash_str_alg(old.data(), typed.data(), typed.size(), 2, 19 * 1024 * 1024, crypto_pwhash_ALG_ARGON2ID13));
        _host->change("UPDATE users SET password_hash = $1 WHERE email = 'ada@acme.example'", {old.data()});
        equal("invalid_credentials", _host->login("ada@acme.example", composed).code());
        equal(200, _host->login("ada@acme.example", decomposed).status);
        // From now on in either form.
        equal(200, _host->login("ada@acme.example", composed).status);
        equal(0, _host->count("SELECT COUNT(*) FROM users WHERE password_hash = '" + std::string(old.data()) + "'"));
    }

    TEST(rulesLookAtTheNormalizedPassword)
    {
        // Eleven letters, of which one is two code points.
        equal("password_too_short", choose("xkqzvwjybu\xcc\x88").code());
        // A password of a breach in letters of another width.
        equal("password_breached", choose("ｐａｓｓｗｏｒｄ１２３４５６").code());
    }

    TEST(codesMayBeGrouped)
    {
        for (const auto* typed : {"123456", "123 456", " 123 456 ", "123-456", "12 34 56",
                                  "123\xc2\xa0"
                                  "456",
                                  "123\xe2\x80\xaf"
                                  "456",
                                  "123\xe2\x80\x91"
                                  "456",
                                  "123\xe2\x80\x93"
                                  "456",
                                  "\xe2\x80\x8b"
                                  "123456",
                                  "１２３４５６", "123\t456\n"})
            equal("123456", identity::typedCode(typed), typed);
        for (const auto* other : {"", "12345", "123.456", "123456x", "1234567", "x"}) equal(other, identity::typedCode(other));
    }

    TEST(signsInWithAGroupedCode)
    {
        const auto token = elevated();
        const auto enrolled = post("/api/auth/mfa/totp/enroll", "{}", token);
        equal(201, enrolled.status);
        const auto grouped = [&](std::string_view mark)
        {
            const auto code = appCode(enrolled.at("/secret"), _host->context().clock().now());
            return code.substr(0, 3) + std::string(mark) + code.substr(3);
        };
        const auto activated = post("/api/auth/mfa/totp/activate",
                                    jsonWith(R"({"enrollmentId":"$","code":"$"})", enrolled.at("/enrollmentId"), grouped(" ")), token);
        equal(200, activated.status, activated.body);
        _host->context().clock().advance(std::chrono::seconds(60));
        for (const auto* mark : {"-", " "})
        {
            const auto waiting = _host->login("ada@acme.example", IdentityHost::password);
            const auto done = post("/api/auth/mfa/verify", jsonWith(R"({"mfaToken":"$","factor":"totp","code":" $ "})",
                                                                    waiting.at("/details/mfaToken"), grouped(mark)));
            equal(200, done.status, done.body);
            _host->context().clock().advance(std::chrono::seconds(60));
        }
    }

    static constexpr const char* composed = "F\xc3\xbcnf gr\xc3\xbcne \xc3\x84pfel 9";
    static constexpr const char* decomposed = "Fu\xcc\x88nf gru\xcc\x88ne A\xcc\x88pfel 9";

    TestAnswer post(const std::string& path, const std::string& body, const std::string& token = {}) const
    {
        return _host->call({.method = Method::Post, .target = path, .body = body}, token);
    }
    std::string elevated(std::string_view password = IdentityHost::password) const
    {
        const auto signedIn = _host->login("ada@acme.example", password, "identity");
        const auto raised =
            post("/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", password), signedIn.at("/access_token"));
        return raised.status == 200 ? raised.at("/access_token") : signedIn.at("/access_token");
    }
    TestAnswer choose(std::string_view wanted, std::string_view current = IdentityHost::password) const
    {
        return _host->call({.method = Method::Put,
                            .target = "/api/auth/password",
                            .body = jsonWith(R"({"currentPassword":"$","newPassword":"$","revokeOtherSessions":false})", current, wanted)},
                           elevated(current));
    }
    void setPassword(std::string_view wanted, std::string_view current = IdentityHost::password) const
    {
        const auto chosen = choose(wanted, current);
        CPPUNIT_ASSERT_MESSAGE(chosen.body, chosen.status < 300);
    }

    std::unique_ptr<IdentityHost> _host;
};

} // namespace portico::tests
