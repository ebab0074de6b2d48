#include "portico/Multipart.h"

#include "Utf8.h"

#include "portico/HeaderValue.h"
#include "portico/Http.h"
#include "portico/Problem.h"

#include <algorithm>
#include <cstring>

namespace portico
{

namespace
{

constexpr std::size_t windowBytes = 64 * 1024;
constexpr std::size_t maximumBoundary = 70;
/// White space that may follow a boundary on its line (RFC 2046, 5.1.1); clients send none.
constexpr std::size_t maximumPadding = 256;

[[noreturn]] void refuse(std::string_view message) { throw Problem::invalid("", "malformed_form", message); }

/// The received file through a buffer of fixed size.
class Window
{
public:
    explicit Window(const ReceivedFile& file) : _file(file), _size(file.size()), _buffer(windowBytes) {}

    std::uint64_t fileSize() const noexcept { return _size; }

    /// At least `count` bytes from `offset`, fewer only at the end of the file; valid until the next call. `count` fits the buffer.
    std::string_view at(std::uint64_t offset, std::size_t count)
    {
        const auto end = std::min<std::uint64_t>(_size, offset + count);
        if (offset < _begin || end > _begin + _held) load(offset);
        const auto skipped = static_cast<std::size_t>(offset - _begin);
        return skipped < _held ? std::string_view(_buffer.data() + skipped, _held - skipped) : std::string_view();
    }

    /// Offset of the first `needle` from `offset` on.
    std::optional<std::uint64_t> find(std::string_view needle, std::uint64_t offset)
    {
        for (;;)
        {
            const auto held = at(offset, needle.size());
            if (held.size() < needle.size()) return std::nullopt;
            // Not string_view::find: this one is several times as fast, and linear also for a body made to be slow.
            if (const void* found = ::memmem(held.data(), held.size(), needle.data(), needle.size()))
                return offset + static_cast<std::uint64_t>(static_cast<const char*>(found) - held.data());
            offset += held.size() - (needle.size() - 1);
        }
    }

private:
    void load(std::uint64_t offset)
    {
        _begin = offset;
        _held = 0;
        while (_held < _buffer.size())
        {
            const auto count = _file.read(offset + _held, std::span(_buffer).subspan(_held));
            if (count == 0) break;
            _held += count;
        }
    }

    const ReceivedFile& _file;
    const std::uint64_t _size;
    std::vector<char> _buffer;
    std::uint64_t _begin = 0;
    std::size_t _held = 0;
};

bool isBoundaryCharacter(char c) noexcept
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("'()+_,-./:=? ").find(c) != std::string_view::npos;
}

std::string boundaryOf(std::string_view contentType)
{
    const auto parsed = HeaderValue::parse(contentType);
    if (!parsed) refuse("The Content-Type has malformed parameters");
    const auto boundary = parsed->parameter("boundary");
    if (!boundary || boundary->empty()) refuse("The Content-Type has no boundary");
    if (boundary->size() > maximumBoundary) refuse("The boundary has more than 70 characters");
    if (boundary->back() == ' ' || !std::all_of(boundary->begin(), boundary->end(), isBoundaryCharacter))
        refuse("The boundary contains a character that is not allowed");
    return std::string(*boundary);
}

bool isTokenCharacter(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool isControl(char c) noexcept
{
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

std::string_view trimmed(std::string_view text) noexcept
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

/// Browsers write these three characters, and no other, percent-encoded (HTML, 4.10.21.8).
std::string decodedFormName(std::string_view text)
{
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const auto escape = text.substr(i, 3);
        const char c = escape == "%22" ? '"' : equalsIgnoreCase(escape, "%0D") ? '\r' : equalsIgnoreCase(escape, "%0A") ? '\n' : '\0';
        decoded += c == '\0' ? text[i] : c;
        if (c != '\0') i += 2;
    }
    return decoded;
}

/// The header lines of one part.
class PartHeader
{
public:
    void takeLine(std::string_view line)
    {
        const auto colon = line.find(':');
        const auto name = line.substr(0, colon);
        if (colon == std::string_view::npos || name.empty() || !std::all_of(name.begin(), name.end(), isTokenCharacter))
            refuse("A part has a malformed header line");
        const auto value = trimmed(line.substr(colon + 1));
        if (std::any_of(value.begin(), value.end(), isControl)) refuse("A part's header holds a control character");
        if (!detail::isUtf8Text(value)) refuse("A part's header is not UTF-8 text");
        if (equalsIgnoreCase(name, "Content-Disposition"))
            takeDisposition(value);
        else if (equalsIgnoreCase(name, "Content-Type"))
            takeContentType(value);
        else if (equalsIgnoreCase(name, "Content-Transfer-Encoding"))
            checkTransferEncoding(value);
    }

    FormPart finish(FileRange content)
    {
        if (!_name) refuse("A part has no Content-Disposition");
        return {*std::move(_name), std::move(_fileName), _contentType.empty() ? "text/plain" : std::move(_contentType), content};
    }

private:
    void takeDisposition(std::string_view value)
    {
        const auto parsed = HeaderValue::parse(value);
        if (_name || !parsed || !parsed->is("form-data")) refuse("A part's Content-Disposition is not a valid form-data");
        const auto name = parsed->parameter("name");
        if (!name || name->empty()) refuse("A part's Content-Disposition has no name");
        _name = decodedFormName(*name);
        if (const auto plain = parsed->parameter("filename")) _fileName = decodedFormName(*plain);
        const auto extended = parsed->parameter("filename*");
        if (!extended) return;
        _fileName = decodeExtendedValue(*extended);
        if (!_fileName) refuse("A part's filename* is not UTF-8 in the form of RFC 8187");
    }

    void takeContentType(std::string_view value)
    {
        if (!_contentType.empty() || value.empty()) refuse("A part's Content-Type is malformed");
        _contentType = value;
    }

    static void checkTransferEncoding(std::string_view value)
    {
        // Deprecated (RFC 7578, 4.7); these three change nothing.
        for (const std::string_view plain : {"binary", "8bit", "7bit"})
            if (equalsIgnoreCase(value, plain)) return;
        refuse("A part has a Content-Transfer-Encoding other than binary, 8bit or 7bit");
    }

    std::optional<std::string> _name;
    std::optional<std::string> _fileName;
    std::string _contentType;
};

class FormReader
{
public:
    FormReader(const ReceivedFile& file, std::string_view boundary, const FormLimits& limits)
        : _file(file),
          _window(file),
          _delimiter("\r\n--" + std::string(boundary)),
          _maximumParts(limits.parts),
          _headerBytes(std::min(limits.headerBytes, windowBytes))
    {
    }

    std::vector<FormPart> read()
    {
        std::vector<FormPart> parts;
        auto at = firstDelimiter();
        while (!closes(at))
        {
            if (parts.size() == _maximumParts) refuse("The form has more than " + std::to_string(_maximumParts) + " parts");
            parts.push_back(readPart(at));
        }
        return parts;
    }

private:
    /// Returns the offset after the first boundary. Text before it has no meaning (RFC 2046, 5.1.1).
    std::uint64_t firstDelimiter()
    {
        const auto withoutLine = std::string_view(_delimiter).substr(2);
        if (_window.at(0, withoutLine.size()).starts_with(withoutLine)) return withoutLine.size();
        return endOfDelimiter(0, "The body does not contain its boundary");
    }

    std::uint64_t endOfDelimiter(std::uint64_t from, std::string_view otherwise)
    {
        const auto found = _window.find(_delimiter, from);
        if (!found) refuse(otherwise);
        return *found + _delimiter.size();
    }

    /// Looks at the rest of a boundary's line: false, and `at` is moved behind the line, if a part follows.
    bool closes(std::uint64_t& at)
    {
        auto rest = _window.at(at, maximumPadding + 4);
        const bool closing = rest.starts_with("--");
        std::size_t skipped = closing ? 2 : 0;
        while (skipped < rest.size() && skipped < maximumPadding && (rest[skipped] == ' ' || rest[skipped] == '\t')) ++skipped;
        rest.remove_prefix(skipped);
        if (closing && rest.empty()) return true;
        if (!rest.starts_with("\r\n")) refuse("A boundary is followed by something else than the end of its line");
        at += skipped + 2;
        return closing;
    }

    FormPart readPart(std::uint64_t& at)
    {
        PartHeader header;
        readHeader(header, at);
        // The empty line may be the boundary's own when the part is empty (RFC 2046: the body is optional).
        const auto end = endOfDelimiter(at - 2, "A part is not closed by the boundary: the body is cut off");
        const auto begin = std::min(at, end - _delimiter.size());
        const FileRange content(_file, begin, end - _delimiter.size() - begin);
        at = end;
        return header.finish(content);
    }

    /// Reads lines up to the empty one and moves `at` behind it.
    void readHeader(PartHeader& header, std::uint64_t& at)
    {
        std::size_t used = 0;
        for (;;)
        {
            const auto rest = _window.at(at, _headerBytes).substr(0, _headerBytes - used);
            const auto end = rest.find("\r\n");
            if (end == std::string_view::npos)
                refuse("A part's header is cut off or has more than " + std::to_string(_headerBytes) + " bytes");
            at += end + 2;
            used += end + 2;
            if (end == 0) return;
            header.takeLine(rest.substr(0, end));
        }
    }

    const ReceivedFile& _file;
    Window _window;
    const std::string _delimiter;
    const std::size_t _maximumParts;
    const std::size_t _headerBytes;
};

} // namespace

std::size_t FileRange::read(std::uint64_t offset, std::span<char> buffer) const
{
    if (offset >= _size) return 0;
    return _file->read(_offset + offset, buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), _size - offset))));
}

std::string FormPart::text(std::size_t maximumBytes) const
{
    if (content.size() > maximumBytes) throw Problem::invalid(name, "too_long", "At most " + std::to_string(maximumBytes) + " bytes");
    std::string text(static_cast<std::size_t>(content.size()), '\0');
    std::size_t held = 0;
    while (held < text.size())
    {
        const auto count = content.read(held, std::span(text).subspan(held));
        if (count == 0) throw Problem::internal();
        held += count;
    }
    if (!detail::isUtf8Text(text)) throw Problem::invalid(name, "invalid_encoding", "Not UTF-8 text without NUL");
    return text;
}

bool isFormData(std::string_view contentType) noexcept
{
    return equalsIgnoreCase(trimmed(contentType.substr(0, contentType.find(';'))), "multipart/form-data");
}

std::vector<FormPart> readForm(const ReceivedFile& file, std::string_view contentType, const FormLimits& limits)
{
    if (!isFormData(contentType)) throw Problem(415, "unsupported_media_type", "The body must be multipart/form-data.");
    return FormReader(file, boundaryOf(contentType), limits).read();
}

} // namespace portico
