#include "networks/bluesky/BlueskyClient.h"

namespace portico::social::bluesky
{

namespace
{
/// Place of the key among the registrations of this server.
constexpr std::string_view keyPlace = "urn:portico:bluesky-client-key", keyPurpose = "bluesky-client-key";
} // namespace

ClientMetadata Client::metadata() const
{
    ClientMetadata metadata;
    metadata.clientId = clientId();
    metadata.clientUri = _origin;
    metadata.redirectUris = {_origin + "/api/integrations/bluesky/callback"};
    metadata.scope = scope;
    metadata.jwksUri = _origin + "/oauth/bluesky/jwks.json";
    return metadata;
}

PublicKeys Client::publicKeys() const
{
    const auto own = key();
    PublicKey shown;
    shown.x = own.x();
    shown.y = own.y();
    shown.kid = own.thumbprint();
    return {{std::move(shown)}};
}

std::string Client::assertion(std::string_view issuer) const
{
    const auto id = clientId();
    return signClientAssertion(key(), {id, issuer, _clock.now(), std::chrono::seconds(60)});
}

std::optional<JwtKey> Client::stored(portico::Session& session) const
{
    const auto sealed =
        session.value<std::string>("SELECT secrets FROM network_application WHERE server_url = $1 AND redirect_uri = ''", keyPlace);
    const auto pem = sealed ? _sealer.value().tryOpen(*sealed, keyPurpose) : std::nullopt;
    if (!pem || !_sealer->isCurrent(*sealed)) return std::nullopt;
    return JwtKey::parse(*pem);
}

JwtKey Client::key() const
{
    {
        auto session = _database.session();
        if (auto known = stored(session)) return *known;
    }
    return _database.transact(
        [&](Transaction& transaction)
        {
            // The first host writes the row; the others wait for it here.
            transaction.execute("INSERT INTO network_application (server_url, redirect_uri, secrets, created_at) VALUES ($1, '', '', $2)"
                                " ON CONFLICT (server_url, redirect_uri) DO UPDATE SET created_at = network_application.created_at",
                                keyPlace, _clock.now());
            const auto sealed = transaction.value<std::string>(
                "SELECT secrets FROM network_application WHERE server_url = $1 AND redirect_uri = ''", keyPlace);
            const auto pem = _sealer.value().tryOpen(sealed.value_or(""), keyPurpose);
            auto key = pem ? JwtKey::parse(*pem) : JwtKey::generate();
            transaction.execute("UPDATE network_application SET secrets = $2 WHERE server_url = $1 AND redirect_uri = ''", keyPlace,
                                _sealer->seal(key.toPem(), keyPurpose));
            return key;
        });
}

} // namespace portico::social::bluesky
