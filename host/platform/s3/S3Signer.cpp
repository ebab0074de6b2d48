#include "host/platform/s3/S3Signer.h"

#include "host/base/Digests.h"
#include "host/base/Text.h"

#include <array>
#include <ctime>

namespace portico::host::platform
{

namespace
{

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";

/// Percent-encodes everything except unreserved characters (RFC 3986) and those in `kept`.
std::string percentEncoded(std::string_view text, std::string_view kept)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text)
    {
        if (hasOnly(std::string_view(&c, 1), "-._~") || kept.find(c) != std::string_view::npos)
        {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

/// `20130524T000000Z`.
std::string timeText(Instant now)
{
    const auto seconds = static_cast<std::time_t>(toMillis(now) / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts)};
}

std::string dateOf(const std::string& time) { return time.substr(0, 8); }

std::string queryText(const S3Signer::Pairs& query)
{
    std::string text;
    for (const auto& [name, value] : query)
    {
        if (!text.empty()) text += '&';
        text += percentEncoded(name, {}) + "=" + percentEncoded(value, {});
    }
    return text;
}

} // namespace

S3Signer::S3Signer(S3Bucket bucket) : _bucket(std::move(bucket))
{
    const auto scheme = _bucket.endpoint.substr(0, _bucket.endpoint.find("://") + 3);
    auto host = _bucket.endpoint.substr(scheme.size());
    while (host.ends_with('/')) host.pop_back();
    // The Host header of the client has no default port.
    for (const auto* port : {":443", ":80"})
        if (scheme == (std::string_view(port) == ":80" ? "http://" : "https://") && host.ends_with(port))
            host.resize(host.size() - std::string_view(port).size());
    _host = _bucket.pathStyle ? host : _bucket.bucket + "." + host;
    _origin = scheme + _host;
}

std::string S3Signer::pathOf(std::string_view object) const
{
    std::string path = _bucket.pathStyle ? "/" + _bucket.bucket : std::string();
    if (!object.empty() || path.empty()) path += "/" + percentEncoded(object, "/");
    return path;
}

std::string S3Signer::url(std::string_view object, const Pairs& query) const
{
    return _origin + pathOf(object) + (query.empty() ? "" : "?" + queryText(query));
}

std::string S3Signer::scope(const std::string& time) const { return dateOf(time) + "/" + _bucket.region + "/s3/aws4_request"; }

std::string S3Signer::signature(const std::string& canonicalRequest, const std::string& time) const
{
    auto key = "AWS4" + _bucket.secretAccessKey;
    for (const auto& part : {dateOf(time), _bucket.region, std::string("s3"), std::string("aws4_request")}) key = hmacSha256(key, part);
    return toHex(hmacSha256(key, std::string(algorithm) + "\n" + time + "\n" + scope(time) + "\n" + sha256Hex(canonicalRequest)));
}

S3Signer::Pairs S3Signer::headers(std::string_view method, std::string_view object, const Pairs& query, const std::string& payloadSha256,
                                  Instant now) const
{
    const auto time = timeText(now);
    const std::string names = "host;x-amz-content-sha256;x-amz-date";
    const auto canonical = std::string(method) + "\n" + pathOf(object) + "\n" + queryText(query) + "\nhost:" + _host +
                           "\nx-amz-content-sha256:" + payloadSha256 + "\nx-amz-date:" + time + "\n\n" + names + "\n" + payloadSha256;
    return {{"x-amz-content-sha256", payloadSha256},
            {"x-amz-date", time},
            {"Authorization", std::string(algorithm) + " Credential=" + _bucket.accessKeyId + "/" + scope(time) +
                                  ", SignedHeaders=" + names + ", Signature=" + signature(canonical, time)}};
}

std::string S3Signer::presignedUrl(std::string_view method, std::string_view object, std::chrono::seconds lifetime, Instant now,
                                   const Pairs& query, const Pairs& headers) const
{
    const auto time = timeText(now);
    std::string names, lines;
    for (const auto& [name, value] : headers)
    {
        names.append(name).append(";");
        lines.append(name).append(":").append(value).append("\n");
    }
    names += "host";
    Pairs parameters = {{"X-Amz-Algorithm", std::string(algorithm)},
                        {"X-Amz-Credential", _bucket.accessKeyId + "/" + scope(time)},
                        {"X-Amz-Date", time},
                        {"X-Amz-Expires", std::to_string(lifetime.count())},
                        {"X-Amz-SignedHeaders", names}};
    parameters.insert(parameters.end(), query.begin(), query.end());
    const auto canonical = std::string(method) + "\n" + pathOf(object) + "\n" + queryText(parameters) + "\n" + lines + "host:" + _host +
                           "\n\n" + names + "\nUNSIGNED-PAYLOAD";
    return url(object, parameters) + "&X-Amz-Signature=" + signature(canonical, time);
}

} // namespace portico::host::platform
