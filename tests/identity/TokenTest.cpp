#include "TokenFixture.h"

#include "support/Suite.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <openssl/err.h>

namespace portico::tests
{

using namespace identity;

/// Strict reader of access tokens against malicious input. Where possible, hostile tokens are signed with the valid key, so that only the
/// tested rule can reject them.
class TokenTest : public Suite<TokenTest, TokenFixture>
{
    TEST(readsWhatItWrote)
    {
        const auto read = decodeToken(_keys, encodeToken(_keys, claims()), issuer, now);
        CHECK(read.fault == TokenFault::None);
        equal("usr_1", read.claims.sub);
        equal("org_1", read.claims.orgId.value_or(""));
        CHECK(!read.claims.householdId);
    }

    /// Used as the ID token hint of a logout.
    TEST(readsAnIdTokenOfManyOrganizations)
    {
        const auto opened = [&](std::size_t size)
        {
            const auto text = jsonWith(R"({"organizations":"$"})", std::string(size, 'o'));
            const auto jws = openJws(_keys, signJws(_keys, _keys.currentKid, "JWT", text), "JWT");
            return jws && jws->payload == text;
        };
        CHECK(opened(100) && opened(8'000));
        CHECK(!opened(16'000));
    }

    TEST(refusesOtherHeaders)
    {
        const auto kid = _keys.currentKid;
        const auto header = [&](std::string_view alg, std::string_view typ, std::string_view more = {})
        { return jsonWith(R"({"alg":"$","typ":"$","kid":"$"$})", alg, typ, kid, more); };
        CHECK(judge(header("ES256", "at+jwt")) == TokenFault::None);
        for (const auto* alg : {"none", "None", "HS256", "ES384", "RS256", ""}) refuse(header(alg, "at+jwt"));
        for (const auto* typ : {"JWT", "AT+JWT", "application/at+jwt", "logout+jwt", ""}) refuse(header("ES256", typ));
        for (const auto* more :
             {R"(,"crit":["exp"])", R"(,"jwk":{})", R"(,"x5u":"https://evil.example")", R"(,"b64":false)", R"(,"alg":"ES256")"})
            refuse(header("ES256", "at+jwt", more));
        refuse(R"({"alg":"ES256","typ":"at+jwt"})");
        refuse("[]");
        refuse("");
    }

    TEST(refusesUnknownKeys)
    {
        const auto other = SigningKey::generate();
        KeySet others;
        others.currentKid = other.thumbprint();
        others.keys.emplace(others.currentKid, other);
        CHECK(decodeToken(_keys, encodeToken(others, claims()), issuer, now).fault == TokenFault::BadSignature);
        // Another key under our key's name.
        KeySet forged;
        forged.currentKid = _keys.currentKid;
        forged.keys.emplace(_keys.currentKid, other);
        CHECK(decodeToken(_keys, encodeToken(forged, claims()), issuer, now).fault == TokenFault::BadSignature);
    }

    TEST(refusesOtherForms)
    {
        const auto token = encodeToken(_keys, claims());
        for (const auto& text : {token + ".", token + ".e30", '.' + token, ' ' + token, token + '\n', token.substr(0, token.rfind('.')),
                                 std::string(), std::string("."), std::string(".."), std::string("a.b.c.d"), std::string(5000, 'a')})
            CHECK(decodeToken(_keys, text, issuer, now).fault == TokenFault::BadSignature);
    }

    TEST(refusesNonCanonicalBase64)
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
            CHECK(decodeToken(_keys, text, issuer, now).fault == TokenFault::BadSignature);
    }

    TEST(refusesOtherSignatures)
    {
        const auto token = encodeToken(_keys, claims());
        const auto unsignedPart = token.substr(0, token.rfind('.') + 1);
        const auto signature = fromBase64Url(token.substr(token.rfind('.') + 1)).value();
        const auto with = [&](const std::string& bytes)
        { return decodeToken(_keys, unsignedPart + toBase64Url(bytes), issuer, now).fault; };
        CHECK(with(signature) == TokenFault::None);
        CHECK(with("") == TokenFault::BadSignature);
        CHECK(with(signature.substr(0, 63)) == TokenFault::BadSignature);
        CHECK(with(signature + '\0') == TokenFault::BadSignature);
        CHECK(with(std::string(64, '\0')) == TokenFault::BadSignature);
        CHECK(with(signature.substr(32) + signature.substr(0, 32)) == TokenFault::BadSignature);
        auto flipped = signature;
        flipped[40] = static_cast<char>(flipped[40] ^ 1);
        CHECK(with(flipped) == TokenFault::BadSignature);
    }

    /// Errors left in OpenSSL's queue of the thread would make its next TLS call fail.
    TEST(leavesNoErrorsToOthers)
    {
        const auto& key = _keys.keys.at(_keys.currentKid);
        const std::string half(32, '\1');
        const std::string zero(32, '\0');
        const std::string huge(32, '\xff');
        for (const auto& signature : {zero + half, half + zero, zero + zero, huge + half, half + huge, half + half, key.sign("message")})
        {
            key.verify("message", signature);
            equal(0, ERR_peek_error());
        }
        CPPUNIT_ASSERT_THROW(SigningKey::fromPem("-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----\n"), std::runtime_error);
        equal(0, ERR_peek_error());
    }

    TEST(refusesChangedClaims)
    {
        const auto token = encodeToken(_keys, claims());
        auto changed = claims();
        changed.sub = "usr_2";
        const auto payload = toBase64Url(toJson(changed));
        const auto forged = token.substr(0, token.find('.') + 1) + payload + token.substr(token.rfind('.'));
        CHECK(decodeToken(_keys, forged, issuer, now).fault == TokenFault::BadSignature);
    }

    TEST(refusesOtherIssuers)
    {
        auto other = claims();
        other.iss = "http://identity.localhost:8080/";
        CHECK(decodeToken(_keys, encodeToken(_keys, other), issuer, now).fault == TokenFault::BadSignature);
    }

    TEST(keepsToTheTimes)
    {
        const auto at = [&](std::int64_t iat, std::int64_t nbf, std::int64_t exp)
        {
            auto c = claims();
            c.iat = iat;
            c.nbf = nbf;
            c.exp = exp;
            return decodeToken(_keys, encodeToken(_keys, c), issuer, now).fault;
        };
        CHECK(at(1000, 1000, 1001) == TokenFault::None);
        CHECK(at(400, 400, 1000) == TokenFault::Expired);
        CHECK(at(400, 400, 999) == TokenFault::Expired);
        // The issuing host's clock is some seconds ahead.
        CHECK(at(1005, 1005, 1600) == TokenFault::None);
        CHECK(at(1006, 1000, 1600) == TokenFault::BadSignature);
        CHECK(at(1000, 1006, 1600) == TokenFault::BadSignature);
    }

    TEST(refusesClaimsItDoesNotKnow)
    {
        auto payload = toJson(claims());
        payload.insert(payload.size() - 1, R"(,"admin":true)");
        CHECK(signedFault(jsonWith(R"({"alg":"ES256","typ":"at+jwt","kid":"$"})", _keys.currentKid), payload) == TokenFault::BadSignature);
    }

    TokenFault signedFault(const std::string& header, const std::string& payload)
    {
        const auto body = toBase64Url(header) + '.' + toBase64Url(payload);
        const auto signature = _keys.keys.at(_keys.currentKid).sign(body);
        return decodeToken(_keys, body + '.' + toBase64Url(signature), issuer, now).fault;
    }
    TokenFault judge(const std::string& header) { return signedFault(header, toJson(claims())); }
    void refuse(const std::string& header) { CPPUNIT_ASSERT_MESSAGE(header, judge(header) == TokenFault::BadSignature); }
};

} // namespace portico::tests
