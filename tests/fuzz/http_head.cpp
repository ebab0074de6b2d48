#include "host/http/RequestHead.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace
{

using portico::host::http::HeadScanner;
using portico::host::http::RequestHead;

void require(bool holds)
{
    if (!holds) std::abort();
}

/// Bytes that arrive one by one must be cut where bytes that arrive at once are cut.
HeadScanner::Result scanInPieces(std::string_view input, std::size_t& length)
{
    HeadScanner scanner;
    auto result = HeadScanner::Result::Incomplete;
    for (std::size_t size = 1; size <= input.size() && result == HeadScanner::Result::Incomplete; ++size)
        result = scanner.scan(input.substr(0, size));
    length = scanner.length();
    return result;
}

bool isPlain(std::string_view text)
{
    for (const char c : text)
        if (c == '\r' || c == '\n' || c == '\0') return false;
    return true;
}

/// Properties of an accepted head that its readers rely on.
void checkAccepted(const RequestHead& head)
{
    require(!(head.chunked && head.contentLength));
    require(head.path.starts_with('/') || head.path == "*");
    require(isPlain(head.path) && isPlain(head.query) && isPlain(head.authority));
    require(head.path.find("/../") == std::string_view::npos);
    require(head.http10 || !head.authority.empty());
    for (const auto& field : head.headers) require(!field.name.empty() && isPlain(field.name) && isPlain(field.value));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    HeadScanner scanner;
    const auto result = scanner.scan(input);
    std::size_t pieceLength = 0;
    const auto pieceResult = scanInPieces(input, pieceLength);
    require(result == pieceResult);
    if (result != HeadScanner::Result::Complete) return 0;
    require(scanner.length() == pieceLength);
    RequestHead head;
    if (!head.parse(input.substr(0, scanner.length()), 1024, 16)) checkAccepted(head);
    return 0;
}
