#include "TokenFixture.h"

#include "support/Suite.h"

#include "portico/Crypto.h"

#include <Poco/Crypto/ECKey.h>
#include <Poco/JWT/Signer.h>
#include <Poco/JWT/Token.h>

#include <openssl/err.h>

#include <sstream>

namespace portico::tests
{

using namespace identity;

/// Documents why identity verifies signatures with OpenSSL and not with `Poco::JWT` (docs/decisions/0026): inputs that it accepts, beside
/// this reader's result. If a test fails after an upgrade of POCO, the decision may be reconsidered.
class PocoJwtTest : public Suite<PocoJwtTest, TokenFixture>
{
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

    TEST(takesOurTokens)
    {
        CHECK(pocoTakes(_token));
        CHECK(weTake(_token));
    }

    TEST(takesLongerSignatures)
    {
        const auto signature = fromBase64Url(_token.substr(_signatureAt)).value();
        const auto longer = withSignature('\0' + signature.substr(0, 32) + '\0' + signature.substr(32));
        CHECK(pocoTakes(longer));
        CHECK(!weTake(longer));
    }

    TEST(takesSpareBits)
    {
        auto stray = _token;
        stray.back() = static_cast<char>(stray.back() + 1);
        CHECK(pocoTakes(stray));
        CHECK(!weTake(stray));
    }

    TEST(leavesErrorsInTheQueue)
    {
        const auto zero = withSignature(std::string(32, '\0') + std::string(32, '\1'));
        CHECK(!weTake(zero));
        equal(0, ERR_peek_error());
        CHECK(!pocoTakes(zero));
        CHECK(ERR_peek_error() != 0);
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

} // namespace portico::tests
