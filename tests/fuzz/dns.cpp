#include "fuzz/Require.h"

#include "organizations/DnsLookup.h"

/// Answers of name servers: for any bytes, no text beyond the input is read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // No longer than TCP sends them (RFC 1035, 4.2.2).
    if (size > 65'535) return 0;
    std::size_t total = 0;
    for (const auto& text : portico::identity::DnsLookup::textsOf({data, size})) total += text.size();
    portico::fuzz::require(total <= size);
    return 0;
}
