#include "media/MediaLinks.h"

#include "networks/Urls.h"

#include "portico/Crypto.h"

#include <chrono>

namespace portico::social
{

namespace
{
constexpr auto publicLife = std::chrono::hours(24);

std::string makeKey(PluginContext& context)
{
    context.database().transact(
        [&](Transaction& transaction)
        {
            // If two hosts start concurrently, one of them inserts the key.
            transaction.execute("INSERT INTO media_link_key (id, secret, created_at) VALUES ('first', $1, $2) ON CONFLICT (id) DO NOTHING",
                                randomToken(), context.clock().now());
        });
    auto session = context.database().session();
    return session.value<std::string>("SELECT secret FROM media_link_key WHERE id = 'first'").value();
}

std::string signatureOf(std::string_view key, std::string_view text) { return toBase64Url(hmacSha256(key, text).bytes()); }

std::string textOf(const UploadGrant& grant)
{
    return "PUT\n" + grant.uploadId + "\n" + std::to_string(grant.expires) + "\n" + std::to_string(grant.length) + "\n" + grant.contentType;
}

std::string textOf(const MediaId& media, std::string_view variant, std::int64_t expires)
{
    return "GET\n" + media.text() + "\n" + std::string(variant) + "\n" + std::to_string(expires);
}

std::string textOfImage(std::string_view url, std::int64_t expires) { return "LINK\n" + std::to_string(expires) + "\n" + std::string(url); }

std::int64_t endOf(Instant now) { return std::chrono::duration_cast<std::chrono::seconds>((now + publicLife).time_since_epoch()).count(); }
} // namespace

MediaLinks::MediaLinks(PluginContext& context) : _blobs(context.blobs()), _origin(context.host().origin), _key(makeKey(context)) {}

std::string MediaLinks::uploadUrl(const UploadGrant& grant) const
{
    return _origin + "/api/media/blob/" + grant.uploadId + "?" +
           toQuery({{"exp", std::to_string(grant.expires)},
                    {"len", std::to_string(grant.length)},
                    {"ct", grant.contentType},
                    {"sig", signatureOf(_key, textOf(grant))}});
}

bool MediaLinks::isSigned(const UploadGrant& grant, std::string_view signature) const
{
    return sameSecret(signature, signatureOf(_key, textOf(grant)));
}

std::string MediaLinks::publicUrl(const MediaId& media, std::string_view variant, Instant now) const
{
    const auto expires = endOf(now);
    return _origin + "/media/" + media.text() + "/" + std::string(variant) + "?" +
           toQuery({{"exp", std::to_string(expires)}, {"sig", signatureOf(_key, textOf(media, variant, expires))}});
}

std::string MediaLinks::fetchUrl(const MediaId& media, std::string_view variant, std::string_view blobKey, const std::string& contentType,
                                 Instant now) const
{
    // Not every network follows a redirect.
    const auto url = _blobs.downloadUrl(blobKey, {publicLife, contentType, {}});
    return url ? *url : publicUrl(media, variant, now);
}

bool MediaLinks::isSigned(const MediaId& media, std::string_view variant, std::int64_t expires, std::string_view signature) const
{
    return sameSecret(signature, signatureOf(_key, textOf(media, variant, expires)));
}

std::string MediaLinks::imageUrl(std::string_view url, Instant now) const
{
    const auto expires = endOf(now);
    return _origin + "/link-image?" +
           toQuery({{"url", std::string(url)}, {"exp", std::to_string(expires)}, {"sig", signatureOf(_key, textOfImage(url, expires))}});
}

bool MediaLinks::isSignedImage(std::string_view url, std::int64_t expires, std::string_view signature) const
{
    return sameSecret(signature, signatureOf(_key, textOfImage(url, expires)));
}

} // namespace portico::social
