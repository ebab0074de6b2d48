#pragma once

#include "portico/Clock.h"
#include "portico/Events.h"
#include "portico/HttpClient.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// Seven waits that with the first try make eight over a day.
inline constexpr std::array<std::chrono::milliseconds, 7> signedPostWaits = {
    std::chrono::minutes(1), std::chrono::minutes(5), std::chrono::minutes(30), std::chrono::hours(2),
    std::chrono::hours(5),   std::chrono::hours(8),   std::chrono::hours(8)};

/// `{"type":…,"timestamp":…,"data":…}`: the same text at every try.
std::string webhookBody(const Event& event);

/// A try that failed.
class PostFailure final : public std::exception
{
public:
    PostFailure(int answered, std::string why, std::chrono::milliseconds wait) : status(answered), retryAfter(wait), _why(std::move(why)) {}
    const char* what() const noexcept override { return _why.c_str(); }
    /// The endpoint has been removed; further attempts are useless.
    bool gone() const noexcept { return status == 410; }
    /// True if the host ended the exchange because it stops: the endpoint is not at fault, and another host can send the message at once.
    bool isCutBy(const std::stop_token& stop) const noexcept { return status == 0 && stop.stop_requested(); }

    /// Status of the endpoint's answer; 0: no answer.
    const int status;
    /// Wait that the endpoint requested, at most a day; 0: none.
    const std::chrono::milliseconds retryAfter;

private:
    std::string _why;
};

/// Ends the attempt of a job as a failed try asks for. @throws JobFailed, JobRetry or the failure itself
[[noreturn]] void failAttempt(const PostFailure& failure);

/// Posts signed messages. Thread-safe.
class SignedPost
{
public:
    using Headers = std::vector<std::pair<std::string, std::string>>;

    SignedPost(HttpClient& http, const Clock& clock) : _http(http), _clock(clock) {}
    /// One try; the status with which it was taken. @throws PostFailure
    int send(const std::string& url, std::span<const std::string> secrets, Headers headers, std::string_view id, std::string body) const;

private:
    HttpClient& _http;
    const Clock& _clock;
};

} // namespace portico::host::platform
