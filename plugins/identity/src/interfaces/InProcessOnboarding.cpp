#include "interfaces/InProcessOnboarding.h"

namespace portico::identity
{

namespace
{

interfaces::OnboardingState stateOf(const OnboardingView& view, bool manageable)
{
    interfaces::OnboardingState state;
    state.status = toString(view.status);
    for (const auto& step : view.steps) state.steps.push_back({step.id, step.title, step.required, step.done});
    state.manageable = manageable;
    return state;
}

} // namespace

bool InProcessOnboarding::mayManage(const Caller& caller)
{
    if (!UserId::parse(caller.principalId)) return false;
    return caller.organizationId.empty() || caller.platformBypass ||
           _directory.memberMay(caller.tenant(), caller.principalId, "identity.onboarding:manage");
}

void InProcessOnboarding::requireManager(const Caller& caller)
{
    if (!mayManage(caller)) throw Problem::forbidden("permission_denied", "The permission identity.onboarding:manage is needed.");
}

interfaces::OnboardingState InProcessOnboarding::state(const Caller& caller, std::string_view serviceId)
{
    return stateOf(_routes.show(caller, Path<std::string>(std::string(serviceId))), mayManage(caller));
}

interfaces::OnboardingState InProcessOnboarding::finishStep(const Caller& caller, std::string_view serviceId, std::string_view step,
                                                            std::string_view data)
{
    requireManager(caller);
    StepInput input{std::string(step), {data.empty() ? std::string("null") : std::string(data)}};
    return stateOf(
        _routes.update(caller, Path<std::string>(std::string(serviceId)), Body<StepInput>(std::move(input)), IfMatch(std::string_view())),
        true);
}

interfaces::OnboardingState InProcessOnboarding::complete(const Caller& caller, std::string_view serviceId, std::string_view clientAddress)
{
    requireManager(caller);
    Request request;
    request.caller = &caller;
    request.clientAddress = clientAddress;
    return stateOf(_routes.complete(caller, request, Path<std::string>(std::string(serviceId)), IfMatch(std::string_view())), true);
}

interfaces::RecoveryEmailState InProcessOnboarding::recoveryEmail(const Caller& caller)
{
    auto session = _core.database.session();
    auto view = recovery_emails::view(session, caller.principalId);
    interfaces::RecoveryEmailState state;
    state.status = std::move(view.status);
    state.maskedEmail = view.maskedEmail.value_or(std::string());
    state.pendingMaskedEmail = view.pendingMaskedEmail.value_or(std::string());
    state.verified = view.verifiedAt.has_value();
    return state;
}

} // namespace portico::identity
