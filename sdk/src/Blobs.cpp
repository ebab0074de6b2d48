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

std::optional<std::string> Blobs::downloadUrl(std::string_view, const Download&) { return std::nullopt; }

std::optional<Blobs::UploadUrl> Blobs::uploadUrl(std::string_view, std::uint64_t, std::string_view, std::chrono::seconds)
{
    return std::nullopt;
}

bool sendBlob(Blobs& blobs, std::string_view key, const Request& request, Response& response, std::string_view disposition)
{
    if (!disposition.empty()) response.addHeader("Content-Disposition", disposition);
    // The URL of a store is signed for GET only.
    if (request.method == Method::Get)
        if (const auto url = blobs.downloadUrl(key, {.contentType = response.contentType, .disposition = std::string(disposition)}))
        {
            response.status = 302;
            response.contentType.clear();
            // Not kept for longer than the URL is valid.
            response.cacheControl = "private, no-store";
            response.addHeader("Location", *url);
            return true;
        }
    response.file = blobs.open(key);
    return response.file.has_value();
}

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
