#include "fuzz/Require.h"

#include "clients/PairwiseSubjects.h"
#include "oauth/ClientMetadata.h"
#include "oauth/OAuthError.h"
#include "web/Urls.h"

#include <cstdint>

/// Metadata of a client that registers itself: rejected with an error of the standard, or a client without privileges whose metadata reads
/// back unchanged.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace portico::identity;
    using portico::fuzz::require;
    try
    {
        const auto client = ClientMetadata::parse(portico::fuzz::textOf(data, size)).applyTo({});
        require(!client.firstParty && !client.serviceId && client.consent == ConsentMode::Explicit && client.requirePkce);
        require(!client.hasGrant(grant::credentials) && !client.hasGrant(grant::exchange) && !client.hasScope("scim"));
        for (const auto& uri : client.redirectUris) require(!portico::originOf(uri).empty() && client.isRedirect(uri));
        if (client.isPairwise()) require(!pairwise_subjects::sectorOf(client).empty());
        const auto again = ClientMetadata::of(client).applyTo(client);
        require(portico::toJson(again) == portico::toJson(client));
    }
    catch (const OAuthError& error)
    {
        require(error.error() == "invalid_client_metadata" || error.error() == "invalid_redirect_uri");
    }
    return 0;
}
