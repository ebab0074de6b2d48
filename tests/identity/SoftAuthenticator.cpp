#include "identity/SoftAuthenticator.h"

#include "portico/Crypto.h"
#include "portico/testing/JsonWith.h"

#include <array>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <stdexcept>

namespace portico::tests
{

using testing::jsonWith;

namespace
{

std::string head(int major, std::size_t length)
{
    std::string out;
    const auto first = static_cast<unsigned char>(major << 5);
    if (length < 24)
        out += static_cast<char>(first | length);
    else if (length < 256)
        out.append({static_cast<char>(first | 24), static_cast<char>(length)});
    else
        out.append({static_cast<char>(first | 25), static_cast<char>(length >> 8), static_cast<char>(length)});
    return out;
}
std::string cborText(std::string_view value) { return head(3, value.size()).append(value); }
std::string cborBytes(std::string_view value) { return head(2, value.size()).append(value); }

std::string clientDataOf(std::string_view type, std::string_view challenge, const SoftAuthenticator::Behaviour& behaviour)
{
    return jsonWith(R"({"type":"$","challenge":"$","origin":"$","crossOrigin":$,"other_keys_can_be_added_here":"do not compare"})", type,
                    challenge, behaviour.origin, (behaviour.crossOrigin ? "true" : "false"));
}

} // namespace

SoftAuthenticator::SoftAuthenticator() : _key(EVP_EC_gen("P-256")), _credentialId(randomBytes(32))
{
    if (!_key) throw std::runtime_error("OpenSSL makes no P-256 key");
}

std::string SoftAuthenticator::id() const { return toBase64Url(_credentialId); }

std::string SoftAuthenticator::sign(std::string_view data) const
{
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    std::array<unsigned char, 80> signature{};
    std::size_t size = signature.size();
    if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, _key.get()) != 1 ||
        EVP_DigestSign(context.get(), signature.data(), &size, reinterpret_cast<const unsigned char*>(data.data()), data.size()) != 1)
        throw std::runtime_error("OpenSSL does not sign");
    return {reinterpret_cast<const char*>(signature.data()), size};
}

std::string SoftAuthenticator::authenticatorData(const Behaviour& behaviour, bool attested) const
{
    std::string data(sha256(behaviour.rpId).bytes());
    data += static_cast<char>(behaviour.flags | (attested ? 0x40U : 0U));
    for (const int shift : {24, 16, 8, 0}) data += static_cast<char>(counter >> shift);
    if (!attested) return data;
    std::array<unsigned char, 65> point{};
    std::size_t size = 0;
    EVP_PKEY_get_octet_string_param(_key.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size(), &size);
    const std::string_view xy(reinterpret_cast<const char*>(point.data()) + 1, 64);
    data.append(16, '\0').append({'\0', '\x20'}).append(_credentialId);
    // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    data.append({'\xa5', 1, 2, 3, '\x26', '\x20', 1, '\x21'}).append(cborBytes(xy.substr(0, 32)));
    return data.append({'\x22'}).append(cborBytes(xy.substr(32)));
}

std::string SoftAuthenticator::attestationObject(const Behaviour& behaviour, std::string_view clientData) const
{
    const auto data = authenticatorData(behaviour, true);
    std::string statement = head(5, 0);
    if (behaviour.format == "packed")
    {
        auto signature = sign(data + std::string(sha256(clientData).bytes()));
        if (behaviour.damagedSignature) signature.back() ^= 1;
        statement = head(5, 2) + cborText("alg") + '\x26' + cborText("sig") + cborBytes(signature);
    }
    return head(5, 3) + cborText("fmt") + cborText(behaviour.format) + cborText("attStmt") + statement + cborText("authData") +
           cborBytes(data);
}

std::string SoftAuthenticator::create(std::string_view challenge, const Behaviour& behaviour) const
{
    const auto clientData = clientDataOf("webauthn.create", challenge, behaviour);
    return jsonWith(R"({"id":"$","rawId":"$","type":"public-key","clientExtensionResults":{},"response":{"clientDataJSON":"$",)"
                    R"("attestationObject":"$","transports":["internal"]}})",
                    id(), id(), toBase64Url(clientData), toBase64Url(attestationObject(behaviour, clientData)));
}

std::string SoftAuthenticator::get(std::string_view challenge, const Behaviour& behaviour)
{
    ++counter;
    const auto clientData = clientDataOf("webauthn.get", challenge, behaviour);
    const auto data = authenticatorData(behaviour, false);
    auto signature = sign(data + std::string(sha256(clientData).bytes()));
    if (behaviour.damagedSignature) signature.back() ^= 1;
    const auto handle = behaviour.userHandle.empty() ? std::string("null") : '"' + toBase64Url(behaviour.userHandle) + '"';
    return jsonWith(R"({"id":"$","rawId":"$","type":"public-key","clientExtensionResults":{},"response":{"clientDataJSON":"$",)"
                    R"("authenticatorData":"$","signature":"$","userHandle":$}})",
                    id(), id(), toBase64Url(clientData), toBase64Url(data), toBase64Url(signature), handle);
}

} // namespace portico::tests
