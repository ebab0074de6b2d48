#include "host/routing/pipeline/BodyRules.h"

#include "host/base/Text.h"
#include "host/routing/idempotency/Idempotency.h"

#include "portico/Arguments.h"

namespace portico::host::routing
{

namespace
{

http::Lane laneOf(const plugins::RouteInfo& route, const Request& request) noexcept
{
    if (route.execution == Execution::Heavy) return http::Lane::Heavy;
    if (route.execution == Execution::Long) return http::Lane::Long;
    // Checking a credential and keeping an answer may ask a database, which an event loop must not wait for.
    const bool neverBlocks = route.access.open && !(route.idempotencyKey && Idempotency::asked(request));
    return route.execution == Execution::EventLoop && neverBlocks ? http::Lane::Loop : http::Lane::Worker;
}

/// What a form puts around its file: boundaries, header lines, small fields. Its reader checks the file itself against the limit.
constexpr std::uint64_t formBytes = 64 * 1024;

/// What is taken into memory of a body before it is known who sends it.
constexpr std::uint64_t strangersBytes = 16 * 1024;

bool isForm(std::string_view contentType) noexcept
{
    return equalsIgnoreCase(trimmed(contentType.substr(0, contentType.find(';'))), "multipart/form-data");
}

/// `application/json`, or on PUT and PATCH the merge patch that they are.
bool isJson(std::string_view contentType, Method method)
{
    const bool merges = method == Method::Put || method == Method::Patch;
    const auto type = trimmed(contentType.substr(0, contentType.find(';')));
    return portico::detail::isJsonContentType(contentType) && (merges || equalsIgnoreCase(type, "application/json"));
}

} // namespace

http::Admission BodyRules::admission(const plugins::RouteInfo& route, const http::Exchange& exchange) const noexcept
{
    const Request& request = exchange.request;
    http::Admission admission;
    admission.lane = laneOf(route, request);
    switch (route.body)
    {
    case BodyKind::None:
        // Clients send `{}` to routes that need nothing: it is read and dropped.
        admission.bodyLimit = route.bodyLimit != 0 ? route.bodyLimit : _jsonBytes;
        break;
    case BodyKind::Json:
    case BodyKind::Raw:
        admission.body = http::BodyMode::Memory;
        admission.bodyLimit = route.bodyLimit != 0 ? route.bodyLimit : _jsonBytes;
        // Of a chunked one nobody knows how long it will be.
        admission.prepareFirst = !route.access.open && exchange.announcedBytes.value_or(admission.bodyLimit) > strangersBytes;
        break;
    case BodyKind::Upload:
        admission.body = http::BodyMode::File;
        admission.bodyLimit = fileLimit(route) + (isForm(request.header("Content-Type")) ? formBytes : 0);
        // Nobody sends megabytes to learn that he may not.
        admission.prepareFirst = true;
        break;
    }
    // Whose work it is has to be known before it waits for its turn.
    admission.prepareFirst = admission.prepareFirst || (admission.lane == http::Lane::Long && !route.access.open);
    return admission;
}

void BodyRules::explainTooLarge(const plugins::RouteInfo& route, Problem& problem) const
{
    if (route.body != BodyKind::Upload) return;
    problem.withDetails(R"({"fields":[{"field":"file","code":"too_large","limit":)" + std::to_string(fileLimit(route)) + "}]}");
}

void BodyRules::checkContentCoding(const plugins::RouteInfo& route, const Request& request)
{
    if (route.body == BodyKind::None) return;
    const auto coding = request.header("Content-Encoding");
    if (coding.empty() || equalsIgnoreCase(coding, "identity")) return;
    throw Problem(415, "unsupported_media_type", "Send the body without Content-Encoding: encoded bodies are not read.")
        .withHeader("Accept-Encoding", "identity");
}

void BodyRules::checkContentType(const plugins::RouteInfo& route, const Request& request)
{
    if (route.body != BodyKind::Json) return;
    const auto contentType = request.header("Content-Type");
    const bool nothingSent = request.body.empty() && contentType.empty();
    if (!nothingSent && !isJson(contentType, request.method))
        throw Problem(415, "unsupported_media_type", "Send the body as application/json.");
}

} // namespace portico::host::routing
