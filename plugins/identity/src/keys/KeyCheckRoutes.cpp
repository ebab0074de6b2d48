#include "keys/KeyCheckRoutes.h"

#include "catalog/CatalogStore.h"
#include "clients/ServicePrincipal.h"
#include "common/Networks.h"

#include "portico/RateLimit.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

struct Refusal
{
    std::string reason;
};

constexpr auto schemaOf(const Refusal*) { return describe(field<&Refusal::reason>()); }

/// A 401 has the code in its details, a 403 is itself the code. A key of a deleted user counts as disabled.
std::string codeOf(const Problem& problem)
{
    if (problem.status() != 401 || problem.details().empty()) return problem.code();
    const auto reason = fromStoredJson<Refusal>(problem.details()).reason;
    return reason == "user_suspended" ? "key_disabled" : reason;
}

/// The first thing that the key lacks; empty when it lacks nothing.
std::string lacks(const CatalogService* service, const Caller& key, const KeyQuestion& question)
{
    if (!service || key.scopes.empty()) return "insufficient_scope";
    if (!std::ranges::all_of(question.scopes, [&](const auto& scope) { return key.hasScope(scope); })) return "insufficient_scope";
    for (const auto& permission : question.permissions)
    {
        if (!key.may(permission)) return "permission_denied";
        if (!service->opens(key.scopes, permission)) return "insufficient_scope";
    }
    return question.resource && !key.reaches(question.resource->type, question.resource->id) ? "resource_not_bound" : "";
}

} // namespace

void KeyCheckRoutes::declare(Routes& routes)
{
    routes.post("/api/api-keys/validate", access::service(), &KeyCheckRoutes::validate, this,
                {.summary = "Check the permissions of a key", .idempotencyKey = false, .problems = {"503 validation_unavailable"}});
}

KeyVerdict KeyCheckRoutes::validate(const Caller& caller, const Body<KeyQuestion>& question) const
{
    requireOwnService(*_core.catalog.snapshot(), caller, question->serviceId);
    const std::string_view ip = question->ip;
    if (!ip.empty() && (ip.find('/') != ip.npos || !Network::parse(ip)))
        throw Problem::invalid("ip", "invalid_address", "Expected the client's IPv4 or IPv6 address, without a port.");
    try
    {
        return judge(*question);
    }
    catch (const Problem& problem)
    {
        if (problem.status() != 401 && problem.status() != 403 && problem.status() != 429) throw;
        return {false, codeOf(problem)};
    }
    catch (const DatabaseError&)
    {
        throw Problem::unavailable("validation_unavailable", "Key validation is temporarily unavailable.");
    }
}

KeyVerdict KeyCheckRoutes::judge(const KeyQuestion& question) const
{
    const auto key = _credentials.validate({CredentialKind::ApiKey, question.key, question.serviceId, question.ip, true});
    const auto catalog = _core.catalog.snapshot();
    const auto* service = catalog->find(question.serviceId);
    if (auto code = lacks(service, *key, question); !code.empty()) return {false, std::move(code)};
    const auto limit = key->rateLimit > 0 ? key->rateLimit : _core.settings.requestsPerMinute;
    const RateLimit budget(_core.state, _core.clock,
                           {.use = "key-budget", .limit = limit, .window = std::chrono::seconds(key->rateWindowSeconds)});
    const auto used = budget.count(key->apiKeyId, question.cost);
    if (!used.allowed)
    {
        _usage.note(*catalog, key->apiKeyId, question.serviceId, question.ip, _core.clock.now(), KeyUseKind::RateLimited);
        return {false, "rate_limited"};
    }
    KeyVerdict verdict{true, "valid"};
    verdict.apiKey = CheckedKey{key->apiKeyId, key->apiKeyPublicId, key->apiKeyName};
    verdict.ownerType = key->principalId.starts_with("org_") ? KeyOwner::Organization : KeyOwner::User;
    verdict.ownerId = key->principalId;
    verdict.scopes = key->scopes;
    verdict.effectivePermissions = key->permissions;
    std::erase_if(*verdict.effectivePermissions, [&](const auto& permission) { return !service->opens(key->scopes, permission); });
    if (!key->boundResources.empty()) verdict.boundResources = key->boundResources;
    verdict.rateLimit = KeyBudget{limit, used.remaining, _core.clock.now() + used.retryAfter};
    return verdict;
}

} // namespace portico::identity
