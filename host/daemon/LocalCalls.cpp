#include "host/daemon/LocalCalls.h"

#include "host/http/LocalExchange.h"
#include "host/routing/table/Origins.h"

#include <string>
#include <string_view>

namespace portico::host::daemon
{

CallResult callService(const Call& call, http::Application& application, const routing::CurrentTable& routes)
{
    using Outcome = CallResult::Outcome;
    using End = http::LocalResponse::End;
    CallResult result;
    std::string origin;
    {
        const auto table = routes.copy();
        const auto* site = table->site(call.service);
        if (site != nullptr) origin = site->origin;
    }
    const auto method = parseMethod(call.request.method);
    if (origin.empty() || !method)
    {
        result.outcome = Outcome::NotReached;
        return result;
    }
    const auto host = routing::hostOf(origin);
    const std::string_view target = call.request.url;
    const auto question = target.find('?');
    const auto response =
        http::callLocally(application, {.method = *method,
                                        .service = call.service,
                                        .host = host,
                                        .secure = origin.starts_with("https://"),
                                        .path = target.substr(0, question),
                                        .query = question == std::string_view::npos ? std::string_view() : target.substr(question + 1),
                                        .headers = call.request.headers,
                                        .body = call.request.body,
                                        .clientAddress = call.clientAddress,
                                        .maxResponseBytes = call.request.maxResponseBytes});
    result.outcome = response.end == End::Whole ? Outcome::Responded : response.end == End::TooLarge ? Outcome::TooLarge : Outcome::Failed;
    result.response.status = response.status;
    result.response.headers = response.headers;
    result.response.body = response.body;
    result.response.bodyBytes = response.body.size();
    result.response.url = origin + call.request.url;
    return result;
}

} // namespace portico::host::daemon
