#include "portico/Blobs.h"

#include "portico/Problem.h"
#include "portico/Request.h"

#include <vector>

namespace portico
{

namespace
{

constexpr std::size_t pieceBytes = 256 * 1024;

} // namespace

Blobs::~Blobs() = default;
Blobs::Writer::~Writer() = default;

void Blobs::Writer::write(const ReceivedFile& file)
{
    std::vector<char> buffer(pieceBytes);
    for (std::uint64_t offset = 0; offset < file.size();)
    {
        const auto count = file.read(offset, buffer);
        if (count == 0) throw Problem::internal();
        write(std::span<const char>(buffer).first(count));
        offset += count;
    }
}

} // namespace portico
