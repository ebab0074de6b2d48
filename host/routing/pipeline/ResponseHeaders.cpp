#include "host/routing/pipeline/ResponseHeaders.h"

#include "host/routing/pipeline/Cors.h"

#include <string>
#include <string_view>

namespace portico::host::routing
{

namespace
{

constexpr std::string_view defaultPolicy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

void addUnlessThere(Response& response, std::string_view name, std::string_view value)
{
    if (!response.hasHeader(name)) response.addHeader(name, value);
}

/// RFC 9110 wants a challenge in every 401; RFC 6750 wants the reason only where a token was sent.
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

} // namespace

void ResponseHeaders::complete(const Request& request, const RequestState& state, Response& response)
{
    if (response.contentType.starts_with("text/html"))
    {
        addUnlessThere(response, "Referrer-Policy", "strict-origin-when-cross-origin");
        addUnlessThere(response, "Content-Security-Policy", defaultPolicy);
    }
    if (response.status == 401) addChallenge(state, request, response);
    if (state.rate.limited) state.rate.addHeaders(response);
    if (state.table) Cors::addHeaders(request, state.entry, state.table->allowedOrigins(), response);
    addCacheControl(state, response);
}

} // namespace portico::host::routing
