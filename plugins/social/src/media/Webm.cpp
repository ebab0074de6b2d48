#include "media/Webm.h"

#include "media/MediaTypes.h"

#include <algorithm>
#include <bit>

namespace portico::social
{

namespace
{
constexpr std::uint64_t segmentId = 0x18538067, tagsId = 0x1254c367, attachmentsId = 0x1941a469;
constexpr std::size_t maxElements = 100'000;
constexpr std::uint64_t unknownSize = ~std::uint64_t{0};

struct Element
{
    std::uint64_t id = 0;
    std::uint64_t contentAt = 0;
    std::uint64_t size = 0;
};

/// Reads a variable-size integer of one to eight bytes, whose first set bit determines the length (RFC 8794, 4). @return its length
std::size_t readNumber(std::string_view bytes, bool keepsMarker, std::size_t most, std::uint64_t& value)
{
    if (bytes.empty()) throw MediaFault("truncated");
    const auto first = static_cast<unsigned char>(bytes[0]);
    const auto length = static_cast<std::size_t>(std::countl_zero(first)) + 1;
    if (length > most) throw MediaFault("malformed");
    if (length > bytes.size()) throw MediaFault("truncated");
    value = keepsMarker ? first : first & (0xffU >> length);
    bool allOnes = (first & (0xffU >> length)) == 0xffU >> length;
    for (std::size_t i = 1; i < length; ++i)
    {
        const auto next = static_cast<unsigned char>(bytes[i]);
        value = value << 8 | next;
        allOnes = allOnes && next == 0xff;
    }
    if (!keepsMarker && allOnes) value = unknownSize;
    return length;
}

Element elementAt(const ReadBytes& read, std::uint64_t at)
{
    const auto header = read(at, 12);
    Element element;
    const auto idLength = readNumber(header, true, 4, element.id);
    const auto sizeLength = readNumber(std::string_view(header).substr(idLength), false, 8, element.size);
    element.contentAt = at + idLength + sizeLength;
    return element;
}

/// Returns the header of a Void element that has the same length as another header with this content.
std::string voidHeader(std::uint64_t headerLength, std::uint64_t contentSize)
{
    // One byte of id; the size in as many bytes as are left, eight at most, the rest belongs to the content.
    const auto sizeLength = std::min<std::uint64_t>(headerLength - 1, 8);
    const auto value = contentSize + headerLength - 1 - sizeLength;
    std::string header = "\xec";
    for (auto i = sizeLength; i-- > 0;)
    {
        auto byte = static_cast<unsigned>(value >> (8 * i) & 0xff);
        if (i + 1 == sizeLength) byte |= 0x80U >> (sizeLength - 1);
        header += static_cast<char>(byte);
    }
    return header;
}
} // namespace

std::vector<BlankedPart> webmMetadata(const ReadBytes& read, std::uint64_t size)
{
    std::vector<BlankedPart> parts;
    std::size_t count = 0;
    for (std::uint64_t at = 0; at < size;)
    {
        if (++count > maxElements) throw MediaFault("malformed");
        const auto element = elementAt(read, at);
        if (element.id == segmentId)
        {
            // Its children follow, regardless of its size.
            at = element.contentAt;
            continue;
        }
        // A live stream does not say where a cluster ends; nothing behind it is looked at.
        if (element.size == unknownSize) break;
        if (element.contentAt > size || element.size > size - element.contentAt) throw MediaFault("truncated");
        const auto end = element.contentAt + element.size;
        if (element.id == tagsId || element.id == attachmentsId)
            parts.push_back({at, end - at, voidHeader(element.contentAt - at, element.size)});
        at = end;
    }
    return parts;
}

} // namespace portico::social
