#pragma once

#include "host/platform/outbound/GuardedHttpClient.h"
#include "host/platform/s3/S3Signer.h"

#include "portico/Clock.h"
#include "portico/Logger.h"
#include "portico/Metrics.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace portico::host::platform
{

/// `blobs.s3.*`
struct S3Settings
{
    S3Bucket bucket;
    /// Where clients reach the service of the bucket, in the form of its endpoint; empty: they do not.
    std::string publicEndpoint;
    /// Beginning of the name of every object.
    std::string prefix;
    /// How long the bucket may take to answer; a body has a second more for each 512 KiB.
    std::chrono::milliseconds timeout{10'000};
    /// Attempts of one request when the bucket does not answer or is overloaded.
    int attempts = 4;
    /// Pause before the second attempt; doubles with each further one.
    std::chrono::milliseconds pause{200};
    std::uint64_t partBytes = std::uint64_t{64} << 20;
    std::uint64_t readBytes = std::uint64_t{16} << 20;
};

/// Signer of the URLs that clients get; empty if they do not reach the bucket.
std::optional<S3Signer> clientSigner(const S3Settings& settings);

/// Sends requests to one bucket. Every function blocks, retries temporary failures, and throws Problem 503 `overloaded` if the bucket
/// is unusable; the reason is logged once. While `probe` gets no answer, functions throw immediately, without a request.
/// Thread-safe.
class S3Store
{
public:
    struct Stat
    {
        std::uint64_t size = 0;
        Instant modified{};
    };
    /// A finished part of an upload.
    struct Part
    {
        int number = 0;
        std::string etag;
    };

    S3Store(S3Settings settings, const HttpClientSettings& http, const Clock& clock, Logger& log, Metrics& metrics);

    const S3Settings& settings() const noexcept { return _settings; }
    /// `s3://bucket/prefix`.
    std::string place() const;

    void put(const std::string& object, const FileBody& body, const std::string& sha256);
    /// Uploads in parts: begin, each part in order, complete.
    std::string beginUpload(const std::string& object);
    Part putPart(const std::string& object, const std::string& upload, int number, const FileBody& body, const std::string& sha256);
    void completeUpload(const std::string& object, const std::string& upload, const std::vector<Part>& parts, std::uint64_t size);
    /// Fails silently: the bucket's lifecycle rule removes what is left.
    void abortUpload(const std::string& object, const std::string& upload) noexcept;

    /// Writes the object to `file`. Empty if there is none.
    std::optional<Stat> read(const std::string& object, int file);
    std::optional<Stat> stat(const std::string& object);
    void remove(const std::string& object);
    /// Calls `each` with the name and size of every object whose name begins with `prefix`.
    void list(const std::string& prefix, const std::function<void(const std::string& object, std::uint64_t size)>& each);

    /// URL that authorizes clients (see S3Signer); empty if they do not reach the bucket.
    std::optional<std::string> clientUrl(std::string_view method, const std::string& object, std::chrono::seconds lifetime,
                                         const S3Signer::Pairs& query, const S3Signer::Pairs& headers) const;

    /// Asks the bucket for its list; called regularly.
    void probe() noexcept;
    /// Result of the last probe.
    bool isUp() const noexcept { return _up.load(); }
    /// Ends all requests, now and later.
    void interrupt();

private:
    struct Call;
    HttpClient::Response send(const Call& call);
    HttpClient::Response attempt(const Call& call);
    /// @throws Problem 503
    [[noreturn]] void fail(const Call& call, const std::string& reason);
    void noteWorking();
    /// Pauses between two attempts, until `interrupt` at most.
    void wait(std::chrono::milliseconds pause);

    const S3Settings _settings;
    const S3Signer _signer;
    const std::optional<S3Signer> _clientSigner;
    const Clock& _clock;
    Logger& _log;
    Metrics& _metrics;
    GuardedHttpClient _http;
    std::atomic<bool> _up{true};
    /// Nothing answers at all.
    std::atomic<bool> _silent{false};
    std::atomic<bool> _stopped{false};
    std::mutex _mutex;
    std::condition_variable _interrupted;
    std::string _reason;
};

} // namespace portico::host::platform
