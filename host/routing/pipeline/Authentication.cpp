#include "host/routing/pipeline/Authentication.h"

#include "host/http/Characters.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::host::routing
{

namespace
{

constexpr std::size_t longestApiKey = 256;

[[noreturn]] void refuseMalformed()
{
    throw Problem::unauthorized("invalid_token", "The credential is malformed.").withDetails(R"({"reason":"malformed"})");
}

/// The b64token of RFC 6750: at least one character, `=` at the end only.
bool isToken(std::string_view text) noexcept
{
    const auto padding = text.find_last_not_of('=');
    if (padding == std::string_view::npos) return false;
    const auto body = text.substr(0, padding + 1);
    return http::all(body, http::octet::token68);
}

SentCredential accessToken(std::string_view header)
{
    const auto space = header.find(' ');
    const auto start = space == std::string_view::npos ? space : header.find_first_not_of(' ', space);
    const auto scheme = header.substr(0, space);
    const bool bound = equalsIgnoreCase(scheme, "DPoP");
    if (start == std::string_view::npos || !(bound || equalsIgnoreCase(scheme, "Bearer")) || !isToken(header.substr(start)))
        refuseMalformed();
    return {CredentialKind::AccessToken, header.substr(start), nullptr, bound};
}

std::string_view apiKey(std::string_view header)
{
    const auto visible = [](char c) { return c > 0x20 && c < 0x7f; };
    if (header.empty() || header.size() > longestApiKey || !std::all_of(header.begin(), header.end(), visible)) refuseMalformed();
    return header;
}

/// @throws Problem 400 `multiple_credentials` for more than one, 401 `invalid_token` for one that is malformed.
SentCredential readCredential(const Request& request)
{
    const HeaderField* authorization = nullptr;
    const HeaderField* key = nullptr;
    for (const HeaderField& field : request.headers)
    {
        const HeaderField** place = equalsIgnoreCase(field.name, "Authorization") ? &authorization
                                    : equalsIgnoreCase(field.name, "X-Api-Key")   ? &key
                                                                                  : nullptr;
        if (place == nullptr) continue;
        if (authorization != nullptr || key != nullptr)
            throw Problem::badRequest("multiple_credentials", "Send one credential: a bearer token or an API key.");
        *place = &field;
    }
    if (authorization != nullptr) return accessToken(authorization->value);
    if (key != nullptr) return {CredentialKind::ApiKey, apiKey(key->value)};
    return {};
}

/// Keeps other sites from using the cookies of a browser (conventions, "CORS"). A request without cookies passes: nothing authenticates it,
/// and native clients use the same routes. @throws Problem 403 `csrf_rejected`
void checkCookies(const Request& request, const AllowedOrigins& allowed)
{
    if (!request.hasHeader("Cookie")) return;
    const bool reads = request.method == Method::Get || request.method == Method::Head;
    // Navigation and EventSource send no Origin and cannot send the header; an Origin that is sent must be ours all the same.
    if (reads && !request.hasHeader("Origin")) return;
    const bool registered = allowed.allows(request.header("Origin"));
    if (registered && (reads || request.header("X-Platform-Auth") == "1")) return;
    throw Problem::forbidden("csrf_rejected", "A request with cookies needs a registered Origin and the header X-Platform-Auth: 1.");
}

/// Shares the constant of the SDK without owning it.
std::shared_ptr<const Caller> nobody() noexcept { return {std::shared_ptr<const void>(), &Caller::nobody()}; }

Problem validationUnavailable()
{
    return Problem::unavailable("validation_unavailable", "Credentials cannot be checked at the moment.", 1);
}

/// The service that a token must be for.
std::string_view audience(const Request& request, const RouteEntry& entry, const Site& site) noexcept
{
    // Backends ask the provider itself about their own service's tokens and name the service.
    const bool atHome = entry.info->onEveryOrigin && !entry.throughGateway;
    const auto named = atHome ? request.header("X-Service-ID") : std::string_view();
    return named.empty() ? std::string_view(site.id()) : named;
}

} // namespace

SentCredential Authentication::find(const Request& request, const RouteEntry& entry, const RouteTable& table)
{
    const Access& access = entry.info->access;
    const auto sent = readCredential(request);
    const bool takesKeys = access.apiKey && (entry.forward == nullptr || entry.forward->access.apiKey);
    if (sent.kind == CredentialKind::ApiKey && !takesKeys)
        throw Problem::forbidden("bearer_required", "This route does not take API keys: send the access token of a user.");
    // A token that is sent is judged, and refused, also where the cookie is what the route works with (conventions, "Credentials").
    if (access.cookie && (!access.bearer || sent.kind == CredentialKind::None))
        checkCookies(request, table.allowedOrigins());
    else if (sent.kind == CredentialKind::None)
        throw Problem::unauthorized("authentication_required", "Send a credential.");
    return sent;
}

std::shared_ptr<const Caller> Authentication::authenticate(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                                           const Site& site) const
{
    return sent.kind == CredentialKind::None ? nobody() : validate(question(sent, request, entry, site));
}

interfaces::Credential Authentication::question(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                                const Site& site) noexcept
{
    // Gateway routes about the caller's own data also serve callers without access to the origin's service.
    const auto& access = entry.info->access;
    const bool named = !access.permission.empty();
    const bool requireAccess = !entry.info->onEveryOrigin || named || entry.forward != nullptr;
    using enum interfaces::Credential::Presented;
    return {sent.kind,
            sent.value,
            audience(request, entry, site),
            request.clientAddress,
            requireAccess,
            sent.digest,
            sent.bound ? (sent.proven ? Proven : Proof) : Bearer,
            sent.bound ? request.header("DPoP") : std::string_view(),
            request.method,
            request.origin,
            request.path,
            entry.info->onEveryOrigin && (named || access.organization)};
}

std::shared_ptr<const Caller> Authentication::validateCached(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                                             const Site& site) const noexcept
{
    // Declared outside of the block: an exception of the provider may have a type of its library, and the handler below destroys it.
    Leased<interfaces::Credentials> provider;
    try
    {
        if (sent.kind == CredentialKind::None) return nullptr;
        provider = _find();
        if (!provider) return nullptr;
        auto caller = provider->validateCached(question(sent, request, entry, site));
        return caller && !caller->anonymous() ? std::move(caller) : nullptr;
    }
    catch (...)
    {
        // A worker finds the reason and reports it.
        return nullptr;
    }
}

template <class Question>
auto Authentication::ask(Question&& question) const -> std::invoke_result_t<Question, interfaces::Credentials&>
{
    // The provider's lease must outlive the handlers below: an exception of the provider may have a type of its library.
    const auto provider = _find();
    if (!provider) throw validationUnavailable();
    try
    {
        return question(*provider);
    }
    catch (const Problem& problem)
    {
        // The provider's rejection is final. A failure of the provider is not the caller's fault and never a reason to sign out.
        if (problem.status() < 500) throw;
    }
    catch (const std::exception& error)
    {
        _log.error("a credential could not be checked", {{"error", error.what()}});
    }
    throw validationUnavailable();
}

std::shared_ptr<const Caller> Authentication::validate(const interfaces::Credential& credential) const
{
    auto caller = ask([&](interfaces::Credentials& provider) { return provider.validate(credential); });
    if (caller && !caller->anonymous()) return caller;
    _log.error("the provider of credentials named no caller");
    throw validationUnavailable();
}

void Authentication::requireFreshProof(const Caller& caller) const
{
    ask([&](interfaces::Credentials& provider) { provider.requireFreshProof(caller); });
}

} // namespace portico::host::routing
