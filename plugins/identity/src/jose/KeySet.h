#pragma once

#include "jose/Jws.h"
#include "jose/SigningKey.h"

#include <map>

namespace portico::identity
{

/// The signing keys of this installation at one moment, by `kid`.
struct KeySet
{
    /// Key of access tokens.
    std::string currentKid;
    /// Key of ID tokens (RS256); empty until the first is requested.
    std::string identityKid;
    std::map<std::string, SigningKey, std::less<>> keys;
};

/// Returns a compact JWS over the text of a JSON object.
std::string signJws(const KeySet& keys, std::string_view kid, std::string_view type, std::string_view payload);

/// Returns a JWS of that type if one of our keys has signed it. Reads no claims: it may have expired.
std::optional<Jws> openJws(const KeySet& keys, std::string_view token, std::string_view type, std::size_t maxSize = Jws::maxBytes);

} // namespace portico::identity
