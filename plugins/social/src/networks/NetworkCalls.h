#pragma once

#include "networks/Network.h"
#include "networks/Steps.h"

#include "portico/Clock.h"
#include "portico/HttpClient.h"
#include "portico/Json.h"
#include "portico/Problem.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::social
{

/// The outcome of one exchange: a response, or why there is none.
struct Exchanged
{
    std::optional<HttpClient::Response> response;
    /// Without a response: true if the other server may have executed the request.
    bool perhapsSent = false;
    /// True if the address is in an internal network that the operator has not allowed.
    bool addressRefused = false;
    std::string message;

    bool isSuccess() const noexcept { return response && response->status / 100 == 2; }
};

/// Sends a request, and catches the client's exceptions. Thread-safe.
Exchanged exchange(HttpClient& http, HttpClient::Request request);

/// Returns the outcome for a failed exchange or a response other than 2xx (2.A.3). A network with special statuses must handle them
/// before.
/// @param said code and message of the network's error
StepOutcome failedOutcome(const Exchanged& exchanged, Instant now, std::string_view code = {}, std::string_view said = {});

/// Outcome of a 2xx whose response does not name the sent post: the network may have published it.
StepOutcome unnamed(StepOutcome outcome);

/// Returns when a limit ends: Retry-After, or a reset header in seconds since 1970 or as an instant. At most 24 hours from now.
std::optional<Instant> retryTime(const HttpClient::Response& response, Instant now);

/// Parses an answer; none unless it is a JSON object of that form.
template <class T>
std::optional<T> readAnswer(const Exchanged& exchanged)
{
    if (!exchanged.response) return std::nullopt;
    try
    {
        return fromStoredJson<T>(exchanged.response->body);
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
}

/// Reads the answer of a 2xx. @throws ConnectFault for every other answer
template <class T>
T requireAnswer(const Exchanged& exchanged, std::string_view what)
{
    if (!exchanged.response) throw ConnectFault(ConnectFault::Kind::Unreachable, "", "network_unreachable", exchanged.message);
    if (exchanged.isSuccess())
        if (auto answer = readAnswer<T>(exchanged)) return *std::move(answer);
    throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer",
                       std::string(what) + " answered " + std::to_string(exchanged.response->status) +
                           (exchanged.isSuccess() ? " with a body that cannot be read." : "."));
}

/// A request for a JSON answer. @param token bearer token; empty: none
HttpClient::Request apiRequest(std::string_view method, std::string url, std::string_view token);

/// Returns a text as a JSON string with its quotes.
std::string jsonText(std::string_view text);

/// Returns a URL to connect to: https, or http where the operator allows the address.
/// @throws ConnectFault BadInput that names the field
std::string requireReachable(const HttpClient& http, std::string_view url, std::string_view field);

} // namespace portico::social
