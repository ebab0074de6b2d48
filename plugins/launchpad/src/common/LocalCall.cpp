#include "common/LocalCall.h"

#include "portico/Json.h"

#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr std::chrono::seconds localCallTimeout{15};
constexpr int firstServerError = 500;

struct ProblemText
{
    std::string code;
    std::string detail;

    friend constexpr auto schemaOf(const ProblemText*) { return describe(members<&ProblemText::code, &ProblemText::detail>()); }
};
} // namespace

std::optional<HttpClient::Response> callLocally(PluginContext& context, const Request& visitor, std::string_view service, std::string path,
                                                std::string body)
{
    Call call;
    call.service = service;
    call.request.url = std::move(path);
    call.request.timeout = localCallTimeout;
    call.request.headers = {{"Accept", "application/json"}, {"X-Request-Id", std::string(visitor.requestId)}};
    if (!body.empty())
    {
        call.request.method = "POST";
        call.request.headers.emplace_back("Content-Type", "application/json");
        call.request.body = std::move(body);
    }
    call.clientAddress = visitor.clientAddress;
    auto result = context.calls().send(std::move(call));
    if (!result.responded()) return {};
    return std::move(result.response);
}

Problem problemOf(const HttpClient::Response& response)
{
    if (response.status >= 400 && response.status < firstServerError)
    {
        try
        {
            const auto text = fromStoredJson<ProblemText>(response.body);
            if (!text.code.empty()) return Problem(response.status, text.code, text.detail);
        }
        catch (const Problem&)
        {
            // Not a problem document.
        }
    }
    return Problem::unavailable("service_unavailable", "A part of this service is temporarily unavailable. Try again in a moment.");
}

} // namespace portico::launchpad
