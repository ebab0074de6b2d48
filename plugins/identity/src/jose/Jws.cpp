#include "jose/Jws.h"

#include "jose/JsonWebKey.h"

#include "portico/Crypto.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

struct ForeignHeader : JwsHeader
{
    Json jwk, crit;
};

constexpr auto schemaOf(const ForeignHeader*)
{
    return describe(members<&ForeignHeader::alg, &ForeignHeader::typ, &ForeignHeader::kid, &ForeignHeader::jwk, &ForeignHeader::crit>());
}

struct Audiences
{
    std::vector<std::string> aud;
};

constexpr auto schemaOf(const Audiences*) { return describe(field<&Audiences::aud>()); }

/// @param read reads the text of the header into the JWS, and returns false to reject it
template <class Read>
std::optional<Jws> decode(std::string_view token, std::size_t maxSize, const Read& read)
{
    if (token.size() > maxSize) return std::nullopt;
    const auto first = token.find('.');
    const auto second = first == std::string_view::npos ? first : token.find('.', first + 1);
    if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) return std::nullopt;
    const auto header = fromBase64Url(token.substr(0, first));
    auto payload = fromBase64Url(token.substr(first + 1, second - first - 1));
    auto signature = fromBase64Url(token.substr(second + 1));
    if (!header || !payload || !signature) return std::nullopt;
    Jws jws;
    jws.payload = *std::move(payload);
    jws.signature = *std::move(signature);
    jws.signedPart = token.substr(0, second);
    try
    {
        if (!read(jws, *header)) return std::nullopt;
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
    return jws;
}

} // namespace

std::optional<Jws> Jws::parse(std::string_view token)
{
    return decode(token, maxBytes,
                  [](Jws& jws, const std::string& text)
                  {
                      const auto header = fromStoredJson<ForeignHeader>(text);
                      static_cast<JwsHeader&>(jws) = header;
                      if (header.jwk != Json{}) jws.jwk = header.jwk.text;
                      return header.crit == Json{} && jws.payload.starts_with('{') && isJson(jws.payload);
                  });
}

std::optional<Jws> Jws::parseOwn(std::string_view token, std::size_t maxSize)
{
    return decode(token, maxSize,
                  [](Jws& jws, const std::string& text)
                  {
                      static_cast<JwsHeader&>(jws) = fromJson<JwsHeader>(text);
                      return true;
                  });
}

bool Jws::isSignedBy(const std::vector<JsonWebKey>& keys) const
{
    std::size_t tried = 0;
    return std::ranges::any_of(keys,
                               [&](const JsonWebKey& key)
                               {
                                   const bool chosen = key.fits(alg) && (kid.empty() || key.kid().empty() || key.kid() == kid);
                                   return chosen && ++tried <= maxKeysTried && isSignedBy(key);
                               });
}

std::vector<std::string> audiencesOf(const Json& aud)
{
    const auto list = aud.text.starts_with('[') ? aud.text : '[' + aud.text + ']';
    return fromStoredJson<Audiences>("{\"aud\":" + list + '}').aud;
}

} // namespace portico::identity
