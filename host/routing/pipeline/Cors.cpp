#include "host/routing/pipeline/Cors.h"

namespace portico::host::routing
{

namespace
{

constexpr std::string_view requestHeaders =
    "Authorization, Content-Type, DPoP, Idempotency-Key, If-Match, If-None-Match, Range, X-Brand-ID, "
    "X-File-Name, X-Hold-Token, X-Platform-Auth, X-Service-ID, X-Api-Key";
constexpr std::string_view exposedHeaders =
    "Content-Disposition, ETag, Idempotency-Replayed, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "
    "Retry-After, WWW-Authenticate, X-Request-Id";

} // namespace

void Cors::addHeaders(const Request& request, const RouteEntry* entry, const AllowedOrigins& allowed, Response& response)
{
    const auto origin = request.header("Origin");
    const auto* rule = entry != nullptr ? &entry->info->crossOrigin : nullptr;
    const bool anyone = rule != nullptr && rule->rule() == CrossOrigin::Rule::Anyone;
    // Also without an Origin: a cache must not hand this answer to a page.
    if (!anyone) response.addHeader("Vary", "Origin");
    if (origin.empty()) return;
    const bool registered = !anyone && allowed.allows(origin);
    if (!registered && (rule == nullptr || !rule->allows(origin))) return;
    response.addHeader("Access-Control-Allow-Origin", anyone ? std::string_view("*") : origin);
    if (registered) response.addHeader("Access-Control-Allow-Credentials", "true");
    if (anyone || request.method != Method::Options) response.addHeader("Access-Control-Expose-Headers", exposedHeaders);
}

void Cors::answerOptions(const Request& request, const RouteEntry* entry, MethodSet methods, const AllowedOrigins& allowed,
                         Response& response)
{
    const auto list = methods.list();
    response.status = 204;
    response.addHeader("Allow", list);
    const auto origin = request.header("Origin");
    const bool ruled = entry != nullptr && entry->info->crossOrigin.allows(origin);
    if (!request.hasHeader("Access-Control-Request-Method") || !(ruled || allowed.allows(origin))) return;
    response.addHeader("Access-Control-Allow-Methods", list);
    response.addHeader("Access-Control-Allow-Headers", requestHeaders);
    response.addHeader("Access-Control-Max-Age", "600");
}

} // namespace portico::host::routing
