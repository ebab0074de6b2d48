#pragma once

#include "portico/Instant.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// Address of a bucket and the access key for it (`blobs.s3.*`).
struct S3Bucket
{
    /// `http` or `https` with a host and perhaps a port: `https://s3.eu-central-1.amazonaws.com`.
    std::string endpoint;
    std::string region;
    std::string bucket;
    /// True: `<endpoint>/<bucket>/<object>`. False: the bucket is the first label of the host name.
    bool pathStyle = true;
    std::string accessKeyId;
    std::string secretAccessKey;
};

/// Signs requests to a bucket with AWS Signature Version 4, in headers and in URLs. Immutable, thread-safe.
class S3Signer
{
public:
    using Pairs = std::vector<std::pair<std::string, std::string>>;

    explicit S3Signer(S3Bucket bucket);

    /// Web origin of all URLs.
    const std::string& origin() const noexcept { return _origin; }

    /// URL of an object, or of the bucket if `object` is empty. `query` must be sorted by name.
    std::string url(std::string_view object, const Pairs& query) const;
    /// Headers that authorize a request to `url(object, query)`. @param payloadSha256 hash of the body, hexadecimal
    Pairs headers(std::string_view method, std::string_view object, const Pairs& query, const std::string& payloadSha256,
                  Instant now) const;
    /// URL that authorizes one method on an object until `lifetime` ends. The body is not part of the signature.
    /// @param query further parameters, sorted, in lower case: `response-content-type` @param headers that the client must send beside
    /// Host, sorted, names in lower case before `host`
    std::string presignedUrl(std::string_view method, std::string_view object, std::chrono::seconds lifetime, Instant now,
                             const Pairs& query = {}, const Pairs& headers = {}) const;

private:
    std::string pathOf(std::string_view object) const;
    std::string signature(const std::string& canonicalRequest, const std::string& time) const;
    std::string scope(const std::string& time) const;

    const S3Bucket _bucket;
    std::string _origin;
    std::string _host;
};

} // namespace portico::host::platform
