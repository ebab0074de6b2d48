#include "credentials/ValidateRoutes.h"

#include "clients/OAuthClient.h"
#include "common/Requests.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

std::optional<std::string> unlessEmpty(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

/// The credential as the host found it: it has been validated once, so its form is known to be good.
interfaces::Credential sent(const Caller& caller, const Request& request)
{
    const bool isKey = caller.credential == CredentialKind::ApiKey;
    auto value = isKey ? request.header("X-Api-Key") : request.header("Authorization");
    if (!isKey) value.remove_prefix(value.find_last_of(' ') + 1);
    interfaces::Credential credential{caller.credential, value, caller.serviceId, request.clientAddress, true};
    credential.presented = interfaces::Credential::Presented::Proven;
    return credential;
}

void requireResource(const Caller& caller, std::string_view resource)
{
    const auto colon = resource.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == resource.size())
        throw Problem::invalid("resource", "invalid_resource", "A resource is written as type:id.");
    if (!caller.reaches(resource.substr(0, colon), resource.substr(colon + 1)))
        throw Problem::forbidden("resource_not_bound", "The key is bound to other resources.");
}

ActiveContext contextOf(Database& database, const Caller& caller)
{
    ActiveContext context;
    context.role = parseEnum<Role>(caller.role).value_or(Role::Member);
    if (caller.organizationId.empty())
    {
        const auto user = UserId::parse(caller.principalId);
        if (!user) return context;
        auto session = database.session();
        context.choose(households::selectedBy(session, *user));
        return context;
    }
    context.kind = ContextKind::Organization;
    context.organizationId = OrganizationId::parse(caller.organizationId);
    context.organizationName = caller.organizationName;
    return context;
}

/// @param service may be missing: it was there when the credential was looked at.
ValidateResult resultOf(Database& database, const Caller& caller, const CatalogService* service)
{
    ValidateResult result;
    result.serviceId = caller.serviceId;
    // A delegated token reveals only the personal data that its scopes include, like userinfo.
    const auto told = [&](std::string_view scope, const std::string& text)
    { return caller.delegated && !hasWord(caller.scope, scope) ? std::string() : text; };
    result.principal = {caller.principalId, caller.principalType, told("profile", caller.displayName), told("email", caller.email)};
    result.activeContext = contextOf(database, caller);
    result.role = caller.role;
    result.platformRole = unlessEmpty(caller.platformRole);
    result.platformBypass = caller.platformBypass;
    result.effectivePermissions = permissionsThere(caller);
    if (caller.expiresAt != Instant{}) result.expiresAt = caller.expiresAt;
    result.revision = caller.revision;
    if (caller.credential != CredentialKind::ApiKey)
    {
        result.credential = "access_token";
        result.scope = unlessEmpty(caller.scope);
        if (caller.isServicePrincipal()) return result;
        if (!caller.impersonatorId.empty()) result.act = ActingParty{caller.impersonatorId};
        if (caller.sessionId.empty()) return result;
        result.session = ValidatedSession{caller.sessionId, caller.acr, caller.authenticatedAt};
        return result;
    }
    result.credential = "api_key";
    std::erase_if(result.effectivePermissions,
                  [&](const auto& permission) { return !service || !service->opens(caller.scopes, permission); });
    const std::string ownerType = caller.principalId.starts_with("org_") ? "organization" : "user";
    result.apiKey = ValidatedKey{caller.apiKeyId, caller.apiKeyPublicId, caller.apiKeyName, ownerType, caller.principalId, caller.scopes};
    if (!caller.boundResources.empty()) result.boundResources = caller.boundResources;
    return result;
}

} // namespace

void ValidateRoutes::declare(Routes& routes)
{
    routes.get("/validate", Access{.bearer = true, .apiKey = true}.orService().orDelegated().orWidgetToken(), &ValidateRoutes::validate,
               this,
               {.summary = "Validate a credential",
                .onEveryOrigin = true,
                .execution = Execution::ShortRead,
                .problems = {"401 invalid_token", "403 service_access_denied", "403 insufficient_scope", "409 service_incomplete"}});
}

void ValidateRoutes::requireComplete(const std::string& serviceId) const
{
    const auto catalog = _catalog.snapshot();
    const auto* service = catalog->find(serviceId);
    if (service && !service->complete) throw Problem::conflict("service_incomplete", "The service's registration is not complete.");
}

/// A key needs a scope that opens the permission, too.
void ValidateRoutes::requirePermission(const Caller& caller, std::string_view permission) const
{
    if (!caller.may(permission)) throw Problem::forbidden("permission_denied", "The permission is needed.");
    if (caller.credential != CredentialKind::ApiKey) return;
    const auto catalog = _catalog.snapshot();
    const auto* service = catalog->find(caller.serviceId);
    if (!service || !service->opens(caller.scopes, permission))
        throw Problem::forbidden("insufficient_scope", "None of the key's scopes includes the permission.");
}

ValidateResult ValidateRoutes::validate(const Caller& caller, const Request& request, const Questions& questions) const
{
    requireComplete(caller.serviceId);
    // The gateway lets everyone through to their own things; here access to the service is the question.
    const auto full = _credentials.validate(sent(caller, request));
    if (full->credential == CredentialKind::ApiKey && full->scopes.empty())
        throw Problem::forbidden("insufficient_scope", "The key has no scope in this service.");
    for (const auto& [name, value] : *questions) name == "permission" ? requirePermission(*full, value) : requireResource(*full, value);
    const auto catalog = _catalog.snapshot();
    auto result = resultOf(_database, *full, catalog->find(full->serviceId));
    result.requestId = request.requestId;
    return result;
}

} // namespace portico::identity
