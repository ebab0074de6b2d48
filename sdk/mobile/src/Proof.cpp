#include "Client.h"
#include "Text.h"

namespace portico::mobile
{

/// The members in the order that a thumbprint takes (RFC 7638).
std::string Client::keyObject() const
{
    const auto point = _shell.publicKey();
    return R"({"crv":"P-256","kty":"EC","x":")" + base64Url(std::string_view(point).substr(0, 32)) + R"(","y":")" +
           base64Url(std::string_view(point).substr(32)) + R"("})";
}

std::string Client::proof(const std::string& method, const std::string& url, std::string_view accessToken)
{
    const auto header = R"({"typ":"dpop+jwt","alg":"ES256","jwk":)" + keyObject() + '}';
    json::object claims{{"jti", base64Url(_shell.random())}, {"htm", method}, {"htu", url.substr(0, url.find('?'))}, {"iat", _shell.now()}};
    if (!accessToken.empty()) claims["ath"] = base64Url(sha256(accessToken));
    if (!_nonce.empty()) claims["nonce"] = _nonce;
    auto text = base64Url(header) + '.' + base64Url(json::serialize(claims));
    return text + '.' + base64Url(_shell.sign(text));
}

} // namespace portico::mobile
