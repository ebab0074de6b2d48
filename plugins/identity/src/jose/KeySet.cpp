#include "jose/KeySet.h"

#include "portico/Crypto.h"

namespace portico::identity
{

std::string signJws(const KeySet& keys, std::string_view kid, std::string_view type, std::string_view payload)
{
    const auto& key = keys.keys.find(kid)->second;
    const JwsHeader header{std::string(name(key.algorithm())), std::string(type), std::string(kid)};
    const auto text = toBase64Url(toJson(header)) + '.' + toBase64Url(payload);
    return text + '.' + toBase64Url(key.sign(text));
}

std::optional<Jws> openJws(const KeySet& keys, std::string_view token, std::string_view type, std::size_t maxSize)
{
    auto jws = Jws::parseOwn(token, maxSize);
    if (!jws || jws->typ != type) return std::nullopt;
    const auto key = keys.keys.find(jws->kid);
    return key != keys.keys.end() && jws->isSignedBy(key->second) ? std::move(jws) : std::nullopt;
}

} // namespace portico::identity
