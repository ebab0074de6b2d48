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

/// Bytes that a form adds to its file: boundaries, header lines, small fields. The form's reader checks the file itself against the limit.
constexpr std::uint64_t formBytes = 64 * 1024;

/// Maximum bytes of a body that are read into memory before the caller is known.
constexpr std::uint64_t anonymousBytes = 16 * 1024;

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
        // A chunked body has an unknown length, so its maximum is assumed.
        admission.prepareFirst = !route.access.open && exchange.announcedBytes.value_or(admission.bodyLimit) > anonymousBytes;
        break;
    case BodyKind::Upload:
        admission.body = http::BodyMode::File;
        admission.bodyLimit = fileLimit(route) + (isForm(request.header("Content-Type")) ? formBytes : 0);
        // An upload without permission is rejected before its body is sent.
        admission.prepareFirst = true;
        break;
    }
    // Tenant limits apply while the work is queued, so the caller must be known before.
    admission.prepareFirst = admission.prepareFirst || route.checksBeforeBody || (admission.lane == http::Lane::Long && !route.access.open);
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
