// Makes smaller copies of one picture: README.md says how it is called.

#include "Copy.h"
#include "Fail.h"
#include "Output.h"
#include "Pixels.h"
#include "Shrinker.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace images
{

namespace
{
constexpr int inputFile = 3;
constexpr int firstOutput = 4;
constexpr std::int64_t maxPixels = 200'000'000;

/// Gives each row of a picture to the shrinker of every copy.
class Shrinkers final : public RowSink
{
public:
    explicit Shrinkers(const std::vector<CopyLimits>& limits) : _limits(limits) {}
    void begin(int width, int height, int channels) override
    {
        if (width <= 0 || height <= 0) fail("malformed");
        if (width > maxPixels / height) fail("too_many_pixels");
        for (const auto& limits : _limits)
        {
            const auto size = sizeWithin(limits, width, height);
            _all.emplace_back(size.width, size.height).begin(width, height, channels);
        }
    }
    void row(const unsigned char* bytes) override
    {
        for (auto& shrinker : _all) shrinker.row(bytes);
    }
    std::vector<Shrinker>& all() { return _all; }

private:
    const std::vector<CopyLimits>& _limits;
    std::vector<Shrinker> _all;
};

Bytes input()
{
    const auto size = ::lseek(inputFile, 0, SEEK_END);
    if (size <= 0) fail("malformed");
    auto* start = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE, inputFile, 0);
    if (start == MAP_FAILED) failForMemory();
    return {static_cast<const unsigned char*>(start), static_cast<std::size_t>(size)};
}

PictureFacts decode(Bytes bytes, int edge, RowSink& sink)
{
    const auto begins = [&](std::size_t at, std::string_view text)
    { return bytes.size() >= at + text.size() && std::memcmp(bytes.data() + at, text.data(), text.size()) == 0; };
    if (begins(0, "\xff\xd8\xff")) return readJpeg(bytes, edge, sink);
    if (begins(0, "\x89PNG\r\n\x1a\n")) return readPng(bytes, sink);
    if (begins(0, "RIFF") && begins(8, "WEBP")) return readWebp(bytes, edge, sink);
    if (begins(0, "GIF8")) return readGif(bytes, sink);
    fail("unsupported");
}

void run(const std::vector<CopyLimits>& limits)
{
    int edge = 0;
    for (const auto& one : limits) edge = std::max(edge, one.edge > 0 ? one.edge : 65'535);
    Shrinkers shrinkers(limits);
    const auto facts = decode(input(), edge, shrinkers);
    std::string report;
    for (std::size_t i = 0; i < limits.size(); ++i)
    {
        const auto copy = encodeWithin(limits[i], oriented(shrinkers.all()[i].take(), facts.orientation), facts.profile);
        writeAll(firstOutput + static_cast<int>(i), copy.bytes);
        report += copy.type + ' ' + std::to_string(copy.size.width) + ' ' + std::to_string(copy.size.height) + '\n';
    }
    writeAll(STDOUT_FILENO, report);
}
} // namespace

} // namespace images

int main(int count, char** words)
try
{
    std::vector<images::CopyLimits> limits;
    for (int i = 1; i < count; ++i) limits.push_back(images::limitsOf(words[i]));
    if (limits.empty()) images::fail("usage");
    images::run(limits);
    return 0;
}
catch (const std::bad_alloc&)
{
    images::failForMemory();
}
