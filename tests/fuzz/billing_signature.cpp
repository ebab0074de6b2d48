// The header with the signature of an event.

#include "fuzz/Require.h"

#include "billing/SignatureHeader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace portico::launchpad;
using portico::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto header = parseSignature(text);
    const std::vector<std::string> secrets = {"whsec_fuzz", "whsec_old"};
    const auto check = verifySignature(text, "{}", secrets, 1'795'000'000);
    if (!header)
    {
        require(check == SignatureCheck::Invalid);
        return 0;
    }
    require(header->seconds >= 0 && !header->signatures.empty() && header->signatures.size() <= 10);
    for (const auto& signature : header->signatures) require(signature.size() == 64);
    return 0;
}
