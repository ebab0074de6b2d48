#include "host/platform/outbound/HttpResponseParser.h"

#include "host/base/Text.h"

#include "portico/Http.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace portico::host::platform
{

namespace
{

bool isDigit(char c) noexcept { return c >= '0' && c <= '9'; }

/// `HTTP/1.1 200 OK`; nothing for anything else.
std::optional<int> statusOf(std::string_view line) noexcept
{
    const bool fits = line.size() >= 12 && line.starts_with("HTTP/1.") && isDigit(line[7]) && line[8] == ' ' && isDigit(line[9]) &&
                      isDigit(line[10]) && isDigit(line[11]) && (line.size() == 12 || line[12] == ' ');
    if (!fits) return std::nullopt;
    const int status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    return status >= 100 && status <= 599 ? std::optional(status) : std::nullopt;
}

bool isName(std::string_view text) noexcept { return !text.empty() && hasOnly(text, "!#$%&'*+-.^_`|~"); }

bool isValue(std::string_view text) noexcept
{
    return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

} // namespace

HttpResponseParser::State HttpResponseParser::take(std::string_view bytes)
{
    if (_state != State::More) return _state;
    _buffer.append(bytes);
    _input = _buffer;
    while (step()) continue;
    _buffer.erase(0, _buffer.size() - _input.size());
    return _state;
}

HttpResponseParser::State HttpResponseParser::end()
{
    if (_state != State::More) return _state;
    finish(_part == Part::UntilEnd ? State::Complete : State::Malformed);
    return _state;
}

bool HttpResponseParser::step()
{
    switch (_part)
    {
    case Part::Head:
        return readHead();
    case Part::Sized:
        if (!addBody(_left)) return false;
        return _left == 0 && finish(State::Complete);
    case Part::UntilEnd:
        addBody(_input.size());
        return false;
    case Part::ChunkSize:
        return readChunkSize();
    case Part::Chunk:
        if (!addBody(_left)) return false;
        if (_left == 0) _part = Part::ChunkEnd;
        return _left == 0;
    case Part::ChunkEnd:
        if (_input.size() < 2) return false;
        if (!_input.starts_with("\r\n")) return finish(State::Malformed);
        _input.remove_prefix(2);
        _part = Part::ChunkSize;
        return true;
    case Part::Trailer:
        return readTrailer();
    case Part::Done:
        return false;
    }
    return false;
}

bool HttpResponseParser::readHead()
{
    const auto length = _input.find("\r\n\r\n");
    if (std::min(length, _input.size()) > headLimitBytes) return finish(State::Malformed);
    if (length == std::string_view::npos) return false;
    const auto head = _input.substr(0, length);
    _input.remove_prefix(length + 4);
    if (!parseHead(head)) return finish(State::Malformed);
    // An interim response: the real one follows.
    if (_response.status < 200)
    {
        if (_response.status == 101) return finish(State::Malformed);
        _response = {};
        return true;
    }
    return chooseFraming();
}

bool HttpResponseParser::parseHead(std::string_view head)
{
    auto line = head.substr(0, head.find("\r\n"));
    const auto status = statusOf(line);
    if (!status) return false;
    _response.status = *status;
    while (line.size() < head.size())
    {
        head.remove_prefix(line.size() + 2);
        line = head.substr(0, head.find("\r\n"));
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) return false;
        const auto name = line.substr(0, colon);
        const auto value = trimmed(line.substr(colon + 1));
        if (!isName(name) || !isValue(value)) return false;
        _response.headers.emplace_back(name, value);
    }
    return true;
}

bool HttpResponseParser::chooseFraming()
{
    std::optional<std::string_view> length;
    bool chunked = false;
    for (const auto& [name, value] : _response.headers)
    {
        if (equalsIgnoreCase(name, "Transfer-Encoding"))
        {
            if (chunked || !equalsIgnoreCase(value, "chunked")) return finish(State::Malformed);
            chunked = true;
        }
        if (!equalsIgnoreCase(name, "Content-Length")) continue;
        if (length && *length != value) return finish(State::Malformed);
        length = value;
    }
    if (chunked && length) return finish(State::Malformed);
    if (_toHead || _response.status == 204 || _response.status == 304) return finish(State::Complete);
    _part = chunked ? Part::ChunkSize : length ? Part::Sized : Part::UntilEnd;
    if (!length) return true;
    const auto announced = parseNumber<std::uint64_t>(std::string(*length));
    if (!announced) return finish(State::Malformed);
    if (*announced > _maxBodyBytes) return finish(State::TooLarge);
    _left = *announced;
    return true;
}

bool HttpResponseParser::readChunkSize()
{
    std::string_view line;
    if (!takeLine(line)) return _input.size() > 1'024 && finish(State::Malformed);
    const auto digits = line.substr(0, line.find_first_of("; \t"));
    const auto* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, _left, 16);
    if (error != std::errc() || end != last) return finish(State::Malformed);
    if (_left > _maxBodyBytes) return finish(State::TooLarge);
    _part = _left == 0 ? Part::Trailer : Part::Chunk;
    return true;
}

bool HttpResponseParser::readTrailer()
{
    std::string_view line;
    if (!takeLine(line)) return _input.size() > headLimitBytes && finish(State::Malformed);
    _trailerBytes += line.size() + 2;
    if (_trailerBytes > headLimitBytes) return finish(State::Malformed);
    return !line.empty() || finish(State::Complete);
}

/// Moves at most `limit` bytes from the input to the body. False once the body is too large, or when there was nothing to move.
bool HttpResponseParser::addBody(std::uint64_t limit)
{
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(limit, _input.size()));
    if (_response.bodyBytes + count > _maxBodyBytes) return finish(State::TooLarge);
    _response.body.append(_input.substr(0, count));
    _response.bodyBytes += count;
    _input.remove_prefix(count);
    if (_part != Part::UntilEnd) _left -= count;
    return count > 0 || _left == 0;
}

bool HttpResponseParser::takeLine(std::string_view& line)
{
    const auto end = _input.find("\r\n");
    if (end == std::string_view::npos) return false;
    line = _input.substr(0, end);
    _input.remove_prefix(end + 2);
    return true;
}

/// Ends the parsing; false, as a step that makes no further progress.
bool HttpResponseParser::finish(State state)
{
    _state = state;
    _part = Part::Done;
    return false;
}

} // namespace portico::host::platform
