#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <openssl/evp.h>
#include <stdexcept>
#include <string>

namespace portico::tests
{

/// Solves a challenge (`{parameters, signature}`) like ALTCHA's widget, implemented from the description of its format. Returns the base64
/// payload that the widget posts.
inline std::string solvePow(const std::string& challengeText)
{
    const auto challenge = boost::json::parse(challengeText).as_object();
    const auto& parameters = challenge.at("parameters").as_object();
    const auto bytes = [&](const char* name)
    {
        const std::string hex(parameters.at(name).as_string());
        std::string out;
        for (std::size_t i = 0; i < hex.size(); i += 2) out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
        return out;
    };
    const auto salt = bytes("salt");
    const auto cost = static_cast<int>(parameters.at("cost").as_int64());
    const std::string prefix(parameters.at("keyPrefix").as_string());
    for (std::uint32_t counter = 0; counter < 1'000'000; ++counter)
    {
        auto password = bytes("nonce");
        for (const int shift : {24, 16, 8, 0}) password += static_cast<char>(counter >> shift & 255U);
        unsigned char key[32];
        PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), reinterpret_cast<const unsigned char*>(salt.data()),
                          static_cast<int>(salt.size()), cost, EVP_sha256(), sizeof key, key);
        std::string hex;
        for (const unsigned char byte : key) hex.append({"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]});
        if (!hex.starts_with(prefix)) continue;
        const auto payload = boost::json::serialize(
            boost::json::object{{"challenge", challenge}, {"solution", {{"counter", counter}, {"derivedKey", hex}, {"time", 12.3}}}});
        std::string base64(4 * ((payload.size() + 2) / 3) + 1, '\0');
        base64.resize(static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()),
                                                               reinterpret_cast<const unsigned char*>(payload.data()),
                                                               static_cast<int>(payload.size()))));
        return base64;
    }
    throw std::runtime_error("no solution");
}

} // namespace portico::tests
