#include "providers/UpstreamCalls.h"

namespace portico::identity
{

namespace
{
constexpr auto callTimeout = std::chrono::seconds(5);
constexpr std::uint64_t maxAnswered = 256 * 1024;
} // namespace

HttpClient::Response UpstreamCalls::send(HttpClient::Request request) const
{
    request.timeout = callTimeout;
    request.maxResponseBytes = maxAnswered;
    try
    {
        return _http.send(request);
    }
    catch (const Problem& problem)
    {
        const bool refused = problem.code() == "address_not_allowed";
        throw UpstreamFailure(refused ? UpstreamFailure::Kind::AddressRefused : UpstreamFailure::Kind::Unreachable,
                              refused ? "The provider's address lies in a network that is not called from here."
                                      : "The provider did not answer in time, or with too much.");
    }
}

std::string UpstreamCalls::get(const std::string& url, Headers headers) const
{
    HttpClient::Request request;
    request.url = url;
    request.headers = std::move(headers);
    request.headers.emplace_back("Accept", "application/json");
    auto answer = send(std::move(request));
    if (answer.status != 200)
        throw UpstreamFailure(UpstreamFailure::Kind::Unreachable, "The provider answered " + std::to_string(answer.status) + '.');
    return std::move(answer.body);
}

HttpClient::Response UpstreamCalls::post(const std::string& url, const std::string& form, Headers headers) const
{
    HttpClient::Request request;
    request.method = "POST";
    request.url = url;
    request.headers = std::move(headers);
    request.headers.emplace_back("Accept", "application/json");
    request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    request.body = form;
    return send(std::move(request));
}

} // namespace portico::identity
