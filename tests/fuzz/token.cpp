#include "fuzz/Require.h"

#include "tokens/TokenCodec.h"

#include <string>

namespace
{

using namespace portico::identity;

struct Issuer
{
    KeySet keys;
    std::string token;

    Issuer()
    {
        const auto key = SigningKey::generate();
        keys.currentKid = key.thumbprint();
        keys.keys.emplace(keys.currentKid, key);
    }
};

} // namespace

/// A token that we did not sign is never accepted, however it looks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const Issuer issuer;
    const auto now = *portico::parseInstant("2026-11-21T09:00:00Z");
    const auto text = portico::fuzz::textOf(data, size);
    portico::fuzz::require(decodeToken(issuer.keys, text, "https://id.example", now).fault != TokenFault::None);

    // Input as header and claims under a signature of ours: read or refused.
    const auto dot = text.find('.');
    if (dot == std::string_view::npos) return 0;
    static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const auto encode = [](std::string_view bytes)
    {
        std::string out;
        unsigned buffer = 0;
        int bits = 0;
        for (const char c : bytes)
        {
            buffer = (buffer << 8 | static_cast<unsigned char>(c)) & 0xffffff;
            for (bits += 8; bits >= 6; bits -= 6) out += alphabet[buffer >> (bits - 6) & 63];
        }
        if (bits > 0) out += alphabet[buffer << (6 - bits) & 63];
        return out;
    };
    const auto header = R"({"alg":"ES256","typ":"at+jwt","kid":")" + issuer.keys.currentKid + "\"}";
    for (const auto& head : {header, std::string(text.substr(0, dot))})
    {
        const auto message = encode(head) + '.' + encode(text.substr(dot + 1));
        const auto signature = issuer.keys.keys.at(issuer.keys.currentKid).sign(message);
        decodeToken(issuer.keys, message + '.' + encode(signature), "https://id.example", now);
    }
    return 0;
}
