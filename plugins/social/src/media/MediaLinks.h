#pragma once

#include "media/Media.h"

#include "portico/Plugin.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::social
{

/// Content of a signed upload address.
struct UploadGrant
{
    std::string uploadId;
    /// Time in seconds since 1970.
    std::int64_t expires = 0;
    std::int64_t length = 0;
    std::string contentType;
};

/// Signs addresses of files with a key of this service, which is made in its database. Thread-safe.
class MediaLinks
{
public:
    explicit MediaLinks(PluginContext& context);

    /// Returns the address for one upload (2.A.8).
    std::string uploadUrl(const UploadGrant& grant) const;
    bool isSigned(const UploadGrant& grant, std::string_view signature) const;
    /// Returns the address of the served bytes. Valid for 24 hours.
    std::string publicUrl(const MediaId& media, std::string_view variant, Instant now) const;
    /// Returns the address from which a network fetches a file. It is at the file store if clients can reach it, else on this origin. Valid
    /// for 24 hours.
    std::string fetchUrl(const MediaId& media, std::string_view variant, std::string_view blobKey, const std::string& contentType,
                         Instant now) const;
    bool isSigned(const MediaId& media, std::string_view variant, std::int64_t expires, std::string_view signature) const;
    /// Returns the address on this origin for an image of another server. Valid for 24 hours.
    std::string imageUrl(std::string_view url, Instant now) const;
    bool isSignedImage(std::string_view url, std::int64_t expires, std::string_view signature) const;

private:
    Blobs& _blobs;
    std::string _origin;
    std::string _key;
};

} // namespace portico::social
