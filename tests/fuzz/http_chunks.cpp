#include "host/http/BodyReceiver.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace
{

using portico::host::http::ChunkedReader;

constexpr std::uint64_t limit = 4096;

struct Outcome
{
    ChunkedReader::Result result = ChunkedReader::Result::More;
    std::string body;
    std::size_t rest = 0;

    bool operator==(const Outcome&) const = default;
};

Outcome readInPieces(std::string_view input, std::size_t pieceBytes)
{
    Outcome outcome;
    ChunkedReader reader(limit);
    while (!input.empty() && outcome.result == ChunkedReader::Result::More)
    {
        auto piece = input.substr(0, pieceBytes);
        const auto before = piece.size();
        outcome.result = reader.read(piece, outcome.body);
        input.remove_prefix(before - piece.size());
    }
    outcome.rest = input.size();
    return outcome;
}

} // namespace

/// However a body is cut on its way, it reads the same and stays within the limit.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto whole = readInPieces(input, size + 1);
    if (whole.body.size() > limit) std::abort();
    for (const std::size_t pieceBytes : {1, 2, 7})
        if (readInPieces(input, pieceBytes) != whole) std::abort();
    return 0;
}
