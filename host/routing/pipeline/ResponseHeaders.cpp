#include "host/routing/pipeline/ResponseHeaders.h"

#include "host/base/Digests.h"

#include <string>
#include <string_view>

namespace portico::host::routing
{

namespace
{

constexpr std::string_view requestHeaders =
    "Authorization, Content-Type, DPoP, Idempotency-Key, If-Match, If-None-Match, Range, X-Brand-ID, "
    "X-File-Name, X-Hold-Token, X-Platform-Auth, X-Portico-Context, X-Service-ID, X-Api-Key";
constexpr std::string_view exposedHeaders =
    "Content-Disposition, ETag, Idempotency-Replayed, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "
    "Retry-After, WWW-Authenticate, X-Request-Id";

constexpr std::string_view defaultPolicy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

void addUnlessThere(Response& response, std::string_view name, std::string_view value)
{
    if (!response.hasHeader(name)) response.addHeader(name, value);
}

/// RFC 9110 requires a challenge in every 401; RFC 6750 requires the reason only where a token was sent.
void addChallenge(const RequestState& state, const Request& request, Response& response)
{
    if (response.hasHeader("WWW-Authenticate")) return;
    std::string challenge = "Bearer realm=\"" + (state.site != nullptr ? state.site->id() : std::string("portico")) + '"';
    if (request.hasHeader("Authorization")) challenge += ", error=\"invalid_token\"";
    response.addHeader("WWW-Authenticate", challenge);
}

void addCacheControl(const RequestState& state, Response& response)
{
    if (!response.cacheControl.empty()) return;
    const bool named = state.entry != nullptr && response.status < 400 && !state.entry->info->cacheControl.empty();
    response.cacheControl = named ? std::string_view(state.entry->info->cacheControl) : std::string_view("no-store");
}

/// Adds the hash of the body as entity tag if the route lets clients store its responses and revalidate them, and has set none.
void addEntityTag(const Request& request, const RequestState& state, Response& response)
{
    const bool whole = response.status == 200 && !response.file && !response.source && !response.live;
    if (!whole || request.method != Method::Get || !response.etag.empty() || state.entry == nullptr) return;
    if (state.entry->info->cacheControl.find("no-cache") == std::string::npos) return;
    response.etag = '"' + sha256Hex(response.body).substr(0, 32) + '"';
}

/// Cross-origin rules: registered origins may call with credentials, routes that say so may be read by any origin, and no other origin
/// learns anything. `entry` may be null: errors of unknown paths are readable for registered origins too.
void addCorsHeaders(const Request& request, const RouteEntry* entry, const AllowedOrigins& allowed, Response& response)
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

} // namespace

void completeHeaders(const Request& request, const RequestState& state, Response& response)
{
    if (response.contentType.starts_with("text/html"))
    {
        addUnlessThere(response, "Referrer-Policy", "strict-origin-when-cross-origin");
        addUnlessThere(response, "Content-Security-Policy", defaultPolicy);
    }
    if (response.status == 401) addChallenge(state, request, response);
    if (state.rate.limited) state.rate.addHeaders(response);
    if (state.table) addCorsHeaders(request, state.entry, state.table->allowedOrigins(), response);
    addCacheControl(state, response);
    addEntityTag(request, state, response);
}

void answerOptions(const Request& request, const RouteEntry* entry, MethodSet methods, const AllowedOrigins& allowed, Response& response)
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
