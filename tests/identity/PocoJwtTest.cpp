#include "TokenFixture.h"

#include "portico/Crypto.h"

#include <cppunit/extensions/HelperMacros.h>

#include <Poco/Crypto/ECKey.h>
#include <Poco/JWT/Signer.h>
#include <Poco/JWT/Token.h>

#include <openssl/err.h>

#include <sstream>

namespace portico::tests
{

using namespace identity;

/// Why identity checks signatures with OpenSSL and not with `Poco::JWT` (docs/decisions/0026): what that takes and leaves behind, beside
/// what our reader does with the same text. When one of these fails after an upgrade of POCO, the decision may be looked at again.
class PocoJwtTest : public TokenFixture
{
    CPPUNIT_TEST_SUITE(PocoJwtTest);
    CPPUNIT_TEST(takesOurTokens);
    CPPUNIT_TEST(takesLongerSignatures);
    CPPUNIT_TEST(takesSpareBits);
    CPPUNIT_TEST(leavesErrorsInTheQueue);
    CPPUNIT_TEST_SUITE_END();

public:
    PocoJwtTest()
    {
        std::istringstream pem(_keys.keys.at(_keys.currentKid).toPem());
        _poco.setECKey(new Poco::Crypto::ECKey(nullptr, &pem));
        _poco.addAlgorithm(Poco::JWT::Signer::ALGO_ES256);
        _token = encodeToken(_keys, claims());
        _signatureAt = _token.rfind('.') + 1;
    }

    void tearDown() override { ERR_clear_error(); }

    void takesOurTokens()
    {
        CPPUNIT_ASSERT(pocoTakes(_token));
        CPPUNIT_ASSERT(weTake(_token));
    }

    void takesLongerSignatures()
    {
        const auto signature = fromBase64Url(_token.substr(_signatureAt)).value();
        const auto longer = withSignature('\0' + signature.substr(0, 32) + '\0' + signature.substr(32));
        CPPUNIT_ASSERT(pocoTakes(longer));
        CPPUNIT_ASSERT(!weTake(longer));
    }

    void takesSpareBits()
    {
        auto stray = _token;
        stray.back() = static_cast<char>(stray.back() + 1);
        CPPUNIT_ASSERT(pocoTakes(stray));
        CPPUNIT_ASSERT(!weTake(stray));
    }

    void leavesErrorsInTheQueue()
    {
        const auto zero = withSignature(std::string(32, '\0') + std::string(32, '\1'));
        CPPUNIT_ASSERT(!weTake(zero));
        CPPUNIT_ASSERT_EQUAL(0UL, ERR_peek_error());
        CPPUNIT_ASSERT(!pocoTakes(zero));
        CPPUNIT_ASSERT(ERR_peek_error() != 0);
    }

private:
    bool pocoTakes(const std::string& token) const
    {
        Poco::JWT::Token read;
        return _poco.tryVerify(token, read);
    }
    bool weTake(const std::string& token) const { return decodeToken(_keys, token, issuer, now).fault == TokenFault::None; }
    std::string withSignature(const std::string& bytes) const { return _token.substr(0, _signatureAt) + toBase64Url(bytes); }

    Poco::JWT::Signer _poco;
    std::string _token;
    std::size_t _signatureAt = 0;
};

CPPUNIT_TEST_SUITE_REGISTRATION(PocoJwtTest);

} // namespace portico::tests
