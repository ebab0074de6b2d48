#include "checkout/Buyer.h"

#include "common/Ids.h"

#include "portico/Problem.h"
#include "portico/system/Credentials.h"

namespace portico::launchpad
{

namespace
{
constexpr std::string_view bearerScheme = "Bearer ";
constexpr std::string_view proofScheme = "DPoP ";
} // namespace

std::shared_ptr<const Caller> buyerOf(PluginContext& context, const Request& request)
{
    const auto header = request.header("Authorization");
    if (request.hasHeader("X-Api-Key")) throw Problem::forbidden("bearer_required", "Use an access token of a person, or no credential.");
    if (header.empty()) return nullptr;
    const bool proven = header.starts_with(proofScheme);
    if (!proven && !header.starts_with(bearerScheme))
        throw Problem::unauthorized("invalid_token", "The Authorization header cannot be read.");
    const auto credentials = context.services().find<interfaces::Credentials>();
    if (!credentials) throw Problem::unavailable("validation_unavailable", "Tokens cannot be validated at the moment. Try again later.");
    interfaces::Credential credential;
    credential.kind = CredentialKind::AccessToken;
    credential.value = header.substr((proven ? proofScheme : bearerScheme).size());
    credential.serviceId = ownServiceId;
    credential.clientAddress = request.clientAddress;
    credential.method = request.method;
    credential.origin = request.origin;
    credential.path = request.path;
    if (proven)
    {
        credential.presented = interfaces::Credential::Presented::Proof;
        credential.proof = request.header("DPoP");
    }
    auto caller = credentials->validate(credential);
    if (!caller || !UserId::parse(caller->principalId) || caller->delegated || !caller->impersonatorId.empty())
        throw Problem::forbidden("permission_denied", "Only users can buy plans, with their own session and without impersonation.");
    const auto expected = request.header("X-Portico-Context");
    if (!expected.empty() && expected != (caller->organizationId.empty() ? "personal" : caller->organizationId))
        throw Problem::conflict("context_changed", "The active context has changed. Nothing was read or written.");
    return caller;
}

} // namespace portico::launchpad
