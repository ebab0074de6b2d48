#include "host/platform/s3/S3Store.h"

#include "host/base/Digests.h"
#include "host/base/Random.h"
#include "host/base/Text.h"

#include "portico/Problem.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace portico::host::platform
{

namespace
{

constexpr std::uint64_t answerBytes = 4 << 20;
constexpr std::uint64_t bytesPerSecond = 512 * 1024;
constexpr std::chrono::seconds longestPause{5};
constexpr std::chrono::seconds probeTimeout{3};
constexpr long long retrySeconds = 5;

/// Text of the first element of that name after `from`; empty if there is none. Moves `from` behind it.
std::string_view element(std::string_view xml, std::string_view name, std::size_t& from)
{
    const auto open = "<" + std::string(name) + ">";
    const auto begin = xml.find(open, from);
    if (begin == std::string_view::npos) return {};
    const auto end = xml.find("</" + std::string(name) + ">", begin);
    if (end == std::string_view::npos) return {};
    from = end;
    return xml.substr(begin + open.size(), end - begin - open.size());
}

std::string_view element(std::string_view xml, std::string_view name)
{
    std::size_t from = 0;
    return element(xml, name, from);
}

std::string unescaped(std::string_view text)
{
    std::string out(text);
    for (const auto& [from, to] : {std::pair("&quot;", "\""), std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&amp;", "&")})
        for (std::size_t at = 0; (at = out.find(from, at)) != std::string::npos; ++at) out.replace(at, std::string_view(from).size(), to);
    return out;
}

Instant modifiedAt(const HttpClient::Response& response)
{
    const auto* text = response.header("Last-Modified");
    std::tm parts{};
    if (text == nullptr || ::strptime(text->c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) == nullptr) return {};
    return fromMillis(std::int64_t{::timegm(&parts)} * 1000);
}

/// Total of `Content-Range: bytes 0-9/100`.
std::optional<std::uint64_t> totalBytes(const HttpClient::Response& response)
{
    const auto* range = response.header("Content-Range");
    if (range == nullptr || range->find('/') == std::string::npos) return std::nullopt;
    return parseNumber<std::uint64_t>(std::string_view(*range).substr(range->find('/') + 1));
}

/// Writes to a place in a file of the caller.
class FileSink final : public Blobs::Writer
{
public:
    FileSink(int file, std::uint64_t offset) noexcept : _file(file), _offset(offset) {}
    const std::string& key() const noexcept override { return _key; }
    void write(std::span<const char> data) override
    {
        while (!data.empty())
        {
            const auto count = ::pwrite(_file, data.data(), data.size(), static_cast<off_t>(_offset));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) throw std::system_error(count < 0 ? errno : EIO, std::generic_category(), "write a downloaded blob");
            _offset += static_cast<std::uint64_t>(count);
            data = data.subspan(static_cast<std::size_t>(count));
        }
    }
    using Writer::write;
    Blobs::Stored commit() override { return {}; }

private:
    const int _file;
    std::uint64_t _offset;
    const std::string _key;
};

bool mayPass(int status, std::string_view code)
{
    return status == 429 || status >= 500 || code == "RequestTimeout" || code == "SlowDown" || code == "OperationAborted";
}

HttpClientSettings openTo(HttpClientSettings http)
{
    // The operator named the endpoint, so every network is allowed.
    http.allowedNetworks = {"0.0.0.0/0", "::/0"};
    return http;
}

} // namespace

struct S3Store::Call
{
    const char* name;
    std::string method;
    std::string object;
    S3Signer::Pairs query{};
    std::string body{};
    const FileBody* file = nullptr;
    std::string sha256{};
    /// For reads: the first byte, how many, and where they go; 0: no range.
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    int into = -1;
    std::vector<int> expected{200};
    bool once = false;
};

std::optional<S3Signer> clientSigner(const S3Settings& settings)
{
    if (settings.publicEndpoint.empty()) return std::nullopt;
    auto bucket = settings.bucket;
    bucket.endpoint = settings.publicEndpoint;
    return S3Signer(std::move(bucket));
}

S3Store::S3Store(S3Settings settings, const HttpClientSettings& http, const Clock& clock, Logger& log, Metrics& metrics)
    : _settings(std::move(settings)),
      _signer(_settings.bucket),
      _clientSigner(clientSigner(_settings)),
      _clock(clock),
      _log(log),
      _metrics(metrics),
      _http(openTo(http))
{
}

std::string S3Store::place() const { return "s3://" + _settings.bucket.bucket + "/" + _settings.prefix; }

HttpClient::Response S3Store::attempt(const Call& call)
{
    HttpClient::Request request;
    request.method = call.method;
    request.url = _signer.url(call.object, call.query);
    request.headers = _signer.headers(call.method, call.object, call.query, call.file ? call.sha256 : sha256Hex(call.body), _clock.now());
    request.body = call.body;
    if (call.file != nullptr && call.file->size > 0) request.bodyFile = call.file;
    if (call.count > 0)
        request.headers.emplace_back("Range", "bytes=" + std::to_string(call.offset) + "-" + std::to_string(call.offset + call.count - 1));
    const auto moved = call.count + (call.file ? call.file->size : 0);
    request.timeout =
        call.once ? std::chrono::milliseconds(probeTimeout) : _settings.timeout + std::chrono::milliseconds(moved * 1000 / bytesPerSecond);
    request.maxResponseBytes = answerBytes + call.count;
    FileSink sink(call.into, call.offset);
    if (call.into >= 0) request.bodyInto = &sink;
    const auto begun = _clock.steady();
    auto response = _http.send(request);
    _metrics.observe("blob_store_request_seconds", std::chrono::duration<double>(_clock.steady() - begun).count(),
                     {{"operation", call.name}});
    return response;
}

HttpClient::Response S3Store::send(const Call& call)
{
    if (!call.once && _silent.load()) throw Problem::unavailable("overloaded", "The store of files does not answer.", retrySeconds);
    auto pause = _settings.pause;
    for (int tried = 1;; ++tried)
    {
        std::string reason;
        std::optional<std::chrono::seconds> asked;
        bool again = true;
        try
        {
            auto response = attempt(call);
            const bool expected = std::ranges::find(call.expected, response.status) != call.expected.end();
            const auto code = element(response.body, "Code");
            // A proxy or a wrong endpoint answers 404, too: only the bucket says that an object is absent.
            const bool absent = response.status == 404 && code != "NoSuchKey" && code != "NoSuchUpload";
            if (expected && !absent && !(response.status == 200 && response.body.find("<Error>") != std::string::npos))
            {
                _metrics.count("blob_store_requests_total", 1, {{"operation", call.name}, {"outcome", "done"}});
                noteWorking();
                return response;
            }
            reason = "status " + std::to_string(response.status) + (code.empty() ? ", not an answer of S3" : ", " + std::string(code));
            asked = response.retryAfter(_clock.now());
            again = mayPass(response.status, code);
        }
        catch (const HttpFailure& failure)
        {
            reason = failure.detail();
        }
        if (!again || call.once || tried >= _settings.attempts || _stopped.load()) fail(call, reason);
        _metrics.count("blob_store_requests_total", 1, {{"operation", call.name}, {"outcome", "retried"}});
        const auto random = std::chrono::milliseconds(randomNumber() % static_cast<std::uint64_t>(pause.count() + 1));
        wait(asked ? std::min<std::chrono::milliseconds>(*asked, longestPause) : pause + random);
        pause *= 2;
    }
}

void S3Store::fail(const Call& call, const std::string& reason)
{
    _metrics.count("blob_store_requests_total", 1, {{"operation", call.name}, {"outcome", "failed"}});
    bool first = false;
    {
        const std::lock_guard lock(_mutex);
        first = std::exchange(_reason, reason) != reason;
    }
    if (first)
        _log.error("The bucket of blobs cannot be used: requests that need it get 503",
                   {{"bucket", place()}, {"endpoint", _settings.bucket.endpoint}, {"operation", call.name}, {"reason", reason}});
    throw Problem::unavailable("overloaded", "The store of files cannot be used now.", retrySeconds);
}

void S3Store::noteWorking()
{
    _silent = false;
    _up = true;
    bool back = false;
    {
        const std::lock_guard lock(_mutex);
        back = !std::exchange(_reason, {}).empty();
    }
    if (back) _log.information("The bucket of blobs is back", {{"bucket", place()}});
}

void S3Store::put(const std::string& object, const FileBody& body, const std::string& sha256)
{
    Call call{.name = "put", .method = "PUT", .object = object};
    call.file = &body;
    call.sha256 = sha256;
    const auto response = send(call);
    if (response.header("ETag") == nullptr) fail(call, "status 200 without ETag, not an answer of S3");
}

std::string S3Store::beginUpload(const std::string& object)
{
    const Call call{.name = "begin", .method = "POST", .object = object, .query = {{"uploads", ""}}};
    auto upload = unescaped(element(send(call).body, "UploadId"));
    if (upload.empty()) fail(call, "no UploadId, not an answer of S3");
    return upload;
}

S3Store::Part S3Store::putPart(const std::string& object, const std::string& upload, int number, const FileBody& body,
                               const std::string& sha256)
{
    Call call{.name = "part", .method = "PUT", .object = object, .query = {{"partNumber", std::to_string(number)}, {"uploadId", upload}}};
    call.file = &body;
    call.sha256 = sha256;
    const auto response = send(call);
    const auto* etag = response.header("ETag");
    if (etag == nullptr) fail(call, "status 200 without ETag, not an answer of S3");
    return {number, *etag};
}

void S3Store::completeUpload(const std::string& object, const std::string& upload, const std::vector<Part>& parts, std::uint64_t size)
{
    Call call{.name = "complete", .method = "POST", .object = object, .query = {{"uploadId", upload}}};
    call.body = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
    for (const auto& part : parts)
        call.body += "<Part><PartNumber>" + std::to_string(part.number) + "</PartNumber><ETag>" + part.etag + "</ETag></Part>";
    call.body += "</CompleteMultipartUpload>";
    call.expected = {200, 404};
    const auto response = send(call);
    if (response.status == 200 && !element(response.body, "ETag").empty()) return;
    // The answer to an earlier attempt may have been lost.
    const auto found = stat(object);
    if (!found || found->size != size) fail(call, "status " + std::to_string(response.status) + ", the upload was not completed");
}

void S3Store::abortUpload(const std::string& object, const std::string& upload) noexcept
{
    try
    {
        send({.name = "abort", .method = "DELETE", .object = object, .query = {{"uploadId", upload}}, .expected = {200, 204, 404}});
    }
    catch (const std::exception&)
    {
        // Reported by `fail`.
    }
}

std::optional<S3Store::Stat> S3Store::read(const std::string& object, int file)
{
    Stat stat;
    for (std::uint64_t offset = 0;;)
    {
        Call call{.name = "get", .method = "GET", .object = object};
        call.offset = offset;
        call.count = _settings.readBytes;
        call.into = file;
        call.expected = {206, 404, 416};
        const auto response = send(call);
        if (response.status == 404 && offset == 0) return std::nullopt;
        // An empty object has no range.
        if (response.status == 416 && offset == 0) return Stat{0, modifiedAt(response)};
        const auto total = totalBytes(response);
        if (response.status != 206 || !total || response.bodyBytes == 0) fail(call, "a part of a blob is missing");
        offset += response.bodyBytes;
        stat = {*total, modifiedAt(response)};
        if (offset >= *total) return stat;
    }
}

std::optional<S3Store::Stat> S3Store::stat(const std::string& object)
{
    Call call{.name = "stat", .method = "GET", .object = object};
    call.count = 1;
    call.expected = {206, 404, 416};
    const auto response = send(call);
    if (response.status == 404) return std::nullopt;
    if (response.status == 416) return Stat{0, modifiedAt(response)};
    const auto total = totalBytes(response);
    if (!total) fail(call, "no Content-Range, not an answer of S3");
    return Stat{*total, modifiedAt(response)};
}

void S3Store::remove(const std::string& object)
{
    send({.name = "delete", .method = "DELETE", .object = object, .expected = {200, 204, 404}});
}

void S3Store::list(const std::string& prefix, const std::function<void(const std::string& object, std::uint64_t size)>& each)
{
    std::string token;
    do {
        Call call{.name = "list", .method = "GET", .object = ""};
        if (!token.empty()) call.query.emplace_back("continuation-token", token);
        call.query.emplace_back("list-type", "2");
        call.query.emplace_back("prefix", prefix);
        const auto body = send(call).body;
        if (body.find("<ListBucketResult") == std::string::npos) fail(call, "no list, not an answer of S3");
        std::size_t at = 0;
        for (auto entry = element(body, "Contents", at); !entry.empty(); entry = element(body, "Contents", at))
            each(unescaped(element(entry, "Key")), parseNumber<std::uint64_t>(element(entry, "Size")).value_or(0));
        token = element(body, "IsTruncated") == "true" ? unescaped(element(body, "NextContinuationToken")) : std::string();
    } while (!token.empty());
}

std::optional<std::string> S3Store::clientUrl(std::string_view method, const std::string& object, std::chrono::seconds lifetime,
                                              const S3Signer::Pairs& query, const S3Signer::Pairs& headers) const
{
    if (!_clientSigner) return std::nullopt;
    return _clientSigner->presignedUrl(method, object, lifetime, _clock.now(), query, headers);
}

void S3Store::probe() noexcept
{
    try
    {
        Call call{.name = "probe", .method = "GET", .object = ""};
        call.query = {{"list-type", "2"}, {"max-keys", "1"}, {"prefix", _settings.prefix}};
        call.once = true;
        if (send(call).body.find("<ListBucketResult") == std::string::npos) fail(call, "no list, not an answer of S3");
    }
    catch (const std::exception&)
    {
        const std::lock_guard lock(_mutex);
        _silent = !_reason.starts_with("status") && !_reason.starts_with("no ");
        _up = false;
    }
    _metrics.gauge("blob_store_up", _up ? 1 : 0);
}

void S3Store::wait(std::chrono::milliseconds pause)
{
    std::unique_lock lock(_mutex);
    _interrupted.wait_for(lock, pause, [this] { return _stopped.load(); });
}

void S3Store::interrupt()
{
    {
        const std::lock_guard lock(_mutex);
        _stopped = true;
    }
    _interrupted.notify_all();
    _http.interrupt();
}

} // namespace portico::host::platform
