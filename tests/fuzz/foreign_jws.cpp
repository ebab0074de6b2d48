#include "fuzz/Require.h"

#include "signin/BrowserGate.h"
#include "tokens/Dpop.h"
#include "tokens/JsonWebKey.h"
#include "web/Urls.h"

#include "portico/Text.h"

#include <cstdint>
#include <string_view>

/// Input of OAuth endpoints: signed texts, keys, key sets and addresses. An accepted value reads back unchanged, and a foreign address
/// never passes as a local path.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace portico::identity;
    const auto text = portico::fuzz::textOf(data, size);
    if (const auto jws = ForeignJws::parse(text))
    {
        portico::fuzz::require(jws->signedPart.size() < text.size());
        portico::fuzz::require(jws->payload.starts_with('{'));
        if (const auto key = JsonWebKey::parse(jws->jwk)) portico::fuzz::require(!key->verify("none", jws->signedPart, jws->signature));
    }
    if (const auto key = JsonWebKey::parse(text))
    {
        portico::fuzz::require(key->thumbprint().size() == 43);
        portico::fuzz::require(!key->verify("ES256", "text", text));
        portico::fuzz::require(!key->verify("RS256", "text", text));
    }
    for (const auto& key : keysOf(text)) portico::fuzz::require(key.thumbprint().size() == 43);
    if (portico::isLocalPath(text)) portico::fuzz::require(portico::originOf(text).empty());
    const auto origin = portico::originOf(text);
    portico::fuzz::require(origin.find_first_of(" ;'\",\r\n") == std::string::npos);
    return 0;
}
