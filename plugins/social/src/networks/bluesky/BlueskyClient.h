#pragma once

#include "networks/bluesky/BlueskyOAuthRecords.h"

#include "portico/Clock.h"
#include "portico/Crypto.h"
#include "portico/Database.h"
#include "portico/Jwt.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::social::bluesky
{

/// This server as an OAuth client of Bluesky. Its key is made once and stored sealed; all hosts share it. Thread-safe; the references
/// outlive it.
class Client
{
public:
    static constexpr std::string_view scope = "atproto transition:generic";

    /// @param origin of the social service
    Client(Database& database, const Clock& clock, std::optional<Sealer> sealer, std::string origin)
        : _database(database), _clock(clock), _sealer(std::move(sealer)), _origin(std::move(origin))
    {
    }

    /// True where servers can read the documents below: on https, with a key for seals.
    bool isAvailable() const noexcept { return _sealer.has_value() && _origin.starts_with("https://"); }
    std::string clientId() const { return _origin + "/oauth/bluesky/client-metadata.json"; }
    ClientMetadata metadata() const;
    /// @throws std::bad_optional_access without a key for seals
    PublicKeys publicKeys() const;
    /// Returns the identity of this client for a token endpoint. @throws as `publicKeys`
    std::string assertion(std::string_view issuer) const;

private:
    JwtKey key() const;
    std::optional<JwtKey> stored(portico::Session& session) const;

    Database& _database;
    const Clock& _clock;
    const std::optional<Sealer> _sealer;
    const std::string _origin;
};

} // namespace portico::social::bluesky
