#include "fuzz/Require.h"

#include "jose/JsonWebKey.h"
#include "jose/Jws.h"
#include "web/Urls.h"

#include "portico/Text.h"

#include <cstdint>
#include <string_view>

namespace
{

struct Claims
{
    portico::Json aud;
};

constexpr auto schemaOf(const Claims*) { return portico::describe(portico::field<&Claims::aud>()); }

} // namespace

/// Texts that anybody sends to the OAuth endpoints: a JWS, keys, key sets and addresses. A JWS of our form is a JWS of other parties, too.
/// A local path has no origin.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace portico::identity;
    using portico::fuzz::require;
    const auto text = portico::fuzz::textOf(data, size);
    const auto keys = keysOf(text);
    require(keys.size() <= maxKeysOfSet && keys.size() <= sizeOfSet(text));
    for (const auto& key : keys) require(key.thumbprint().size() == 43);
    const auto jws = Jws::parse(text);
    if (jws)
    {
        require(text.size() <= Jws::maxBytes && jws->signedPart.size() < text.size() && jws->payload.starts_with('{'));
        if (const auto key = JsonWebKey::parse(jws->jwk)) require(!key->verify("none", jws->signedPart, jws->signature));
        require(!jws->isSignedBy(keys));
        if (const auto claims = jws->claims<Claims>())
        {
            try
            {
                audiencesOf(claims->aud);
            }
            catch (const portico::Problem& problem)
            {
                require(problem.status() == 400);
            }
        }
    }
    if (const auto own = Jws::parseOwn(text); own && own->payload.starts_with('{') && portico::isJson(own->payload))
        require(jws && jws->alg == own->alg && jws->typ == own->typ && jws->kid == own->kid && jws->payload == own->payload);
    if (const auto key = JsonWebKey::parse(text))
    {
        require(key->thumbprint().size() == 43);
        require(!key->verify("ES256", "text", text) && !key->verify("RS256", "text", text));
    }
    if (portico::isLocalPath(text)) require(portico::originOf(text).empty());
    require(portico::originOf(text).find_first_of(" ;'\",\r\n") == std::string::npos);
    return 0;
}
