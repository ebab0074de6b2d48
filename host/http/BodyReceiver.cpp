#include "host/http/BodyReceiver.h"

#include <algorithm>

namespace portico::host::http
{

void BodyReceiver::begin(const RequestHead& head, std::uint64_t limit) noexcept
{
    _chunked = head.chunked;
    _chunks = ChunkedReader(limit);
    _remaining = head.contentLength.value_or(0);
    _received = 0;
    _complete = !head.hasBody();
}

std::string_view BodyReceiver::takeWhole(InputBuffer& input) noexcept
{
    const auto body = input.data().substr(0, static_cast<std::size_t>(_remaining));
    input.consume(body.size());
    _received = body.size();
    _remaining = 0;
    _complete = true;
    return body;
}

BodyReceiver::Result BodyReceiver::take(InputBuffer& input, std::string& out)
{
    const auto before = out.size();
    const auto result = _chunked ? takeChunked(input, out) : takeFixed(input, out);
    _received += out.size() - before;
    _complete = result == Result::Complete;
    return result;
}

BodyReceiver::Result BodyReceiver::takeFixed(InputBuffer& input, std::string& out)
{
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(_remaining, input.data().size()));
    out.append(input.data().substr(0, count));
    input.consume(count);
    _remaining -= count;
    return _remaining == 0 ? Result::Complete : Result::More;
}

BodyReceiver::Result BodyReceiver::takeChunked(InputBuffer& input, std::string& out)
{
    auto data = input.data();
    const auto result = _chunks.read(data, out);
    input.consume(input.data().size() - data.size());
    switch (result)
    {
    case ChunkedReader::Result::Complete:
        return Result::Complete;
    case ChunkedReader::Result::TooLarge:
        return Result::TooLarge;
    case ChunkedReader::Result::Malformed:
        return Result::Malformed;
    default:
        return Result::More;
    }
}

} // namespace portico::host::http
