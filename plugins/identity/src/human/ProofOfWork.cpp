#include "human/ProofOfWork.h"

#include "human/HumanVerification.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <algorithm>
#include <chrono>
#include <openssl/evp.h>
#include <stdexcept>

namespace portico::identity
{

namespace
{

constexpr std::string_view powAlgorithm = "PBKDF2/SHA-256";
constexpr std::size_t powBytes = 16;
constexpr std::int64_t powKeyLength = 32;
/// One byte: 256 tries on average.
constexpr std::string_view powPrefix = "00";
constexpr std::int64_t hour = 3600;
/// Far more than a payload has.
constexpr std::size_t longestPayload = 4096;

struct PowSolution
{
    std::int64_t counter = -1;
    std::string derivedKey;
    double time = 0;
};

constexpr auto schemaOf(const PowSolution*)
{
    return describe(field<&PowSolution::counter>().required(), field<&PowSolution::derivedKey>().required(), field<&PowSolution::time>());
}

struct PowPayload
{
    SignedChallenge challenge;
    PowSolution solution;
};

constexpr auto schemaOf(const PowPayload*)
{
    return describe(field<&PowPayload::challenge>().required(), field<&PowPayload::solution>().required());
}

std::string hexOf(std::string_view bytes)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (const unsigned char byte : bytes) out.append({digits[byte >> 4], digits[byte & 15]});
    return out;
}

/// Decodes hexadecimal text that this class has written, so that it is valid.
std::string bytesOf(std::string_view hex)
{
    const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) out += static_cast<char>(value(hex[i]) * 16 + value(hex[i + 1]));
    return out;
}

std::string derive(const PowChallenge& challenge, std::uint32_t counter)
{
    auto password = bytesOf(challenge.nonce);
    for (int shift = 24; shift >= 0; shift -= 8) password += static_cast<char>(counter >> shift & 255U);
    const auto salt = bytesOf(challenge.salt);
    std::string key(static_cast<std::size_t>(challenge.keyLength), '\0');
    if (PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), reinterpret_cast<const unsigned char*>(salt.data()),
                          static_cast<int>(salt.size()), static_cast<int>(challenge.cost), EVP_sha256(), static_cast<int>(key.size()),
                          reinterpret_cast<unsigned char*>(key.data())) != 1)
        throw std::runtime_error("OpenSSL could not derive a key");
    return hexOf(key);
}

/// Decodes the result of `btoa`, with or without padding.
std::string decodeBase64(std::string_view text)
{
    if (text.size() > longestPayload) throw humanVerificationFailed();
    std::string url(text.substr(0, text.find_last_not_of('=') + 1));
    std::ranges::replace(url, '+', '-');
    std::ranges::replace(url, '/', '_');
    auto bytes = fromBase64Url(url);
    if (!bytes) throw humanVerificationFailed();
    return *std::move(bytes);
}

PowPayload parsePayload(std::string_view text)
{
    const auto json = decodeBase64(text);
    try
    {
        return fromJson<PowPayload>(json);
    }
    catch (const Problem&)
    {
        throw humanVerificationFailed();
    }
}

} // namespace

std::string ProofOfWork::keyOf(const PowChallenge& challenge)
{
    const auto name = "human-key:" + std::to_string(challenge.expiresAt / hour);
    while (true)
    {
        if (const auto entry = _state.get(name)) return entry->value;
        const auto key = randomToken();
        if (_state.compareAndSet(name, 0, key, std::chrono::seconds(hour) + _life)) return key;
    }
}

std::string ProofOfWork::sign(std::string_view purpose, const PowChallenge& challenge)
{
    return hmacSha256(keyOf(challenge), std::string(purpose) + ' ' + toJson(challenge)).hex();
}

SignedChallenge ProofOfWork::challenge(std::string_view purpose)
{
    SignedChallenge made;
    auto& challenge = made.parameters;
    challenge.algorithm = powAlgorithm;
    challenge.nonce = hexOf(randomBytes(powBytes));
    challenge.salt = hexOf(randomBytes(powBytes));
    challenge.cost = _cost;
    challenge.keyLength = powKeyLength;
    challenge.keyPrefix = powPrefix;
    challenge.expiresAt = toMillis(_clock.now() + _life) / 1000;
    made.signature = sign(purpose, challenge);
    return made;
}

void ProofOfWork::require(std::string_view purpose, std::string_view payload)
{
    const auto [challenge, solution] = parsePayload(payload);
    const auto& parameters = challenge.parameters;
    const auto left = std::chrono::seconds(parameters.expiresAt) - _clock.now().time_since_epoch();
    // The signature before anything is believed, and the work before anything is kept.
    if (left <= left.zero() || left > _life || !sameSecret(challenge.signature, sign(purpose, parameters))) throw humanVerificationFailed();
    if (solution.counter < 0 || solution.counter > std::int64_t{0xffffffff}) throw humanVerificationFailed();
    const auto key = derive(parameters, static_cast<std::uint32_t>(solution.counter));
    if (!key.starts_with(parameters.keyPrefix) || !sameSecret(key, solution.derivedKey)) throw humanVerificationFailed();
    if (!_state.compareAndSet("human-used:" + challenge.signature, 0, "", left)) throw challengeReplayed();
}

} // namespace portico::identity
