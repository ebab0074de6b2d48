#include "interfaces/InProcessSignIns.h"

#include "sessions/RefreshFamilies.h"
#include "signin/TokenIssuer.h"

namespace portico::identity
{

namespace
{

/// Request data that the called routes read beside the caller.
struct CallOf
{
    CallOf(const Caller& caller, std::string_view address)
    {
        request.caller = &caller;
        request.clientAddress = address;
    }
    Request request;
};

} // namespace

interfaces::Handoff InProcessSignIns::handoff(const Caller& caller, const interfaces::HandoffWish& desired)
{
    if (!caller.impersonatorId.empty()) throw Problem::forbidden("permission_denied", "Not allowed while impersonating a user.");
    const CallOf call(caller, desired.clientAddress);
    const auto answer = _sso.handoff(caller, call.request,
                                     Body<HandoffInput>({desired.serviceId, desired.redirectUri,
                                                         desired.mobile ? HandoffChannel::Mobile : HandoffChannel::Web, desired.returnTo}));
    return {answer.record.callbackUrl, answer.record.handoffCode.value_or(""), answer.record.expiresAt, answer.record.handoffId};
}

interfaces::ContextChange InProcessSignIns::changeContext(const Caller& caller, std::string_view organizationId,
                                                          std::string_view clientAddress)
{
    ContextInput input;
    input.kind = organizationId.empty() ? "personal" : "organization";
    if (!organizationId.empty())
    {
        input.organizationId = OrganizationId::parse(organizationId);
        if (!input.organizationId) throw Problem::forbidden("membership_required", "You are not a member of this organization.");
    }
    const CallOf call(caller, clientAddress);
    auto answer = _sessions.switchContext(caller, call.request, Body<ContextInput>(std::move(input))).record;
    interfaces::ContextChange change;
    change.accessToken = std::move(answer.accessToken);
    change.expiresInSeconds = answer.expiresIn;
    change.tokenType = std::move(answer.tokenType);
    if (answer.activeContext.organizationId) change.organizationId = answer.activeContext.organizationId->text();
    change.organizationName = answer.activeContext.organizationName.value_or(std::string());
    change.role = toString(answer.activeContext.role);
    return change;
}

void InProcessSignIns::selectHousehold(const Caller& caller, std::string_view householdId)
{
    HouseholdSelection wanted;
    if (!householdId.empty())
    {
        wanted.selectedHouseholdId = HouseholdId::parse(householdId);
        if (!wanted.selectedHouseholdId) throw Problem::forbidden("household_membership_required", "You are not in this household.");
    }
    const CallOf call(caller, {});
    _households.select(caller, call.request, Body<HouseholdSelection>(std::move(wanted)));
}

std::optional<LiveSignIn> InProcessSignIns::holderOf(std::string_view handle, std::string_view serviceId)
{
    const auto now = _core.clock.now();
    const auto family = _core.families.live(handle);
    if (!family || family->serviceId != serviceId || family->dpopJkt) return std::nullopt;
    return _core.read([&](Session& session) { return sign_ins::live(session, family->sessionId, now); });
}

std::shared_ptr<const Caller> InProcessSignIns::behindRefreshCookie(std::string_view handle, std::string_view serviceId,
                                                                    std::string_view clientAddress)
{
    auto holder = holderOf(handle, serviceId);
    if (!holder) return nullptr;
    // Issues a token and validates it, so that the caller is described like any other.
    const auto token = _core.tokens.issue(holder->signIn, std::move(holder->user)).accessToken;
    interfaces::Credential credential{CredentialKind::AccessToken, token, serviceId, clientAddress};
    try
    {
        return _credentials.validate(credential);
    }
    catch (const Problem& problem)
    {
        // The sign-in has ended in the meantime.
        if (problem.status() == 401) return nullptr;
        throw;
    }
}

std::string InProcessSignIns::widgetToken(const Caller& caller, std::string_view serviceId)
{
    const bool isKey = caller.credential == CredentialKind::ApiKey;
    // A third-party app's token and a fan-out token do not multiply.
    if (caller.delegated || caller.widgetOnly || (!isKey && caller.sessionId.empty())) return {};
    if (!_catalog.isOpen(caller, serviceId)) return {};
    auto session = std::optional(_core.database.session());
    if (isKey)
    {
        const auto key = api_keys::find(*session, caller.apiKeyId);
        session.reset();
        return key ? _core.tokens.issueForWidget(*key, caller, std::string(serviceId)) : std::string();
    }
    auto signIn = sign_ins::find(*session, caller.sessionId);
    const auto user = users::find(*session, caller.principalId);
    session.reset();
    if (!signIn || !user || !signIn->active(_core.clock.now())) return {};
    return _core.tokens.issueForWidget(*std::move(signIn), *user, std::string(serviceId), caller.platformBypass);
}

} // namespace portico::identity
