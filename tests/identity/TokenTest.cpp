#include "TokenFixture.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <cppunit/extensions/HelperMacros.h>

#include <openssl/err.h>

namespace portico::tests
{

using namespace identity;

/// The strict reader of access tokens against what is sent to deceive it. Hostile tokens are signed with our own key wherever that is
/// possible, so that only the rule under test can refuse them.
class TokenTest : public TokenFixture
{
    CPPUNIT_TEST_SUITE(TokenTest);
    CPPUNIT_TEST(readsWhatItWrote);
    CPPUNIT_TEST(refusesOtherHeaders);
    CPPUNIT_TEST(refusesUnknownKeys);
    CPPUNIT_TEST(refusesOtherForms);
    CPPUNIT_TEST(refusesNonCanonicalBase64);
    CPPUNIT_TEST(refusesOtherSignatures);
    CPPUNIT_TEST(leavesNoErrorsToOthers);
    CPPUNIT_TEST(refusesChangedClaims);
    CPPUNIT_TEST(refusesOtherIssuers);
    CPPUNIT_TEST(keepsToTheTimes);
    CPPUNIT_TEST(refusesClaimsItDoesNotKnow);
    CPPUNIT_TEST(readsAnIdTokenOfManyOrganizations);
    CPPUNIT_TEST_SUITE_END();

public:
    void readsWhatItWrote()
    {
        const auto read = decodeToken(_keys, encodeToken(_keys, claims()), issuer, now);
        CPPUNIT_ASSERT(read.fault == TokenFault::None);
        CPPUNIT_ASSERT_EQUAL(std::string("usr_1"), read.claims.sub);
        CPPUNIT_ASSERT_EQUAL(std::string("org_1"), read.claims.orgId.value_or(""));
        CPPUNIT_ASSERT(!read.claims.householdId);
    }

    /// As the hint of a client that signs somebody out.
    void readsAnIdTokenOfManyOrganizations()
    {
        const auto opened = [&](std::size_t size)
        {
            const auto text = R"({"organizations":")" + std::string(size, 'o') + "\"}";
            return openJws(_keys, signJws(_keys, _keys.currentKid, "JWT", text), "JWT") == text;
        };
        CPPUNIT_ASSERT(opened(100) && opened(8'000));
        CPPUNIT_ASSERT(!opened(16'000));
    }

    void refusesOtherHeaders()
    {
        const auto kid = _keys.currentKid;
        const auto header = [&](std::string_view alg, std::string_view typ, std::string_view more = {}) {
            return R"({"alg":")" + std::string(alg) + R"(","typ":")" + std::string(typ) + R"(","kid":")" + kid + '"' + std::string(more) +
                   '}';
        };
        CPPUNIT_ASSERT(judge(header("ES256", "at+jwt")) == TokenFault::None);
        for (const auto* alg : {"none", "None", "HS256", "ES384", "RS256", ""}) refuse(header(alg, "at+jwt"));
        for (const auto* typ : {"JWT", "AT+JWT", "application/at+jwt", "logout+jwt", ""}) refuse(header("ES256", typ));
        for (const auto* more :
             {R"(,"crit":["exp"])", R"(,"jwk":{})", R"(,"x5u":"https://evil.example")", R"(,"b64":false)", R"(,"alg":"ES256")"})
            refuse(header("ES256", "at+jwt", more));
        refuse(R"({"alg":"ES256","typ":"at+jwt"})");
        refuse("[]");
        refuse("");
    }

    void refusesUnknownKeys()
    {
        const auto other = SigningKey::generate();
        KeySet others;
        others.currentKid = other.thumbprint();
        others.keys.emplace(others.currentKid, other);
        CPPUNIT_ASSERT(decodeToken(_keys, encodeToken(others, claims()), issuer, now).fault == TokenFault::BadSignature);
        // Another key under our key's name.
        KeySet forged;
        forged.currentKid = _keys.currentKid;
        forged.keys.emplace(_keys.currentKid, other);
        CPPUNIT_ASSERT(decodeToken(_keys, encodeToken(forged, claims()), issuer, now).fault == TokenFault::BadSignature);
    }

    void refusesOtherForms()
    {
        const auto token = encodeToken(_keys, claims());
        for (const auto& text : {token + ".", token + ".e30", '.' + token, ' ' + token, token + '\n', token.substr(0, token.rfind('.')),
                                 std::string(), std::string("."), std::string(".."), std::string("a.b.c.d"), std::string(5000, 'a')})
            CPPUNIT_ASSERT(decodeToken(_keys, text, issuer, now).fault == TokenFault::BadSignature);
    }

    void refusesNonCanonicalBase64()
    {
        const auto token = encodeToken(_keys, claims());
        const auto first = token.find('.');
        const auto last = token.rfind('.');
        // 64 bytes leave two spare bits in the last character: only one of four characters is canonical.
        auto stray = token;
        stray.back() = static_cast<char>(stray.back() + 1);
        for (const auto& text :
             {token + "==", token.substr(0, first) + "=" + token.substr(first), token.substr(0, last) + "=" + token.substr(last), stray,
              token.substr(0, last + 1) + "+/" + token.substr(last + 3)})
            CPPUNIT_ASSERT(decodeToken(_keys, text, issuer, now).fault == TokenFault::BadSignature);
    }

    void refusesOtherSignatures()
    {
        const auto token = encodeToken(_keys, claims());
        const auto unsignedPart = token.substr(0, token.rfind('.') + 1);
        const auto signature = fromBase64Url(token.substr(token.rfind('.') + 1)).value();
        const auto with = [&](const std::string& bytes)
        { return decodeToken(_keys, unsignedPart + toBase64Url(bytes), issuer, now).fault; };
        CPPUNIT_ASSERT(with(signature) == TokenFault::None);
        CPPUNIT_ASSERT(with("") == TokenFault::BadSignature);
        CPPUNIT_ASSERT(with(signature.substr(0, 63)) == TokenFault::BadSignature);
        CPPUNIT_ASSERT(with(signature + '\0') == TokenFault::BadSignature);
        CPPUNIT_ASSERT(with(std::string(64, '\0')) == TokenFault::BadSignature);
        CPPUNIT_ASSERT(with(signature.substr(32) + signature.substr(0, 32)) == TokenFault::BadSignature);
        auto flipped = signature;
        flipped[40] = static_cast<char>(flipped[40] ^ 1);
        CPPUNIT_ASSERT(with(flipped) == TokenFault::BadSignature);
    }

    /// What stays in OpenSSL's queue of the thread, its next TLS call takes for a failure of its own.
    void leavesNoErrorsToOthers()
    {
        const auto& key = _keys.keys.at(_keys.currentKid);
        const std::string half(32, '\1');
        const std::string zero(32, '\0');
        const std::string huge(32, '\xff');
        for (const auto& signature : {zero + half, half + zero, zero + zero, huge + half, half + huge, half + half, key.sign("message")})
        {
            key.verify("message", signature);
            CPPUNIT_ASSERT_EQUAL(0UL, ERR_peek_error());
        }
        CPPUNIT_ASSERT_THROW(SigningKey::fromPem("-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----\n"), std::runtime_error);
        CPPUNIT_ASSERT_EQUAL(0UL, ERR_peek_error());
    }

    void refusesChangedClaims()
    {
        const auto token = encodeToken(_keys, claims());
        auto changed = claims();
        changed.sub = "usr_2";
        const auto payload = toBase64Url(toJson(changed));
        const auto forged = token.substr(0, token.find('.') + 1) + payload + token.substr(token.rfind('.'));
        CPPUNIT_ASSERT(decodeToken(_keys, forged, issuer, now).fault == TokenFault::BadSignature);
    }

    void refusesOtherIssuers()
    {
        auto other = claims();
        other.iss = "http://identity.localhost:8080/";
        CPPUNIT_ASSERT(decodeToken(_keys, encodeToken(_keys, other), issuer, now).fault == TokenFault::BadSignature);
    }

    void keepsToTheTimes()
    {
        const auto at = [&](std::int64_t iat, std::int64_t nbf, std::int64_t exp)
        {
            auto c = claims();
            c.iat = iat;
            c.nbf = nbf;
            c.exp = exp;
            return decodeToken(_keys, encodeToken(_keys, c), issuer, now).fault;
        };
        CPPUNIT_ASSERT(at(1000, 1000, 1001) == TokenFault::None);
        CPPUNIT_ASSERT(at(400, 400, 1000) == TokenFault::Expired);
        CPPUNIT_ASSERT(at(400, 400, 999) == TokenFault::Expired);
        // Made by a host whose clock is some seconds ahead.
        CPPUNIT_ASSERT(at(1005, 1005, 1600) == TokenFault::None);
        CPPUNIT_ASSERT(at(1006, 1000, 1600) == TokenFault::BadSignature);
        CPPUNIT_ASSERT(at(1000, 1006, 1600) == TokenFault::BadSignature);
    }

    void refusesClaimsItDoesNotKnow()
    {
        auto payload = toJson(claims());
        payload.insert(payload.size() - 1, R"(,"admin":true)");
        CPPUNIT_ASSERT(signedFault(R"({"alg":"ES256","typ":"at+jwt","kid":")" + _keys.currentKid + "\"}", payload) ==
                       TokenFault::BadSignature);
    }

private:
    TokenFault signedFault(const std::string& header, const std::string& payload)
    {
        const auto body = toBase64Url(header) + '.' + toBase64Url(payload);
        const auto signature = _keys.keys.at(_keys.currentKid).sign(body);
        return decodeToken(_keys, body + '.' + toBase64Url(signature), issuer, now).fault;
    }
    TokenFault judge(const std::string& header) { return signedFault(header, toJson(claims())); }
    void refuse(const std::string& header) { CPPUNIT_ASSERT_MESSAGE(header, judge(header) == TokenFault::BadSignature); }
};

CPPUNIT_TEST_SUITE_REGISTRATION(TokenTest);

} // namespace portico::tests
