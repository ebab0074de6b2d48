#include "host/routing/pipeline/Authentication.h"

#include "host/routing/pipeline/CsrfRule.h"

#include "portico/Problem.h"

namespace portico::host::routing
{

namespace
{

/// Shares the constant of the SDK without owning it.
std::shared_ptr<const Caller> nobody() noexcept { return {std::shared_ptr<const void>(), &Caller::nobody()}; }

Problem validationUnavailable()
{
    return Problem::unavailable("validation_unavailable", "Credentials cannot be checked at the moment.", 1);
}

} // namespace

std::string_view Authentication::audience(const Request& request, const RouteEntry& entry, const Site& site) noexcept
{
    // Backends ask the provider itself about tokens of their own service and name it.
    const bool atHome = entry.info->onEveryOrigin && !entry.throughGateway;
    const auto named = atHome ? request.header("X-Service-ID") : std::string_view();
    return named.empty() ? std::string_view(site.id()) : named;
}

SentCredential Authentication::find(const Request& request, const RouteEntry& entry, const RouteTable& table)
{
    const Access& access = entry.info->access;
    const bool cookieOnly = access.cookie && !access.bearer;
    const auto sent = SentCredential::read(request);
    if (sent.kind == CredentialKind::ApiKey && !access.apiKey)
        throw Problem::forbidden("bearer_required", "This route does not take API keys: send the access token of a user.");
    if (cookieOnly || (access.cookie && sent.kind == CredentialKind::None))
    {
        CsrfRule::check(request, table.allowedOrigins());
        return {};
    }
    if (sent.kind == CredentialKind::None) throw Problem::unauthorized("authentication_required", "Send a credential.");
    return sent;
}

std::shared_ptr<const Caller> Authentication::authenticate(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                                           const Site& site) const
{
    return sent.kind == CredentialKind::None ? nobody() : validate(question(sent, request, entry, site), request.requestId);
}

interfaces::Credential Authentication::question(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                                const Site& site) noexcept
{
    // What the gateway serves about the caller's own things is for those, too, who may not enter the origin's service.
    const bool requireAccess = !entry.info->onEveryOrigin || !entry.info->access.permission.empty();
    return {sent.kind, sent.value, audience(request, entry, site), request.clientAddress, requireAccess, sent.digest};
}

std::shared_ptr<const Caller> Authentication::validateCached(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                                             const Site& site) const noexcept
{
    // Outside of the block: what it threw ends with the handler below, and may be of a type of its own.
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
        // A worker finds out what it is, and tells.
        return nullptr;
    }
}

std::shared_ptr<const Caller> Authentication::validate(const interfaces::Credential& credential, std::string_view requestId) const
{
    // The provider's lease must outlive the handlers below: what it threw may be of a type of its own.
    const auto provider = _find();
    if (!provider) throw validationUnavailable();
    try
    {
        auto caller = provider->validate(credential);
        if (caller && !caller->anonymous()) return caller;
        _log.error("the provider of credentials named no caller", {{"requestId", requestId}});
    }
    catch (const Problem& problem)
    {
        // What the provider refuses stands; that it failed is not the caller's fault and never a reason to sign out.
        if (problem.status() < 500) throw;
    }
    catch (const std::exception& error)
    {
        _log.error("a credential could not be checked", {{"requestId", requestId}, {"error", error.what()}});
    }
    throw validationUnavailable();
}

} // namespace portico::host::routing
