#include "media/Boxes.h"

#include "media/ImageBytes.h"
#include "media/MediaTypes.h"

#include <algorithm>

namespace portico::social
{

namespace
{
using imagebytes::big16;
using imagebytes::big32;

constexpr std::size_t maxBoxes = 10'000;
constexpr int deepest = 8;
constexpr std::uint64_t largestTable = std::uint64_t{8} << 20;

struct Box
{
    std::string name;
    std::uint64_t at = 0;
    std::uint64_t contentAt = 0;
    std::uint64_t end = 0;
    std::uint64_t contentSize() const noexcept { return end - contentAt; }
};

std::uint64_t big64(std::string_view bytes, std::size_t at) { return std::uint64_t{big32(bytes, at)} << 32 | big32(bytes, at + 4); }

/// Visits the boxes of a file. Used for one file.
class BoxReader
{
public:
    BoxReader(const ReadBytes& read, std::uint64_t size, bool isImage) : _read(read), _size(size), _isImage(isImage) {}

    BoxFacts read()
    {
        walk(0, _size, 0);
        if (!_hasIndex) throw MediaFault("truncated");
        return std::move(_facts);
    }

private:
    void walk(std::uint64_t at, std::uint64_t end, int depth)
    {
        if (depth > deepest) throw MediaFault("malformed");
        while (at + 8 <= end)
        {
            if (++_boxes > maxBoxes) throw MediaFault("malformed");
            const auto box = boxAt(at, end);
            visit(box, depth);
            at = box.end;
        }
    }

    Box boxAt(std::uint64_t at, std::uint64_t end) const
    {
        const auto header = bytes(at, std::min<std::uint64_t>(16, end - at));
        Box box{header.substr(4, 4), at, at + 8, 0};
        std::uint64_t size = big32(header, 0);
        if (size == 1)
        {
            size = big64(header, 8);
            box.contentAt += 8;
        }
        else if (size == 0)
            size = end - at;
        if (size < box.contentAt - at) throw MediaFault("malformed");
        if (size > end - at) throw MediaFault("truncated");
        box.end = at + size;
        return box;
    }

    void visit(const Box& box, int depth)
    {
        const auto& name = box.name;
        if (name == "moov" || name == "trak" || name == "mdia" || name == "iprp" || name == "ipco")
        {
            _hasIndex = _hasIndex || name == "moov";
            walk(box.contentAt, box.end, depth + 1);
        }
        else if (name == "udta" || name == "uuid" || (name == "meta" && !_isImage))
            blank(box);
        else if (name == "meta" && depth == 0)
        {
            _hasIndex = true;
            readImageIndex(box, depth);
        }
        else if (name == "mvhd")
            readDuration(box);
        else if (name == "tkhd")
            readTrackSize(box);
        else if (name == "ispe")
        {
            const auto content = table(box);
            take(big32(content, 4), big32(content, 8));
        }
    }

    /// Makes a box free space.
    void blank(const Box& box)
    {
        auto header = bytes(box.at, static_cast<std::size_t>(box.contentAt - box.at));
        header.replace(4, 4, "free");
        _facts.blanked.push_back({box.at, box.end - box.at, header});
    }

    void readDuration(const Box& box)
    {
        const auto content = table(box);
        const bool large = !content.empty() && content[0] == 1;
        const std::uint64_t scale = big32(content, large ? 20 : 12), length = large ? big64(content, 24) : big32(content, 16);
        if (scale > 0 && length < (std::uint64_t{1} << 50)) _facts.durationMs = static_cast<std::int64_t>(length * 1000 / scale);
    }

    void readTrackSize(const Box& box)
    {
        const auto content = table(box);
        const std::size_t at = !content.empty() && content[0] == 1 ? 88 : 76;
        take(big32(content, at) >> 16, big32(content, at + 4) >> 16);
    }

    /// Keeps the largest picture.
    void take(std::int64_t width, std::int64_t height)
    {
        if (width <= 0 || height <= 0 || (_facts.width && width * height <= *_facts.width * *_facts.height)) return;
        _facts.width = width;
        _facts.height = height;
    }

    /// AVIF: sizes of items, and where the items with metadata are (ISO/IEC 14496-12, 8.11).
    void readImageIndex(const Box& meta, int depth)
    {
        std::vector<std::uint32_t> metadata;
        std::optional<Box> places;
        std::optional<std::uint64_t> inlineData;
        for (auto at = meta.contentAt + 4; at + 8 <= meta.end;)
        {
            const auto box = boxAt(at, meta.end);
            if (box.name == "iinf")
                metadata = metadataItems(box);
            else if (box.name == "iloc")
                places = box;
            else if (box.name == "idat")
                inlineData = box.contentAt;
            else
                visit(box, depth + 1);
            at = box.end;
        }
        if (places && !metadata.empty()) blankItems(*places, metadata, inlineData);
    }

    std::vector<std::uint32_t> metadataItems(const Box& box) const
    {
        const auto version = table(box)[0];
        std::vector<std::uint32_t> items;
        std::size_t count = 0;
        for (auto at = box.contentAt + (version == 0 ? 6 : 8); at + 8 <= box.end;)
        {
            if (++count > maxBoxes) throw MediaFault("malformed");
            const auto entry = boxAt(at, box.end);
            const auto content = table(entry);
            const bool large = !content.empty() && content[0] >= 3;
            const auto type = imagebytes::part(content, large ? 10 : 8, 4);
            if (entry.name == "infe" && (type == "Exif" || type == "mime")) items.push_back(large ? big32(content, 4) : big16(content, 4));
            at = entry.end;
        }
        return items;
    }

    void blankItems(const Box& box, const std::vector<std::uint32_t>& items, std::optional<std::uint64_t> inlineData)
    {
        const auto content = table(box);
        const int version = content.empty() ? 0 : content[0];
        const auto sizes = big16(content, 4);
        const unsigned offsetSize = sizes >> 12, lengthSize = sizes >> 8 & 15, baseSize = sizes >> 4 & 15,
                       indexSize = version > 0 ? sizes & 15 : 0;
        std::size_t at = version < 2 ? 8 : 10;
        const auto number = [&](unsigned width)
        {
            std::uint64_t value = 0;
            if (width == 4) value = big32(content, at);
            if (width == 8) value = big64(content, at);
            at += width;
            return value;
        };
        const auto count = version < 2 ? big16(content, 6) : big32(content, 6);
        for (std::uint32_t i = 0; i < count; ++i)
        {
            const auto item = version < 2 ? big16(content, at) : big32(content, at);
            at += version < 2 ? 2 : 4;
            const auto method = version > 0 ? big16(content, at) & 15 : 0;
            at += version > 0 ? 4 : 2;
            const auto base = number(baseSize);
            const auto extents = big16(content, at);
            at += 2;
            const bool isMetadata = std::ranges::find(items, item) != items.end();
            for (std::uint32_t extent = 0; extent < extents; ++extent)
            {
                number(indexSize);
                const auto offset = base + number(offsetSize), length = number(lengthSize);
                if (!isMetadata) continue;
                const auto start = method == 1 ? inlineData.value_or(_size) + offset : offset;
                if (start > _size || length > _size - start) throw MediaFault("truncated");
                _facts.blanked.push_back({start, length, {}});
            }
        }
    }

    std::string bytes(std::uint64_t at, std::uint64_t length) const
    {
        auto read = _read(at, static_cast<std::size_t>(length));
        if (read.size() < length || length < 8) throw MediaFault("truncated");
        return read;
    }
    /// The content of a small box; at least one byte.
    std::string table(const Box& box) const
    {
        if (box.contentSize() > largestTable) throw MediaFault("malformed");
        auto read = _read(box.contentAt, static_cast<std::size_t>(box.contentSize()));
        if (read.empty() || read.size() < box.contentSize()) throw MediaFault("truncated");
        return read;
    }

    const ReadBytes& _read;
    const std::uint64_t _size;
    const bool _isImage;
    std::size_t _boxes = 0;
    bool _hasIndex = false;
    BoxFacts _facts;
};
} // namespace

BoxFacts readBoxes(const ReadBytes& read, std::uint64_t size, bool isImage) { return BoxReader(read, size, isImage).read(); }

} // namespace portico::social
